import { beforeAll, expect, test } from "vitest";
import type { Block, Chain, Log } from "../../../src/runtime/chain/chain.js";
import { createRunner } from "../../../src/runtime/create-runner.js";
import { RetriedError } from "../../../src/runtime/errors.js";
import { BlockCalls } from "../../../src/runtime/indexer/triggers/block-calls.js";
import type { Store } from "../../../src/runtime/store/store.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { quoteNames } from "../../../src/store/database/quote.js";
import { findDeployment, openDeployment } from "../../../src/store/deployments/deployments.js";
import { clearFatalError } from "../../../src/store/deployments/health.js";
import { newDeployment } from "../../../src/store/deployments/new-deployment.js";
import { openStore } from "../../../src/store/entities/open-store.js";
import type { BuiltSubgraph } from "../../../src/subgraph/runnable/built-subgraph.js";
import { readRunnable } from "../../../src/subgraph/runnable/read-runnable.js";
import { playBlocks } from "../../../src/testing/json/play-blocks.js";
import { describeDatabases } from "../../support/database/databases.js";
import { randomOf } from "../../support/pipelines/random.js";
import {
  moduleOf,
  type RecordedBlock,
  type RecordedDeployment,
  type RecordedLog,
  recordedDeployments,
  startOf,
} from "./recorded-proofs.js";

/** These need traces, files or logs that were not recorded, or make a graph-node stop without a failure. */
const others = new Set([
  "files",
  "mixed-triggers",
  "prune",
  "two-handlers-one-source",
  "two-sources-both-fail",
]);
/**
 * From these blocks on, a graph-node that was not restarted hashes null fields of entities that were removed and set again.
 * Ours never does, so that a proof does not depend on restarts.
 */
const remembering: Readonly<Record<string, number>> = { removes: 16, "removes-restart": 16 };

/** Deployments whose proofs do not depend on restarts of a graph-node, and which one row or more changes. */
const interrupted = new Set(["kinds-legacy", "timeseries", "ids"]);
const schedules = Number(process.env.GRAPHLOOM_PROOF_SCHEDULES ?? 2);

function builtOf(one: RecordedDeployment): BuiltSubgraph {
  const { schema, abi, mapping } = one.links;
  const files = new Map<string, string | Uint8Array>([
    ["subgraph.yaml", one.manifest],
    [schema, one.schema],
    [abi, one.abi],
    [mapping, moduleOf(one)],
  ]);
  return readRunnable({ manifest: "subgraph.yaml", files });
}

function blockOf([number, hash, parentHash, timestamp]: RecordedBlock, logs: readonly RecordedLog[]): Block {
  const mocked = { number: BigInt(number), events: [], ethCalls: [], getBalanceCalls: [], hasCodeCalls: [] };
  const [played] = playBlocks({ blocks: [mocked] }, number).blocks;
  if (!played) throw new Error("no block was played");
  const transactions = logs.map(([, index, transactionHash, , to]) => {
    const zero = { value: 0n, gasLimit: 0n, gasPrice: 0n, nonce: 0n };
    return [transactionHash, { hash: transactionHash, index, from: to, to, input: "0x", ...zero }] as const;
  });
  return {
    ...played.block,
    hash,
    parentHash,
    timestamp: BigInt(timestamp),
    transactions: new Map(transactions),
  };
}

/** The recorded mappings read no contracts. */
const noChain = {} as Chain;

/** How blocks are run. */
interface Playing {
  readonly isFailFast?: boolean;
  /** Whether the store may wait for more blocks before it writes one; it writes each at once by default. */
  readonly waits?: () => boolean;
}

/** Runs blocks up to the recorded head, or to the first failure. */
async function play(
  built: BuiltSubgraph,
  store: Store,
  blocks: readonly RecordedBlock[],
  logs: readonly RecordedLog[],
  { isFailFast = false, waits = () => false }: Playing = {},
): Promise<void> {
  let running: readonly Log[] = [];
  const { runner } = createRunner(built, {
    chain: { receipt: async () => undefined },
    store,
    callsOf: (block) => new BlockCalls(noChain, block),
    firstBlock: 0,
    triggersFor: async () => ({ logs: running, calls: [] }),
    finder: { files: undefined, patience: 0, pause: async () => undefined, chance: () => 0.5, now: () => 0 },
  });
  const start = Math.min(...built.dataSources.map(({ startBlock }) => startBlock));
  const head = (await store.head())?.number ?? start - 1;
  for (const recorded of blocks) {
    const [number, hash] = recorded;
    if (number <= head) continue;
    const own = logs.filter(([block]) => block === number);
    const block = blockOf(recorded, own);
    running = own.map(([, transactionIndex, transactionHash, logIndex, address, topics, data]) => ({
      address,
      topics,
      data,
      block: { number, hash },
      transactionHash,
      transactionIndex,
      logIndex,
      removed: false,
    }));
    const outcome = await runner.run(block, { logs: running, calls: [] }).catch((error: unknown) => {
      // The block is tried again, for ever.
      if (error instanceof RetriedError) return undefined;
      throw error;
    });
    if (!outcome) return;
    const { failure, proofDigest, errors, writes } = outcome;
    if (failure) return store.fail?.(failure, block, { ...(proofDigest && { proofDigest }) });
    await store.commit(block, { ...writes, errors }, { more: waits() });
    if (errors.length > 0 && isFailFast) return;
  }
}

