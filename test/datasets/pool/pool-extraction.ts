import type { ArchiveFiles } from "../../../src/datasets/archive/archive-files.js";
import { ArchivedChain } from "../../../src/datasets/archive/archived-chain.js";
import { checkedClient } from "../../../src/datasets/archive/checked-client.js";
import { openArchive } from "../../../src/datasets/archive/open-archive.js";
import { extract } from "../../../src/datasets/extract/extract.js";
import type { Extraction, ExtractionSource } from "../../../src/datasets/extract/extraction.js";
import { LogDecoder } from "../../../src/datasets/rows/decoded-rows.js";
import { planWindows } from "../../../src/datasets/sync/windows.js";
import type { DatasetRow } from "../../../src/datasets/tables/dataset.js";
import { ChainError, ReorgError } from "../../../src/runtime/chain/chain.js";
import { finalBlock } from "../../../src/runtime/chain/final-block.js";
import { createPatience, type Patience } from "../../../src/runtime/chain/rpc/patience.js";
import { createPatientChain } from "../../../src/runtime/chain/rpc/patient-chain.js";
import { createRpcChain } from "../../../src/runtime/chain/rpc-chain.js";
import { Verification, type VerifyMode } from "../../../src/runtime/indexer/logs/verification.js";
import { pooledClient } from "../../runtime/pool/pool-run.js";
import { factoryAbi, tokenAbi } from "../../support/pool/contracts.js";
import type { Pool } from "../../support/pool/pool.js";

/** What is extracted, by the name that a failure has. */
export type PoolDataset = Pick<Extraction, "kind" | "addresses" | "decoder">;

/** The datasets that are extracted from a pool. @param address the contract of those that are of one */
export function poolDatasets(address: string): Readonly<Record<string, PoolDataset>> {
  const decoder = new LogDecoder([{ abi: factoryAbi }, { abi: tokenAbi }]);
  const addresses = [address];
  return {
    raw_logs: { kind: "raw_logs" },
    "raw_logs of a contract": { kind: "raw_logs", addresses },
    raw_transactions: { kind: "raw_transactions" },
    erc20_transfers: { kind: "erc20_transfers" },
    "erc20_transfers of a contract": { kind: "erc20_transfers", addresses },
    decoded_logs: { kind: "decoded_logs", decoder },
    "decoded_logs of a contract": { kind: "decoded_logs", decoder, addresses },
  };
}

/** What came of an extraction. */
export interface PoolExtraction {
  /** All rows of each window that was read, by its first and last block. */
  readonly windows: ReadonlyMap<string, readonly DatasetRow[]>;
  /** The chain head when it was read; -1 before. */
  readonly newest: number;
  /** Why it ended early; `undefined` when it is whole. */
  readonly why?: string;
}

/** How a dataset is extracted. */
export interface ExtractionOptions {
  readonly verify: VerifyMode;
  /** The last block. */
  readonly to: number;
  readonly blocksPerFile: number;
  /** Where an archive is kept, if it is read through one. */
  readonly archive?: ArchiveFiles;
  /** For what the client draws. */
  readonly seed: number;
  /** Milliseconds of the pool's time until a window is given up; ten minutes by default. */
  readonly patience?: number;
}

/** Reads the windows of a dataset as `external-data sync` does. @throws every error that is not a refusal */
export async function extractFromPool(
  pool: Pool,
  what: PoolDataset,
  { verify, to, blocksPerFile, archive: kept, seed, patience: longest = 600_000 }: ExtractionOptions,
): Promise<PoolExtraction> {
  const { client, pause, random } = pooledClient(pool, seed);
  const patience = createPatience({ patience: longest, pause, random });
  const windows = new Map<string, readonly DatasetRow[]>();
  let archived: ArchivedChain | undefined;
  let newest = -1;
  try {
    if (kept) {
      const opened = await openArchive(kept, "mainnet", client);
      const { archive, identity } = opened;
      const checked = checkedClient(client, opened);
      const finalOf = (head: { number: number; hash: string }) => finalBlock(checked, head, identity.chainId);
      archived = new ArchivedChain(createRpcChain(checked), archive, {
        finalOf,
        to,
        recheck: checked.recheck,
      });
    }
    const chain = createPatientChain(archived ?? createRpcChain(client), patience);
    newest = (await chain.head()).number;
    const source = { chain, verification: new Verification(verify), ...(archived && { archive: archived }) };
    for (const { from, to: end } of planWindows({ from: 0, to }, blocksPerFile, []).missing) {
      const range = { ...what, from, to: end };
      windows.set(`${from}-${end}`, await rowsOfWindow(source, range, newest, patience));
      patience.reset();
    }
    return { windows, newest };
  } catch (error) {
    if (error instanceof ChainError) return { windows, newest, why: error.message };
    throw error;
  } finally {
    await archived?.flush();
  }
}

/** All rows of a window, which is read again as long as the node contradicts itself. */
async function rowsOfWindow(
  source: ExtractionSource,
  window: Extraction,
  newest: number,
  patience: Patience,
): Promise<readonly DatasetRow[]> {
  for (;;) {
    try {
      const rows: DatasetRow[] = [];
      for await (const batch of extract(source, window, newest)) rows.push(...batch.rows);
      return rows;
    } catch (error) {
      if (!(error instanceof ReorgError)) throw error;
      source.archive?.forget();
      await patience.wait(error);
    }
  }
}
