// Computer players and their levels: one for all of them, or each its own.

import { barChoice } from "./dialogs.js";
import { h } from "./dom.js";
import { avatar } from "./seats.js";
import { t } from "./words.js";

/** The levels that there are for a ruleset. */
export function levelsOf(app, ruleset) {
  return app.catalogue.levels.filter((level) => level !== "expert" || app.entry(ruleset).expert);
}

/** The level of one computer, on one line with its name. */
export function levelSelect(levels, value, label, onchange) {
  const select = h(
    "select",
    { class: "level-select", "aria-label": label, onchange: (event) => onchange(event.target.value) },
    levels.map((level) => h("option", { value: level }, t(`level_${level}`))),
  );
  select.value = value;
  return select;
}

/** The choice of levels. `computers`: {levels: the level of each, each: whether each has its own}, changed in place;
 *  `names`: what they are called; `onchange(name)`: what is to have the focus when it is drawn anew, if it must be. */
export function levelField(levels, computers, names, onchange, doc = "") {
  const one = computers.levels[0];
  const field = computers.each
    ? h(
        "fieldset",
        { class: "field" },
        h("legend", {}, t("level")),
        h(
          "ul",
          { class: "seat-list computers" },
          computers.levels.map((level, at) =>
            h(
              "li",
              { class: "seat-row" },
              avatar(null, at + 1),
              h("span", { class: "name" }, names[at]),
              levelSelect(levels, level, `${names[at]}: ${t("level")}`, (value) => {
                computers.levels[at] = value;
                onchange(null);
              }),
            ),
          ),
        ),
        doc ? h("p", { class: "doc" }, doc) : null,
      )
    : barChoice("level", t("level"), levels.map((level) => [level, t(`level_${level}`)]), one, (level) => {
        computers.levels.fill(level);
        onchange("level");
      }, doc);
  if (computers.levels.length < 2) return field;
  const other = h(
    "button",
    {
      class: "field-more",
      type: "button",
      name: "each",
      onclick: () => {
        computers.each = !computers.each;
        if (!computers.each) computers.levels.fill(one);
        onchange("each");
      },
    },
    t(computers.each ? "level_same" : "level_each"),
  );
  return h("div", { class: "levels" }, field, other); // in the line of the legend: no longer for those who do not care
}
