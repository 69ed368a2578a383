// The clock of whoever is to move: at the plate of the seat, and, when it is mine, in figures and to be heard.

import { say } from "./dialogs.js";
import * as sound from "./sound.js";
import { t } from "./words.js";

export class Clock {
  /** `plates`: by seat; `status`: where my turn is told; `seconds`: the figures in it. */
  constructor({ plates, status, seconds }) {
    this.plates = plates;
    this.status = status;
    this.seconds = seconds;
    this.state = null;
    this.shown = null; // seconds
    this.ticking = setInterval(() => this.#tick(), 250);
  }

  close() {
    clearInterval(this.ticking);
  }

  /** `state`: the table, `received` at that time of this page. */
  show(state) {
    this.state = state;
    this.#tick();
  }

  #tick() {
    const clock = this.state?.clock;
    const left = clock ? Math.max(0, clock.left - (performance.now() - this.state.received) / 1000) : null;
    for (const [seat, plate] of this.plates) plate.clock(clock?.seat === seat ? left / clock.total : null, left);
    const mine = clock && clock.seat === this.state.me;
    this.status.classList.toggle("timed", Boolean(mine));
    this.status.style.setProperty("--left", mine ? String(left / clock.total) : "0");
    this.status.classList.toggle("urgent", Boolean(mine) && left <= 10);
    const seconds = mine ? Math.ceil(left) : null;
    if (this.shown === seconds) return;
    this.shown = seconds;
    this.seconds.textContent = inFigures(seconds);
    if (mine && seconds <= 5 && seconds > 0) sound.play("tick");
    if (mine && seconds === 10) say(t("ten_seconds"));
  }
}

/** Seconds as people read them: 45, and 9:45 from a hundred on. */
function inFigures(seconds) {
  if (seconds === null) return "";
  return seconds < 100 ? String(seconds) : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
