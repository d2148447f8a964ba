import type { Block, Log } from "../chain/chain.js";

/**
 * How lists of logs are proved: not at all; by the bloom filters of headers, and by receipts where these leave a doubt
 * that matters; or by the receipts root of every block whose bloom filter admits logs of the subgraph.
 */
export type VerifyMode = "off" | "bloom" | "receipts";

export const verifyModes: readonly VerifyMode[] = ["off", "bloom", "receipts"];

/** Who hears of what a node left out, and of what cannot be proved. */
export interface VerificationNotes {
  /** A block's logs were not all in the node's answers; they were found elsewhere. */
  onLeftOut?: ((block: number, logs: number) => void) | undefined;
  /** Something cannot be proved on this chain or by this node; told once for each reason. */
  onUnproved?: ((why: string) => void) | undefined;
}

/** What is proved of a run's logs, and what came of it. */
export class Verification {
  readonly mode: VerifyMode;
  readonly #notes: VerificationNotes;
  /** By block hash and log index: a block may be asked for again. */
  readonly #leftOut = new Set<string>();
  readonly #unproved = new Set<string>();

  constructor(mode: VerifyMode = "bloom", notes: VerificationNotes = {}) {
    this.mode = mode;
    this.#notes = notes;
  }

  /** How many logs the node left out. */
  get leftOut(): number {
    return this.#leftOut.size;
  }

  /** Counts the logs of a block that are not in an answer. */
  compare({ number, hash }: Block, answered: readonly Log[], proved: readonly Log[]): void {
    const before = this.#leftOut.size;
    const known = new Set(
      answered.filter(({ block }) => block.hash === hash).map(({ logIndex }) => logIndex),
    );
    for (const { logIndex } of proved) if (!known.has(logIndex)) this.#leftOut.add(`${hash} ${logIndex}`);
    const fresh = this.#leftOut.size - before;
    if (fresh > 0) this.#notes.onLeftOut?.(number, fresh);
  }

  /** @param why without anything of a single block */
  cannotProve(why: string): void {
    if (this.#unproved.has(why)) return;
    this.#unproved.add(why);
    this.#notes.onUnproved?.(why);
  }
}

/** "the node left out 3 logs in block 5" */
export function leftOutText(block: number, logs: number): string {
  return `the node left out ${logs} ${logs === 1 ? "log" : "logs"} in block ${block}`;
}
