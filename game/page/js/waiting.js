// The waiting room: who sits where, who is ready, which computers take the seats that stay free. It is drawn once and
// then changed in place, so that what one person is just pressing stays whatever the others do meanwhile.

import { levelSelect, levelsOf } from "./computers.js";
import { button, say } from "./dialogs.js";
import { h, keep, set } from "./dom.js";
import { icon } from "./icons.js";
import { pageHead, settingsText } from "./pages.js";
import { avatar, seatName } from "./seats.js";
import { nameField } from "./wizard.js";
import { t } from "./words.js";

const DOUBLE = 500; // milliseconds in which the second press of a double click comes

/** A room's seats with the computers that take the last free ones when it starts. */
export function seatsAtStart(room) {
  const free = room.seats.filter((place) => place.player === "free");
  const levels = room.settings.computers.slice(-free.length);
  const due = new Map(free.slice(free.length - levels.length).map((place, at) => [place.seat, levels[at]]));
  return room.seats.map((place) => (free.length && due.has(place.seat) ? { seat: place.seat, player: "computer", level: due.get(place.seat) } : place));
}

function text(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

export class WaitingRoom {
  /** `game`: the room's screen: `app`, `code`, `room` as last told, `ask(message)`, `report(error)`, `share(link)`,
   *  `confirmLeave()`, `changeSettings()`, `join(event)`. */
  constructor(game) {
    this.game = game;
    this.rows = [];
    this.edits = Promise.resolve();
    const link = `${location.origin}/room/${encodeURIComponent(game.code)}`;
    this.head = pageHead({ go: () => game.confirmLeave() }, "");
    this.title = this.head.querySelector("h1");
    this.line = h("p", { class: "doc" });
    this.list = h("ul", { class: "seat-list" });
    this.ready = this.#readyButton();
    this.join = h("form", { class: "join-form", onsubmit: (event) => game.join(event) }, nameField(), h("button", { class: "button primary", type: "submit" }, t("join")));
    this.full = h("p", { class: "doc" }, t("room_full"));
    this.players = h("h2", {}, t("players"));
    this.starts = h("p", { class: "doc" }, t("starts_when_ready"));
    this.panel = h("section", { class: "panel" });
    this.invite = h(
      "section",
      { class: "panel share" },
      h("h2", {}, t("invite")),
      h("img", { class: "qr", src: `/api/qr?path=${encodeURIComponent(`/room/${game.code}`)}`, alt: t("qr_alt"), width: "132", height: "132" }),
      h("div", {}, h("p", { class: "link-text" }, link), button(t("copy_link"), () => game.share(link), { iconName: "link" })),
    );
    this.change = button(t("change_settings"), () => game.changeSettings(), { iconName: "settings" });
    this.leave = button(t("leave"), () => game.confirmLeave());
    this.element = h("main", { class: "page waiting-room" });
  }

  #readyButton() {
    let meant = null; // what the button said when it was pressed
    const mean = () => (meant = this.ready.getAttribute("aria-pressed") !== "true");
    const press = () => {
      const ready = meant ?? mean();
      meant = null;
      this.game.ask({ type: "ready", ready }).catch((error) => this.game.report(error));
    };
    return button("", press, { "data-action": "ready", onpointerdown: mean });
  }

  /** Show the room as it is now. */
  update() {
    const { room, app } = this.game;
    const focused = this.element.contains(document.activeElement) ? document.activeElement : null;
    const inRow = this.rows.find((row) => row.element.contains(focused));
    const me = room.seats.find((place) => place.seat === room.me);
    const host = Boolean(me) && room.host === room.me;
    const seats = seatsAtStart(room);
    const last = seats.findLast((place) => place.player === "free");
    while (this.rows.length < seats.length) this.rows.push(new SeatRow(this, this.rows.length));
    this.rows.length = seats.length;
    let computers = 0;
    for (const row of this.rows) {
      const place = seats[row.seat];
      row.update({ ...room, seats }, host, place.player === "computer" ? (computers += 1) : 0, host && place === last);
    }
    text(this.title, t(`ruleset_${room.settings.ruleset}`));
    text(this.line, settingsText(app, room.settings, { computers: false }));
    text(this.ready.querySelector("span"), t(me?.ready ? "unready" : "ready"));
    set(this.ready, { "aria-pressed": String(Boolean(me?.ready)) });
    this.ready.classList.toggle("primary", !me?.ready);
    keep(this.list, this.rows.map((row) => row.element));
    const free = room.seats.some((place) => place.player === "free");
    keep(this.panel, this.players, this.list, me ? this.ready : free ? this.join : this.full, this.starts);
    keep(this.element, this.head, this.line, this.panel, this.invite, host ? this.change : null, this.leave);
    this.#tell(room);
    if (focused && !focused.isConnected) (inRow?.element.querySelector("select, button") ?? this.panel.querySelector(".button.primary, .button"))?.focus();
  }

  /** Tell those who do not see the list who has come, gone, or become ready. */
  #tell(room) {
    const others = room.seats.filter((place) => place.player === "person" && place.seat !== room.me);
    const now = new Map(others.map(({ name, ready }) => [name, ready]));
    const before = this.others;
    this.others = now;
    if (!before) return;
    for (const name of before.keys()) if (!now.has(name)) say(t("person_went", { name }));
    for (const [name, ready] of now) {
      if (!before.has(name)) say(t("person_came", { name }));
      else if (before.get(name) !== ready) say(`${name}: ${t(ready ? "is_ready" : "not_ready")}`);
    }
  }

  /** The host changes the computers: `edit` is given their levels, those of the last free seats, as the change before has
   *  left them, and how many free seats have none. */
  edit(edit) {
    const { game } = this;
    this.edits = this.edits.then(async () => {
      const { room, app } = game;
      const seats = seatsAtStart(room);
      const computers = seats.filter((place) => place.player === "computer").map((place) => place.level);
      edit(computers, seats);
      const clock = room.settings.clock ?? (room.settings.seats - computers.length > 1 ? app.catalogue.clock : null);
      try {
        await game.ask({ type: "settings", settings: { ...room.settings, computers, clock } });
      } catch (error) {
        game.report(error);
        if (game.room.phase === "waiting") this.update();
      }
    });
    return this.edits;
  }
}

