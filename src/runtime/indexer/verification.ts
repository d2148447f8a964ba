import type { RootException } from "../../chains/chain.js";
import type { Block, BlockPointer, Log } from "../chain/chain.js";

/**
 * How lists of logs are proved: not at all; by the bloom filters of headers, and by receipts where a relevant doubt
 * remains; or by the receipts root of every block whose bloom filter admits logs of the subgraph.
 */
export type VerifyMode = "off" | "bloom" | "receipts";

export const verifyModes: readonly VerifyMode[] = ["off", "bloom", "receipts"];

/** Receives notes about logs that a node left out, and about what cannot be proved. */
export interface VerificationNotes {
  /** The node's answers did not include all logs of a block; the missing ones were found elsewhere. */
  onLeftOut?: ((block: number, logs: number) => void) | undefined;
  /** Something cannot be proved on this chain or with this node. Called once for each reason. */
  onUnproved?: ((why: string) => void) | undefined;
}

/** How to prove the logs of a run, and the results so far. */
export class Verification {
  readonly mode: VerifyMode;
  readonly #notes: VerificationNotes;
  readonly #exception: RootException | undefined;
  /** By block hash and log index, because a block may be requested again. */
  readonly #leftOut = new Set<string>();
  readonly #unproved = new Set<string>();

  /** @param exception what is known of the chain's receipts roots */
  constructor(mode: VerifyMode = "bloom", notes: VerificationNotes = {}, exception?: RootException) {
    this.mode = mode;
    this.#notes = notes;
    this.#exception = exception;
  }

  /** Why the receipts root of a block does not cover its receipts in Ethereum's way, if that is known. */
  exceptionAt({ number }: BlockPointer): RootException["kind"] | undefined {
    const { kind, before = Number.POSITIVE_INFINITY } = this.#exception ?? {};
    return number < before ? kind : undefined;
  }

  /** How the logs are proved that were confirmed so far: by less than was asked for when something cannot be proved. */
  get proof(): VerifyMode {
    return this.mode === "receipts" && this.#unproved.size > 0 ? "bloom" : this.mode;
  }

  /** The number of logs that the node left out. */
  get leftOut(): number {
    return this.#leftOut.size;
  }

  /** Counts the proved logs of a block that an answer lacks. */
  compare({ number, hash }: Block, answered: readonly Log[], proved: readonly Log[]): void {
    const before = this.#leftOut.size;
    const known = new Set(
      answered.filter(({ block }) => block.hash === hash).map(({ logIndex }) => logIndex),
    );
    for (const { logIndex } of proved) if (!known.has(logIndex)) this.#leftOut.add(`${hash} ${logIndex}`);
    const fresh = this.#leftOut.size - before;
    if (fresh > 0) this.#notes.onLeftOut?.(number, fresh);
  }

  /** @param why must not mention a single block */
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
