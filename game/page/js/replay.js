// A finished round step by step with all hands open, and a review of my decisions.

import { cardElement, cardName, isWild } from "./cards.js";
import { button, toast } from "./dialogs.js";
import { afterPress, h, keep, set, show } from "./dom.js";
import { connected } from "./home.js";
import { icon } from "./icons.js";
import { pageHead } from "./pages.js";
import { avatar, colourOf, seatName } from "./seats.js";
import { settings } from "./settings.js";
import { outcome } from "./sheet.js";
import { moveText, told } from "./telling.js";
import { t, why } from "./words.js";

const PACE = 1100; // milliseconds between steps while it plays by itself

export class Replay {
  constructor(app, code) {
    this.app = app;
    this.code = code;
    this.at = 0; // steps applied
    this.decisions = new Map(); // by step
    this.body = h("div", { class: "replay-body" });
    this.element = h("main", { class: "page replay" }, pageHead({ go: () => this.#back() }, t("replay")), this.body);
    this.keys = (event) => this.#key(event);
    addEventListener("keydown", this.keys);
    this.#load();
  }

  close() {
    removeEventListener("keydown", this.keys);
    clearInterval(this.playing);
  }

  #back() {
    this.app.go(settings.seats[this.code] ? `/room/${encodeURIComponent(this.code)}` : "/");
  }

  async #get(path) {
    const answer = await fetch(`/api/replay/${encodeURIComponent(this.code)}${path}`);
    const data = await answer.json();
    if (!answer.ok) throw new Error(data.text);
    return data;
  }

  async #load() {
    try {
      const { rounds } = await this.#get("");
      this.rounds = rounds;
      if (!rounds.length) {
        show(this.body, h("p", { class: "panel" }, t("no_rounds")));
        return;
      }
      await this.#open(rounds.at(-1).round);
    } catch (error) {
      show(this.body, h("p", { class: "panel" }, error.message || t("no_such_room")));
    }
  }