/** One seat. Its controls stay the same elements as long as the same person, or a computer, is on it. */
class SeatRow {
  constructor(waiting, seat) {
    this.waiting = waiting;
    this.seat = seat;
    this.element = h("li", { class: "seat-row", "data-seat": String(seat) });
    this.add = button(t("computer"), () => this.#add(), { iconName: "add", class: "button add-computer", "aria-label": t("add_computer") });
    this.controls = null; // of whoever sits here: {of, elements}
    this.sending = 0;
  }

  update(room, host, computer, addable) {
    const place = room.seats[this.seat];
    const name = place.player === "computer" ? t("computer_number", { number: computer }) : seatName(room, this.seat);
    set(this.element, { class: `seat-row ${place.player}` });
    keep(
      this.element,
      avatar(room, this.seat),
      h("span", { class: "name" }, name, this.seat === room.me ? ` (${t("me")})` : "", this.seat === room.host ? h("span", { class: "tag" }, t("host")) : null),
      place.player === "person" ? h("span", { class: "doc" }, t(place.connected === false ? "away" : place.ready ? "is_ready" : "not_ready")) : null,
      place.player === "computer" && !host ? h("span", { class: "doc" }, t(`level_${place.level}`)) : null,
      host && this.seat !== room.me ? this.#controls(place, name, room) : null,
      addable ? this.add : null,
    );
  }

  #controls(place, name, room) {
    const { game } = this.waiting;
    if (place.player === "free") {
      this.controls = null;
      return null;
    }
    const of = place.player === "person" ? `person ${place.name}` : `computer ${name} ${room.settings.ruleset}`;
    if (this.controls?.of !== of) this.controls = { of, elements: place.player === "person" ? this.#ofPerson(game, place) : this.#ofComputer(game, place, name) };
    const [level] = this.controls.elements;
    // What the host has chosen just now is on its way: it is not taken back by what comes before.
    if (place.player === "computer" && !this.sending && level.value !== place.level) level.value = place.level;
    return this.controls.elements;
  }

  #ofPerson(game, place) {
    const remove = () => game.ask({ type: "remove", seat: this.seat }).catch((error) => game.report(error));
    return [h("button", { class: "button quiet round", type: "button", "aria-label": t("remove_player", { name: place.name }), onclick: remove }, icon("close"))];
  }

  #ofComputer(game, place, name) {
    const since = performance.now();
    const label = `${t("seat_number", { number: this.seat + 1 })}, ${name}: ${t("level")}`;
    const level = levelSelect(levelsOf(game.app, game.room.settings.ruleset), place.level, label, (value) => this.#change((computers, at) => (computers[at] = value)));
    const off = () => performance.now() - since > DOUBLE && this.#change((computers, at) => computers.splice(at, 1));
    return [level, h("button", { class: "button quiet round", type: "button", "aria-label": t("remove_computer", { name }), onclick: off }, icon("close"))];
  }

  /** Change this seat's computer, if it is still there when its turn has come. */
  async #change(change) {
    this.sending += 1;
    await this.waiting.edit((computers, seats) => {
      const at = seats.filter((place) => place.player === "computer").findIndex((place) => place.seat === this.seat);
      if (at >= 0) change(computers, at);
    });
    this.sending -= 1;
    if (this.waiting.game.room.phase === "waiting") this.waiting.update();
  }

  /** A computer comes onto the last free seat, which is this one; it plays like the one beside it. */
  #add() {
    this.waiting.edit((computers, seats) => {
      if (seats[this.seat].player === "free") computers.unshift(computers[0] ?? "normal");
    });
  }
}
