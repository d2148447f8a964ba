import type { ArchiveFiles } from "../../../src/datasets/archive/archive-files.js";
import { openReadableChain, type ReadableChain } from "../../../src/datasets/archive/readable-chain.js";
import { extract } from "../../../src/datasets/extract/extract.js";
import type { ExtractionSource } from "../../../src/datasets/extract/extraction.js";
import { type FollowedPlace, follow } from "../../../src/datasets/extract/follow.js";
import type { DatasetKind, DatasetRow } from "../../../src/datasets/tables/dataset.js";
import { ChainError, ReorgError } from "../../../src/runtime/chain/chain.js";
import { createPatience, type Patience } from "../../../src/runtime/chain/rpc/patience.js";
import { createPatientChain } from "../../../src/runtime/chain/rpc/patient-chain.js";
import { Verification } from "../../../src/runtime/indexer/logs/verification.js";
import { run } from "../../../src/runtime/run-subgraph.js";
import { MemoryStore } from "../../../src/runtime/store/memory-store.js";
import type { Store } from "../../../src/runtime/store/store.js";
import type { BuiltSubgraph } from "../../../src/subgraph/runnable/built-subgraph.js";
import { everything, pooledClient } from "../../runtime/pool/pool-run.js";
import { FailingArchiveFiles } from "../../support/archive/failing-files.js";
import type { Pool } from "../../support/pool/pool.js";
import type { Reader } from "./schedule.js";

/** A process is killed. */
class Killed extends Error {}

const unwanted = (): void => undefined;

/** What reads a pool's chain through an archive. */
interface Opened extends ReadableChain {
  readonly source: ExtractionSource;
  readonly patience: Patience;
  readonly random: () => number;
}

/** @param pool `undefined` to read the archive alone */
async function open(
  pool: Pool | undefined,
  files: ArchiveFiles,
  seed: number,
  to: number | undefined,
): Promise<Opened> {
  const client = pool && pooledClient(pool, seed);
  const { pause = async () => undefined, random = () => 0.5 } = client ?? {};
  const notes = { onDamage: unwanted, onTrouble: unwanted, onRefused: unwanted };
  const chain = await openReadableChain({ network: "mainnet", node: client?.client, files, to, ...notes });
  const patience = createPatience({ patience: 600_000, pause, random });
  const source = {
    chain: createPatientChain(chain.chain, patience),
    verification: new Verification("receipts"),
    ...(chain.archived && { archive: chain.archived }),
  };
  return { ...chain, source, patience, random };
}

/** Follows the chain to a block, and is killed now and then. @returns why a life ended by itself, for each that did */
export async function readAlong(
  pool: Pool,
  files: ArchiveFiles,
  { kind, seed, deaths }: Reader,
  to: number,
  built: BuiltSubgraph,
): Promise<readonly string[]> {
  const ended: string[] = [];
  const store = new MemoryStore(built.entities);
  let place: FollowedPlace | undefined;
  for (const [life, death] of [...deaths, undefined].entries()) {
    const own = death === undefined ? files : new FailingArchiveFiles(files, "crashes", death);
    let waits = 0;
    const waitForBlocks = async (flush: () => Promise<void>): Promise<boolean> => {
      await flush();
      if (death !== undefined && ++waits > death) throw new Killed();
      pool.grow();
      // Others have their turn.
      await new Promise(setImmediate);
      return true;
    };
    try {
      const opened = await open(pool, own, seed * 10 + life, undefined);
      const flush = async (): Promise<void> => opened.archived?.flush();
      if (kind === "subgraph") await runAlong(opened, built, store, to, () => waitForBlocks(flush));
      else {
        const following = {
          finalOf: async (head: { number: number; hash: string }) => opened.final(head, unwanted),
          waitForBlocks: () => waitForBlocks(flush),
          patience: opened.patience,
          place,
          last: to,
        };
        const all = follow(opened.source, { kind, from: 0 }, following);
        for await (const batch of all) place = batch.place;
      }
      await flush();
    } catch (error) {
      if (error instanceof ChainError || error instanceof ReorgError) ended.push(`${kind}: ${error.message}`);
      else if (!(error instanceof Killed)) throw error;
    }
  }
  return ended;
}

async function runAlong(
  { chain, archived, patience: _, random }: Opened,
  built: BuiltSubgraph,
  store: Store,
  to: number,
  waitForBlocks: () => Promise<boolean>,
): Promise<void> {
  const { failure } = await run(built, chain, store, {
    from: 0,
    to,
    verify: "receipts",
    archive: archived,
    random,
    waitForBlocks,
  });
  if (failure) throw failure.error;
}

/** All rows of a dataset up to a block. @param pool `undefined` to read the archive alone */
export async function rowsThrough(
  pool: Pool | undefined,
  files: ArchiveFiles,
  kind: DatasetKind,
  to: number,
): Promise<readonly DatasetRow[]> {
  const { source, patience, archived } = await open(pool, files, 0, to);
  for (;;) {
    try {
      const rows: DatasetRow[] = [];
      const newest = (await source.chain.head()).number;
      for await (const batch of extract(source, { kind, from: 0, to }, newest)) rows.push(...batch.rows);
      await archived?.flush();
      return rows;
    } catch (error) {
      if (!(error instanceof ReorgError)) throw error;
      source.archive?.forget();
      await patience.wait(error);
    }
  }
}

/** All entities of a subgraph up to a block. @param pool `undefined` to read the archive alone */
export async function entitiesThrough(
  pool: Pool | undefined,
  files: ArchiveFiles,
  built: BuiltSubgraph,
  to: number,
): Promise<string> {
  const store = new MemoryStore(built.entities);
  const { chain, archived } = await open(pool, files, 0, to);
  const { failure } = await run(built, chain, store, { from: 0, to, verify: "receipts", archive: archived });
  if (failure) throw failure.error;
  await archived?.flush();
  return everything(built, store);
}
