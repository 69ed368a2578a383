// What this browser remembers: settings, wins, the last choice at the start, and seats held in rooms. Nothing of it is
// sent anywhere but a seat's token to the room that gave it.

const KEY = "rummy";

const DEFAULTS = {
  language: "", // "" is the browser's
  sound: true,
  animation: true,
  fourColours: false,
  suitLetters: false,
  name: "",
  quick: { ruleset: "straight", players: 2, level: "normal", levels: [], each: false },
  wins: {}, // by ruleset: {played, won}
  seats: {}, // by room: the token of a seat
};

function read() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return { ...DEFAULTS, ...(typeof kept === "object" && kept ? kept : {}) };
  } catch {
    return { ...DEFAULTS }; // a browser that keeps nothing: the defaults, this time
  }
}

export const settings = read();

const listeners = new Set();

/** Change settings, keep them, and tell whoever draws with them. */
export function change(values) {
  // Another tab may have kept something since: only what is changed here is written over.
  Object.assign(settings, { wins: read().wins, seats: read().seats }, values);
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // Nothing is kept then.
  }
  apply();
  for (const listener of listeners) listener(values);
}

export function onChange(listener) {
  listeners.add(listener);
}

export function countMatch(ruleset, won) {
  const { played = 0, won: before = 0 } = settings.wins[ruleset] ?? {};
  change({ wins: { ...settings.wins, [ruleset]: { played: played + 1, won: before + (won ? 1 : 0) } } });
}

export function keepSeat(room, token) {
  const seats = { ...read().seats };
  if (token) seats[room] = token;
  else delete seats[room];
  // Rooms close: only the last ones are worth keeping.
  change({ seats: Object.fromEntries(Object.entries(seats).slice(-20)) });
}

/** Whether things may move on the screen. */
export function animated() {
  return settings.animation && !matchMedia("(prefers-reduced-motion: reduce)").matches;
}

export function apply() {
  const root = document.documentElement;
  root.classList.toggle("four-colours", settings.fourColours);
  root.classList.toggle("still", !animated());
}
