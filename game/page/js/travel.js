// Cards travel: a copy of a card flies from where it was to where it is.

import { cardElement } from "./cards.js";
import { animated } from "./settings.js";

export function boxOf(element) {
  if (!element) return null;
  const { x, y, width, height } = element.getBoundingClientRect();
  return width ? { x, y, width, height } : null;
}

/** Fly a card (null: face down) from a box to an element, which stays unseen meanwhile. */
export async function fly(card, from, target, { delay = 0, time = 380, hide = true, wild = false } = {}) {
  const to = boxOf(target);
  if (!animated() || !from || !to) return;
  const ghost = cardElement(card, { wild });
  ghost.classList.add("flying");
  ghost.setAttribute("aria-hidden", "true");
  const width = Math.min(to.width, 110);
  const toScale = 1;
  const fromScale = Math.min(from.width, 110) / width;
  ghost.style.setProperty("--card", `${width}px`);
  document.body.append(ghost);
  if (hide) target.classList.add("waiting");
  const height = width * 1.4;
  // Middles of both boxes, so that a plate or a group can be either end.
  const start = { x: from.x + (from.width - width * fromScale) / 2, y: from.y + (from.height - height * fromScale) / 2 };
  const end = { x: to.x + (to.width - width) / 2, y: to.y + (to.height - height) / 2 };
  const middle = { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 - 18 };
  const at = (point, scale, turn) => `translate(${point.x}px, ${point.y}px) scale(${scale}) rotate(${turn}deg)`;
  try {
    await ghost.animate(
      [
        { transform: at(start, fromScale, 0), opacity: 1 },
        { transform: at(middle, (fromScale + toScale) / 2 + 0.05, 3), opacity: 1, offset: 0.5 },
        { transform: at(end, toScale, 0), opacity: 1 },
      ],
      { duration: time, delay, easing: "cubic-bezier(.35, .1, .25, 1)", fill: "both" },
    ).finished;
  } catch {
    // The animation was stopped with its page.
  }
  ghost.remove();
  if (hide) target.classList.remove("waiting");
}

export function pause(time) {
  return new Promise((resolve) => setTimeout(resolve, animated() ? time : 0));
}
