// A room: the waiting room before a match, the table while it is played, and everything between.

import { button, openDialog, toast } from "./dialogs.js";
import { h, show } from "./dom.js";
import { connected } from "./home.js";
import { icon } from "./icons.js";
import { pageHead, settingsText } from "./pages.js";
import { avatar, seatName } from "./seats.js";
import { countMatch, keepSeat, settings } from "./settings.js";
import { settingsBody } from "./settings_dialog.js";
import { openSheet } from "./sheet.js";
import * as sound from "./sound.js";
import { Table } from "./table.js";
import { SettingsForm, nameField } from "./wizard.js";
import { t } from "./words.js";

export class Room {
  constructor(app, code) {
    this.app = app;
    this.code = code;
    this.room = null;
    this.results = new Map(); // by round
    this.element = h("div", { class: "room" }, h("p", { class: "page loading" }, t("connecting")));
    this.catalogue = app.catalogue;
    this.notices = new Set();
    this.#enter();
  }

  get entry() {
    return this.app.entry(this.room.settings.ruleset);
  }

  get token() {
    return settings.seats[this.code];
  }

  ask(message) {
    return this.app.line.ask(message);
  }

  async #enter() {
    const { app } = this;
    await connected(app.line);
    if (this.closed) return;
    if (app.seatedIn === this.code) {
      // Seated just now by the screen before: what the server told meanwhile is asked for anew.
      app.seatedIn = null;
      return this.ask({ type: "table" }).catch((error) => this.#lost(error));
    }
    return this.lineOpen();
  }

  /** The line is there, for the first time or again: back to my seat, or to watching. */
  async lineOpen() {
    if (this.entering || this.closed || this.gone) return;
    this.entering = true;
    try {
      if (this.token) {
        try {
          return await this.ask({ type: "join", room: this.code, token: this.token });
        } catch (error) {
          if (error.code !== "bad_token" && error.code !== "no_seat") throw error;
          keepSeat(this.code, null);
        }
      }
      return await this.ask({ type: "watch", room: this.code });
    } catch (error) {
      return this.#lost(error);
    } finally {
      this.entering = false;
    }
  }

