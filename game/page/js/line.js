// The line to the server: one WebSocket that comes back by itself, with questions and their answers.

const WATCH = 15000; // milliseconds between questions whether the line still lives
const PATIENCE = 20000; // milliseconds to wait for an answer
const DOUBT = 3000; // milliseconds without an answer until the line itself is asked whether it lives
const PONG = 8000; // milliseconds to wait for that: the server answers pings before anything else

/** Milliseconds to wait for a first table: the server may have to compile a ruleset for it. */
export const LONG_PATIENCE = 180000;

export class Refused extends Error {
  constructor(message) {
    super(message.text ?? message.code);
    this.code = message.code;
    this.ways = message.ways ?? [];
    this.wait = message.wait;
  }
}

export class Line extends EventTarget {
  /** Events: "open" (also after a break), "down", "message" with `detail`, "over" with the close code: no more tries. */
  constructor() {
    super();
    this.socket = null;
    this.next = 1;
    this.waiting = new Map();
    this.tries = 0;
    this.language = "en";
    this.wanted = false;
    setInterval(() => this.#watch(), WATCH);
    addEventListener("online", () => this.wanted && !this.open && this.connect());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible" && this.wanted) this.open ? this.#watch() : this.connect();
    });
  }

  get open() {
    return this.socket?.readyState === WebSocket.OPEN && this.greeted;
  }

  connect() {
    this.wanted = true;
    clearTimeout(this.timer);
    if (this.socket && this.socket.readyState <= WebSocket.OPEN) return;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/ws?lang=${this.language}`);
    this.socket = socket;
    this.greeted = false;
    socket.onmessage = (event) => this.socket === socket && this.#message(event);
    socket.onclose = (event) => this.socket === socket && this.#closed(event.code);
    // A line on which nobody greets is none.
    setTimeout(() => this.socket === socket && !this.greeted && this.#dead(), PONG);
  }

  /** Speak another language: sentences of the server come in it. */
  speak(language) {
    if (language === this.language) return;
    this.language = language;
    if (!this.socket) return;
    this.#drop();
    this.connect();
  }

  /** Ask and wait for the answer; a refusal, and no answer in `patience` milliseconds, are thrown. While the server
   *  prepares what was asked for, which it tells again and again, `preparing(seconds)` is called. */
  ask(message, patience = PATIENCE, preparing = null) {
    return new Promise((resolve, reject) => {
      if (!this.open) {
        reject(new Refused({ code: "offline" }));
        return;
      }
      const id = this.next++;
      const asked = { resolve, reject, preparing };
      asked.wait = () => {
        clearTimeout(asked.timer);
        asked.timer = setTimeout(() => {
          this.waiting.delete(id);
          reject(new Refused({ code: "offline" }));
        }, patience);
      };
      asked.wait();
      this.waiting.set(id, asked);
      if (message.type !== "ping") setTimeout(() => this.waiting.has(id) && this.#watch(), DOUBT);
      this.socket.send(JSON.stringify({ ...message, id }));
    });
  }

  #message(event) {
    const message = JSON.parse(event.data);
    if (message.type === "hello") {
      this.greeted = true;
      this.tries = 0;
      this.dispatchEvent(new CustomEvent("open"));
      return;
    }
    if (message.type === "preparing") {
      const waits = this.waiting.get(message.asked);
      waits?.wait();
      waits?.preparing?.(message.seconds);
      return;
    }
    const asked = this.waiting.get(message.re);
    // What is told comes before the answer is acted on: a seat's token is kept before its table is drawn.
    this.dispatchEvent(new CustomEvent("message", { detail: message }));
    if (!asked) return;
    this.waiting.delete(message.re);
    clearTimeout(asked.timer);
    if (message.type === "refused") asked.reject(new Refused(message));
    else asked.resolve(message);
  }

  #drop() {
    const socket = this.socket;
    this.socket = null;
    this.greeted = false;
    socket?.close();
    for (const { reject, timer } of this.waiting.values()) {
      clearTimeout(timer);
      reject(new Refused({ code: "offline" }));
    }
    this.waiting.clear();
  }

  #closed(code) {
    this.#drop();
    this.dispatchEvent(new CustomEvent("down"));
    if (code === 4001 || code === 4002) {
      this.wanted = false;
      this.dispatchEvent(new CustomEvent("over", { detail: code }));
      return;
    }
    if (!this.wanted) return;
    // At once, then ever later: many pages shall not come back in the same moment.
    const pause = this.tries === 0 ? 150 : Math.min(8000, 500 * 2 ** this.tries) * (0.6 + 0.4 * Math.random());
    this.tries++;
    this.timer = setTimeout(() => this.connect(), pause);
  }

  /** Nothing comes on this line any more, though nobody has closed it: another one. */
  #dead() {
    this.#drop();
    this.dispatchEvent(new CustomEvent("down"));
    if (this.wanted) this.connect();
  }

  async #watch() {
    if (!this.open || this.watching === this.socket) return;
    const socket = this.socket;
    this.watching = socket;
    try {
      await this.ask({ type: "ping" }, PONG);
      this.watching = null;
    } catch {
      if (this.socket === socket && this.socket) this.#dead();
    }
  }
}
