import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { queryNames } from "../../src/base/query-names.js";
import type { World } from "../../src/base/world.js";
import type { VerifyMode } from "../../src/runtime/indexer/verification.js";
import { openDatabase } from "../../src/store/open.js";
import type { BuiltSubgraph } from "../../src/subgraph/runnable/built-subgraph.js";
import { plainEntity } from "../runtime/harness.js";
import { cleanRun, differenceOf } from "../runtime/pool/pool-run.js";
import type { PoolSubgraph } from "../runtime/pool/pool-subgraphs.js";
import { serverDatabase, type TestDatabases, world } from "../support/database/databases.js";
import type { Pool } from "../support/pool/pool.js";
import { servePool } from "../support/pool/serve-pool.js";
import { type Bundle, bundleOf, type Host, host } from "./hosted.js";

/** A deployment, and the pool that is its network. */
export interface HostedPool {
  /** Which one it is, in words. */
  readonly of: string;
  readonly pool: Pool;
  readonly subgraph: PoolSubgraph;
}

/** Changes of a chain after which it stays as it is: it can be waited for then. */
const enoughChanges = 10;
/** Answers on the way that are held against the chain. */
const mostSamples = 2;
/** Looks at a deployment before it counts as one that stays where it is: ten minutes of them. */
const mostLooks = 3_000;
/** Looks at heads would be most of the work otherwise. */
const limits = { pollInterval: 150 };
/** Milliseconds. */
const longestWait = 1_500;

/** Waits no longer than a test can for what a pool never answers. */
const hasty: World = {
  ...world,
  timeout: (milliseconds) => world.timeout(Math.min(milliseconds, longestWait)),
};

/**
 * Has one server index pools, each as a network of its own, until all deployments are at their heads, and holds what they
 * answer, on the way and there, against what is on the chain.
 * @returns what was answered otherwise
 */
export async function hostPools(
  pools: readonly HostedPool[],
  { fresh, provider, verify }: Pick<TestDatabases, "fresh" | "provider"> & { readonly verify: VerifyMode },
): Promise<readonly string[]> {
  const nodes = new Map<string, readonly string[]>();
  for (const [index, { pool }] of pools.entries()) {
    const server = await servePool(pool);
    onTestFinished(() => server.stop());
    nodes.set(networkOf(index), [server.url]);
  }
  const made = await host({ ...(await hostDatabase(provider, fresh)), nodes, verify, world: hasty, limits });
  const bundles = pools.map(({ subgraph }, index) => bundleOn(networkOf(index), subgraph));
  for (const [index, bundle] of bundles.entries()) await made.deploy(bundle, `1.0.${index}`);
  const all = await Promise.all(
    pools.map(async (pool, index) => judge(pool, made, bundles[index]?.deployment ?? "")),
  );
  return all.flat();
}

const networkOf = (index: number): string => `pool-${index}`;

/** The threads of a server have connections of their own. */
async function hostDatabase(
  provider: TestDatabases["provider"],
  fresh: TestDatabases["fresh"],
): Promise<Pick<Parameters<typeof host>[0], "database" | "address">> {
  if (provider === "pglite") return { database: await fresh() };
  const address = await serverDatabase();
  const database = await openDatabase(address, world);
  onTestFinished(() => database.close());
  return { database, address };
}

/** What was compiled once, on another network. */
function bundleOn(network: string, { compiled: { files } }: PoolSubgraph): Bundle {
  const path = "build/subgraph.yaml";
  const manifest = String(files.get(path)).replaceAll("network: mainnet", `network: ${network}`);
  return { ...bundleOf({ files: new Map([...files, [path, manifest]]) }), network };
}

async function judge(
  { of, pool, subgraph: { built } }: HostedPool,
  made: Host,
  deployment: string,
): Promise<readonly string[]> {
  const query = queryOf(built);
  const different: string[] = [];
  const judged = new Set<string>();
  for (let look = 0; look < mostLooks; look++) {
    if (pool.changes >= enoughChanges) pool.settle();
    const found = await answerOf(made, deployment, query);
    const isThere = found?.hash === pool.tip.hash && pool.isStill;
    if (found && !judged.has(found.hash) && (isThere || judged.size < mostSamples)) {
      judged.add(found.hash);
      const expected = await rowsOf(built, pool, found.hash);
      if (found.rows !== expected)
        different.push(`${of}, block ${found.hash}\n${differenceOf(expected, found.rows)}`);
    }
    if (isThere) return different;
    const { fatalError } = (await made.status(deployment)) ?? {};
    if (fatalError) return [...different, `${of}: ${fatalError.message}`];
    await sleep(200);
  }
  const { headBlock, waitsFor = "nothing" } = (await made.status(deployment)) ?? {};
  return [
    ...different,
    `${of}: stays at block ${headBlock} of ${pool.tip.number}, and waits for ${waitsFor}`,
  ];
}

/** All that can be asked for of all entities; of others that they refer to, the id. */
function queryOf({ entities }: BuiltSubgraph): string {
  const all = [...entities.types].map(([type, { stored }]) => {
    const fields = stored.map(({ name, target }) => (target === undefined ? name : `${name} { id }`));
    return `${queryNames(type).plural}(first: 1000) { ${fields.join(" ")} }`;
  });
  return `{ _meta { block { hash } } ${all.join(" ")} }`;
}

interface Answered {
  /** Of the block that it is of. */
  readonly hash: string;
  readonly rows: string;
}

/** What is answered, if anything is yet. */
async function answerOf(made: Host, deployment: string, query: string): Promise<Answered | undefined> {
  const data = await made.query(deployment, query);
  if (typeof data !== "object" || data === null) return undefined;
  const { _meta, ...lists } = data as {
    readonly _meta: { readonly block: { readonly hash: string } };
  } & Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
  return { hash: _meta.block.hash, rows: textOf(Object.entries(lists)) };
}

/** What a clean run has of the chain that ends with a block. */
async function rowsOf(built: BuiltSubgraph, pool: Pool, hash: string): Promise<string> {
  const store = await cleanRun(hash, built, pool);
  const lists = [...built.entities.types.keys()].map(
    async (type) => [queryNames(type).plural, (await store.all(type)).map(plainEntity)] as const,
  );
  return textOf(await Promise.all(lists));
}

function textOf(lists: readonly (readonly [string, readonly Readonly<Record<string, unknown>>[]])[]): string {
  const lines = lists.flatMap(([name, rows]) =>
    rows.map((row) => {
      const fields = Object.entries(row).map(
        ([field, value]) => `${field} ${isReference(value) ? value.id : value}`,
      );
      return `${name} ${fields.sort().join(", ")}`;
    }),
  );
  return lines.sort().join("\n");
}

function isReference(value: unknown): value is { readonly id: string } {
  return typeof value === "object" && value !== null && "id" in value;
}
