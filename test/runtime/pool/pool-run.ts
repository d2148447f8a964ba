import type { World } from "../../../src/base/world.js";
import { type Chain, ChainError } from "../../../src/runtime/chain/chain.js";
import { createRpcClient, type RpcClient } from "../../../src/runtime/chain/rpc/rpc-client.js";
import { createRpcChain } from "../../../src/runtime/chain/rpc-chain.js";
import type { VerifyMode } from "../../../src/runtime/indexer/logs/verification.js";
import { run } from "../../../src/runtime/run-subgraph.js";
import { MemoryStore } from "../../../src/runtime/store/memory-store.js";
import type { Store } from "../../../src/runtime/store/store.js";
import type { BuiltSubgraph } from "../../../src/subgraph/runnable/built-subgraph.js";
import { topics } from "../../support/pool/contracts.js";
import { drawFrom } from "../../support/pool/draw.js";
import { Unanswered } from "../../support/pool/faults.js";
import { Pool, type PoolOptions } from "../../support/pool/pool.js";
import { plainEntity } from "../harness.js";

/** What came of a run on a pool. */
export type PoolOutcome =
  | { readonly kind: "whole" }
  /** It ended with a `ChainError` that says why. */
  | { readonly kind: "ended"; readonly why: string }
  /** What it wrote is not what is on the chain: what must never be. */
  | { readonly kind: "different"; readonly difference: string };

/** How a run on a pool differs from the usual. */
export interface PoolRun {
  /** Blocks beyond those there are. */
  readonly more?: number;
  /** The pool, where somebody wants to look into it. */
  readonly pool?: Pool;
  readonly verify?: VerifyMode;
  /** Where it is written; in memory by default. */
  readonly store?: Store;
}

/** Follows a pool's chain for so many blocks beyond those there are, and compares with a run on a faultless node. */
export async function runOnPool(
  built: BuiltSubgraph,
  options: PoolOptions,
  { more = 12, pool = new Pool(options), verify, store = new MemoryStore(built.entities) }: PoolRun = {},
): Promise<PoolOutcome> {
  const to = options.length + more;
  const { chain, pause, random } = chainOf(pool, options.seed);
  const waitForBlocks = async (): Promise<boolean> => {
    pool.grow();
    return true;
  };
  const outcome = await run(built, chain, store, { from: 0, to, pause, random, waitForBlocks, verify }).then(
    ({ failure }) => failure?.error.message,
    (error: unknown) => {
      if (error instanceof ChainError) return error.message;
      throw error;
    },
  );
  const head = await store.head();
  const difference = head && (await differenceAt(head.hash, built, pool, await everything(built, store)));
  if (difference !== undefined) return { kind: "different", difference };
  if (outcome !== undefined) return { kind: "ended", why: outcome };
  // The last block may be replaced after it was read, and so may numbers at the end that had no block.
  if (head && (head.number === to || pool.hadGapAfter(head.hash, to))) return { kind: "whole" };
  return {
    kind: "different",
    difference: `nothing was said, and it ended with block ${head?.number} of ${to}`,
  };
}

/** What draws and waits on a pool, where waiting takes no time. */
interface PoolTime {
  readonly pause: (wait: number) => Promise<void>;
  readonly random: () => number;
}

/** A chain on a pool. */
export function chainOf(pool: Pick<Pool, "fetch">, seed: number): PoolTime & { readonly chain: Chain } {
  const { client, ...time } = pooledClient(pool, seed);
  return { chain: createRpcChain(client), ...time };
}

/** A client of a pool. */
export function pooledClient(
  pool: Pick<Pool, "fetch">,
  seed: number,
): PoolTime & { readonly client: RpcClient } {
  const { chance: random } = drawFrom(seed + 1_000_003);
  let now = 1_700_000_000_000;
  const waiting = new Map<AbortSignal, AbortController>();
  const pause = async (wait: number): Promise<void> => {
    now += wait;
  };
  const world: World = {
    fetch: async (url, request) => {
      try {
        return await pool.fetch(String(url), request ?? {});
      } catch (error) {
        if (error instanceof Unanswered && request?.signal) {
          now += 30_000;
          waiting.get(request.signal)?.abort();
        }
        throw error;
      } finally {
        if (request?.signal) waiting.delete(request.signal);
      }
    },
    now: () => now,
    sleep: pause,
    timeout: () => {
      const controller = new AbortController();
      waiting.set(controller.signal, controller);
      return controller.signal;
    },
    random,
  };
  return { client: createRpcClient("http://pool.example", world), pause, random };
}

/** What a clean run writes up to a block that is the last one. */
export async function cleanRun(hash: string, built: BuiltSubgraph, pool: Pool): Promise<MemoryStore> {
  const clean = new MemoryStore(built.entities);
  const { chain } = chainOf(pool.faultless(hash), 0);
  await run(built, chain, clean, { from: 0 });
  return clean;
}

/**
 * Whatever was written up to a block has to be what a clean run writes up to it, and a row for each log of the chain, which
 * no run has counted.
 * @param found as `everything` tells it
 * @returns what is different, if anything is
 */
async function differenceAt(
  hash: string,
  built: BuiltSubgraph,
  pool: Pool,
  found: string,
): Promise<string | undefined> {
  const clean = await cleanRun(hash, built, pool);
  const expected = await everything(built, clean);
  if (found !== expected) return differenceOf(expected, found);
  return uncounted(clean, hash, built, pool);
}

/** Logs of which there are more or fewer than rows. */
async function uncounted(
  store: Store,
  hash: string,
  built: BuiltSubgraph,
  pool: Pool,
): Promise<string | undefined> {
  for (const [type, topic] of Object.entries(topics)) {
    if (!built.entities.types.has(type)) continue;
    const logs = pool.logsUpTo(hash).filter((log) => log.topics[0] === topic).length;
    const rows = (await store.all(type)).length;
    if (rows !== logs) return `${rows} of ${type} for ${logs} logs`;
  }
  return undefined;
}

/** The first lines that two texts do not have in common. */
export function differenceOf(expected: string, found: string): string {
  const [wanted, had] = [expected.split("\n"), found.split("\n")];
  const lacking = wanted.filter((line) => !had.includes(line)).map((line) => `- ${line}`);
  const more = had.filter((line) => !wanted.includes(line)).map((line) => `+ ${line}`);
  return [...lacking.slice(0, 5), ...more.slice(0, 5), `${lacking.length} lacking, ${more.length} more`].join(
    "\n",
  );
}

/** All entities as one text. */
export async function everything(built: BuiltSubgraph, store: Store): Promise<string> {
  const lines: string[] = [];
  for (const type of built.entities.types.keys()) {
    for (const entity of await store.all(type)) lines.push(`${type} ${textOf(plainEntity(entity))}`);
  }
  const sources = (await store.dataSources()).map(
    ({ address, creationBlock }) => `source ${address} of ${creationBlock}`,
  );
  return [...lines, ...sources].sort().join("\n");
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? `${one}n` : one));
}
