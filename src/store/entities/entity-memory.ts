import type { Entity } from "../../subgraph/schema/entity.js";

/** The known state of an entity: its current version with its first block, or that it does not exist. */
export type Known = {
  readonly entity: Entity;
  readonly from: number;
  readonly vid: bigint;
  /** Causality region; absent for the chain's. */
  readonly region?: number;
} | null;

/** The state that the chain's data sources see. */
export function ofChain(known: Known): Entity | undefined {
  return known && known.region === undefined ? known.entity : undefined;
}

/** Caches the most recently read or written entities: `most` of them, and at times twice as many. */
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
