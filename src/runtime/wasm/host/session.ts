import type { Heap } from "../heap.js";
import type { MappingWorld } from "../mapping.js";
import type { Tally } from "./tally.js";

interface HandlerRun {
  readonly heap: Heap;
  readonly world: MappingWorld;
  readonly tally: Tally;
}

/** The current run of a mapping. Host functions are created once and act on the current run. */
export class HostSession {
  #run: HandlerRun | undefined;
  #asked = 0;

  /**
   * How often anything but the heap was accessed. A host function that only uses the heap does the same in every run.
   */
  get asked(): number {
    return this.#asked;
  }

  get heap(): Heap {
    return this.#current().heap;
  }

  get world(): MappingWorld {
    this.#asked += 1;
    return this.#current().world;
  }

  get tally(): Tally {
    this.#asked += 1;
    return this.#current().tally;
  }

  #current(): HandlerRun {
    if (!this.#run) throw new Error("a host function was called while no handler runs");
    return this.#run;
  }

  /** Runs a task with the host functions bound to a run. Runs may be nested. */
  during(run: HandlerRun, task: () => void): void {
    const outer = this.#run;
    this.#run = run;
    try {
      task();
    } finally {
      this.#run = outer;
    }
  }
}
