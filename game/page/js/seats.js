// Who sits where: names, colours, and the plate of a seat.

import { cardElement, cardName, inlineCard, isWild } from "./cards.js";
import { openDialog } from "./dialogs.js";
import { h, set, show, svg } from "./dom.js";
import { t } from "./words.js";

const COLOURS = ["#e8b04a", "#6fb7e9", "#e98a7b", "#9bd07c", "#c79bea", "#5cc9b5", "#f0a0c8", "#c9c06a", "#8fa8f0", "#d9a27a"];
const BIRD = "M3 15c2 0 3-1 4-3 1.5-3.5 4-6 7.5-6 2 0 3.5 1 4.2 2.5L22 10l-3.2 1.2C18.5 16 15 19 10.5 19 7.5 19 5 17.5 3 15ZM7 18l-2 3M15.5 9v.01";

/** Writing from right to left would pull the signs and numbers beside it along: it is kept apart. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;
const apart = (name) => (RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name);

/** What a seat is called. Computers have the names of birds. */
export function seatName(room, seat) {
  if (seat === null || seat === undefined) return t("watcher");
  const place = room?.seats?.[seat];
  if (place?.name) return apart(place.name);
  if (place?.player === "free") return t("free_seat");
  return t(`bird_${seat}`);
}

/** A seat in a sentence: me in the second person. */
export function seatInWords(room, me, seat) {
  return seat === me && seat !== null ? t("me") : seatName(room, seat);
}

export function colourOf(seat) {
  return COLOURS[seat % COLOURS.length];
}

export function avatar(room, seat) {
  const place = room?.seats?.[seat];
  const free = place?.player === "free";
  const inside =
    place?.player === "person"
      ? h("span", {}, [...(place.name ?? "?")][0]?.toUpperCase())
      : svg("svg", { viewBox: "0 0 24 24", class: "icon" }, svg("path", { d: BIRD }));
  const element = h("span", { class: `avatar${free ? " nobody" : ""}`, "aria-hidden": "true" }, free ? null : inside);
  element.style.setProperty("--seat", colourOf(seat));
  return element;
}

/** The plate of another player: name, cards left, points, cards taken from the pile. */
export class Plate {
  /** `onpress()`: the plate was pressed, to be told what it has no room for. */
  constructor(seat, onpress) {
    this.seat = seat;
    this.picture = h("span", { class: "plate-picture" });
    this.name = h("span", { class: "plate-name", dir: "auto" });
    this.cards = h("span", { class: "plate-cards" });
    this.total = h("span", { class: "plate-total" });
    this.known = h("span", { class: "plate-known" });
    this.bubble = h("span", { class: "bubble", hidden: true, "aria-hidden": "true" });
    this.plate = h(
      "button",
      { class: "plate", type: "button", onclick: onpress },
      this.picture,
      this.name,
      h("span", { class: "plate-figures" }, this.cards, this.total),
      this.known,
      this.bubble,
    );
    this.element = h("li", {}, this.plate);
  }

  update(room, table) {
    const place = room?.seats?.[this.seat] ?? {};
    const state = table.seats[this.seat];
    const name = seatName(room, this.seat);
    const playing = table.to_play === this.seat && table.phase !== "over";
    show(this.picture, avatar(room, this.seat));
    show(this.name, name, place.player === "person" && place.connected === false ? h("span", { class: "away" }, ` ${t("away")}`) : null);
    show(this.cards, h("span", { class: "mini-back", "aria-hidden": "true" }), String(state.cards));
    set(this.cards, { title: t("n_cards", { n: state.cards }) });
    show(this.total, String(state.total), h("span", { class: "unit" }, t("points_unit")));
    const tags = [];
    if (state.packed) tags.push(h("span", { class: "tag" }, t("packed_tag")));
    const shown = state.known ?? [];
    const most = room.seats.length > 4 ? 1 : 4;
    const more = shown.length - most;
    show(this.known, tags, shown.slice(-most).map(inlineCard), more > 0 && most > 1 ? `+${more}` : null);
    this.known.hidden = !tags.length && !shown.length;
    this.plate.classList.toggle("playing", playing);
    this.plate.classList.toggle("packed", Boolean(state.packed));
    const says = [name, t("n_cards", { n: state.cards }), t("n_points", { n: state.total })];
    if (place.player === "computer") says.push(t(`level_${place.level}`));
    if (place.standin) says.push(t("standin"));
    if (state.packed) says.push(t("packed_tag"));
    if (shown.length) says.push(t("plate_took", { cards: shown.map(cardName).join(", ") }));
    if (playing) says.push(t("plate_turn"));
    set(this.plate, { "aria-label": says.join(", "), "aria-haspopup": "dialog", "data-seat": String(this.seat) });
  }

  /** Say something for a moment. */
  speak(content, time = 2400) {
    clearTimeout(this.timer);
    show(this.bubble, content);
    this.bubble.hidden = false;
    this.timer = setTimeout(() => (this.bubble.hidden = true), time);
  }

  clock(share, seconds) {
    this.plate.style.setProperty("--left", share === null ? "0" : String(share));
    this.plate.classList.toggle("timed", share !== null);
    this.plate.classList.toggle("urgent", share !== null && seconds <= 10);
  }
}

/** All that everybody may know of a seat: the whole name, who plays, cards left, points, and cards taken from the pile. */
export function openSeat(room, table, seat) {
  const place = room.seats[seat] ?? {};
  const { cards, total, known = [], packed } = table.seats[seat];
  const says = [
    place.player === "computer" ? t(`level_${place.level}`) : null,
    place.player === "person" && place.connected === false ? t("away") : null,
    place.standin ? t("standin") : null,
    packed ? t("packed_tag") : null,
    t("n_cards", { n: cards }),
    t("n_points", { n: total }),
  ];
  openDialog({
    title: seatName(room, seat),
    name: "seat",
    body: h(
      "div",
      { class: "seat-told" },
      h("p", {}, says.filter(Boolean).join(" · ")),
      known.length ? [h("h3", {}, t("seat_took")), h("div", { class: "pick-cards" }, known.map((card) => cardElement(card, { wild: isWild(card, table.wild) })))] : null,
    ),
  });
}
