import { visible } from "../../base/text/visible.js";
import type { SinkProgress } from "../../pipelines/runner/run-sink.js";
import type { SinkState } from "../../pipelines/runner/sink-state.js";
import { count } from "../terminal/count.js";
import { progressLine } from "../terminal/progress.js";
import { StatusLine, type StatusTerminal } from "../terminal/status-line.js";
import { type Aim, SinkAims } from "./sink-aims.js";

/** Shows how far the sinks of a flow are. */
export class PipelineDisplay {
  readonly #line: StatusLine;
  readonly #now: () => number;
  readonly #aims = new SinkAims();
  readonly #states = new Map<string, SinkState>();
  /** Sinks already reported to keep rows aside. */
  readonly #parking = new Set<string>();

  /** @param now returns the time in milliseconds */
  constructor(terminal: StatusTerminal, now: () => number) {
    this.#line = new StatusLine(terminal, now);
    this.#now = now;
  }

  /** Tells up to which block a sink writes. A bar shows how far such sinks are, until they are there. */
  expect(sink: string, block: number): void {
    this.#aims.expect(sink, block);
  }

  /**
   * Tells how far the chain of a source goes. A bar shows how far sinks are if all have ends that are there
   * already; the others only say how far behind they are, since a chain has no known end.
   * @param head the number of its last block
   * @param end the last block of the source, if it has one
   */
  see(sink: string, source: string, head: number, end: number | undefined): void {
    const isEnd = end !== undefined && end <= head;
    this.#aims.aim(sink, source, { block: isEnd ? end : head, isEnd });
  }

  update(sink: string, state: SinkState): void {
    const before = this.#states.get(sink);
    this.#states.set(sink, state);
    const isWorthALine = state.kind === "stalled" || state.kind === "still";
    if (isWorthALine && before?.kind !== state.kind) this.print(`${stateText(sink, state)}\n`);
    const parked = parkedIn(state);
    if (parked > 0 && !this.#parking.has(sink)) {
      this.#parking.add(sink);
      this.print(
        `${visible(sink)}: rows that do not fit are kept aside. List them with: graphloom pipeline parked\n`,
      );
    }
    if (state.kind === "progressing") this.#aims.update(sink, state.progress, this.#now());
    else if (state.kind !== "stalled") this.#aims.arrive(sink);
    this.#line.show((now) => {
      const rate = this.#aims.rate(now);
      const states = [...this.#states].map(([name, one]) =>
        stateText(name, one, (source) => this.#aims.aimOf(name, source)),
      );
      return progressLine(this.#aims.work(now), [
        ...(rate === undefined ? [] : [`${rate} rows/s`]),
        ...states,
      ]);
    });
  }

  /** Shows what a source waits for, until the next progress. */
  wait(why: string): void {
    this.#line.show(() => why);
  }

  /** Prints permanent lines above the progress. */
  print(lines: string): void {
    this.#line.print(lines);
  }

  /** Lets something else print lines above the progress. */
  above(print: () => void): void {
    this.#line.above(print);
  }

  end(): void {
    this.#line.end();
  }
}

/** Changes that a sink keeps aside. */
function parkedIn(state: SinkState): number {
  return "progress" in state ? state.progress.parked : 0;
}

/**
 * `large: 1,200 rows, block 18400000 of 19000000`
 * @param aimOf tells how far a source is read, if that is known
 */
export function stateText(
  sink: string,
  state: SinkState,
  aimOf: (source: string) => Aim | undefined = () => undefined,
): string {
  const name = visible(sink);
  switch (state.kind) {
    case "progressing":
      return `${name}: ${progressText(state.progress, aimOf)}`;
    case "ended":
      return `${name}: ${progressText(state.progress)}`;
    case "idle":
      return `${name}: ${progressText(state.progress)}, waiting for new blocks since ${timeText(state.since)}`;
    case "still":
      return `${name}: ${progressText(state.progress)}, chain of ${visible(state.source)} without a new block after ${state.head} since ${timeText(state.since)}`;
    case "stalled":
      return `${name}: stalled since ${timeText(state.since)}, next attempt in ${(state.wait / 1000).toFixed(1)} s: ${visible(state.why)}`;
    case "halted":
      return `${name}: halted`;
  }
}

function progressText(
  { rows, blocks, parked, misses = 0 }: SinkProgress,
  aimOf: (source: string) => Aim | undefined = () => undefined,
): string {
  const places = [...blocks].map(
    ([source, block]) =>
      `${blocks.size === 1 ? "block" : visible(source)} ${block}${wayText(block, aimOf(source))}`,
  );
  const missed = misses > 0 ? [`${count(misses, "key")} not found`] : [];
  return [count(rows, "row"), ...places, ...(parked > 0 ? [`${parked} parked`] : []), ...missed].join(", ");
}

/** ` of 19000000`, or ` (600000 behind)` where the end is not known */
function wayText(block: number, aim: Aim | undefined): string {
  if (!aim || aim.block <= block) return "";
  return aim.isEnd ? ` of ${aim.block}` : ` (${aim.block - block} behind)`;
}

/** `12:00:05 UTC` */
function timeText(time: number): string {
  return `${new Date(time).toISOString().slice(11, 19)} UTC`;
}
