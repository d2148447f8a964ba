import { messageOf } from "../../base/text/message-of.js";
import { keptText } from "../../store/database/kept-text.js";
import type { NodeCounter } from "../runner/node-counts.js";
import type { SinkProgress } from "../runner/run-sink.js";
import type { SinkState } from "../runner/sink-state.js";
import type { NodeStatus, SinkStatus } from "./pipeline-engine.js";

/** Milliseconds over which rows are counted for a rate. */
const window = 10_000;
/** Milliseconds of which only the last reading is kept. */
const step = 250;
/** The shortest time that says something about a rate, in milliseconds. */
const shortest = 1_000;

/** Rows that had passed at a time. */
interface Reading {
  readonly at: number;
  readonly rows: number;
}

/** Tells how many rows pass in a second, over the last ten. */
export class Rates {
  readonly #now: () => number;
  readonly #readings = new Map<string, Reading[]>();

  /** @param now milliseconds since the Unix epoch */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes how many rows have passed somewhere so far. @returns rows in a second, with a digit after the point below 10 */
  note(where: string, rows: number): number {
    const now = Math.floor(this.#now() / step) * step;
    const readings = this.#readings.get(where) ?? [];
    this.#readings.set(where, readings);
    const last = readings.at(-1);
    // A sink that is tried again counts from the beginning.
    if (last && last.rows > rows) readings.splice(0);
    if (last?.at === now) readings.pop();
    readings.push({ at: now, rows });
    // The last one before the window says what there was when it began.
    while ((readings[1]?.at ?? now) <= now - window) readings.shift();
    const [first] = readings;
    if (!first || now - first.at < shortest) return 0;
    const rate = ((rows - first.rows) * 1_000) / (now - first.at);
    return rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate);
  }
}

/** Counts the rows that sources and transforms give. Each sink computes them for itself, and the one that has most counts. */
export class NodeFigures implements NodeCounter {
  readonly #rates: Rates;
  /** Rows by node, and then by sink. */
  readonly #rows = new Map<string, Map<string, number>>();

  /** @param now milliseconds since the Unix epoch */
  constructor(now: () => number) {
    this.#rates = new Rates(now);
  }

  passed(node: string, sink: string, rows: number): void {
    const bySink = this.#rows.get(node) ?? new Map<string, number>();
    this.#rows.set(node, bySink);
    bySink.set(sink, (bySink.get(sink) ?? 0) + rows);
  }

  /** How many rows each node has given, and how fast. Nodes that have given none are left out. */
  read(): Readonly<Record<string, NodeStatus>> {
    const all = [...this.#rows].map(([node, bySink]): readonly [string, NodeStatus] => {
      const rows = Math.max(...bySink.values());
      return [node, { rows, rate: this.#rates.note(node, rows) }];
    });
    return Object.fromEntries(all);
  }
}

/** How fast a sink is, and how far it is behind. */
export type Figures = Required<Pick<SinkStatus, "rate" | "lag">>;

/** Watches the rows of sinks and the heads of chains. */
export class SinkFigures {
  readonly #rates: Rates;
  /** The newest block of the chain of each source. */
  readonly #heads = new Map<string, number>();

  /** @param now milliseconds since the Unix epoch */
  constructor(now: () => number) {
    this.#rates = new Rates(now);
  }

  /** A source has seen the head of its chain. */
  seen(source: string, head: number): void {
    this.#heads.set(source, head);
  }

  /** Notes how many rows a sink has written, and says how it is doing now. */
  read(sink: string, { rows, blocks }: Pick<SinkStatus, "rows" | "blocks">): Figures {
    const behind = Object.entries(blocks).flatMap(([source, block]) => {
      const head = this.#heads.get(source);
      return head === undefined ? [] : [[source, Math.max(0, head - block)] as const];
    });
    return { rate: this.#rates.note(sink, rows), lag: Object.fromEntries(behind) };
  }
}

/** What the thread of a sink reports to the outside. @param before the last report */
export function sinkStatus(state: SinkState, before: SinkStatus | undefined): SinkStatus {
  const known = { rows: before?.rows ?? 0, blocks: before?.blocks ?? {} };
  switch (state.kind) {
    case "progressing":
    case "ended":
      return { state: state.kind, ...placeOf(state.progress) };
    case "idle":
      return { state: "idle", ...placeOf(state.progress), since: state.since };
    case "still": {
      const why = `the head of ${state.source} has not moved from block ${state.head} for a minute`;
      return { state: "idle", ...placeOf(state.progress), since: state.since, why };
    }
    case "stalled":
      return {
        state: "stalled",
        ...known,
        why: keptText(state.why),
        since: state.since,
        retryAt: state.nextAttempt,
      };
    case "halted":
      return { state: "halted", ...known, why: keptText(messageOf(state.error)) };
  }
}

function placeOf({
  rows,
  blocks,
  parked,
  misses,
}: SinkProgress): Pick<SinkStatus, "rows" | "blocks" | "parked" | "misses"> {
  const place = { rows, blocks: Object.fromEntries(blocks), parked };
  return misses === undefined ? place : { ...place, misses };
}