  #lost(error) {
    if (error.code === "offline") return;
    keepSeat(this.code, null);
    this.#notice(error.code === "no_room" || error.code === "room_closed" ? t("no_such_room") : error.message);
  }

  #notice(text, again = null) {
    this.table?.close();
    this.table = null;
    for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
    show(
      this.element,
      h(
        "main",
        { class: "page" },
        h("section", { class: "panel notice" }, h("h1", {}, text), again ? button(again.text, again.run, { primary: true }) : null, button(t("home"), () => this.app.go("/"))),
      ),
    );
  }

  message(message) {
    if (this.gone) return; // what still comes is not for us any more
    switch (message.type) {
      case "room":
        if (message.room === this.code) this.#roomChanged(message);
        break;
      case "table":
        this.#tableCame(message);
        break;
      case "reaction":
        this.table?.react(message.seat, message.reaction);
        break;
      case "replaced":
        this.gone = true;
        this.#notice(t("taken_over"), {
          text: t("use_here"),
          run: () => {
            this.gone = false;
            this.room = null;
            show(this.element, h("p", { class: "page loading" }, t("connecting")));
            connected(this.app.line).then(() => this.lineOpen());
          },
        });
        break;
      case "closed":
        this.gone = true;
        keepSeat(this.code, null);
        this.#notice(t(`closed_${["idle", "removed", "shutdown"].includes(message.reason) ? message.reason : "idle"}`));
        break;
    }
  }

  #roomChanged(room) {
    const before = this.room;
    this.room = room;
    if (before && room.me === null && before.me !== null && !this.leaving) keepSeat(this.code, null);
    for (const notice of room.notices ?? []) {
      const key = `${notice.kind}:${notice.seat}:${notice.plays}`;
      if (this.notices.has(key) || notice.kind !== "no_trained") continue;
      this.notices.add(key);
      toast(t("notice_no_trained", { name: seatName(room, notice.seat), plays: t(`plays_${notice.plays}`) }));
    }
    if (room.phase === "waiting") {
      this.#waiting();
      return;
    }
    if (room.phase === "playing" && before && before.phase !== "playing") {
      if (before.phase === "over") this.results.clear();
      document.querySelector('dialog[data-name="sheet"]')?.close();
    }
    this.table?.roomChanged();
    this.#sheetFoot();
    if (this.held) this.#tableCame(this.held);
  }

  #tableCame(table) {
    if (!this.room || this.room.phase === "waiting") {
      this.held = table; // the room itself comes right behind
      if (!this.room) return;
    }
    this.held = null;
    if (table.result) this.results.set(table.round, table.result);
    if (!this.table) {
      this.table = new Table(this);
      show(this.element, this.table.element);
    }
    this.table.receive(table);
  }

  // --- the end of a round -----------------------------------------------------------------------------------

  /** The table has shown the last move. `seen`: it was seen to happen, not found so. */
  roundOver(table, seen) {
    const { result } = table;
    const won = table.me !== null && result.winner === table.me;
    if (seen) sound.play(won ? "won" : "lost");
    if (seen && result.match_over && table.me !== null) countMatch(table.ruleset, (result.winners ?? []).includes(table.me));
    this.sheet(result);
  }

  sheet(result = this.table?.state?.result ?? null) {
    const rounds = [...this.results].sort(([a], [b]) => a - b).map(([round, one]) => ({ round, result: one }));
    this.foot = h("div", { class: "foot-buttons" });
    openSheet({ result, rounds, room: this.room, me: this.room.me, foot: [this.foot], onclose: () => (this.foot = null) });
    this.#sheetFoot();
    this.foot?.querySelector(".primary")?.focus({ preventScroll: true });
  }

  #sheetFoot() {
    if (!this.foot) return;
    const { room, app } = this;
    const me = room.seats.find((place) => place.seat === room.me);
    const others = room.seats.filter((place) => place.player === "person" && place.connected && place.seat !== room.me);
    // Buttons that are drawn anew under a finger lose its press: only when something changed.
    const drawn = JSON.stringify([room.phase, me?.ready, room.host, room.me, others.map((place) => [place.name, place.ready])]);
    if (this.foot.dataset.drawn === drawn) return;
    this.foot.dataset.drawn = drawn;
    const buttons = [];
    const ready = (text) =>
      me?.ready
        ? h("p", { class: "doc" }, t("waiting_for", { names: others.filter((place) => !place.ready).map((place) => place.name).join(", ") || "…" }))
        : button(text, () => this.ask({ type: "ready", ready: true }).catch((error) => this.#say(error)), { primary: true, "data-action": "ready" });
    if (room.phase === "between") buttons.push(me ? ready(t("next_round")) : null);
    if (room.phase === "over") {
      buttons.push(me ? ready(t("rematch")) : null);
      buttons.push(button(t("replay"), () => app.go(`/replay/${encodeURIComponent(this.code)}`), { iconName: "play" }));
      buttons.push(h("a", { class: "button", href: `/api/record/${encodeURIComponent(this.code)}?form=text`, download: "" }, icon("save"), t("record")));
      if (me && room.host === room.me) buttons.push(button(t("change_settings"), () => this.ask({ type: "reopen" }).catch((error) => this.#say(error))));
      buttons.push(button(t("home"), () => this.leave()));
    }
    const focused = this.foot.contains(document.activeElement);
    show(this.foot, buttons);
    if (focused) this.foot.querySelector("button")?.focus();
  }

  #say(error) {
    toast(error.code === "offline" ? t("offline") : error.message, { alarm: true });
  }

  // --- the waiting room -------------------------------------------------------------------------------------

  #waiting() {
    const { room, app } = this;
    const drawn = JSON.stringify(room);
    if (this.element.querySelector(".waiting-room")?.dataset.drawn === drawn) return;
    this.table?.close();
    this.table = null;
    document.querySelector('dialog[data-name="sheet"]')?.close();
    const me = room.seats.find((place) => place.seat === room.me);
    const host = room.me !== null && room.host === room.me;
    const free = room.seats.some((place) => place.player === "free");
    const link = `${location.origin}/room/${encodeURIComponent(this.code)}`;
    const field = document.activeElement?.matches?.('input[name="name"]') ? document.activeElement.selectionStart : null;
    show(
      this.element,
      h(
        "main",
        { class: "page waiting-room", "data-drawn": drawn },
        pageHead({ go: () => this.confirmLeave() }, t(`ruleset_${room.settings.ruleset}`)),
        h("p", { class: "doc" }, settingsText(app, room.settings)),
        h(
          "section",
          { class: "panel" },
          h("h2", {}, t("players")),
          h(
            "ul",
            { class: "seat-list" },
            room.seats.map((place) =>
              h(
                "li",
                { class: `seat-row ${place.player}` },
                avatar(room, place.seat),
                h(
                  "span",
                  { class: "name" },
                  seatName(room, place.seat),
                  place.seat === room.me ? ` (${t("me")})` : "",
                  place.seat === room.host ? h("span", { class: "tag" }, t("host")) : null,
                ),
                h("span", { class: "doc" }, place.player === "person" ? (place.connected === false ? t("away") : place.ready ? t("is_ready") : t("not_ready")) : place.player === "computer" ? t(`level_${place.level}`) : ""),
                host && place.player === "person" && place.seat !== room.me ? h("button", { class: "button quiet round", type: "button", "aria-label": t("remove_player", { name: place.name }), onclick: () => this.ask({ type: "remove", seat: place.seat }).catch((error) => this.#say(error)) }, icon("close")) : null,
              ),
            ),
          ),
          me
            ? button(t(me.ready ? "unready" : "ready"), () => this.ask({ type: "ready", ready: !me.ready }).catch((error) => this.#say(error)), { primary: !me.ready, "data-action": "ready", "aria-pressed": String(Boolean(me.ready)) })
            : free
              ? h("form", { class: "join-form", onsubmit: (event) => this.#join(event) }, nameField(), h("button", { class: "button primary", type: "submit" }, t("join")))
              : h("p", { class: "doc" }, t("room_full")),
          h("p", { class: "doc" }, t("starts_when_ready")),
        ),
        h(
          "section",
          { class: "panel share" },
          h("h2", {}, t("invite")),
          h("img", { class: "qr", src: `/api/qr?path=${encodeURIComponent(`/room/${this.code}`)}`, alt: t("qr_alt"), width: "132", height: "132" }),
          h("div", {}, h("p", { class: "link-text" }, link), button(t("copy_link"), () => this.#share(link), { iconName: "link" })),
        ),
        host ? button(t("change_settings"), () => this.#changeSettings(), { iconName: "settings" }) : null,
        button(t("leave"), () => this.confirmLeave()),
      ),
    );
    if (field !== null) {
      const input = this.element.querySelector('input[name="name"]');
      input?.focus();
      input?.setSelectionRange(field, field);
    }
  }

  async #join(event) {
    event.preventDefault();
    try {
      const answer = await this.ask({ type: "join", room: this.code, name: settings.name || t("guest") });
      keepSeat(this.code, answer.token);
    } catch (error) {
      this.#say(error);
    }
  }

  async #share(link) {
    try {
      if (navigator.share && matchMedia("(pointer: coarse)").matches) await navigator.share({ title: t("title"), url: link });
      else {
        await navigator.clipboard.writeText(link);
        toast(t("copied"));
      }
    } catch (error) {
      if (error.name !== "AbortError") toast(link);
    }
  }

  #changeSettings() {
    const form = new SettingsForm(this.app, structuredClone(this.room.settings));
    form.values.options ??= {};
    const dialog = openDialog({
      title: t("change_settings"),
      name: "room-settings",
      body: form.element,
      foot: [
        button(t("done"), async () => {
          try {
            await this.ask({ type: "settings", settings: form.values });
            dialog.close();
          } catch (error) {
            this.#say(error);
          }
        }, { primary: true }),
      ],
    });
  }

  // --- beside the table -------------------------------------------------------------------------------------

  openMenu() {
    const { app } = this;
    const dialog = openDialog({
      title: t("menu"),
      name: "menu",
      body: h(
        "div",
        { class: "menu" },
        settingsBody(() => this.table?.look()),
        button(t("rules"), () => window.open(`/#/rules/${this.room.settings.ruleset}`, "_blank", "noopener"), { iconName: "book" }),
        button(t("copy_link"), () => this.#share(`${location.origin}/room/${encodeURIComponent(this.code)}`), { iconName: "link" }),
        this.results.size ? button(t("replay"), () => app.go(`/replay/${encodeURIComponent(this.code)}`), { iconName: "play" }) : null,
        button(t("home_keep_seat"), () => app.go("/"), { iconName: "back" }),
        button(t(this.room.me === null ? "stop_watching" : "leave"), () => {
          dialog.close();
          this.confirmLeave();
        }),
      ),
    });
  }

  confirmLeave() {
    if (!this.room || this.room.me === null || this.room.phase === "over") {
      this.leave();
      return;
    }
    const dialog = openDialog({
      title: t("leave"),
      name: "leave",
      body: h("p", {}, t(this.room.phase === "waiting" ? "leave_waiting" : "leave_playing")),
      foot: [
        button(t("cancel"), () => dialog.close()),
        button(t("leave"), () => {
          dialog.close();
          this.leave();
        }, { primary: true }),
      ],
    });
  }

  async leave() {
    this.leaving = true;
    try {
      await this.ask({ type: "leave" });
    } catch {
      // Gone already, or the line is down: the token is thrown away all the same.
    }
    keepSeat(this.code, null);
    if (!this.closed) this.app.go("/");
  }

  look() {
    this.table?.look();
  }

  close() {
    this.closed = true;
    this.table?.close();
    // Going away from a room that is only watched ends watching; a seat is kept.
    if (this.room?.me === null && !this.leaving && this.app.line.open) this.ask({ type: "leave" }).catch(() => {});
  }
}

