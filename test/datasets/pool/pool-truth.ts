import { transferTopics } from "../../../src/datasets/rows/transfer-rows.js";
import type { DatasetRow } from "../../../src/datasets/tables/dataset.js";
import type { VerifyMode } from "../../../src/runtime/indexer/logs/verification.js";
import { unsettled } from "../../../src/runtime/indexer/stretch.js";
import { bloomOf, type TreeBlock } from "../../support/pool/block-tree.js";
import { topics } from "../../support/pool/contracts.js";
import type { Pool } from "../../support/pool/pool.js";
import { extractFromPool, type PoolDataset, type PoolExtraction, poolDatasets } from "./pool-extraction.js";

/** What is on a pool's chain up to a block that is final, and the rows of datasets that it makes. */
export class PoolTruth {
  readonly datasets: Readonly<Record<string, PoolDataset>>;
  /** In order. */
  readonly blocks: readonly TreeBlock[];
  readonly #pool: Pool;
  readonly #to: number;
  readonly #rows = new Map<string, readonly DatasetRow[]>();

  private constructor(pool: Pool, to: number) {
    this.#pool = pool;
    this.#to = to;
    const blocks: TreeBlock[] = [];
    for (let block: TreeBlock | undefined = pool.tip; block; block = block.parent)
      if (block.number <= to) blocks.push(block);
    this.blocks = blocks.reverse();
    // Of a token, since logs of the factory repeat nothing.
    this.datasets = poolDatasets(this.blocks.flatMap(({ tokens }) => tokens)[0] ?? "");
  }

  /** Reads the chain from a faultless node. @throws Error when the rows are not those of the blocks */
  static async of(pool: Pool, to: number): Promise<PoolTruth> {
    const truth = new PoolTruth(pool, to);
    for (const [name, what] of Object.entries(truth.datasets)) {
      const how = { verify: "off", to, blocksPerFile: to + 1, seed: 0 } as const;
      const { windows, why } = await extractFromPool(truth.faultless(), what, how);
      const rows = [...windows.values()].flat();
      const ids = truth.blocks.flatMap((block) => idsOf(block, what)).join();
      if (why !== undefined || rows.map(({ id }) => id).join() !== ids)
        throw new Error(why ?? `a faultless node gives other rows of ${name}`);
      truth.#rows.set(name, rows);
    }
    return truth;
  }

  /** The block with a number; `undefined` where there is none. */
  blockAt(number: number): TreeBlock | undefined {
    return this.blocks.find((block) => block.number === number);
  }

  /** Whether all nodes hide some logs. */
  get hidesLogs(): boolean {
    return (this.#pool.options.hides ?? 0) > 0;
  }

  /** Whether the bloom filters of the chain do not fit its logs. */
  get hasUselessBlooms(): boolean {
    return this.#pool.options.traits?.blooms !== undefined;
  }

  /** A pool of one faultless node. */
  faultless(): Pool {
    return this.#pool.faultless(this.#pool.tip.hash);
  }

  /** Number of rows that were missing, and that their proof may miss. */
  missed = 0;

  /** What is wrong with an extraction, beyond what its proof lets pass. */
  faultsOf(name: string, { windows, why, newest }: PoolExtraction, verify: VerifyMode): readonly string[] {
    const faults: string[] = [];
    for (const [range, rows] of windows) {
      const [from = 0, to = 0] = range.split("-").map(Number);
      const wanted = (this.#rows.get(name) ?? []).filter(
        ({ block_number: number }) => Number(number) >= from && Number(number) <= to,
      );
      const texts = rows.map(textOf);
      const found = new Set(texts);
      const wantedTexts = wanted.map(textOf);
      const lacking = wanted.filter((_, index) => !found.has(wantedTexts[index] ?? ""));
      if (wantedTexts.filter((text) => found.has(text)).join() !== texts.join())
        faults.push(`blocks ${range}: wrong rows, or in another order`);
      for (const row of lacking)
        if (this.#mayMiss(row, verify, newest)) this.missed += 1;
        else faults.push(`blocks ${range}: ${String(row.id)} is missing`);
    }
    if (why === undefined && ![...windows.keys()].at(-1)?.endsWith(`-${this.#to}`))
      faults.push("it ended early, and did not say why");
    return faults;
  }

  /** Whether a proof may miss a row: what the manual says of `--verify`. */
  #mayMiss(row: DatasetRow, verify: VerifyMode, newest: number): boolean {
    const isLog = row.log_index !== undefined;
    if (verify === "receipts" || !isLog) return false;
    const block = this.blockAt(Number(row.block_number));
    // A liar may have answered all questions about a block whose header proves nothing.
    if (this.#pool.options.traits?.ownHashes && this.#pool.options.disturbance > 0) return true;
    if (!block || verify === "off" || block.number <= newest - unsettled) return true;
    const log = block.logs.find(
      ({ transactionHash, logIndex }) =>
        transactionHash === row.transaction_hash && Number(logIndex) === Number(row.log_index),
    );
    const others = block.logs.filter((other) => other !== log);
    return log !== undefined && bloomOf(others) === bloomOf(block.logs);
  }
}

function idsOf({ hash, logs, receipts }: TreeBlock, { kind, addresses }: PoolDataset): readonly string[] {
  if (kind === "raw_transactions")
    return receipts.map(({ transactionHash }) => `transaction_${hash}_${transactionHash}`);
  const [prefix, wanted] = prefixes[kind] ?? [];
  const own = logs
    .filter(({ address }) => addresses?.includes(address) ?? true)
    .filter((log) => wanted?.includes(log.topics[0] ?? "") ?? true);
  const indexes = own.map(({ logIndex }) => Number(logIndex));
  const isByBlock = indexes.every((index, at) => at === 0 || index > (indexes[at - 1] ?? 0));
  return own.map(({ transactionHash, logIndex }) =>
    [prefix, hash, ...(isByBlock ? [] : [transactionHash]), Number(logIndex)].join("_"),
  );
}

const prefixes: Readonly<Record<string, readonly [prefix: string, topics?: readonly string[]]>> = {
  raw_logs: ["log"],
  erc20_transfers: ["token_transfer", [transferTopics.transfer]],
  decoded_logs: ["decoded_log", Object.values(topics)],
};

/** A row as a text, which is the same for the same values. */
function textOf(row: DatasetRow): string {
  return JSON.stringify(Object.entries(row).sort(), (_, one: unknown) =>
    typeof one === "bigint" ? `${one}n` : one,
  );
}
