// Cards travel: a copy of a card flies from where it was to where it is. Where it was must be measured before the table
// is drawn anew, and where it is afterwards.

import { JOKER, cardElement } from "./cards.js";
import { animated } from "./settings.js";

const ONTO_TABLE = new Set(["meld", "open", "layoff", "swap"]);

export function boxOf(element) {
  if (!element) return null;
  const { x, y, width, height } = element.getBoundingClientRect();
  return width ? { x, y, width, height } : null;
}

/** Fly a card (null: face down) from a box to an element, which stays unseen meanwhile. */
export async function fly(card, from, target, { delay = 0, time = 380, hide = true, wild = false } = {}) {
  const to = boxOf(target);
  if (!animated() || !from || !to) return;
  const ghost = cardElement(card, { wild });
  ghost.classList.add("flying");
  ghost.setAttribute("aria-hidden", "true");
  const width = Math.min(to.width, 110);
  const toScale = 1;
  const fromScale = Math.min(from.width, 110) / width;
  ghost.style.setProperty("--card", `${width}px`);
  document.body.append(ghost);
  if (hide) target.classList.add("waiting");
  const height = width * 1.4;
  // Middles of both boxes, so that a plate or a group can be either end.
  const start = { x: from.x + (from.width - width * fromScale) / 2, y: from.y + (from.height - height * fromScale) / 2 };
  const end = { x: to.x + (to.width - width) / 2, y: to.y + (to.height - height) / 2 };
  const middle = { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 - 18 };
  const at = (point, scale, turn) => `translate(${point.x}px, ${point.y}px) scale(${scale}) rotate(${turn}deg)`;
  try {
    await ghost.animate(
      [
        { transform: at(start, fromScale, 0), opacity: 1 },
        { transform: at(middle, (fromScale + toScale) / 2 + 0.05, 3), opacity: 1, offset: 0.5 },
        { transform: at(end, toScale, 0), opacity: 1 },
      ],
      { duration: time, delay, easing: "cubic-bezier(.35, .1, .25, 1)", fill: "both" },
    ).finished;
  } catch {
    // The animation was stopped with its page.
  }
  ghost.remove();
  if (hide) target.classList.remove("waiting");
}

export function pause(time) {
  return new Promise((resolve) => setTimeout(resolve, animated() ? time : 0));
}

/** Where the cards of an event lie before it is shown. `places`: my seat `me`; the elements `stock`, `pile` and `felt`;
 *  `hand`; the `plates` by seat. */
export function sourceOf(event, { me, stock, pile, felt, hand, plates }) {
  if (event.kind === "draw") return { whole: boxOf(stock.querySelector(".card") ?? stock) };
  if (event.kind === "take") return { whole: boxOf(pile.querySelector(".card:last-child") ?? pile) };
  const mine = event.seat === me && me !== null;
  const each = new Map();
  if (mine) {
    for (const card of event.melds?.flat() ?? event.cards ?? []) {
      const chosen = hand.cards.find((held) => held.card === card && hand.chosen.has(held.id));
      each.set(card, boxOf(chosen?.element ?? hand.elementOf(card)));
    }
  }
  const joker = event.kind === "swap" ? boxOf(felt.querySelector(`[data-meld="${event.meld}"] [data-card="${JOKER}"]`)) : null;
  return { whole: boxOf(mine ? hand.element : plates.get(event.seat)?.picture), each, joker };
}

/** Fly the cards of an event that is shown now. `source`: where they lay; `places`: as for `sourceOf`; `added`: the cards
 *  that are new in my hand. One promise a flight. */
export function flightsOf(event, source, { me, pile, felt, plates }, added, delay) {
  const mine = event.seat === me && me !== null;
  const plate = plates.get(event.seat)?.picture;
  const from = (card) => source.each?.get(card) ?? source.whole;
  if (event.kind === "draw" || event.kind === "take") {
    const card = event.cards?.[0] ?? null;
    const target = mine ? (added.find((held) => held.card === card) ?? added[0])?.element : plate;
    return [fly(mine || event.kind === "take" ? card : null, source.whole, target, { delay, hide: mine })];
  }
  if (event.kind === "untake" || event.kind === "discard" || event.kind === "knock" || event.kind === "declare") {
    const top = pile.querySelector(".card:last-child");
    return [fly(event.kind === "declare" ? null : (event.cards?.[0] ?? null), from(event.cards?.[0]), top, { delay })];
  }
  if (!ONTO_TABLE.has(event.kind)) return [];
  const flights = [];
  for (const cards of event.melds ?? [event.cards ?? []]) {
    const meld = event.meld !== undefined && event.meld !== null ? felt.querySelector(`[data-meld="${event.meld}"]`) : newestOf(felt, cards);
    const left = [...(meld?.querySelectorAll(".card") ?? [])];
    for (const card of cards) {
      const at = left.findIndex((element) => element.dataset.card === card);
      if (at < 0) continue;
      const [element] = left.splice(at, 1);
      flights.push(fly(card, from(card), element, { delay: delay + 70 * flights.length }));
    }
  }
  if (event.kind === "swap" && source.joker) {
    const target = mine ? added.find((held) => held.card === JOKER)?.element : plate;
    flights.push(fly(JOKER, source.joker, target, { delay: delay + 150, hide: mine }));
  }
  return flights;
}

/** The newest meld on the table with just these cards. */
function newestOf(felt, cards) {
  const wanted = [...cards].sort().join();
  const lie = (meld) => [...meld.querySelectorAll(".card")].map((element) => element.dataset.card).sort().join();
  return [...felt.querySelectorAll("[data-meld]")].findLast((meld) => lie(meld) === wanted) ?? null;
}
