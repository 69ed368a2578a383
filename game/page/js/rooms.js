// The list of public rooms.

import { button } from "./dialogs.js";
import { afterPress, h, keep } from "./dom.js";
import { connected } from "./home.js";
import { pageHead, settingsText } from "./pages.js";
import { t } from "./words.js";

export class Rooms {
  constructor(app) {
    this.app = app;
    this.list = h("ul", { class: "room-list", "aria-live": "polite" });
    this.element = h("main", { class: "page" }, pageHead(app, t("rooms")), this.list, button(t("new_room"), () => app.go("/#/new"), { primary: true, class: "button primary big" }));
    this.#show([]);
    this.#begin();
  }

  async #begin() {
    await connected(this.app.line);
    this.lineOpen();
  }

  lineOpen() {
    this.app.line.ask({ type: "lobby", on: true }).catch(() => {});
  }

  message(message) {
    if (message.type === "lobby") afterPress(this.list, () => this.#show(message.rooms));
  }

  /** Rooms that are shown keep their places, so that none comes under a finger that was meant for another; new ones come
   *  behind those that wait for players, too. */
  #inOrder(rooms) {
    const places = new Map([...this.list.children].map((row, at) => [row.dataset.room, at]));
    const known = rooms.filter((room) => places.has(room.room)).sort((a, b) => places.get(a.room) - places.get(b.room));
    const fresh = rooms.filter((room) => !places.has(room.room));
    const waits = (room) => room.phase === "waiting";
    const at = known.findLastIndex(waits) + 1;
    return [...known.slice(0, at), ...fresh.filter(waits), ...known.slice(at), ...fresh.filter((room) => !waits(room))];
  }

  #show(rooms) {
    const open = (room) => this.app.go(`/room/${encodeURIComponent(room.room)}`);
    keep(
      this.list,
      rooms.length
        ? this.#inOrder(rooms).map((room) =>
            h(
              "li",
              { class: "room-row", "data-room": room.room },
              h(
                "div",
                {},
                h("strong", {}, t(`ruleset_${room.settings.ruleset}`)),
                h("span", { class: "doc" }, ` ${t("room_of", { name: room.host ?? t("nobody") })}`),
                h("p", { class: "doc" }, settingsText(this.app, room.settings)),
                h("p", { class: "doc" }, [t("people_count", { n: room.people }), room.phase === "waiting" ? t("free_count", { n: room.free }) : t("game_on"), room.watchers ? t("watchers_count", { n: room.watchers }) : null].filter(Boolean).join(" · ")),
              ),
              button(room.phase === "waiting" && room.free ? t("join") : t("watch"), () => open(room), { primary: room.phase === "waiting" && room.free > 0 }),
            ),
          )
        : h("li", { class: "doc empty-list" }, t("no_rooms")),
    );
  }

  close() {
    if (this.app.line.open) this.app.line.ask({ type: "lobby", on: false }).catch(() => {});
  }
}