  async #open(round) {
    this.round = round;
    this.data = await this.#get(`/${round}`);
    this.decisions.clear();
    this.at = 0;
    // Seats as a room knows them, so that names and pictures are the same.
    // A computer is recorded by its level and a number, as "hard 1".
    const computer = /^(easy|normal|hard|expert|trained|random) \d+$/;
    this.room = { seats: this.data.names.map((name, seat) => (!name || computer.test(name) ? { seat, player: "computer", name: null } : { seat, player: "person", name: /^\d+$/.test(name) ? t("seat_number", { number: name }) : name })) };
    this.positions = [this.data.start];
    for (const step of this.data.steps) {
      const before = this.positions.at(-1);
      const { event, hands, ...changed } = step;
      const next = { ...before, ...changed, hands: [...before.hands] };
      for (const [seat, cards] of Object.entries(hands ?? {})) next.hands[Number(seat)] = cards;
      this.positions.push(next);
    }
    this.#build();
    this.#draw();
  }

  #build() {
    const last = this.data.steps.length;
    const tool = (name, label, run) => h("button", { class: "button round", type: "button", "aria-label": label, title: label, onclick: run }, icon(name));
    this.said = h("p", { class: "replay-said", role: "status" });
    this.hands = h("ul", { class: "replay-hands" });
    this.middle = h("section", { class: "replay-middle", "aria-label": t("melds_label") });
    this.advice = h("div", { class: "replay-advice" });
    this.slider = h("input", { type: "range", min: "0", max: String(last), step: "1", "aria-label": t("replay_step"), oninput: () => this.#to(Number(this.slider.value)) });
    this.playTool = tool("play", t("replay_play"), () => this.#play());
    this.marks = h("div", { class: "replay-marks" });
    show(
      this.body,
      this.rounds.length > 1
        ? h(
            "nav",
            { class: "tabs", "aria-label": t("round") },
            this.rounds.map(({ round }) => h("button", { class: "tab", type: "button", "aria-current": round === this.round ? "true" : null, onclick: () => this.#open(round) }, String(round))),
          )
        : null,
      h("section", { class: "panel replay-stage" }, this.hands, this.middle, this.said, this.advice),
      h(
        "section",
        { class: "panel replay-controls" },
        this.slider,
        h("div", { class: "replay-tools" }, tool("first", t("replay_first"), () => this.#to(0)), tool("back", t("replay_back"), () => this.#to(this.at - 1)), this.playTool, tool("next", t("replay_next"), () => this.#to(this.at + 1)), tool("last", t("replay_last"), () => this.#to(last))),
      ),
      settings.seats[this.code] ? h("section", { class: "panel" }, h("h2", {}, t("review")), h("p", { class: "doc" }, t("review_doc")), (this.reviewButton = button(t("review_start"), () => this.#review(), { primary: true })), this.marks) : null,
    );
  }

  #to(step) {
    this.at = Math.max(0, Math.min(this.data.steps.length, step));
    this.#draw();
  }

  #play() {
    const stop = () => {
      clearInterval(this.playing);
      this.playing = null;
      show(this.playTool, icon("play"));
    };
    if (this.playing) return stop();
    if (this.at >= this.data.steps.length) this.at = 0;
    show(this.playTool, icon("pause"));
    this.playing = setInterval(() => {
      this.#to(this.at + 1);
      if (this.at >= this.data.steps.length) stop();
    }, PACE);
    return undefined;
  }

  #draw() {
    const position = this.positions[this.at];
    const step = this.data.steps[this.at - 1];
    const faceUp = (card) => cardElement(card, { wild: isWild(card, position.wild) });
    const moved = new Set(step?.event.melds?.flat() ?? step?.event.cards ?? []);
    this.slider.value = String(this.at);
    show(
      this.hands,
      position.hands.map((cards, seat) =>
        h(
          "li",
          { class: `replay-hand${position.to_play === seat ? " playing" : ""}` },
          h("span", { class: "replay-name" }, avatar(this.room, seat), h("span", {}, seatName(this.room, seat)), position.packed?.[seat] ? h("span", { class: "tag" }, t("packed_tag")) : null),
          h("span", { class: "replay-cards" }, cards.map((card) => {
            const element = faceUp(card);
            if (step?.event.seat === seat && (step.event.kind === "draw" || step.event.kind === "take") && moved.has(card)) element.classList.add("glow-meld");
            return element;
          })),
        ),
      ),
    );
    const melds = (position.table ?? []).map((meld) => {
      const element = h("span", { class: "meld" }, h("span", { class: "meld-cards" }, meld.cards.map(faceUp)));
      element.style.setProperty("--seat", colourOf(meld.by));
      return element;
    });
    const pile = position.pile ?? [];
    show(
      this.middle,
      h("span", { class: "replay-pile" }, cardElement(null), h("span", { class: "doc" }, t("stock_count", { n: position.stock }))),
      h("span", { class: "replay-pile" }, pile.slice(-3).map(faceUp)),
      position.wild ? h("span", { class: "replay-pile" }, cardElement(position.wild, { label: t("wild_label", { card: cardName(position.wild) }) }), h("span", { class: "doc" }, t("wild_tag"))) : null,
      melds,
    );
    const text = this.at === 0 ? t("told_deal") : told(step.event, this.room, null, false);
    const ended = this.at === this.data.steps.length && this.data.result ? ` ${outcome(this.data.result, this.room, null)}` : "";
    show(this.said, `${this.at}/${this.data.steps.length} · `, text, ended);
    this.#drawAdvice();
  }

  #drawAdvice() {
    // The decision shown is the one that comes next, or was just played.
    const decision = this.decisions.get(this.at) ?? this.decisions.get(this.at - 1);
    if (!decision) {
      show(this.advice);
      return;
    }
    const same = decision.played === decision.best;
    show(
      this.advice,
      h("p", { class: same ? "good-text" : "" }, t(same ? "review_same" : "review_other", { played: moveText(decision.played), best: moveText(decision.best) })),
      decision.worth ? h("p", { class: "doc" }, t("review_worth", { n: decision.worth.toFixed(1) })) : null,
      decision.values?.length
        ? h("table", { class: "sheet" }, h("tbody", {}, decision.values.map(([move, value]) => h("tr", {}, h("th", { scope: "row" }, moveText(move)), h("td", { class: "number" }, value.toFixed(1))))))
        : null,
    );
  }

  // --- review -----------------------------------------------------------------------------------------------

  async #review() {
    set(this.reviewButton, { "aria-disabled": "true" });
    try {
      await connected(this.app.line);
      await this.app.line.ask({ type: "join", room: this.code, token: settings.seats[this.code] });
      await this.app.line.ask({ type: "review", round: this.round }, 120000);
    } catch (error) {
      toast(why(error), { alarm: true });
      set(this.reviewButton, { "aria-disabled": null });
    }
  }

  message(message) {
    if (message.type !== "review" || message.round !== this.round) return;
    for (const decision of message.decisions) this.decisions.set(decision.step, decision);
    this.reviewedBy = message.by;
    const all = [...this.decisions.values()].sort((a, b) => a.step - b.step);
    const other = all.filter((decision) => decision.played !== decision.best).sort((a, b) => (b.worth ?? 0) - (a.worth ?? 0));
    const rest = message.done < message.of;
    const review = [
      h("p", { class: "doc", role: "status" }, rest ? t("review_going", { done: message.done, of: message.of }) : t("review_done", { same: all.length - other.length, of: all.length, by: t(`plays_${message.by}`) })),
      h(
        "ol",
        { class: "review-list" },
        other.map((decision) =>
          h(
            "li",
            {},
            h(
              "button",
              { class: "review-item", type: "button", onclick: () => this.#to(decision.step) },
              h("span", {}, `${decision.step + 1}. `, moveText(decision.played), " → ", moveText(decision.best)),
              decision.worth ? h("strong", {}, `+${decision.worth.toFixed(1)}`) : null,
            ),
          ),
        ),
      ),
    ];
    afterPress(this.marks, () => keep(this.marks, review));
    this.reviewButton.hidden = !rest;
    this.#drawAdvice();
  }

  #key(event) {
    if (!this.data || event.target.closest?.("input, button") || document.querySelector("dialog[open]")) return;
    const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: this.data.steps.length }[event.key];
    if (to !== undefined) this.#to(to);
    else if (event.key === " ") this.#play();
    else return;
    event.preventDefault();
  }
}
