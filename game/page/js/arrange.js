// Arranging a hand before it is declared: cards are pressed and put into another group; the server says of each group
// what it is, and whether the whole may be declared.

import { cardElement, cardSign } from "./cards.js";
import { button, openDialog, toast } from "./dialogs.js";
import { h, keep, redraw, set, show } from "./dom.js";
import { t, why } from "./words.js";

/** `hand`: my cards in my order; `arrangement`: groups to begin with; `discard`: the card that would go face down. */
export function openArrangement({ hand, arrangement, discard, isWild, check, declare, reorder }) {
  let groups = (arrangement?.melds ?? []).map((meld) => [...meld.cards]);
  let out = discard;
  const used = [...groups.flat(), ...(out ? [out] : [])];
  const rest = [];
  for (const card of hand) {
    const at = used.indexOf(card);
    if (at >= 0) used.splice(at, 1);
    else rest.push(card);
  }
  groups.push(rest); // the last group holds what lies in no meld
  let picked = null; // [group, index], or "out"
  let answer = null;
  let asked = 0;

  const place = h("div", { class: "editor" });
  const verdict = h("p", { class: "doc", role: "status" });
  const confirm = button(t("do_declare"), () => {
    if (!answer?.move) return toast(answer?.text ?? t("declare_not_yet"), { alarm: true });
    reorder([...groups.flat(), ...(out ? [out] : [])]);
    dialog.close();
    declare(answer.move);
  }, { primary: true });

  async function ask() {
    const mine = ++asked;
    const melds = groups.slice(0, -1).filter((group) => group.length);
    let said = null;
    try {
      said = melds.length ? await check(melds) : null;
    } catch (error) {
      said = { groups: [], move: null, text: why(error) };
    }
    if (mine !== asked) return;
    answer = said;
    draw();
  }

  /** Put the picked card into a group; the focus goes along. */
  function moveTo(to) {
    if (picked === null) return;
    let card;
    if (picked === "out") {
      card = out;
      out = null;
    } else [card] = groups[picked[0]].splice(picked[1], 1);
    const loose = groups.at(-1);
    const group = to === "out" ? null : to === "new" ? [] : groups[to];
    if (group) group.push(card);
    else {
      if (out) loose.push(out);
      out = card;
    }
    groups = [...groups.slice(0, -1), ...(to === "new" ? [group] : [])].filter((one) => one.length);
    groups.push(loose);
    picked = null;
    answer = null;
    draw();
    place.querySelector(`[data-mark="${group ? markOf([groups.indexOf(group), group.length - 1]) : "out"}"]`)?.focus();
    ask();
  }

  /** The places of cards by name, so that the focus finds its card again. */
  function markOf(where) {
    return where === "out" ? where : where.join(":");
  }

  function cardButton(card, where) {
    const element = cardElement(card, { tag: "button", wild: isWild(card) });
    element.dataset.mark = markOf(where);
    const on = picked !== null && (where === "out" ? picked === "out" : picked[0] === where[0] && picked[1] === where[1]);
    set(element, { "aria-pressed": String(on) });
    element.addEventListener("click", () => {
      picked = on ? null : where;
      draw();
    });
    return element;
  }

  function target(to, text) {
    return picked === null ? null : button(text, () => moveTo(to), { "data-mark": `to:${to}` });
  }

  /** A press beside the cards of a group means the group. */
  function pressed(to) {
    return (event) => !event.target.closest("button") && moveTo(to);
  }

  function draw() {
    const said = answer?.groups ?? [];
    const drawn = [
      groups.map((cards, at) => {
        const loose = at === groups.length - 1;
        const of = loose ? null : said[at];
        const state = loose || !of ? "" : of.kind ? " good" : " bad";
        const name = loose ? t("loose") : of?.kind ? h("span", { class: "good-text" }, t(`kind_${of.kind}`)) : of ? (of.text ?? t("no_meld")) : t("group_number", { number: at + 1 });
        return h(
          "div",
          { class: `editor-group${state}`, role: "group", "data-group": String(at), "aria-label": loose ? t("loose") : t("group_number", { number: at + 1 }), onclick: pressed(at) },
          h("div", { class: "editor-head" }, h("span", {}, name), target(at, t("put_here"))),
          h("div", { class: "editor-cards" }, cards.map((card, index) => cardButton(card, [at, index]))),
        );
      }),
      picked === null ? null : h("div", { class: "editor-group", onclick: pressed("new") }, h("div", { class: "editor-head" }, h("span", {}, t("new_group")), target("new", t("put_here")))),
      h(
        "div",
        { class: "editor-group", role: "group", "aria-label": t("face_down"), onclick: pressed("out") },
        h("div", { class: "editor-head" }, h("span", {}, t("face_down")), target("out", t("put_here"))),
        h("div", { class: "editor-cards" }, out ? cardButton(out, "out") : null),
      ),
    ];
    redraw(place, "data-mark", () => keep(place, drawn), () => place.querySelector(".card")?.focus());
    show(verdict, answer?.move ? t("declare_ready", { card: cardSign(answer.move.split(" ")[1] ?? "") }) : (answer?.text ?? t("declare_how")));
    set(confirm, { "aria-disabled": String(!answer?.move) });
  }

  draw();
  const dialog = openDialog({
    title: t("arrange_title"),
    name: "arrange",
    wide: true,
    body: h("div", { class: "arranging" }, h("p", { class: "doc" }, t("arrange_how")), place, verdict),
    foot: [
      button(t("keep_order"), () => {
        reorder([...groups.flat(), ...(out ? [out] : [])]);
        dialog.close();
      }),
      confirm,
    ],
  });
  ask();
  return dialog;
}

