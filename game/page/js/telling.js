// What somebody did, and what may be done, in words.

import { cardName, cardSign } from "./cards.js";
import { seatInWords, seatName } from "./seats.js";
import { myTurn } from "./turn.js";
import { t } from "./words.js";

/** An event in words. `spoken`: cards with their whole names, for the live region. */
export function told(event, room, me, spoken = true) {
  const card = spoken ? cardName : cardSign;
  const name = event.seat === null || event.seat === undefined ? "" : seatInWords(room, me, event.seat);
  const cards = (event.cards ?? []).map(card).join(" ");
  switch (event.kind) {
    case "draw":
      return event.cards?.length ? t("told_draw_card", { name, cards }) : t("told_draw", { name });
    case "open":
      return t("told_open", { name, cards: (event.melds ?? [event.cards ?? []]).map((meld) => meld.map(card).join(" ")).join(" · ") });
    case "over":
      return t("told_over");
    case "deal":
      return t("told_deal");
    case "refill":
      return t("told_refill");
    case "take":
    case "untake":
    case "meld":
    case "layoff":
    case "swap":
    case "discard":
    case "knock":
    case "declare":
    case "pack":
    case "pass":
    case "rollback":
      return t(`told_${event.kind}`, { name, cards });
    default:
      return "";
  }
}

/** A move of the rule book in the words of the page. */
export function moveText(move) {
  const [kind, ...rest] = move.split(" ");
  const cards = rest.filter((word) => /^([2-9TJQKA][shdc]|Jk|\|)$/.test(word)).map((word) => (word === "|" ? "·" : cardSign(word))).join(" ");
  return t(`move_${kind}`, { cards }).trim();
}

/** One of several moves that the same press could mean: what tells it from the others. `table`: the melds that lie. */
export function wayText(way, table) {
  const [kind, ...rest] = way.split(" ");
  if (kind === "meld" || kind === "open") return rest.map((word) => (word === "|" ? "·" : cardSign(word))).join(" ");
  const meld = table[Number(rest[1])];
  const values = { card: cardSign(rest[0]), cards: meld ? meld.cards.map(cardSign).join(" ") : "" };
  if (kind === "swap") return t("way_swap", values);
  return t(rest[2] === "low" ? "way_low" : rest[2] === "high" ? "way_high" : "way_layoff", values);
}

/** What is to be done now, by me or by whoever is to move. */
export function promptText(state, room, entry) {
  if (state.phase === "over") return t("prompt_over");
  if (!myTurn(state)) return t("prompt_other", { name: seatName(room, state.to_play) });
  if (state.phase === "upcard") return t("prompt_upcard");
  if (state.phase === "draw") {
    const kinds = new Set(state.moves?.map((move) => move.kind));
    if (!kinds.has("take")) return t("prompt_draw_only");
    if (!kinds.has("draw")) return t("prompt_take_only");
    return t("prompt_draw");
  }
  return t(entry.table ? "prompt_play" : "prompt_discard");
}

/** What I must do before the turn may end. */
export function dutyText(duty, state, entry) {
  if (duty.kind === "joker") return t("duty_joker", { n: duty.count ?? 1 });
  const opened = state.seats[state.to_play]?.opened || !entry.opens;
  return t(opened ? "duty_taken" : "duty_taken_opening", { card: cardSign(duty.card) });
}
