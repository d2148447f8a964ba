/** What a verification recomputes, each part with a root or hash from elsewhere in the archive. */
export type Recomputable =
  | "block hash"
  | "transactions root"
  | "receipts root"
  | "receipt"
  | "log"
  | "answer";

/** A number of recomputed things. */
export interface Tally {
  readonly what: Recomputable;
  readonly count: number;
}

/** A number of things that could not be recomputed. */
export interface LeftTally extends Tally {
  readonly why: string;
}

/** Counts what a verification recomputed, and what it could not recompute, by reason. */
export class Recomputed {
  readonly #done = new Map<Recomputable, number>();
  readonly #left = new Map<string, LeftTally>();

  add(what: Recomputable): void {
    this.#done.set(what, (this.#done.get(what) ?? 0) + 1);
  }

  /** @param why must not mention a single block; in messages, it follows the thing and a colon */
  leave(what: Recomputable, why: string, count = 1): void {
    const key = `${what}: ${why}`;
    this.#left.set(key, { what, why, count: (this.#left.get(key)?.count ?? 0) + count });
  }

  get done(): readonly Tally[] {
    return [...this.#done].map(([what, count]) => ({ what, count }));
  }

  get left(): readonly LeftTally[] {
    return [...this.#left.values()];
  }
}
