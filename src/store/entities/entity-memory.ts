import type { Entity } from "../../subgraph/schema/entity.js";

/** What is known of an entity: its current version and the first block of it, or that there is none. */
export type Known = {
  readonly entity: Entity;
  readonly from: number;
  /** Causality region; absent for the chain's. */
  readonly region?: number;
} | null;

/** What the chain's data sources see of it. */
export function ofChain(known: Known): Entity | undefined {
  return known && known.region === undefined ? known.entity : undefined;
}

/** Remembers entities that were asked for or written last, so many of them at the most, and twice as many at times. */
export class EntityMemory {
  readonly #limit: number;
  #young = new Map<string, Map<string, Known>>();
  #old = new Map<string, Map<string, Known>>();
  #count = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(type: string, id: string): Known | undefined {
    const known = this.#young.get(type)?.get(id);
    if (known !== undefined) return known;
    const older = this.#old.get(type)?.get(id);
    if (older !== undefined) this.set(type, id, older);
    return older;
  }

  set(type: string, id: string, known: Known): void {
    const ofType = this.#young.get(type) ?? new Map<string, Known>();
    this.#young.set(type, ofType);
    if (!ofType.has(id)) this.#count += 1;
    ofType.set(id, known);
    if (this.#count < this.#limit) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#count = 0;
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#count = 0;
  }
}
