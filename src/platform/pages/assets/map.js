// Makes the map of a subgraph something to move in: zoom, drag, search, and the paths through it. Nothing that it changes
// is in the drawing itself, so a page that renews itself keeps all of it. Without this script the map scrolls, and its
// boxes are links.
import { morphContent } from "./morph.js";

/** The zoom of the smallest text that can be read, and the limits of the zoom. */
const legible = 0.6;
const [smallest, largest] = [0.05, 4];
/** How much a button, a key or a notch of a wheel zooms. */
const step = 1.25;
/** Pixels that a pressed pointer moves before it drags. */
const slack = 4;
/** Milliseconds between two requests for a drawing that is loaded separately, at least. */
const pace = 10_000;

const area = document.getElementById("map");
const field = document.getElementById("map-search");
const found = document.getElementById("map-found");
const shownZoom = document.getElementById("map-zoom");

const zoomed = sheet();
const lit = sheet();
const matched = sheet();
let zoom = 1;
/** The keys of the boxes that match the search, and which of them is shown. */
let matches = [];
let at = -1;

function sheet() {
  const made = new CSSStyleSheet();
  document.adoptedStyleSheets.push(made);
  return made;
}

function drawing() {
  return area.querySelector("svg.graphloom-map");
}

function sizeOf(svg) {
  return svg.viewBox.baseVal;
}

/** The room in the area, in pixels. */
function room() {
  const { paddingLeft, paddingTop } = getComputedStyle(area);
  return [
    area.clientWidth - 2 * Number.parseFloat(paddingLeft),
    area.clientHeight - 2 * Number.parseFloat(paddingTop),
  ];
}

/** Zooms, and keeps a point of the window over the same point of the drawing. By default, the middle of the area. */
function zoomTo(wanted, point) {
  const svg = drawing();
  if (!svg) return;
  const box = area.getBoundingClientRect();
  const [x, y] = point ?? [box.left + area.clientWidth / 2, box.top + area.clientHeight / 2];
  const before = svg.getBoundingClientRect();
  const [partX, partY] = [(x - before.left) / before.width, (y - before.top) / before.height];
  setZoom(svg, wanted);
  const after = svg.getBoundingClientRect();
  area.scrollLeft += after.left + partX * after.width - x;
  area.scrollTop += after.top + partY * after.height - y;
}

function setZoom(svg, wanted) {
  zoom = Math.min(largest, Math.max(smallest, wanted));
  const { width, height } = sizeOf(svg);
  zoomed.replaceSync(
    `@media screen { #map { height: ${areaHeight}px } #map svg.graphloom-map { width: ${width * zoom}px; height: ${height * zoom}px } }`,
  );
  shownZoom.textContent = `${Math.round(zoom * 100)} %`;
}

/** The height of the area: it stays the same when the drawing becomes smaller. */
let areaHeight;

/** Shows the drawing as large as its width allows, but legible. */
function open() {
  const svg = drawing();
  if (!svg) return;
  const { width, height } = sizeOf(svg);
  const [most] = room();
  const wanted = Math.max(Math.min(1, most / width), legible);
  const padding = area.offsetHeight - room()[1];
  const highest = Number.parseFloat(getComputedStyle(area).maxHeight);
  areaHeight = Math.min(
    height * wanted + padding,
    Number.isNaN(highest) ? Number.POSITIVE_INFINITY : highest,
  );
  setZoom(svg, wanted);
}

/** Shows the whole drawing. */
function showAll() {
  const { width, height } = sizeOf(drawing());
  const [wide, high] = room();
  zoomTo(Math.min(1, wide / width, high / height));
}

const acts = {
  in: () => zoomTo(zoom * step),
  out: () => zoomTo(zoom / step),
  all: showAll,
  next: () => go(1),
  previous: () => go(-1),
};

// The buttons.
document.addEventListener("click", ({ target }) => {
  const act = target.closest?.("[data-map]")?.dataset.map;
  if (act && drawing()) acts[act]();
});

// The keys. Arrows scroll the area without a script.
area.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !drawing()) return;
  if (event.key === "+" || event.key === "=") acts.in();
  else if (event.key === "-") acts.out();
  else if (event.key === "0") showAll();
  else if (event.key === "Escape") light();
  else return;
  event.preventDefault();
});

