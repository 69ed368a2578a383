// A room: the waiting room before a match, the table while it is played, and everything between.

import { button, openDialog, toast } from "./dialogs.js";
import { afterPress, h, keep, show } from "./dom.js";
import { connected } from "./home.js";
import { icon } from "./icons.js";
import { countMatch, keepSeat, settings } from "./settings.js";
import { settingsBody } from "./settings_dialog.js";
import { openSheet } from "./sheet.js";
import * as sound from "./sound.js";
import { Table } from "./table.js";
import { WaitingRoom } from "./waiting.js";
import { SettingsForm } from "./wizard.js";
import { t, why } from "./words.js";

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
    this.element.querySelector(".button").focus();
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
    for (const { kind, level, plays } of room.notices ?? []) {
      const key = `${kind}:${level}:${plays}`;
      if (this.notices.has(key) || kind !== "stands_in") continue;
      this.notices.add(key);
      toast(plays === "random" ? t("stands_in_random") : t("notice_stands_in", { level: t(`level_${level}`), plays: t(`plays_${plays}`) }));
    }
    if (room.phase === "waiting") {
      this.#waiting();
      return;
    }
    if (room.phase === "playing" && before && before.phase !== "playing") {
      if (before.phase === "over") this.results.clear();
      document.querySelector('dialog[data-name="room-settings"]')?.close();
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
      this.table.focusTitle();
      this.#fetchEarlier(table.round);
    }
    this.table.receive(table);
  }

  /** Results of the rounds that were over before this page was there, for the score sheet. */
  async #fetchEarlier(round) {
    const missing = Array.from({ length: round - 1 }, (_, at) => at + 1).some((one) => !this.results.has(one));
    if (!missing) return;
    try {
      const answer = await fetch(`/api/replay/${encodeURIComponent(this.code)}`);
      if (!answer.ok) return;
      const { rounds } = await answer.json();
      for (const one of rounds) if (one.round < round && !this.results.has(one.round)) this.results.set(one.round, one.result);
      if (this.foot) afterPress(this.foot.closest("dialog"), () => this.foot && !this.closed && this.sheet());
    } catch {
      // The line is down: the sheet then has what was seen.
    }
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
    openSheet({ result, rounds, room: this.room, me: this.room.me, wild: this.table?.state?.wild, foot: [this.foot], onclose: () => (this.foot = null) });
    this.#sheetFoot();
    this.foot?.querySelector(".primary")?.focus({ preventScroll: true });
  }

  #sheetFoot() {
    const { foot } = this;
    if (!foot) return;
    afterPress(foot, () => {
      const focused = foot.contains(document.activeElement);
      keep(foot, this.#footButtons());
      if (focused && !foot.contains(document.activeElement)) foot.querySelector("button")?.focus();
    });
  }

  #footButtons() {
    const { room, app } = this;
    const me = room.seats.find((place) => place.seat === room.me);
    const others = room.seats.filter((place) => place.player === "person" && place.connected && place.seat !== room.me);
    const buttons = [];
    const ready = (text) =>
      me?.ready
        ? h("p", { class: "doc" }, t("waiting_for", { names: others.filter((place) => !place.ready).map((place) => place.name).join(", ") || "…" }))
        : button(text, () => this.ask({ type: "ready", ready: true }).catch((error) => this.report(error)), { primary: true, "data-action": "ready" });
    if (room.phase === "between") buttons.push(me ? ready(t("next_round")) : null);
    if (room.phase === "over") {
      buttons.push(me ? ready(t("rematch")) : null);
      buttons.push(button(t("replay"), () => app.go(`/replay/${encodeURIComponent(this.code)}`), { iconName: "play" }));
      buttons.push(h("a", { class: "button", href: `/api/record/${encodeURIComponent(this.code)}?form=text`, download: "" }, icon("save"), t("record")));
      if (me && room.host === room.me) buttons.push(button(t("change_settings"), () => this.ask({ type: "reopen" }).catch((error) => this.report(error))));
      buttons.push(button(t("home"), () => this.leave()));
    }
    return buttons;
  }

  report(error) {
    toast(why(error), { alarm: true });
  }

  // --- the waiting room -------------------------------------------------------------------------------------

  #waiting() {
    this.table?.close();
    this.table = null;
    document.querySelector('dialog[data-name="sheet"]')?.close();
    this.waiting ??= new WaitingRoom(this);
    this.waiting.update();
    if (!this.waiting.element.isConnected) show(this.element, this.waiting.element);
  }

  async join(event) {
    event.preventDefault();
    try {
      const answer = await this.ask({ type: "join", room: this.code, name: settings.name || t("guest") });
      keepSeat(this.code, answer.token);
    } catch (error) {
      this.report(error);
    }
  }

  async share(link) {
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

  changeSettings() {
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
            this.report(error);
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
        button(t("copy_link"), () => this.share(`${location.origin}/room/${encodeURIComponent(this.code)}`), { iconName: "link" }),
        this.results.size ? button(t("replay"), () => app.go(`/replay/${encodeURIComponent(this.code)}`), { iconName: "play" }) : null,
        this.room.me === null ? null : button(t("home_keep_seat"), () => app.go("/"), { iconName: "back" }),
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

