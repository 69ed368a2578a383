// What the pages beside the table have in common.

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { has, t } from "./words.js";

export function pageHead(app, title) {
  return h(
    "header",
    { class: "page-head" },
    h("button", { class: "button quiet round", type: "button", "aria-label": t("home"), onclick: () => app.go("/") }, icon("back")),
    h("h1", {}, title),
  );
}

/** What an option is called; options of other houses have no words and keep their names. */
export function optionName(name) {
  return has(`option_${name}`) ? t(`option_${name}`) : name;
}

/** The settings of a room in one line. `computers`: with those that will play. */
export function settingsText(app, settings, { computers = true } = {}) {
  const entry = app.entry(settings.ruleset);
  const parts = [t("seats_count", { n: settings.seats })];
  parts.push(settings.length === "match" ? (entry?.target ? t("to_target", { target: settings.options?.target || entry.target }) : t("length_match_deals")) : t("length_round"));
  for (const option of entry?.options ?? []) {
    const value = settings.options?.[option.name] ?? option.default;
    // An opening threshold is always told; of the other options only what is not as usual.
    if (option.offered && option.name !== "target" && (option.name === "opening" || value !== option.default)) parts.push(`${optionName(option.name)} ${value}`);
  }
  if (settings.clock) parts.push(t("clock_seconds", { n: settings.clock }));
  const levels = computers ? (settings.computers ?? []) : [];
  if (levels.length) parts.push(t("computers_count", { n: levels.length, levels: [...new Set(levels)].map((level) => t(`level_${level}`)).join(", ") }));
  return parts.join(" · ");
}