// The wheel zooms with Ctrl alone, as a touchpad sends it for two fingers. Otherwise it scrolls.
area.addEventListener(
  "wheel",
  (event) => {
    if (!(event.ctrlKey || event.metaKey) || !drawing()) return;
    event.preventDefault();
    const notches = Math.max(-1, Math.min(1, event.deltaY / 50));
    zoomTo(zoom * step ** -notches, [event.clientX, event.clientY]);
  },
  { passive: false },
);

// A mouse drags. A finger scrolls without a script.
let drag;
area.addEventListener("pointerdown", ({ button, pointerType, clientX, clientY }) => {
  if (button !== 0 || pointerType !== "mouse") return;
  drag = { x: clientX, y: clientY, left: area.scrollLeft, top: area.scrollTop, isMoving: false };
});
addEventListener("pointermove", ({ buttons, clientX, clientY }) => {
  if (!drag) return;
  if (buttons === 0) return drop();
  const [right, down] = [clientX - drag.x, clientY - drag.y];
  if (!drag.isMoving && Math.hypot(right, down) < slack) return;
  drag.isMoving = true;
  document.documentElement.classList.add("dragging");
  area.scrollTo(drag.left - right, drag.top - down);
});
addEventListener("pointerup", () => setTimeout(drop));
addEventListener("pointercancel", drop);
function drop() {
  drag = undefined;
  document.documentElement.classList.remove("dragging");
}
area.addEventListener("dragstart", (event) => event.preventDefault());
// The end of a drag is no click.
area.addEventListener(
  "click",
  (event) => {
    if (!drag?.isMoving) return;
    event.preventDefault();
    event.stopPropagation();
  },
  true,
);

// Two fingers zoom.
let pinch;
area.addEventListener(
  "touchmove",
  (event) => {
    if (event.touches.length !== 2) return;
    event.preventDefault();
    const [one, other] = event.touches;
    const apart = Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
    pinch ??= { apart, zoom };
    zoomTo((pinch.zoom * apart) / pinch.apart, [
      (one.clientX + other.clientX) / 2,
      (one.clientY + other.clientY) / 2,
    ]);
  },
  { passive: false },
);
for (const end of ["touchend", "touchcancel"]) area.addEventListener(end, () => (pinch = undefined));

// A box under the mouse, or with the focus, lights its path.
area.addEventListener("pointerover", ({ target, pointerType }) => {
  if (pointerType === "mouse" && !drag?.isMoving) light(boxOf(target) ?? focusedBox());
});
area.addEventListener("pointerleave", () => light(focusedBox()));
area.addEventListener("focusin", () => light(focusedBox()));
area.addEventListener("focusout", () => light());

function boxOf(target) {
  const link = target.closest?.("a");
  return target.closest?.(".box") ?? link?.querySelector(".box") ?? undefined;
}

function focusedBox() {
  const focused = document.activeElement;
  return area.contains(focused) && focused.matches(":focus-visible") ? boxOf(focused) : undefined;
}

/** The key of the box whose path is lit. */
let shining;

