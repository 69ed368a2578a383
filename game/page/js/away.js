// The server is away: the page is there because this browser has kept it. The words stand in index.html in both
// languages, for there may be no others.

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { has, t } from "./words.js";

const FIRST = 500; // milliseconds until the second try
const LONGEST = 8000; // and between tries at most

export class Away {
  constructor(app) {
    const words = document.getElementById("away").content.cloneNode(true);
    // The rules can be read meanwhile, if their words are here.
    const rules = has("rules") ? h("a", { class: "button", href: "/#/rules", onclick: (event) => (event.preventDefault(), app.go("/#/rules")) }, icon("book"), t("rules")) : null;
    this.element = h("main", { class: "page" }, h("section", { class: "panel notice", role: "alert" }, words, rules));
  }
}

/** Ask until the server answers; `away()` is called when it does not. Returns the answer and whether it was at once. */
export async function untilAnswered(path, away) {
  for (let pause = FIRST, first = true; ; pause = Math.min(LONGEST, pause * 1.6), first = false) {
    try {
      const answer = await fetch(path);
      if (answer.ok) return { answer, first };
    } catch {
      // No server, no network.
    }
    away();
    await awaken(pause);
  }
}

/** Wait for so long, or until the network is back or somebody looks at the page again. */
function awaken(pause) {
  return new Promise((resolve) => {
    const looked = () => document.visibilityState === "visible" && resolve();
    setTimeout(resolve, pause * (0.8 + 0.4 * Math.random()));
    addEventListener("online", resolve, { once: true });
    document.addEventListener("visibilitychange", looked, { once: true });
  });
}
