// Shows rows as they pass the nodes of a pipeline, newest first. They come as server-sent events.
// Without this script the page says how to see them on the command line.

import { localize } from "./times.js";

/** Rows that stay on the page, and characters of a row that are shown. */
const most = 200;
const longest = 2_000;
/** Milliseconds between two changes of the page, and rows that one of them adds at most. */
const pace = 500;
const mostAtOnce = 50;

const words = { i: "inserted", u: "updated", d: "deleted" };

const area = document.querySelector("[data-rows]");
const list = area.querySelector("tbody");
const state = document.getElementById("rows-state");
const lost = document.getElementById("rows-lost");
const pause = document.getElementById("rows-pause");
let waiting = [];
let left = 0;
let isPaused = false;

area.hidden = false;
const events = new EventSource(area.dataset.rows);
events.addEventListener("nodes", () => say(""));
events.addEventListener("row", ({ data }) => take(JSON.parse(data)));
events.addEventListener("dropped", ({ data }) => {
  left += JSON.parse(data).rows;
});
events.addEventListener("end", ({ data }) => {
  events.close();
  say(`The pipeline has ended (${JSON.parse(data).how}). No more rows come.`);
});
events.addEventListener("error", () => {
  if (events.readyState === EventSource.CLOSED)
    say("The server shows no rows now. Reload the page to see why.");
  else say("The connection was lost. It is made again by itself.");
});
pause.addEventListener("click", () => {
  isPaused = !isPaused;
  pause.setAttribute("aria-pressed", String(isPaused));
  say("");
});
setInterval(show, pace);

function take(row) {
  waiting.push(row);
  // While it is paused, the newest rows are kept.
  const room = isPaused ? most : mostAtOnce;
  if (waiting.length > room) left += waiting.splice(0, waiting.length - room).length;
}

function show() {
  if (left > 0) lost.textContent = `${left.toLocaleString("en-US")} rows passed without being shown.`;
  if (isPaused || waiting.length === 0) return;
  const rows = waiting.map(rowOf).reverse();
  waiting = [];
  list.prepend(...rows);
  while (list.rows.length > most) list.lastElementChild.remove();
}

function rowOf({ node, op, row }) {
  const line = document.createElement("tr");
  const text = JSON.stringify(row);
  for (const cell of [
    timeOf(new Date()),
    node,
    words[op] ?? op,
    text.length > longest ? `${text.slice(0, longest)}…` : text,
  ]) {
    const place = document.createElement("td");
    place.append(cell);
    line.append(place);
  }
  localize(line);
  return line;
}

/** A moment, as the server writes it elsewhere. */
function timeOf(moment) {
  const time = document.createElement("time");
  time.dateTime = moment.toISOString();
  time.dataset.moment = "";
  time.title = time.dateTime;
  return time;
}

/** Says what happens, to screen readers as well. Without a reason to say something else, whether rows are shown. */
function say(why) {
  state.textContent =
    why ||
    (isPaused ? "Paused. Rows that come meanwhile appear when you go on." : "Rows appear as they pass.");
}
