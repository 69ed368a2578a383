// What somebody did, and what may be done, in words.

import { cardName, cardSign } from "./cards.js";
import { seatInWords } from "./seats.js";
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
