import type { Heap } from "../heap.js";
import type { MappingWorld } from "../mapping.js";
import type { Tally } from "./tally.js";

interface Place {
  readonly heap: Heap;
  readonly world: MappingWorld;
  readonly tally: Tally;
}

/** Whose host functions are called: those of a mapping are made once, and serve the run that is under way. */
export class Session {
  #place: Place | undefined;

  get heap(): Heap {
    return this.#current().heap;
  }

  get world(): MappingWorld {
    return this.#current().world;
  }

  get tally(): Tally {
    return this.#current().tally;
  }

  #current(): Place {
    if (!this.#place) throw new Error("a host function was called while no handler runs");
    return this.#place;
  }

  /** Does something with the host functions on this memory and world. A run may start another one. */
  during(place: Place, task: () => void): void {
    const outer = this.#place;
    this.#place = place;
    try {
      task();
    } finally {
      this.#place = outer;
    }
  }
}