async function rowsOf(database: Database, deployment: string, hasTimes: boolean): Promise<unknown> {
  const { namespace = "" } = (await findDeployment(database, deployment)) ?? {};
  const time = hasTimes ? SQL`, block_time` : SQL``;
  const rows = await database.query(
    SQL`select block_range::text as range, encode(digest, 'hex') as digest${time} from ${quoteNames(namespace, "poi2$")} order by vid`,
  );
  return rows.map(({ range, digest, block_time: at }) => [
    range,
    digest,
    ...(at == null ? [] : [Number(at)]),
  ]);
}

describeDatabases("proofs of indexing in a database", ({ fresh }) => {
  let shared: Database;
  beforeAll(async () => {
    shared = await fresh();
  });

  test.each(
    recordedDeployments.filter(({ name }) => !others.has(name)),
  )("equal the proofs of a graph-node: $name", async (one) => {
    const database = shared;
    const base = recordedDeployments.find(({ name }) => name === one.graftOf);
    if (base) await index(database, base);
    await index(database, one);
    const { rows, head } = one;
    const hasTimes = rows.some(([, , time]) => time !== undefined);
    const got = (await rowsOf(database, one.deployment, hasTimes)) as typeof rows;
    const last = Math.min(head, (remembering[one.name] ?? Number.POSITIVE_INFINITY) - 1);
    const upTo = (all: typeof rows): typeof rows => all.filter(([range]) => startOf(range) <= last);
    expect(upTo(got)).toEqual(upTo(rows));
  });

  test.each(
    recordedDeployments.filter(({ name }) => name.startsWith("fatal")),
  )("are the same if the block that failed is tried again: $name", async (one) => {
    const database = await fresh();
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await index(database, one);
      const { id } = (await findDeployment(database, one.deployment)) ?? {};
      if (attempt === 0) await clearFatalError(database, id ?? 0);
    }
    expect(await rowsOf(database, one.deployment, false)).toEqual(one.rows);
  });

  test.each(
    recordedDeployments.filter(({ name }) => interrupted.has(name)),
  )("do not depend on restarts, kills and the sizes of batches: $name", async (one) => {
    const built = builtOf(one);
    for (let seed = 1; seed <= schedules; seed += 1) {
      const random = randomOf(seed);
      const database = await fresh();
      const [first, last = first] = [one.blocks[0]?.[0], one.blocks.at(-1)?.[0]];
      for (let reached = first ?? 0; reached <= (last ?? 0); ) {
        const deployment = await openDeployment(database, newDeployment(built, one.deployment));
        const store = openStore(database, deployment, built);
        reached += 1 + Math.floor(random() * 12);
        const blocks = one.blocks.filter(([number]) => number < reached);
        await play(built, store, blocks, one.logs, { waits: () => random() < 0.7 });
        // Otherwise it is as if the process had been killed: what waits in memory is lost, and run again.
        if (random() < 0.5 || reached > (last ?? 0)) await store.flush?.();
        else reached = ((await findDeployment(database, one.deployment))?.head?.number ?? first ?? 0) + 1;
      }
      const hasTimes = one.rows.some(([, , time]) => time !== undefined);
      const got = (await rowsOf(database, one.deployment, hasTimes)) as typeof one.rows;
      const kept = one.rows.filter(([range]) => startOf(range) < (remembering[one.name] ?? one.head + 1));
      expect(got.slice(0, kept.length), `seed ${seed}`).toEqual(kept);
    }
  });
});

async function index(database: Database, one: RecordedDeployment): Promise<void> {
  const built = builtOf(one);
  const graft = { reorgThreshold: 0 };
  const deployment = await openDeployment(database, newDeployment(built, one.deployment, { graft }));
  const store = openStore(database, deployment, built);
  const { replaced = [], blocks, logs } = one;
  for (const other of replaced) {
    const [[first = 0] = []] = other.blocks;
    const before = blocks.filter(([number]) => number < first - 2);
    const kept = before.at(-1);
    if (!kept) continue;
    await play(built, store, before, logs);
    await play(built, store, other.blocks, other.logs);
    await store.revert({ number: kept[0], hash: kept[1] });
  }
  await play(built, store, blocks, logs, { isFailFast: one.name === "non-fatal-fail-fast" });
}
