import type { RootException } from "../../../chains/chain.js";
import { exceptionAt } from "../../../chains/root-exceptions.js";
import type { Block, BlockPointer, Log } from "../../chain/chain.js";
import { ChainForm } from "../../chain/chain-form.js";
import { logKey } from "../../chain/log-order.js";

/**
 * How lists of logs are proved: not at all; by the bloom filters of headers, and by receipts where a relevant doubt
 * remains; or by the receipts root of every block whose bloom filter admits logs of the subgraph.
 */
export type VerifyMode = "off" | "bloom" | "receipts";

export const verifyModes: readonly VerifyMode[] = ["off", "bloom", "receipts"];

/** Ethereum and its test networks. */
const ethereum: ReadonlySet<string> = new Set(["1", "11155111", "17000", "560048"]);
/** Anvil and Hardhat create blocks as Ethereum does. They may continue any other chain, with its earlier headers. */
const localEthereum = "31337";

/** How often the node must say that blocks are missing between two that do not follow each other. */
const gapRepeats = 3;

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
  /** By name, because a block may be requested again. */
  readonly #leftOut = new Set<string>();
  readonly #unproved = new Set<string>();
  readonly #noted = new Set<string>();
  readonly #believed = new Set<string>();
  readonly #gaps = new Map<string, number>();
  #distrusted: "none" | "foreign" | "all" = "none";
  #trustsBlooms = false;
  #turn: Promise<unknown> = Promise.resolve();
  /** In decimal digits; absent if it is not known. */
  readonly chainId: string | undefined;
  /** How the chain computes its roots and counts gas, as seen in its blocks. */
  readonly forms = { transactions: new ChainForm(), receipts: new ChainForm(), gas: new ChainForm() };
  /** Whether a block was seen that numbers its logs as a whole, as nearly all chains do. */
  numbersAsWhole = false;

  /**
   * @param exception how the chain's receipts roots differ from Ethereum's, if they do
   * @param chainId in decimal digits
   */
  constructor(
    mode: VerifyMode = "bloom",
    notes: VerificationNotes = {},
    exception?: RootException,
    chainId?: string,
  ) {
    this.mode = mode;
    this.chainId = chainId;
    this.#notes = notes;
    this.#exception = exception;
  }

  /** Why the receipts root of a block does not cover its receipts in Ethereum's way, if that is known. */
  exceptionAt({ number }: BlockPointer): RootException["kind"] | undefined {
    return exceptionAt(this.#exception, number);
  }

  /**
   * Whether the chain certainly creates blocks in Ethereum's way, so that a contradictory block is a node's fault.
   */
  get isEthereum(): boolean {
    return this.hasEthereumHeaders || this.chainId === localEthereum;
  }

  /** Whether the chain also hashes all of its headers in Ethereum's way. */
  get hasEthereumHeaders(): boolean {
    return this.chainId !== undefined && ethereum.has(this.chainId);
  }

  /** How well the logs confirmed so far are proved: less than requested if something cannot be proved. */
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
    const known = new Set(answered.filter(({ block }) => block.hash === hash).map(logKey));
    for (const log of proved) if (!known.has(logKey(log))) this.#leftOut.add(logKey(log));
    const fresh = this.#leftOut.size - before;
    if (fresh > 0) this.#notes.onLeftOut?.(number, fresh);
  }

  /** Whether the bloom filter of a block counts as useless, because those of other blocks were. */
  distrustsBloomOf({ unprovedHeader }: Block): boolean {
    return this.#distrusted === "all" || (this.#distrusted === "foreign" && unprovedHeader === "foreign");
  }

  /** Whether a filter of the chain was seen that has the bits of the block's logs: then filters may exclude logs. */
  get trustsBlooms(): boolean {
    return this.#trustsBlooms;
  }

  trustBlooms(): void {
    this.#trustsBlooms = true;
  }

  /** Runs work after earlier work, so that it can use what that has learned. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /**
   * Whether a block counts as the next one after another although it does not follow it, because the node says that the
   * numbers between them have no block. Another node of a pool may have one, so they are compared several times first.
   */
  bearsGap(before: BlockPointer, { number, hash }: BlockPointer): boolean {
    if (number <= before.number + 1) return false;
    const gap = `${before.hash} ${hash}`;
    const times = (this.#gaps.get(gap) ?? 0) + 1;
    this.#gaps.set(gap, times);
    if (times < gapRepeats) return false;
    if (!this.#noted.has("gap"))
      this.#notes.onUnproved?.(
        `the node says that there is no block between ${before.number} and ${number}, but block ${number} names another parent than block ${before.number}. So it is not proved that the blocks between them are missing`,
      );
    this.#noted.add("gap");
    return true;
  }

  /**
   * Reports once for a chain that a header does not match the hash of its block, and what is unproved as a result.
   */
  noteHeader({ number, unprovedHeader }: Block): void {
    if (unprovedHeader === undefined || this.#noted.has(unprovedHeader)) return;
    this.#noted.add(unprovedHeader);
    this.#notes.onUnproved?.(
      unprovedHeader === "foreign"
        ? `the headers of this chain, such as that of block ${number}, are not hashed like Ethereum's. So their bloom filters cannot be proved, and are used as the node returns them`
        : `the node returned a header of block ${number} that does not have the block's hash, also when it was asked again. The bloom filters of such headers are not used, and the logs are checked against receipts`,
    );
  }

  /**
   * Distrusts bloom filters after a block whose logs contradict its own: all filters if its receipts root proves the
   * logs; if receipts and lists merely agree on them, only filters that no hash covers.
   */
  distrustBlooms(block: Block, how: "proved" | "agreed"): void {
    if (this.distrustsBloomOf(block) || block.unprovedHeader === "broken") return;
    this.#distrusted = how === "proved" && block.unprovedHeader === undefined ? "all" : "foreign";
    const proof = how === "proved" ? "its receipts root proves" : "its receipts and eth_getLogs agree on";
    this.#notes.onUnproved?.(
      `the bloom filter of block ${block.number} contradicts the logs that ${proof}. Bloom filters of this chain are not used from now on, and logs near the head are checked against receipts`,
    );
  }

  /**
   * Reports once that something besides lists of logs is believed.
   * @param why must not mention a single block
   */
  believes(why: string): void {
    if (this.#believed.has(why)) return;
    this.#believed.add(why);
    this.#notes.onUnproved?.(why);
  }

  /** Whether it was said before that something is believed. */
  isBelieved(why: string): boolean {
    return this.#believed.has(why);
  }

  /** @param why must not mention a single block */
  cannotProve(why: string): void {
    if (this.#unproved.has(why)) return;
    this.#unproved.add(why);
    this.#notes.onUnproved?.(why);
  }
}

export function leftOutText(block: number, logs: number): string {
  return `the node left out ${logs} ${logs === 1 ? "log" : "logs"} in block ${block}`;
}
