import type { Heap } from "../heap.js";
import type { MappingWorld } from "../mapping.js";
import type { Tally } from "./tally.js";

interface HandlerRun {
  readonly heap: Heap;
  readonly world: MappingWorld;
  readonly tally: Tally;
}

/** Whose host functions are called: those of a mapping are made once, and serve the run that is under way. */
export class Session {
  #run: HandlerRun | undefined;

  get heap(): Heap {
    return this.#current().heap;
  }

  get world(): MappingWorld {
    return this.#current().world;
  }

  get tally(): Tally {
    return this.#current().tally;
  }

  #current(): HandlerRun {
    if (!this.#run) throw new Error("a host function was called while no handler runs");
    return this.#run;
  }

  /** Does something with the host functions on this memory and world. A run may start another one. */
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
