// Where the page begins: words, catalogue, line, and which screen the address asks for.

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
  app.screen?.close?.();
  app.screen = screenFor();
  show(place, app.screen.element);
  scrollTo(0, 0);
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
  const asked = fetch("/api/catalogue");
  await load();
  show(place, h("p", { class: "page loading", role: "status" }, t("connecting")));
  const answer = await asked;
  app.catalogue = await answer.json();
  app.line.language = preferred();
  route();
}

start().catch((error) => {
  place.textContent = `Rummy could not start: ${error.message}`;
  throw error;
});

