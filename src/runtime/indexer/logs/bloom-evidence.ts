import { type Block, type Chain, ChainError, type Log, type Receipt } from "../../chain/chain.js";
import { inOrder, isOutsideTransactions } from "../../chain/log-order.js";
import { Bloom } from "../../chain/proof/bloom.js";
import { hasReceiptsRoot, makeUpRoot } from "../../chain/proof/receipts-root.js";
import { areAlike, isNumbered } from "./log-lists.js";
import { completeReceipts } from "./logs-by-root.js";
import { areOfAll } from "./receipts-of.js";
import type { Verification } from "./verification.js";

/** How often receipts and lists must agree on the logs of a block, and once the chain's bloom filters are distrusted. */
const agreements = { first: 3, later: 2 };

/**
 * The bloom filter of a header; `undefined` if it proves nothing. A filter with all bits set, as on Filecoin, proves
 * nothing. Neither does that of a header which does not match the block's hash, unless the chain hashes all headers
 * in its own way.
 */
export function bloomOf({ logsBloom, unprovedHeader }: Block): Bloom | undefined {
  const bloom = unprovedHeader === "broken" ? undefined : Bloom.parse(logsBloom);
  return bloom?.isFull ? undefined : bloom;
}

/**
 * Evidence against the bloom filter of a block. Some chains fill it with ones or with random bits, leave it empty, or
 * set it in blocks without logs. It counts as useless if receipts that match the receipts root contradict it. A
 * header that is hashed in the chain's own way proves neither of the two. In that case, receipts must be complete and
 * numbered, and agree with `eth_getLogs` several times. Otherwise the filter stands, because the block's hash covers
 * it.
 */
export class BloomEvidence {
  readonly #chain: Chain;
  readonly #block: Block;
  readonly #verification: Verification;
  readonly #bloom: Bloom | undefined;
  #agreements = 0;

  constructor(chain: Chain, block: Block, verification: Verification) {
    this.#chain = chain;
    this.#block = block;
    this.#verification = verification;
    this.#bloom = bloomOf(block);
  }

  /**
   * Whether the filter may exclude logs. A useless one excludes existing logs. So the chain's filters are compared
   * with all logs of one block, and with the logs of this block until one was conclusive.
   */
  isUseful(): Promise<boolean> {
    const verification = this.#verification;
    if (verification.trustsBlooms) return Promise.resolve(!verification.distrustsBloomOf(this.#block));
    return verification.inTurn(async () => {
      if (verification.distrustsBloomOf(this.#block)) return false;
      return verification.trustsBlooms || this.#fitsLogs();
    });
  }

  async #fitsLogs(): Promise<boolean> {
    const receipts = await completeReceipts(this.#chain, this.#block);
    const areComplete = receipts !== undefined && areOfAll(receipts, this.#block);
    const logs = areComplete ? withOutsiders(receipts, []) : await allLogs(this.#chain, this.#block);
    if (logs === undefined) return false;
    const fits = this.#bloom?.hex === Bloom.of(logs).hex;
    if (fits && logs.length > 0) this.#verification.trustBlooms();
    if (!fits && areComplete) await this.outweighs(receipts, logs);
    return fits && (areComplete || logs.length > 0);
  }

  /** Whether the filter has bits that none of these logs sets. */
  isUnexplainedBy(logs: readonly Log[]): boolean {
    return this.#bloom !== undefined && !this.#bloom.isWithin(Bloom.of(logs));
  }

  /**
   * Whether complete receipts outweigh the filter. If so, the chain's filters are distrusted from then on.
   * @param logs the logs of the receipts
   */
  async outweighs(receipts: readonly Receipt[], logs: readonly Log[]): Promise<boolean> {
    const verification = this.#verification;
    const block = this.#block;
    if (hasReceiptsRoot(block) && makeUpRoot(receipts, block)) {
      verification.distrustBlooms(block, "proved");
      return true;
    }
    if (block.unprovedHeader !== "foreign" || !(await this.#agree(logs))) return false;
    this.#agreements += 1;
    const isKnown = verification.distrustsBloomOf(block);
    if (this.#agreements < (isKnown ? agreements.later : agreements.first)) return false;
    verification.distrustBlooms(block, "agreed");
    return true;
  }

  /** Distrusts the chain's filters if this one lacks bits of logs that certainly exist. */
  async consider(receipts: readonly Receipt[], logs: readonly Log[]): Promise<void> {
    const bloom = this.#bloom;
    if (!bloom || this.#verification.distrustsBloomOf(this.#block)) return;
    if (logs.every((log) => bloom.admitsLog(log))) return;
    await this.outweighs(receipts, logs);
  }

  async #agree(logs: readonly Log[]): Promise<boolean> {
    if (!isNumbered(logs)) return false;
    const listed = await allLogs(this.#chain, this.#block);
    return listed !== undefined && areAlike(listed, logs);
  }
}

/** The logs of receipts, and known logs that belong to no transaction, which no receipt contains. */
export function withOutsiders(receipts: readonly Receipt[], known: readonly Log[]): readonly Log[] {
  const logs = receipts.flatMap((receipt) => receipt.logs);
  const outside = known.filter(isOutsideTransactions);
  return outside.length === 0 ? logs : inOrder([...logs, ...outside]);
}

/** `undefined` when the node refuses to return all logs at once. */
export async function allLogs(chain: Chain, block: Block): Promise<readonly Log[] | undefined> {
  try {
    return await chain.logsOf(block);
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}
