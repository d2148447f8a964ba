import { HeadWatch } from "./head-watch.js";
import type { SinkProgress } from "./run-sink.js";

/** How a sink is doing. Times are in milliseconds since the Unix epoch. */
export type SinkState =
  | { readonly kind: "progressing"; readonly progress: SinkProgress }
  /** Everything that its sources have is written, and they wait for more. */
  | { readonly kind: "idle"; readonly progress: SinkProgress; readonly since: number }
  /** The same, and the head of a source's chain has not moved for a minute. */
  | {
      readonly kind: "still";
      readonly progress: SinkProgress;
      readonly source: string;
      readonly head: number;
      readonly since: number;
    }
  /** It could not be written, or a source could not be read, and is tried again after some milliseconds. */
  | {
      readonly kind: "stalled";
      readonly why: string;
      readonly since: number;
      readonly wait: number;
      readonly nextAttempt: number;
    }
  /** All sources have ended, or the user has interrupted. */
  | { readonly kind: "ended"; readonly progress: SinkProgress }
  /** It cannot be written, and is not tried again. */
  | { readonly kind: "halted"; readonly error: unknown };

/** Reports a sink's state: all progress, and all changes while it is idle. */
export class StateTeller {
  readonly #heads: HeadWatch;
  readonly #onState: (state: SinkState) => void;
  #progress: SinkProgress | undefined;
  #told: SinkState["kind"] = "progressing";

  constructor(sources: readonly string[], now: () => number, onState: (state: SinkState) => void) {
    this.#heads = new HeadWatch(sources, now);
    this.#onState = onState;
  }

  read(source: string): void {
    this.#heads.read(source);
  }

  progressed(progress: SinkProgress): void {
    this.#progress = progress;
    this.#tell({ kind: "progressing", progress });
  }

  written(source: string): void {
    this.#heads.written(source);
    this.#look();
  }

  atHead(source: string, head: number | undefined): void {
    this.#heads.atHead(source, head);
    this.#look();
  }

  #look(): void {
    const reading = this.#heads.reading;
    const progress = this.#progress ?? { rows: 0, blocks: new Map(), overwritten: 0, parked: 0 };
    if (reading.kind === "busy" || reading.kind === this.#told) return;
    this.#tell({ ...reading, progress });
  }

  #tell(state: SinkState): void {
    this.#told = state.kind;
    this.#onState(state);
  }
}
