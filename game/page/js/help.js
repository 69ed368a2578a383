// How the game is handled, in one dialog.

import { openDialog } from "./dialogs.js";
import { h } from "./dom.js";
import { t } from "./words.js";

/** The keys, with the kind of move that a ruleset must have for them. */
const KEYS = [
  ["D", "draw", "draw"],
  ["F", "take", "take"],
  ["← →", "arrows", ""],
  ["Shift ← →", "shift", ""],
  ["Space", "space", ""],
  ["Enter", "enter", ""],
  ["X", "discard", "discard"],
  ["L", "layoff", "layoff"],
  ["↑ ↓", "melds", "layoff"],
  ["O", "open", "open"],
  ["U", "untake", "untake"],
  ["K", "knock", "knock"],
  ["C", "declare", "declare"],
  ["P", "pass", "pass"],
  ["P", "pack", "pack"],
  ["S", "sort", ""],
  ["H", "hint", ""],
  ["M", "sound", ""],
  ["?", "help", ""],
];

export function openHelp(entry = null) {
  const keys = KEYS.filter(([, , kind]) => !entry || !kind || entry.kinds.includes(kind));
  const touch = ["press", "choose", ...(entry?.table === false ? [] : ["table", "layoff"]), "pile", "order"];
  openDialog({
    title: t("help"),
    name: "help",
    body: h(
      "div",
      { class: "help" },
      h("h3", {}, t("help_touch")),
      h("ul", {}, touch.map((name) => h("li", {}, t(`touch_${name}`)))),
      h("h3", {}, t("help_keys")),
      h("dl", { class: "keys" }, keys.map(([key, name]) => h("div", {}, h("dt", {}, key.split(" ").map((one) => h("kbd", {}, one))), h("dd", {}, t(`key_${name}`))))),
      h("h3", {}, t("help_glow")),
      h("ul", {}, h("li", {}, t("glow_meld")), entry?.table === false ? null : h("li", {}, t("glow_layoff"))),
      entry ? h("p", {}, h("a", { class: "button", href: `/#/rules/${entry.ruleset}`, target: "_blank", rel: "noopener" }, t("rules_of", { ruleset: t(`ruleset_${entry.ruleset}`) }))) : null,
    ),
  });
}