/** Lights everything that leads to a box and everything that it leads to, and dims the rest. */
function light(box) {
  const key = box?.dataset.node;
  if (key === shining) return;
  shining = key;
  if (key === undefined) return lit.replaceSync("");
  const ways = waysOf(drawing());
  const [down, up] = [reached(key, ways.on), reached(key, ways.back)];
  const boxes = [...new Set([...down, ...up])].map((each) => attribute("node", each));
  const lines = ways.lines
    .filter(([from, to]) => (down.has(from) && down.has(to)) || (up.has(from) && up.has(to)))
    .map(([from, to]) => attribute("from", from) + attribute("to", to));
  lit.replaceSync(`
    #map :is(.box, .edge, .figure) { opacity: 0.2 }
    #map :is(${boxes}) { opacity: 1 }
    ${lines.length > 0 ? `#map :is(${lines}) { opacity: 1 } #map .edge:is(${lines}) { stroke-width: 2 }` : ""}
  `);
}

function attribute(name, value) {
  return `[data-${name}="${CSS.escape(value)}"]`;
}

/** Where the lines of a drawing lead, forwards and backwards. A group leads to the handlers in it. */
function waysOf(svg) {
  const [on, back] = [new Map(), new Map()];
  const add = (from, to) => {
    on.set(from, [...(on.get(from) ?? []), to]);
    back.set(to, [...(back.get(to) ?? []), from]);
  };
  const within = new Map();
  for (const group of svg.querySelectorAll("[data-node]:not(.box)")) {
    const inner = [...group.querySelectorAll(".box")].map(({ dataset }) => dataset.node);
    within.set(group.dataset.node, inner);
    for (const key of inner) add(group.dataset.node, key);
  }
  // A reference between entity types is no way of data.
  const lines = [...svg.querySelectorAll(".edge:not(.refers)")].map(({ dataset: { from, to } }) => [
    from,
    to,
  ]);
  for (const [from, to] of lines) {
    add(from, to);
    // It is not known which of the handlers stores what the group does.
    for (const key of within.get(from) ?? []) add(key, to);
  }
  return { on, back, lines };
}

function reached(start, ways) {
  const all = new Set([start]);
  for (const key of all) for (const next of ways.get(key) ?? []) all.add(next);
  return all;
}

// The search.
field?.addEventListener("input", () => {
  search();
  if (matches.length > 0) go(0);
});
field?.addEventListener("keydown", (event) => {
  if (event.key === "Enter") {
    event.preventDefault();
    go(event.shiftKey ? -1 : 1);
  } else if (event.key === "Escape" && field.value !== "") {
    event.preventDefault();
    field.value = "";
    search();
  }
});

/** Finds the boxes that contain what was typed. */
function search() {
  const wanted = field.value.trim().toLowerCase();
  const boxes = wanted === "" ? [] : [...(drawing()?.querySelectorAll(".box") ?? [])];
  matches = boxes
    .filter((box) => `${box.dataset.node} ${box.textContent}`.toLowerCase().includes(wanted))
    .map(({ dataset }) => dataset.node);
  at = matches.length > 0 ? 0 : -1;
  mark();
  found.textContent = wanted === "" ? "" : matches.length === 0 ? "Nothing found" : wordsAt();
}

function wordsAt() {
  return `${at + 1} of ${matches.length}`;
}

function mark() {
  const all = matches.map((key) => attribute("node", key));
  const rule = (keys, width) =>
    `#map :is(${keys}) > rect:not(.mark) { stroke: var(--accent); stroke-width: ${width} }`;
  matched.replaceSync(all.length === 0 ? "" : `${rule(all, 2)} ${rule([all[at]], 4)}`);
}

/** Shows the next match, or the one before. */
function go(by) {
  if (matches.length === 0) return;
  at = (at + by + matches.length) % matches.length;
  mark();
  found.textContent = wordsAt();
  const box = area.querySelector(attribute("node", matches[at]));
  if (!box) return;
  if (zoom < legible) zoomTo(legible);
  const [place, frame] = [box.getBoundingClientRect(), area.getBoundingClientRect()];
  area.scrollBy({
    left: place.left + place.width / 2 - frame.left - area.clientWidth / 2,
    top: place.top + place.height / 2 - frame.top - area.clientHeight / 2,
    behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth",
  });
}

// A large drawing is not in the page. It is loaded once, and again when the page names a new one.
let asked;
let due;
function load() {
  const { source } = area.dataset;
  if (source === undefined || source === asked || due !== undefined) return;
  const isFirst = asked === undefined;
  asked = source;
  due = setTimeout(() => {
    due = undefined;
    load();
  }, pace);
  void show(source, isFirst).catch(() => (asked = undefined));
}

async function show(source, isFirst) {
  const answer = await fetch(source);
  if (!answer.ok) throw new Error(`The server answered with ${answer.status}.`);
  const { documentElement } = new DOMParser().parseFromString(await answer.text(), "image/svg+xml");
  if (!documentElement.matches("svg.graphloom-map")) throw new Error("This is no map.");
  const fresh = document.createDocumentFragment();
  fresh.append(document.importNode(documentElement, true));
  morphContent(area.querySelector("[data-own]"), fresh);
  if (isFirst) open();
}

new MutationObserver(load).observe(area, { attributeFilter: ["data-source"] });
document.documentElement.classList.add("mapped");
open();
load();
