// Elements without a framework. Text always goes in as text, never as markup: names of people cannot bring script in.

const SVG = "http://www.w3.org/2000/svg";

/** An element. `attributes`: `class`, `data-…`, `aria-…` and so on as text; `onclick` and so on as functions;
 *  `true` sets an attribute without a value; null, undefined and false leave it out. */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for drawings. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...present(children));
  return element;
}

function present(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}

/** Replace everything in an element. */
export function show(element, ...children) {
  element.replaceChildren(...present(children));
  return element;
}

/** Draw a place anew by `draw()`. The focus, if it was within, goes to the element with the same `mark` (an attribute),
 *  or, where there is none any more, wherever `otherwise()` puts it: never nowhere. */
export function redraw(place, mark, draw, otherwise) {
  const focused = place.contains(document.activeElement) ? document.activeElement : null;
  const value = focused?.getAttribute(mark) ?? null;
  draw();
  if (!focused || place.contains(document.activeElement)) return;
  const same = value === null ? null : [...place.querySelectorAll(`[${mark}]`)].find((element) => element.getAttribute(mark) === value);
  if (same) same.focus();
  else otherwise();
}

/** Set or remove attributes of an element that stays. */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : value);
  }
  return element;
}

// --- drawing anew what people are pressing ------------------------------------------------------------------

const CONTROLS = "button, a, input, select, textarea, label";

/** Show children as `show` does, but leave what need not change where it is: an element that is in there already, or one
 *  that looks just like the new one and stays with its listeners. What is drawn anew between the pressing of a button and
 *  its release loses the press, and the keyboard's focus too. */
export function keep(element, ...children) {
  const wanted = present(children).map((child) => (child instanceof Node ? child : document.createTextNode(child)));
  const fresh = new Set(wanted);
  const old = new Set([...element.childNodes].filter((node) => !fresh.has(node)));
  const take = (fits) => {
    const found = [...old].find(fits);
    old.delete(found);
    return found;
  };
  const nodes = wanted.map((node) => (node.parentNode === element ? node : (take((one) => one.isEqualNode(node)) ?? node)));
  for (const [at, node] of nodes.entries()) {
    if (node.parentNode === element || !(node instanceof Element) || node.matches(CONTROLS)) continue;
    const shell = node.cloneNode();
    const same = take((one) => one instanceof Element && one.cloneNode().isEqualNode(shell));
    if (same) nodes[at] = keep(same, [...node.childNodes]);
  }
  for (const node of old) node.remove();
  arrange(element, nodes);
  return element;
}

/** Put nodes in order. The one that is pressed, or has the focus, is not moved: the others are, around it. */
function arrange(element, nodes) {
  const mine = nodes.filter((node) => node.parentNode === element && node instanceof Element);
  const still = mine.find((node) => node.matches(":active")) ?? mine.find((node) => node.contains(document.activeElement));
  const pivot = Math.max(0, nodes.indexOf(still));
  if (!still && nodes.length && element.firstChild !== nodes[0]) element.prepend(nodes[0]);
  for (let at = pivot - 1; at >= 0; at--) if (nodes[at].nextSibling !== nodes[at + 1]) element.insertBefore(nodes[at], nodes[at + 1]);
  for (let at = pivot + 1; at < nodes.length; at++) if (nodes[at].previousSibling !== nodes[at - 1]) nodes[at - 1].after(nodes[at]);
}

const RELEASED = 80; // milliseconds: a finger's click comes a little after the finger has gone

let pressed = null;
let over; // the timer of a release
const postponed = new Map();

function released() {
  pressed = null;
  const work = [...postponed.values()];
  postponed.clear();
  for (const one of work) one();
}

addEventListener("pointerdown", (event) => {
  clearTimeout(over);
  pressed = event.target;
}, { capture: true });
addEventListener("pointerup", () => (over = setTimeout(released, RELEASED)), { capture: true });
for (const kind of ["pointercancel", "blur"]) addEventListener(kind, released, { capture: kind !== "blur" });

/** Draw something in an element: now, or once the press that is under way in there has been released, if what is pressed
 *  could move away from under the finger. */
export function afterPress(element, draw) {
  if (pressed && element.contains(pressed)) postponed.set(element, draw);
  else draw();
}
