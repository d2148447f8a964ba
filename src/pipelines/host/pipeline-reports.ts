import { ThreadLog } from "../../hosting/embedded/thread-log.js";
import type { SinkState } from "../runner/sink-state.js";
import { NodeFigures, SinkFigures, sinkStatus } from "./figures.js";
import type { PipelineNews } from "./messages.js";
import { NodeTap } from "./node-tap.js";
import type { SinkStatus, WrittenRows } from "./pipeline-engine.js";

/** What reports need from outside. */
export interface ReportWorld {
  /** Milliseconds since 1970. */
  now(): number;
  tell(news: PipelineNews): void;
  /** Ends the pipeline. @param why as a sentence */
  giveUp(why: string): void;
}

/** Milliseconds after which a sink that is stalled ends its pipeline. */
const longestStall = 6 * 3_600_000;

/** Gathers what there is to report about a pipeline, to report it a few times a second. */
export class PipelineReports {
  readonly tap: NodeTap;
  readonly counter: NodeFigures;
  readonly #world: ReportWorld;
  readonly #log: ThreadLog;
  readonly #figures: SinkFigures;
  readonly #statuses = new Map<string, SinkStatus>();
  /** States that have changed since the last report. */
  readonly #changed = new Map<string, SinkStatus>();
  /** What was written since the last report. */
  readonly #written = new Map<string, { readonly began: number; readonly told: WrittenRows }>();
  /** Since when sinks are stalled. */
  readonly #stalls = new Map<string, number>();
  /** The last report about nodes, as text. */
  #toldNodes = "{}";
  /** How far a task is, if that was not told yet. */
  #progress: string | undefined;

  constructor(world: ReportWorld) {
    const now = (): number => world.now();
    this.#world = world;
    this.#log = new ThreadLog(now);
    this.#figures = new SinkFigures(now);
    this.tap = new NodeTap(now);
    this.counter = new NodeFigures(now);
  }

  /** Adds a line to the pipeline's log. */
  say(level: Parameters<ThreadLog["say"]>[0], text: string): void {
    this.#log.say(level, text);
  }

  /** A source has seen the head of its chain. */
  seen(source: string, head: number): void {
    this.#figures.seen(source, head);
  }

  /** A batch was written. @param began when its writing began */
  wrote(sink: string, rows: number, began: number): void {
    const { began: first, told } = this.#written.get(sink) ?? { began, told: { rows: 0, batches: 0 } };
    const milliseconds = Math.max(0, this.#world.now() - first);
    const sum = { sink, rows: told.rows + rows, batches: told.batches + 1, milliseconds };
    this.#written.set(sink, { began: first, told: sum });
  }

  /** Notes how far a task is. */
  progress(text: string): void {
    this.#progress = text;
  }

  /** Notes that a sink has another state, and says what that means for people. */
  sink(sink: string, state: SinkState): void {
    this.status(sink, sinkStatus(state, this.#statuses.get(sink)));
  }

  /** The same for a sink that Flink writes. */
  status(sink: string, told: SinkStatus): void {
    const before = this.#statuses.get(sink);
    const status = { ...told, ...this.#figures.read(sink, told) };
    this.#note(sink, status);
    this.#countStall(sink, status);
    if (["stalled", "halted", "ended"].includes(status.state)) this.tap.release(sink);
    if (before?.state === status.state && before.why === status.why) return;
    if (status.state === "stalled") this.say("error", `Sink ${sink} is stalled: ${status.why}`);
    else if (status.state === "halted") this.say("error", `Sink ${sink} has stopped: ${status.why}`);
    else if (before?.state === "stalled") this.say("info", `Sink ${sink} goes on`);
  }

  /** Reports nodes, and notes rates and lags that have changed although the sink is in the same state. */
  noteFigures(): void {
    const nodes = this.counter.read();
    const text = JSON.stringify(nodes);
    if (text !== this.#toldNodes) this.#world.tell({ kind: "nodes", nodes });
    this.#toldNodes = text;
    for (const [sink, status] of this.#statuses) {
      const now = { ...status, ...this.#figures.read(sink, status) };
      if (JSON.stringify(now) !== JSON.stringify(status)) this.#note(sink, now);
    }
  }

  /** Tells what has come since the last call. */
  flush(): void {
    const { tell } = this.#world;
    if (this.#progress !== undefined) tell({ kind: "progress", text: this.#progress });
    this.#progress = undefined;
    // The lines that explain a state come before it.
    const lines = this.#log.take();
    if (lines.length > 0) tell({ kind: "lines", lines });
    for (const [sink, status] of this.#changed) tell({ kind: "state", sink, status });
    this.#changed.clear();
    for (const { told } of this.#written.values()) tell({ kind: "written", written: told });
    this.#written.clear();
    for (const tapped of this.tap.flush()) tell({ kind: "rows", tapped });
  }

  #note(sink: string, status: SinkStatus): void {
    this.#statuses.set(sink, status);
    this.#changed.set(sink, status);
  }

  /** Ends the pipeline when a sink has been stalled for too long. */
  #countStall(sink: string, { state, why }: SinkStatus): void {
    if (state !== "stalled") return void this.#stalls.delete(sink);
    const now = this.#world.now();
    const since = this.#stalls.get(sink) ?? now;
    this.#stalls.set(sink, since);
    if (now - since < longestStall) return;
    this.#world.giveUp(`Sink ${sink} was stalled for more than 6 hours: ${why ?? ""}`);
  }
}
