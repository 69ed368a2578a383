// The first screen: a game against the computer in one press, rooms, rules, settings.

import { cardElement } from "./cards.js";
import { levelField, levelsOf } from "./computers.js";
import { barChoice, toast } from "./dialogs.js";
import { h, show } from "./dom.js";
import { icon } from "./icons.js";
import { LONG_PATIENCE } from "./line.js";
import { change, keepSeat, settings } from "./settings.js";
import { language, t, why } from "./words.js";

export class Home {
  constructor(app) {
    this.app = app;
    this.choice = { ...settings.quick, ...proposed(app) };
    if (!app.entry(this.choice.ruleset)) this.choice.ruleset = app.catalogue.rulesets[0].ruleset;
    // The level of every computer that has ever been chosen, so that one who is taken off and comes back has its own.
    if (!Array.isArray(this.choice.levels)) this.choice.levels = [];
    this.form = h("form", { class: "panel quick", onsubmit: (event) => this.#play(event) });
    this.wins = h("p", { class: "doc wins" });
    const room = Object.keys(settings.seats).at(-1);
    this.element = h(
      "main",
      { class: "page home" },
      h(
        "header",
        { class: "hero" },
        h("div", { class: "hero-fan", "aria-hidden": "true" }, ["9s", "Th", "Jd", "Qc", "Kh"].map((card) => cardElement(card))),
        h("h1", {}, t("title")),
        h("p", {}, t("slogan")),
      ),
      room ? h("a", { class: "button resume", href: `/room/${encodeURIComponent(room)}` }, icon("play"), t("resume")) : null,
      this.form,
      h(
        "nav",
        { class: "home-links", "aria-label": t("more") },
        this.#link("#/rooms", "people", t("rooms"), t("rooms_doc")),
        this.#link("#/new", "link", t("new_room"), t("new_room_doc")),
        this.#link("#/rules", "book", t("rules"), t("rules_doc")),
        h("button", { class: "tile", type: "button", onclick: () => app.openSettings() }, icon("settings"), h("span", {}, h("strong", {}, t("settings")), h("small", {}, t("settings_doc")))),
      ),
      h("footer", { class: "home-foot" }, this.wins, h("p", { class: "doc" }, t("no_stakes")), h("button", { class: "button quiet", type: "button", lang: language() === "ko" ? "en" : "ko", onclick: () => change({ language: language() === "ko" ? "en" : "ko" }) }, language() === "ko" ? "English" : "한국어")),
    );
    this.#draw();
  }

  #link(href, name, title, doc) {
    return h("a", { class: "tile", href: `/${href}`, onclick: (event) => (event.preventDefault(), this.app.go(`/${href}`)) }, icon(name), h("span", {}, h("strong", {}, title), h("small", {}, doc)));
  }

  /** The level of each computer. */
  #levels() {
    const { choice, app } = this;
    const levels = levelsOf(app, choice.ruleset);
    const of = (at) => (choice.each && levels.includes(choice.levels[at]) ? choice.levels[at] : choice.level);
    return Array.from({ length: choice.players - 1 }, (_, at) => of(at));
  }

  #draw(focus = "") {
    const { choice, app } = this;
    const entry = app.entry(choice.ruleset);
    const [low, high] = entry.seats;
    choice.players = Math.max(low, Math.min(high, choice.players));
    const levels = levelsOf(app, choice.ruleset);
    if (!levels.includes(choice.level)) choice.level = "normal";
    const chosen = this.#levels();
    const update = (name) => (value) => {
      choice[name] = value;
      this.#draw(name);
    };
    const counts = Array.from({ length: Math.min(high, 6) - low + 1 }, (_, at) => [low + at, String(low + at - 1)]);
    // Who plays "hard" here, where it is not the trained player.
    const hard = chosen.includes("hard") ? (entry.hard?.[String(choice.players)] ?? "trained") : "trained";
    const standsIn = hard === "trained" ? null : hard === "random" ? "stands_in_random" : "stands_in";
    const computers = { levels: chosen, each: choice.each && chosen.length > 1 };
    const levelDoc = standsIn ?? (computers.each ? null : `level_${choice.level}_doc`);
    const names = chosen.map((_, at) => t(`bird_${at + 1}`));
    const levelsChanged = (focus) => {
      choice.each = computers.each;
      choice.level = computers.levels[0];
      choice.levels = computers.each ? [...computers.levels, ...choice.levels.slice(computers.levels.length)] : [];
      if (focus) this.#draw(focus);
    };
    show(
      this.form,
      h("h2", {}, t("quick")),
      barChoice("ruleset", t("ruleset"), app.catalogue.rulesets.map((one) => [one.ruleset, t(`ruleset_${one.ruleset}`)]), choice.ruleset, update("ruleset"), t(`ruleset_${choice.ruleset}_doc`)),
      counts.length > 1 ? barChoice("players", t("opponents"), counts, choice.players, update("players")) : null,
      levelField(levels, computers, names, levelsChanged, levelDoc && t(levelDoc)),
      h("button", { class: "button primary big", type: "submit" }, icon("play"), t("play")),
    );
    if (focus) this.form.querySelector(`input[name="${focus}"]:checked, button[name="${focus}"]`)?.focus();
    const { played = 0, won = 0 } = settings.wins[choice.ruleset] ?? {};
    show(this.wins, played ? t("wins", { ruleset: t(`ruleset_${choice.ruleset}`), won, played }) : "");
  }

  async #play(event) {
    event.preventDefault();
    if (this.playing) return;
    this.playing = true;
    const press = this.form.querySelector("button.big");
    show(press, t("preparing"));
    const { choice, app } = this;
    change({ quick: { ...choice } });
    const entry = app.entry(choice.ruleset);
    await connected(app.line);
    try {
      const answer = await app.line.ask({
        type: "quick",
        name: settings.name || t("guest"),
        ruleset: choice.ruleset,
        computers: this.#levels(),
        options: {},
        length: entry.lengths.includes("match") ? "match" : entry.length,
      }, LONG_PATIENCE, (n) => show(press, t("preparing_for", { n })));
      keepSeat(answer.room, answer.token);
      app.seatedIn = answer.room;
      app.go(`/room/${encodeURIComponent(answer.room)}`);
    } catch (error) {
      toast(why(error), { alarm: true });
    } finally {
      this.playing = false;
      this.#draw();
    }
  }

  look() {
    for (const fan of this.element.querySelectorAll(".hero-fan")) show(fan, ["9s", "Th", "Jd", "Qc", "Kh"].map((card) => cardElement(card)));
  }
}

/** The game that the page's address proposes, as `rummy play --ruleset rami --bots hard,easy` does. */
function proposed(app) {
  const asked = new URLSearchParams(location.search);
  const entry = app.entry(asked.get("ruleset"));
  if (!entry) return {};
  const [low, high] = entry.seats;
  const levels = (asked.get("computers") ?? "").split(",").filter((level) => levelsOf(app, entry.ruleset).includes(level));
  const found = { ruleset: entry.ruleset };
  if (levels.length >= low - 1 && levels.length < high) Object.assign(found, { players: levels.length + 1, level: levels[0], levels, each: new Set(levels).size > 1 });
  return found;
}

/** Wait until the line is open, or a while has passed. */
export function connected(line) {
  if (line.open) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 6000);
    line.addEventListener("open", () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
    line.connect();
  });
}

