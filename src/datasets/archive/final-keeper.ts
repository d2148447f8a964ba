import type { BlockPointer } from "../../runtime/chain/chain.js";
import type { KeptLogs } from "../../runtime/indexer/run-archive.js";
import type { ChainArchive } from "./chain-archive.js";
import type { FinalChain } from "./final-chain.js";
import type { HeldReads } from "./held-reads.js";

/** Maximum number of blocks waiting to become final. Any others are fetched again later. */
const mostWaiting = 20_000;

/** `final`: a block is on the final chain. `replaced`: a different one is. `unknown`: neither is proved yet. */
type Standing = "final" | "replaced" | "unknown";

export interface KeeperMeans {
  readonly archive: ChainArchive;
  readonly held: HeldReads;
  readonly finals: FinalChain;
  /** Runs a write to the archive, unless writing has failed before. */
  softly(write: () => Promise<void>): Promise<void>;
}

/** Stores what a run has confirmed once its block is proved to be on the final chain, and drops other branches. */
export class FinalKeeper {
  readonly #means: KeeperMeans;
  #waiting: BlockPointer[] = [];
  #hasEnded = false;

  constructor(means: KeeperMeans) {
    this.#means = means;
  }

  /** Hashes of blocks that wait to become final. */
  get waiting(): ReadonlySet<string> {
    return new Set(this.#waiting.map(({ hash }) => hash));
  }

  /** Whether a waiting block may already be final. */
  get isDue(): boolean {
    return this.#waiting.some(({ number }) => number <= this.#final);
  }

  /** Drops the waiting blocks, because nothing more can be stored. */
  end(): void {
    this.#hasEnded = true;
    this.#waiting = [];
  }

  /** Stores the waiting blocks that have become final. */
  async keepWaiting(): Promise<void> {
    const [blocks, logs] = [this.#waiting, this.#means.held.takeLogs()];
    this.#waiting = [];
    for (const block of blocks) await this.keepBlock(block);
    for (const waiting of logs) await this.keepLogs(waiting);
  }

  async keepLogs(kept: KeptLogs): Promise<void> {
    if (this.#hasEnded) return;
    const final = this.#final;
    const { range } = kept;
    if (range.from <= final) await this.#keepFinalLogs(part(kept, range.from, Math.min(range.to, final)));
    if (range.to > final) this.#means.held.addLogs(part(kept, Math.max(range.from, final + 1), range.to));
  }

  async keepBlock(block: BlockPointer): Promise<void> {
    const standing = await this.#standingOf(block);
    if (standing === "final") await this.#means.softly(() => this.#write(block));
    else if (standing === "replaced") this.#means.held.take(block.hash);
    else {
      this.#waiting.push(block);
      const dropped = this.#waiting.length > mostWaiting ? this.#waiting.shift() : undefined;
      if (dropped) this.#means.held.take(dropped.hash);
    }
  }

  /** Stores logs of a range with a final end, as far as the blocks that confirmed them are final. */
  async #keepFinalLogs(kept: KeptLogs): Promise<void> {
    const { range, settledTo, blocks, filter, proof, source } = kept;
    const seen = new Map(blocks.map((block) => [block.number, block]));
    let from = range.from;
    const keepTo = async (to: number): Promise<void> => {
      if (to >= from) {
        const { logs } = part(kept, from, to);
        await this.#means.softly(() =>
          this.#means.archive.addLogs({ from, to }, filter, proof, logs, source),
        );
      }
      from = to + 1;
    };
    for (let number = Math.max(from, settledTo + 1); number <= range.to; number++) {
      const block = seen.get(number);
      const standing = block ? await this.#standingOf(block) : await this.#standingOfGap(number);
      if (standing === "final") continue;
      await keepTo(number - 1);
      if (standing === "unknown") this.#means.held.addLogs(part(kept, number, number));
      from = number + 1;
    }
    await keepTo(range.to);
  }

  /** Whether a block, or a different block with its number, is proved to be on the final chain. */
  async #standingOf(block: BlockPointer): Promise<Standing> {
    const { number, hash } = block;
    if (number > this.#final) return "unknown";
    if (this.#means.held.isSettled(hash)) return "final";
    const known =
      (await this.#means.archive.block(number))?.hash ?? (await this.#means.finals.hashOf(number));
    // A block that waited this long cannot be proved with few requests.
    if (known === undefined) return this.#means.finals.isFar(block) ? "replaced" : "unknown";
    return known === hash ? "final" : "replaced";
  }

  /** The same for a number without a known block. */
  async #standingOfGap(number: number): Promise<Standing> {
    return (await this.#means.finals.isGap(number)) ? "final" : "replaced";
  }

  async #write(pointer: BlockPointer): Promise<void> {
    const { block, answers } = this.#means.held.take(pointer.hash);
    if (block) await this.#means.archive.addBlock(block);
    // A handler may run again, or a proof may refuse an answer, and ask again: the last answer counts.
    const last = new Map(answers.map((answer) => [answer.question, answer]));
    for (const answer of last.values()) await this.#means.archive.addAnswer(answer);
  }

  get #final(): number {
    return this.#means.archive.marks?.final.number ?? -1;
  }
}

/** The confirmed facts about a part of a range. */
function part(kept: KeptLogs, from: number, to: number): KeptLogs {
  const isIn = (number: number): boolean => from <= number && number <= to;
  const logs = kept.logs.filter(({ block }) => isIn(block.number));
  return { ...kept, range: { from, to }, logs, blocks: kept.blocks.filter(({ number }) => isIn(number)) };
}
