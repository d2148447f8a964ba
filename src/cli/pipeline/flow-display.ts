import { visible } from "../../base/visible.js";
import type { SinkState } from "../../flows/runner/run-flow.js";
import { count } from "../terminal/count.js";
import { StatusLine, type StatusTerminal } from "../terminal/status-line.js";

/** Shows how far the sinks of a flow are. */
export class FlowDisplay {
  readonly #line: StatusLine;
  readonly #states = new Map<string, SinkState>();

  /** @param now returns the time in milliseconds */
  constructor(terminal: StatusTerminal, now: () => number) {
    this.#line = new StatusLine(terminal, now);
  }

  update(sink: string, state: SinkState): void {
    const isNew = this.#states.get(sink)?.kind !== "stalled";
    this.#states.set(sink, state);
    if (state.kind === "stalled" && isNew) this.print(`${stateText(sink, state)}\n`);
    this.#line.show(() => [...this.#states].map(([name, one]) => stateText(name, one)).join(" | "));
  }

  /** Shows what a source waits for, until the next progress. */
  wait(why: string): void {
    this.#line.show(() => why);
  }

  /** Prints permanent lines above the progress. */
  print(lines: string): void {
    this.#line.print(lines);
  }

  end(): void {
    this.#line.end();
  }
}

/** `large: 1,200 rows, block 18400000` */
export function stateText(sink: string, state: SinkState): string {
  const name = visible(sink);
  switch (state.kind) {
    case "progressing":
    case "ended": {
      const { rows, blocks } = state.progress;
      const places = [...blocks].map(([source, block]) =>
        blocks.size === 1 ? `block ${block}` : `${visible(source)} ${block}`,
      );
      return [`${name}: ${count(rows, "row")}`, ...places].join(", ");
    }
    case "stalled":
      return `${name}: retrying in ${(state.wait / 1000).toFixed(1)} s: ${visible(state.why)}`;
    case "halted":
      return `${name}: stopped`;
  }
}
