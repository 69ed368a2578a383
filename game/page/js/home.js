// The first screen: a game against the computer in one press, rooms, rules, settings.

import { cardElement } from "./cards.js";
import { barChoice, toast } from "./dialogs.js";
import { h, show } from "./dom.js";
import { icon } from "./icons.js";
import { LONG_PATIENCE } from "./line.js";
import { change, keepSeat, settings } from "./settings.js";
import { language, t } from "./words.js";

export class Home {
  constructor(app) {
    this.app = app;
    const known = new Set(app.catalogue.rulesets.map((entry) => entry.ruleset));
    this.choice = { ...settings.quick };
    if (!known.has(this.choice.ruleset)) this.choice.ruleset = app.catalogue.rulesets[0].ruleset;
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

  #draw() {
    const { choice, app } = this;
    const entry = app.entry(choice.ruleset);
    const [low, high] = entry.seats;
    choice.players = Math.max(low, Math.min(high, choice.players));
    const levels = app.catalogue.levels.filter((level) => level !== "expert" || entry.expert);
    if (!levels.includes(choice.level)) choice.level = "normal";
    const update = (name) => (value) => {
      choice[name] = value;
      this.#draw();
      this.form.querySelector(`input[name="${name}"]:checked`)?.focus();
    };
    const counts = Array.from({ length: Math.min(high, 6) - low + 1 }, (_, at) => [low + at, String(low + at - 1)]);
    // Who plays "hard" here, where it is not the trained player.
    const hard = choice.level === "hard" ? (entry.hard?.[String(choice.players)] ?? "trained") : "trained";
    const levelDoc = hard === "trained" ? `level_${choice.level}_doc` : hard === "random" ? "stands_in_random" : "stands_in";
    show(
      this.form,
      h("h2", {}, t("quick")),
      barChoice("ruleset", t("ruleset"), app.catalogue.rulesets.map((one) => [one.ruleset, t(`ruleset_${one.ruleset}`)]), choice.ruleset, update("ruleset"), t(`ruleset_${choice.ruleset}_doc`)),
      counts.length > 1 ? barChoice("players", t("opponents"), counts, choice.players, update("players")) : null,
      barChoice("level", t("level"), levels.map((level) => [level, t(`level_${level}`)]), choice.level, update("level"), t(levelDoc)),
      h("button", { class: "button primary big", type: "submit" }, icon("play"), t("play")),
    );
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
        computers: Array(choice.players - 1).fill(choice.level),
        options: {},
        length: entry.lengths.includes("match") ? "match" : entry.length,
      }, LONG_PATIENCE);
      keepSeat(answer.room, answer.token);
      app.seatedIn = answer.room;
      app.go(`/room/${encodeURIComponent(answer.room)}`);
    } catch (error) {
      toast(error.code === "offline" ? t("offline") : error.message, { alarm: true });
    } finally {
      this.playing = false;
      this.#draw();
    }
  }

  look() {
    for (const fan of this.element.querySelectorAll(".hero-fan")) show(fan, ["9s", "Th", "Jd", "Qc", "Kh"].map((card) => cardElement(card)));
  }
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

