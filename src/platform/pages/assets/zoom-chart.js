// The history of a subgraph as a chart to zoom into: lag and events per second over one time axis, with the marks of the
// charts that the server drew. Its figures are the server's, and new ones are read when the page renews those charts.
import { momentText, zone } from "./times.js";
import { hearTouches } from "./touches.js";
import uPlot from "./uplot.js";

const height = 150;
/** The fewest columns that fill the chart. */
const fewest = 5;
/** How much a button or a key zooms, and which part of what is shown it moves by. */
const step = 2;
const stride = 0.5;
/** Milliseconds after a change of the page until the figures are read, so that one renewal is one request. */
const pause = 200;

const panels = [
  { title: "Lag in blocks", figure: "lagBlocks", colour: "--warn" },
  { title: "Events per second", figure: "eventsPerSecond", colour: "--accent" },
];

const buttons = [
  ["Earlier", "earlier"],
  ["Later", "later"],
  ["Zoom in", "in"],
  ["Zoom out", "out"],
  ["Whole range", "whole"],
];

/** No part of a plot is selected. */
const nothing = { left: 0, top: 0, width: 0, height: 0 };

const keys = { "+": "in", "=": "in", "-": "out", 0: "whole" };
const moves = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -1e9, End: 1e9 };

const amount = new Intl.NumberFormat("en-US", { notation: "compact" });
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const date = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** Opens the chart in its place on the page. Rejects if the figures do not load. */
export async function openChart(place) {
  const [history] = await Promise.all([read(place), loadStyle()]);
  return new ZoomChart(place, history);
}

async function read(place) {
  const answer = await fetch(place.dataset.figures, { headers: { accept: "application/json" } });
  if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
  return answer.json();
}

/** Loads the style of the library once. */
function loadStyle() {
  const address = "/assets/uplot.css";
  if (document.querySelector(`link[href="${address}"]`)) return;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = address;
  const loaded = new Promise((done, fail) => {
    link.addEventListener("load", done);
    link.addEventListener("error", () => {
      link.remove();
      fail(new Error("The style did not load."));
    });
  });
  document.head.append(link);
  return loaded;
}

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

class ZoomChart {
  #place;
  #history;
  /** What is shown, in milliseconds since 1970. */
  #shown;
  /** The column that the line is at. */
  #index;
  #plots = [];
  #probe = element("span", { hidden: true });
  #range = element("p", { className: "small soft" });
  #values = element("p", { className: "small values" });
  #problem = element("p", { className: "small bad" });
  #slider = element("div", { className: "plots", tabIndex: 0 });
  #root;
  #endings = [];
  #reading = 0;

  constructor(place, history) {
    this.#place = place;
    this.#history = history;
    this.#shown = [history.from, history.to];
    this.#index = Math.max(
      0,
      history.columns.findLastIndex((column) => column !== null),
    );
    this.#root = this.#frame();
    place.append(this.#root);
    for (const panel of panels) this.#plots.push(this.#plot(panel));
    this.#watch();
    this.#show(...this.#shown);
  }

