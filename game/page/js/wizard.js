// The room wizard: ruleset, seats, computers, options, clock, public or by link.

import { levelField, levelsOf } from "./computers.js";
import { barChoice, switchRow, toast } from "./dialogs.js";
import { h, show } from "./dom.js";
import { connected } from "./home.js";
import { LONG_PATIENCE } from "./line.js";
import { optionName, pageHead } from "./pages.js";
import { change, keepSeat, settings } from "./settings.js";
import { t, why } from "./words.js";

/** The fields of SETTINGS. `values` is changed in place. */
export class SettingsForm {
  constructor(app, values) {
    this.app = app;
    this.values = values;
    this.computers = { levels: values.computers, each: new Set(values.computers).size > 1 };
    this.element = h("div", { class: "wizard-fields" });
    this.#draw();
  }

  static defaults(app, ruleset) {
    const entry = app.entry(ruleset);
    return { ruleset, seats: entry.wizard_seats, computers: [], length: entry.length, options: {}, clock: app.catalogue.clock, public: true };
  }

  #draw(focus = "") {
    const { app, values } = this;
    const entry = app.entry(values.ruleset);
    const [low, high] = entry.seats;
    const levels = levelsOf(app, values.ruleset);
    const update = (name) => (value) => {
      values[name] = value;
      if (name === "seats") setComputers(Math.min(values.computers.length, value - 1));
      this.#draw(name);
    };
    const { computers } = this;
    const setComputers = (count) => {
      this.level = computers.levels.at(-1) ?? this.level ?? "normal"; // further ones play like the last
      computers.levels = Array.from({ length: count }, (_, at) => computers.levels[at] ?? this.level);
      values.computers = computers.levels;
    };
    values.clock ??= values.seats - values.computers.length > 1 ? app.catalogue.clock : null; // several people play by the clock
    const offered = entry.options.filter((option) => option.offered);
    const more = entry.options.filter((option) => !option.offered);
    const range = (from, to) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
    const lengthText = (length) => (length === "round" ? t("length_round") : entry.target ? t("to_target", { target: entry.target }) : t("length_match_deals"));
    const opened = this.element.querySelector("details")?.open ?? false;
    show(
      this.element,
      barChoice("ruleset", t("ruleset"), app.catalogue.rulesets.map((one) => [one.ruleset, t(`ruleset_${one.ruleset}`)]), values.ruleset, (ruleset) => {
        Object.assign(values, { ...SettingsForm.defaults(app, ruleset), public: values.public, clock: values.clock });
        this.computers = { levels: values.computers, each: false };
        this.#draw("ruleset");
      }, t(`ruleset_${values.ruleset}_doc`)),
      high > low ? barChoice("seats", t("seats"), range(low, high).map((n) => [n, String(n)]), values.seats, update("seats")) : null,
      barChoice("computers", t("computers"), range(0, values.seats - 1).map((n) => [n, String(n)]), values.computers.length, (n) => (setComputers(n), this.#draw("computers")), t("computers_doc")),
      values.computers.length
        ? levelField(levels, computers, values.computers.map((_, at) => t("computer_number", { number: at + 1 })), (focus) => focus && this.#draw(focus))
        : null,
      entry.lengths.length > 1 ? barChoice("length", t("length"), entry.lengths.map((one) => [one, lengthText(one)]), values.length, update("length")) : null,
      offered.map((option) =>
        barChoice(option.name, optionName(option.name), option.offered.map((value) => [value, String(value)]), values.options[option.name] ?? option.default, (value) => {
          values.options[option.name] = value;
          this.#draw(option.name);
        }),
      ),
      barChoice("clock", t("clock"), app.catalogue.clocks.map((seconds) => [seconds, seconds >= 120 ? t("minutes", { n: seconds / 60 }) : t("seconds", { n: seconds })]), values.clock, update("clock")),
      switchRow(t("public_room"), values.public, (value) => (values.public = value)),
      more.length ? h("details", { open: opened }, h("summary", {}, t("more_options")), more.map((option) => this.#option(option))) : null,
    );
    if (focus) this.element.querySelector(`input[name="${focus}"]:checked, button[name="${focus}"]`)?.focus();
  }

  #option(option) {
    const { values } = this;
    const value = values.options[option.name] ?? option.default;
    if (typeof option.default === "boolean") return switchRow(optionName(option.name), value, (on) => (values.options[option.name] = on));
    if (typeof option.default !== "number") return null;
    return h(
      "label",
      { class: "option-row" },
      h("span", {}, optionName(option.name)),
      h("input", { type: "number", name: option.name, value: String(value), min: option.low, max: option.high, onchange: (event) => (values.options[option.name] = Number(event.target.value)) }),
    );
  }
}

export function nameField(onchange = () => {}) {
  return h(
    "label",
    { class: "field" },
    h("span", { class: "name" }, t("your_name")),
    h("input", { type: "text", name: "name", value: settings.name, maxlength: "20", autocomplete: "nickname", required: true, placeholder: t("guest"), oninput: (event) => { change({ name: event.target.value.trim() }); onchange(); } }),
  );
}

export class Wizard {
  constructor(app) {
    this.app = app;
    const ruleset = app.entry("rami") ? "rami" : app.catalogue.rulesets[0].ruleset;
    this.form = new SettingsForm(app, SettingsForm.defaults(app, ruleset));
    this.element = h(
      "main",
      { class: "page" },
      pageHead(app, t("new_room")),
      h("form", { class: "panel", novalidate: true, onsubmit: (event) => this.#create(event) }, nameField(), this.form.element, h("button", { class: "button primary big", type: "submit" }, t("create_room"))),
    );
  }

  async #create(event) {
    event.preventDefault();
    const press = this.element.querySelector("button.big");
    if (press.disabled) return;
    press.disabled = true; // a second press would make a second room
    show(press, t("preparing"));
    await connected(this.app.line);
    try {
      const answer = await this.app.line.ask({ type: "create", name: settings.name || t("guest"), settings: this.form.values, sit: true }, LONG_PATIENCE, (n) => show(press, t("preparing_for", { n })));
      keepSeat(answer.room, answer.token);
      this.app.seatedIn = answer.room;
      this.app.go(`/room/${encodeURIComponent(answer.room)}`);
    } catch (error) {
      toast(why(error), { alarm: true });
      press.disabled = false;
      show(press, t("create_room"));
    }
  }
}

