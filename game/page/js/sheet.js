// The score sheet after a round: who was left with what, who got how much, doubled or not.

import { cardElement, isWild } from "./cards.js";
import { openDialog } from "./dialogs.js";
import { h } from "./dom.js";
import { avatar, seatInWords, seatName } from "./seats.js";
import { t } from "./words.js";

/** How a round ended, in words. */
export function outcome(result, room, me) {
  if (result.winner === null || result.winner === undefined) {
    return t(result.how === "turns" || result.truncated ? "ended_turns" : "ended_void");
  }
  const name = seatInWords(room, me, result.winner);
  const points = result.scores[result.winner];
  const how = ["knock", "gin", "undercut", "declare", "packed", "blocked"].includes(result.how) ? result.how : result.doubled ? "doubled" : "out";
  return t(`ended_${how}`, { name, n: points });
}

function row(result, seat, room, me, wild) {
  const cardRow = (cards) => h("div", { class: "meld-cards" }, cards.map((card) => cardElement(card, { wild: isWild(card, wild) })));
  const labelled = (name, cards) => h("div", { class: "sheet-labelled" }, h("span", { class: "score-note" }, name), cardRow(cards));
  const hand = result.hands.find((one) => one.seat === seat);
  const gain = result.scores[seat];
  const winner = result.winner === seat;
  const shown = [];
  if (hand) {
    if (hand.melds?.length || hand.laid_off?.length) {
      shown.push(...(hand.melds ?? []).map(cardRow));
      if (hand.laid_off?.length) shown.push(labelled(t("laid_off"), hand.laid_off));
      if (hand.deadwood?.length) shown.push(labelled(t("deadwood"), hand.deadwood));
    } else if (hand.cards.length) shown.push(cardRow(hand.cards));
  }
  const note = !hand || !hand.cards.length ? t("left_none") : t("left_points", { n: hand.points });
  return h(
    "li",
    { class: `score-row${winner ? " winner" : ""}` },
    h(
      "div",
      { class: "score-head" },
      avatar(room, seat),
      h("span", { class: "name" }, seatName(room, seat), seat === me ? ` (${t("me")})` : ""),
      h("span", { class: `gain${gain < 0 ? " loss" : ""}` }, gain > 0 ? `+${gain}` : String(gain)),
      h("span", { class: "total" }, t("total_is", { n: result.totals[seat] })),
    ),
    h("div", { class: "sheet-hand" }, shown, h("span", { class: "score-note" }, note)),
  );
}

/** Open the sheet of one round. `rounds`: earlier results for the table of all rounds. `wild`: the card that was cut in
 *  this round. `foot`: buttons below. */
export function openSheet({ result, rounds, room, me, wild = null, foot = [], onclose }) {
  const seats = result ? result.scores.map((_, seat) => seat) : (room?.seats ?? []).map((place) => place.seat);
  if (result) seats.sort((a, b) => result.totals[b] - result.totals[a]);
  const body = [];
  if (result) {
    body.push(
      h("p", { class: "result-line" }, outcome(result, room, me), result.doubled ? h("span", { class: "double" }, "×2") : null),
      h("ul", { class: "score-rows" }, seats.map((seat) => row(result, seat, room, me, wild))),
    );
    if (result.match_over) {
      const names = (result.winners ?? []).map((seat) => seatInWords(room, me, seat)).join(", ");
      body.unshift(h("p", { class: "result-line" }, t((result.winners ?? []).length > 1 ? "match_tied" : "match_won", { name: names })));
    }
  }
  if (rounds.length > (result ? 1 : 0)) body.push(roundsTable(rounds, room));
  if (!body.length) body.push(h("p", { class: "doc" }, t("no_rounds")));
  body.push(h("p", { class: "doc" }, t("no_stakes")));
  return openDialog({ title: result ? t(result.match_over ? "match_over" : "round_over") : t("sheet"), name: "sheet", body: h("div", { class: "sheet-body" }, body), foot, onclose });
}

function roundsTable(rounds, room) {
  const seats = rounds[0].result.scores.map((_, seat) => seat);
  return h(
    "div",
    { class: "scroll-x" },
    h(
      "table",
      { class: "sheet" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("round")), seats.map((seat) => h("th", { scope: "col", class: "number" }, seatName(room, seat))))),
      h(
        "tbody",
        {},
        rounds.map(({ round, result }) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, String(round), result.doubled ? " ×2" : ""),
            seats.map((seat) => h("td", { class: "number" }, result.scores[seat] ? String(result.scores[seat]) : "·")),
          ),
        ),
        h(
          "tr",
          {},
          h("th", { scope: "row" }, t("total")),
          seats.map((seat) => h("td", { class: "number" }, h("strong", {}, String(rounds.at(-1).result.totals[seat])))),
        ),
      ),
    ),
  );
}

