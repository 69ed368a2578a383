// What a player is asked before a move is made: which of several ways, which card to knock with, whether to pack; and
// what to say across the table.

import { cardElement, cardName, cardSign } from "./cards.js";
import { button, openDialog } from "./dialogs.js";
import { h, set, show } from "./dom.js";
import { wayText } from "./telling.js";
import { t } from "./words.js";

/** One of several moves that the same press could mean. `table`: the melds that lie; `play(move)`. */
export function openWays(ways, table, play) {
  const dialog = openDialog({
    title: t("choose_way"),
    name: "ways",
    first: ".ways .button",
    body: h(
      "div",
      { class: "ways" },
      ways.map((way) =>
        button(wayText(way, table), () => {
          dialog.close();
          play(way);
        }),
      ),
    ),
  });
}

/** Which card to knock with. `moves`: the knocks there are; `wanted`: the card to begin with, else the one that leaves
 *  least; `play(move)`. */
export function openKnock(moves, wanted, play) {
  const best = [...moves].sort((a, b) => (a.left?.points ?? 0) - (b.left?.points ?? 0));
  let picked = moves.find((move) => move.cards[0] === wanted) ?? best[0];
  const shown = h("div", { class: "arranged" });
  const foot = button("", () => {
    dialog.close();
    play(picked.move);
  }, { primary: true });
  const draw = () => {
    const left = picked.left;
    show(
      shown,
      h("p", { class: "doc" }, t("knock_discards", { card: cardSign(picked.cards[0]) })),
      arrangementView(left),
    );
    show(foot, t(left?.points === 0 ? "knock_gin" : "knock_with", { n: left?.points ?? 0 }));
  };
  const choices = h(
    "div",
    { class: "pick-cards", role: "group", "aria-label": t("knock_choose") },
    best.map((move) => {
      const element = cardElement(move.cards[0], { tag: "button", label: t("knock_choice", { card: cardName(move.cards[0]), n: move.left?.points ?? 0 }) });
      const mark = () => set(element, { "aria-pressed": String(picked === move) });
      element.addEventListener("click", () => {
        picked = move;
        for (const other of choices.children) set(other, { "aria-pressed": "false" });
        mark();
        draw();
      });
      mark();
      return element;
    }),
  );
  draw();
  const dialog = openDialog({ title: t("knock_title"), name: "knock", body: h("div", {}, h("p", { class: "doc" }, t("knock_choose")), choices, shown), foot: [foot] });
  foot.focus();
}

/** Melds side by side with what is left over. */
function arrangementView(arrangement) {
  if (!arrangement) return null;
  const group = (cards, name) => h("div", { class: "arranged-group" }, h("div", { class: "meld-cards" }, cards.map((card) => cardElement(card))), h("span", { class: "doc" }, name));
  return h(
    "div",
    { class: "arranged-groups" },
    arrangement.melds.map((meld) => group(meld.cards, t(`kind_${meld.kind}`))),
    arrangement.deadwood?.length ? group(arrangement.deadwood, t("deadwood_points", { n: arrangement.points })) : null,
  );
}

/** Whether to give the hand up. `pack()`: it is. */
export function openPack(pack) {
  const dialog = openDialog({
    title: t("do_pack"),
    name: "pack",
    body: h("p", {}, t("pack_sure")),
    foot: [
      button(t("cancel"), () => dialog.close()),
      button(t("do_pack"), () => {
        dialog.close();
        pack();
      }, { primary: true }),
    ],
  });
}

/** What to say across the table. `reactions`: names of what there is to say; `react(name)`. */
export function openReactions(reactions, react) {
  const dialog = openDialog({
    title: t("react"),
    name: "react",
    first: ".reactions .button",
    body: h(
      "div",
      { class: "reactions" },
      reactions.map((reaction) =>
        button(t(`reaction_${reaction}`), () => {
          dialog.close();
          react(reaction);
        }),
      ),
    ),
  });
}
