// Rules and scoring of every ruleset, as pages.

import { h } from "./dom.js";
import { pageHead } from "./pages.js";
import { rulePages, t } from "./words.js";
import { inlineCard } from "./cards.js";

export class RulesPage {
  constructor(app, ruleset) {
    this.app = app;
    const pages = rulePages();
    const names = Object.keys(pages);
    const chosen = names.includes(ruleset) ? ruleset : names[0];
    const tabs = h(
      "nav",
      { class: "tabs", "aria-label": t("ruleset") },
      names.map((name) => h("a", { href: `/#/rules/${name}`, class: "tab", "aria-current": name === chosen ? "page" : null, onclick: (event) => (event.preventDefault(), app.go(`/#/rules/${name}`, { replace: true })) }, t(`ruleset_${name}`))),
    );
    const page = pages[chosen];
    this.element = h("main", { class: "page rules" }, pageHead(app, t("rules")), tabs, h("article", { class: "panel" }, h("h2", {}, page.title), h("p", { class: "lead" }, withCards(page.intro)), page.sections.map(section), h("p", { class: "doc" }, t("no_stakes"))));
  }
}

function section({ title, text = [], list = [], table }) {
  return h(
    "section",
    {},
    h("h3", {}, title),
    text.map((paragraph) => h("p", {}, withCards(paragraph))),
    list.length ? h("ul", {}, list.map((item) => h("li", {}, withCards(item)))) : null,
    table
      ? h(
          "div",
          { class: "scroll-x", tabindex: "0", role: "group", "aria-label": title },
          h(
            "table",
            { class: "sheet" },
            h("thead", {}, h("tr", {}, table.head.map((cell) => h("th", { scope: "col" }, cell)))),
            h("tbody", {}, table.rows.map(([first, ...rest]) => h("tr", {}, h("th", { scope: "row" }, withCards(first)), rest.map((cell) => h("td", {}, withCards(cell)))))),
          ),
        )
      : null,
  );
}

/** Cards written as 7♠ or 10♦ are drawn as small cards, and Jk as a joker. */
function withCards(text) {
  return text.split(/((?:10|[2-9AJQK])[♠♥♦♣]|★)/u).map((part) => {
    const found = /^(10|[2-9AJQK])([♠♥♦♣])$/u.exec(part);
    if (part === "★") return inlineCard("Jk");
    if (!found) return part;
    return inlineCard((found[1] === "10" ? "T" : found[1]) + { "♠": "s", "♥": "h", "♦": "d", "♣": "c" }[found[2]]);
  });
}

