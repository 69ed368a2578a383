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

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isCount = (value) => Number.isInteger(value) && value >= 0;

/** What may stand in a place that holds several things; anything else that was kept there is not ours. */
const FITS = {
  quick: ([name, value]) => typeof value === typeof DEFAULTS.quick[name],
  wins: ([, value]) => isObject(value) && isCount(value.played) && isCount(value.won),
  seats: ([, value]) => typeof value === "string",
};

/** Settings out of whatever was kept: a place that holds another kind of thing gets its default. */
function understood(kept) {
  const values = structuredClone(DEFAULTS);
  if (!isObject(kept)) return values;
  for (const [name, standard] of Object.entries(DEFAULTS)) {
    const value = kept[name];
    if (name in FITS) {
      if (isObject(value)) Object.assign(values[name], Object.fromEntries(Object.entries(value).filter(FITS[name])));
    } else if (typeof value === typeof standard) values[name] = value;
  }
  return values;
}

/** What is kept, or null where the browser keeps nothing or what it keeps cannot be read. */
function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEY));
  } catch {
    return null;
  }
}

export const settings = understood(kept());

/** Whether the last change could be kept. If not, this tab's memory is all there is. */
let keeps = true;

const listeners = new Set();

/** Change settings, keep them, and tell whoever draws with them. */
export function change(values) {
  Object.assign(settings, shared(), values);
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
    keeps = true;
  } catch {
    keeps = false; // storage is blocked or full
  }
  apply();
  for (const listener of listeners) listener(values);
}

/** Wins and seats, which another tab may have kept since: only what is changed here may be written over. */
function shared() {
  const now = keeps ? kept() : null;
  const { wins, seats } = now === null ? settings : understood(now);
  return { wins, seats };
}

export function onChange(listener) {
  listeners.add(listener);
}

export function countMatch(ruleset, won) {
  const { wins } = shared();
  const { played = 0, won: before = 0 } = wins[ruleset] ?? {};
  change({ wins: { ...wins, [ruleset]: { played: played + 1, won: before + (won ? 1 : 0) } } });
}

export function keepSeat(room, token) {
  const seats = { ...shared().seats };
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