  close() {
    for (const end of this.#endings) end();
    for (const plot of this.#plots) plot.destroy();
    this.#root.remove();
  }

  #frame() {
    const acts = buttons.map(([text, act]) => {
      const button = element("button", { type: "button", textContent: text });
      button.addEventListener("click", () => this.#act(act));
      return button;
    });
    const row = element("div", { className: "row" }, ...acts);
    row.setAttribute("role", "group");
    row.setAttribute("aria-label", "Shown part of the history");
    this.#slider.setAttribute("role", "slider");
    this.#slider.setAttribute("aria-label", "Time");
    this.#slider.setAttribute("aria-valuemin", "0");
    this.#slider.addEventListener("keydown", (event) => this.#press(event));
    this.#slider.addEventListener("mouseleave", () => this.#point(this.#index));
    this.#problem.setAttribute("role", "alert");
    const hint = element("p", {
      className: "small soft",
      textContent:
        "Drag to zoom in, double-click or double-tap to see the whole range. Two fingers zoom in and out. With the keyboard, arrows move the line, + and - zoom, and 0 shows the whole range.",
    });
    const parts = [row, this.#range, this.#slider, this.#values, hint, this.#problem, this.#probe];
    return element("div", { className: "zoom" }, ...parts);
  }

  #plot({ title, figure, colour }) {
    const target = element("div");
    this.#slider.append(element("p", { className: "small", textContent: title }), target);
    const paint = (name) => () => this.#colour(name);
    const axis = {
      stroke: paint("--soft"),
      grid: { stroke: paint("--line"), width: 1 },
      font: "12px system-ui",
    };
    const options = {
      ...{ width: this.#width(), height, padding: [14, 8, 0, 0] },
      legend: { show: false },
      scales: {
        x: { range: () => this.#shown.map((at) => at / 1000) },
        y: { range: () => [0, this.#most(figure)] },
      },
      axes: [
        { ...axis, values: (_, times) => times.map(timeText), space: 60 },
        { ...axis, values: (_, values) => values.map((value) => amount.format(value)), size: 48 },
      ],
      series: [
        {},
        {
          stroke: paint(colour),
          fill: paint(colour),
          points: { show: false },
          paths: (plot, index, first, last) => this.#paths(plot, index, first, last),
        },
      ],
      cursor: {
        y: false,
        points: { show: false },
        drag: { x: true, y: false, setScale: false, dist: 5 },
        bind: { dblclick: () => () => this.#act("whole") },
        sync: { key: "history", filters: { pub: (type) => type === "mousemove" || type === "mouseleave" } },
      },
      hooks: {
        setSelect: [(plot) => this.#select(plot)],
        setCursor: [(plot) => this.#follow(plot)],
        draw: [(plot) => this.#drawMarks(plot, figure === panels[0].figure)],
      },
    };
    const plot = new uPlot(options, this.#data(figure), target);
    hearTouches(plot.over, {
      dragged: (from, to) => this.#drag(plot, from, to),
      ended: (isWhole) => (isWhole ? this.#select(plot) : plot.setSelect(nothing, false)),
      pulled: (before, now) => this.#pull(plot, before, now),
    });
    return plot;
  }

  /** Follows the page: its width, its theme, and the charts that it renews. */
  #watch() {
    const sizes = new ResizeObserver(() => {
      const size = { width: this.#width(), height };
      for (const plot of this.#plots) plot.batch(() => plot.setSize(size));
      this.#point(this.#index);
    });
    sizes.observe(this.#slider);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const redraw = () => {
      for (const plot of this.#plots) plot.redraw();
    };
    dark.addEventListener("change", redraw);
    const renewals = new MutationObserver((changes) => {
      if (changes.every(({ target }) => this.#place.contains(target))) return;
      if (!this.#place.isConnected) return this.close();
      clearTimeout(this.#reading);
      this.#reading = setTimeout(() => this.#renew(), pause);
    });
    const section = document.getElementById("history");
    const drawn = { attributes: true, attributeFilter: ["d"] };
    renewals.observe(section, { childList: true, characterData: true, subtree: true, ...drawn });
    this.#endings.push(
      () => sizes.disconnect(),
      () => dark.removeEventListener("change", redraw),
      () => renewals.disconnect(),
      () => clearTimeout(this.#reading),
    );
  }

  /** Takes the newest figures, and shows the same time as before, or still the whole range. */
  async #renew() {
    const [from, to] = this.#shown;
    const old = this.#history;
    const isWhole = from === old.from && to === old.to;
    const pointed = old.from + this.#index * old.step;
    try {
      this.#history = await read(this.#place);
    } catch {
      this.#problem.textContent = "The newest figures did not load. The chart shows those before.";
      return;
    }
    this.#problem.textContent = "";
    const { from: begin, to: end, step: column } = this.#history;
    for (const [index, plot] of this.#plots.entries()) plot.setData(this.#data(panels[index].figure), false);
    this.#index = Math.round((pointed - begin) / column);
    this.#show(...(isWhole ? [begin, end] : [from, to]));
  }

  #data(figure) {
    const { from, step: column, columns } = this.#history;
    return [
      columns.map((_, index) => (from + index * column) / 1000),
      columns.map((measured) => measured?.[figure] ?? null),
    ];
  }

  #width() {
    return Math.max(1, this.#slider.clientWidth);
  }

  /** The top of what is shown of a figure. */
  #most(figure) {
    const { from, step: column, columns } = this.#history;
    const [begin, end] = this.#shown.map((at) => (at - from) / column);
    const shown = columns.slice(Math.floor(begin), Math.ceil(end));
    return Math.max(0, ...shown.map((measured) => measured?.[figure] ?? 0)) * 1.05 || 1;
  }

  #colour(name) {
    this.#probe.style.color = `var(${name})`;
    return getComputedStyle(this.#probe).color;
  }

  /** An area and its upper edge, with a step for each column and gaps where nothing was measured. */
  #paths(plot, series, first, last) {
    const [times, values] = [plot.data[0], plot.data[series]];
    const width = this.#history.step / 1000;
    const [fill, stroke] = [new Path2D(), new Path2D()];
    const x = (time) => Math.round(plot.valToPos(time, "x", true));
    const y = (value) => Math.round(plot.valToPos(value, "y", true));
    for (let index = Math.max(0, first - 1); index <= last; index++) {
      const value = values[index];
      if (value === null) continue;
      const [left, right] = [x(times[index]), x(times[index] + width)];
      fill.rect(left, y(value), right - left, y(0) - y(value));
      stroke.moveTo(left, y(value));
      stroke.lineTo(right, y(value));
    }
    return { fill, stroke, flags: 1 };
  }

  /** The marks in the shapes and colours that they have on the page. */
  #drawMarks(plot, hasShapes) {
    const { ctx: context, bbox } = plot;
    const ratio = devicePixelRatio;
    const [begin, end] = this.#shown;
    for (const { kind, at } of this.#history.marks) {
      const drawn = document.querySelector(`#history .mark.${kind}`);
      if (!drawn || at < begin || at > end) continue;
      const { fill, stroke, strokeWidth } = getComputedStyle(drawn);
      const x = plot.valToPos(at / 1000, "x", true);
      context.save();
      context.strokeStyle = stroke;
      context.setLineDash([4 * ratio, 4 * ratio]);
      context.lineWidth = ratio;
      context.beginPath();
      context.moveTo(x, bbox.top);
      context.lineTo(x, bbox.top + bbox.height);
      context.stroke();
      if (hasShapes) {
        context.setLineDash([]);
        context.translate(x, bbox.top - 7 * ratio);
        context.scale(ratio, ratio);
        context.lineWidth = Number.parseFloat(strokeWidth);
        const shape = new Path2D(drawn.getAttribute("d"));
        if (fill !== "none") {
          context.fillStyle = fill;
          context.fill(shape);
        }
        context.stroke(shape);
      }
      context.restore();
    }
  }

  /** What was dragged over. */
  #select(plot) {
    const { left, width } = plot.select;
    if (width <= 0) return;
    const [begin, end] = [left, left + width].map((place) => plot.posToVal(place, "x") * 1000);
    plot.setSelect(nothing, false);
    this.#show(begin, end, true);
  }

  /** A finger drags over a plot. */
  #drag(plot, from, to) {
    const size = { top: 0, width: Math.abs(to - from), height: plot.over.clientHeight };
    plot.setSelect({ left: Math.min(from, to), ...size }, false);
    plot.setCursor({ left: to, top: 0 });
  }

  /** Two fingers pull a plot apart or together, and each stays on its time. */
  #pull(plot, before, now) {
    const [one, other] = before.map((place) => plot.posToVal(place, "x") * 1000);
    const scale = (other - one) / (now[1] - now[0]);
    if (scale <= 0) return;
    const begin = one - now[0] * scale;
    this.#show(begin, begin + plot.over.clientWidth * scale);
  }

  /** The pointer is over a plot. */
  #follow(plot) {
    const { left } = plot.cursor;
    if (left === undefined || left < 0) return;
    const { from, step: column } = this.#history;
    this.#tell(Math.floor((plot.posToVal(left, "x") * 1000 - from) / column));
  }

  #press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = moves[event.key];
    const act = keys[event.key];
    if (move === undefined && act === undefined) return;
    event.preventDefault();
    if (act) return this.#act(act);
    this.#tell(this.#index + move);
    const { from, step: column } = this.#history;
    const [begin, end] = this.#shown;
    const at = from + this.#index * column;
    if (at < begin) this.#show(at, at + end - begin);
    else if (at + column > end) this.#show(at + column - (end - begin), at + column);
    else this.#point(this.#index);
  }

  #act(act) {
    const { from, to, step: column } = this.#history;
    const [begin, end] = this.#shown;
    const length = end - begin;
    const pointed = from + (this.#index + 0.5) * column;
    const middle = pointed > begin && pointed < end ? pointed : (begin + end) / 2;
    /** Keeps the place of the line while the rest becomes longer or shorter. */
    const zoom = (factor) => [middle - (middle - begin) * factor, middle + (end - middle) * factor];
    const ranges = {
      earlier: () => [begin - length * stride, end - length * stride],
      later: () => [begin + length * stride, end + length * stride],
      in: () => zoom(1 / step),
      out: () => zoom(step),
      whole: () => [from, to],
    };
    this.#show(...ranges[act](), true);
  }

  /** Shows a part of the range, or as much of it as there is. @param isAsked whether screen readers say what is shown */
  #show(begin, end, isAsked = false) {
    const { from, to, step: column } = this.#history;
    const length = Math.min(to - from, Math.max(end - begin, fewest * column));
    const middle = (begin + end) / 2;
    const start = Math.min(to - length, Math.max(from, middle - length / 2));
    this.#shown = [start, start + length];
    const [min, max] = this.#shown.map((at) => at / 1000);
    for (const plot of this.#plots) plot.batch(() => plot.setScale("x", { min, max }));
    const text = `Shown: ${momentText(new Date(start))} to ${momentText(new Date(start + length))} (${zone})`;
    this.#range.textContent = text;
    const region = document.querySelector(".heard[role=status]");
    if (isAsked && region) region.textContent = text;
    this.#tell(this.#index);
    this.#point(this.#index);
  }

  /** Puts the line at a column. */
  #point(index) {
    const { from, step: column } = this.#history;
    const at = from + (index + 0.5) * column;
    const isShown = at >= this.#shown[0] && at <= this.#shown[1];
    for (const plot of this.#plots) {
      const left = isShown ? plot.valToPos(at / 1000, "x") : -10;
      plot.setCursor({ left, top: isShown ? 0 : -10 }, false);
    }
  }

  /** Says what was measured in a column, and what happened in it. */
  #tell(wanted) {
    const { from, step: column, columns, marks } = this.#history;
    this.#index = Math.min(columns.length - 1, Math.max(0, wanted));
    const begin = from + this.#index * column;
    const happened = marks.filter(({ at }) => at >= begin && at < begin + column).map(({ text }) => text);
    const measured = columns[this.#index]?.text ?? "not measured";
    const text = `${momentText(new Date(begin))}: ${[measured, ...happened].join("; ")}`;
    this.#values.textContent = text;
    this.#slider.setAttribute("aria-valuemax", String(columns.length - 1));
    this.#slider.setAttribute("aria-valuenow", String(this.#index));
    this.#slider.setAttribute("aria-valuetext", text);
  }
}

/** The time of a tick in the reader's zone: the date at midnight, and the time else. */
function timeText(seconds) {
  const moment = new Date(seconds * 1000);
  return moment.getHours() === 0 && moment.getMinutes() === 0 ? date.format(moment) : clock.format(moment);
}
