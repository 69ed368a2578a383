// Where the page begins: words, catalogue, line, and which screen the address asks for.

import { Away, untilAnswered } from "./away.js";
import { Home } from "./home.js";
import { Line } from "./line.js";
import { Replay } from "./replay.js";
import { Room } from "./room.js";
import { Rooms } from "./rooms.js";
import { RulesPage } from "./rules.js";
import { apply, onChange } from "./settings.js";
import { openSettings } from "./settings_dialog.js";
import * as sound from "./sound.js";
import { Wizard } from "./wizard.js";
import { h, show } from "./dom.js";
import { load, preferred, t } from "./words.js";

const QUIET = 4000; // milliseconds after which the page is kept for when the server is away: not while it is being shown

const app = {
  line: new Line(),
  catalogue: null,
  screen: null,
  entry(ruleset) {
    return this.catalogue.rulesets.find((one) => one.ruleset === ruleset);
  },
  /** Go to an address of the page. */
  go(address, { replace = false } = {}) {
    history[replace ? "replaceState" : "pushState"](null, "", address);
    route();
  },
  openSettings: () => openSettings(app),
};

const place = document.getElementById("app");

function screenFor() {
  const [, kind, code] = location.pathname.split("/");
  if (!app.catalogue) {
    const [, page, ruleset] = location.hash.split("/");
    return page === "rules" && !kind ? new RulesPage(app, ruleset) : new Away(app);
  }
  if (kind === "room" && code) return new Room(app, decodeURIComponent(code));
  if (kind === "replay" && code) return new Replay(app, decodeURIComponent(code));
  const [, page, detail] = location.hash.split("/");
  if (page === "rooms") return new Rooms(app);
  if (page === "new") return new Wizard(app);
  if (page === "rules") return new RulesPage(app, detail);
  return new Home(app);
}

function route() {
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  const first = app.screen === null;
  const link = document.activeElement?.getAttribute("href");
  app.screen?.close?.();
  app.screen = screenFor();
  show(place, app.screen.element);
  scrollTo(0, 0);
  if (!first) arrive(link);
}

/** On another screen the focus is on the link that was followed, if it is there too, or else on the heading. */
function arrive(link) {
  const same = link ? place.querySelector(`a[href="${CSS.escape(link)}"]`) : null;
  const target = same ?? place.querySelector("h1");
  if (!target) return;
  if (target !== same) target.tabIndex = -1;
  target.focus({ preventScroll: true });
}

function banner(text) {
  document.querySelector(".banner")?.remove();
  if (text) document.body.append(h("div", { class: "banner", role: "alert" }, text));
}

let downTimer;
app.line.addEventListener("open", () => {
  clearTimeout(downTimer);
  banner(null);
  app.screen?.lineOpen?.();
});
app.line.addEventListener("down", () => {
  clearTimeout(downTimer);
  downTimer = setTimeout(() => app.line.wanted && banner(t("reconnecting")), 900);
});
app.line.addEventListener("message", (event) => app.screen?.message?.(event.detail));
app.line.addEventListener("over", (event) => app.screen?.lineOver?.(event.detail));

onChange(async (values) => {
  if (!("language" in values)) return;
  await load(preferred());
  app.line.speak(preferred());
  route();
});

addEventListener("popstate", route);
for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => sound.wake(), { capture: true });

async function start() {
  apply();
  matchMedia("(prefers-reduced-motion: reduce)").addEventListener("change", apply);
  const wordless = load().then(() => null, (error) => error);
  const asked = untilAnswered("/api/catalogue", async () => {
    await wordless;
    if (!app.screen) route(); // to where one learns that the server is away
  });
  const failed = await wordless;
  if (!failed && !app.screen) show(place, h("p", { class: "page loading", role: "status" }, t("connecting")));
  const { answer, first } = await asked;
  if (!first || "kept" in document.documentElement.dataset) {
    location.reload(); // the server may be another by now, and this page is what the browser had kept of it
    return;
  }
  if (failed) throw failed;
  app.catalogue = await answer.json();
  app.line.language = preferred();
  route();
  // A record from a file is shown once, at an address that is never used again.
  if (location.pathname !== "/replay/file") setTimeout(() => navigator.serviceWorker?.register("/sw.js", { updateViaCache: "none" }).catch(() => {}), QUIET);
}

start().catch((error) => {
  place.textContent = `러미를 시작하지 못했습니다. Rummy could not start: ${error.message}`;
  throw error;
});
