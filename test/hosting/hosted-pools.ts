import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { queryNames } from "../../src/base/text/query-names.js";
import type { World } from "../../src/base/world.js";
import type { VerifyMode } from "../../src/runtime/indexer/logs/verification.js";
import { openDatabase } from "../../src/store/open.js";
import type { BuiltSubgraph } from "../../src/subgraph/runnable/built-subgraph.js";
import { plainEntity } from "../runtime/harness.js";
import { cleanRun, differenceOf } from "../runtime/pool/pool-run.js";
import type { PoolSubgraph } from "../runtime/pool/pool-subgraphs.js";
import { serverDatabase, type TestDatabases, world } from "../support/database/databases.js";
import { campaign } from "../support/pool/cases.js";
import type { Pool } from "../support/pool/pool.js";
import { servePool } from "../support/pool/serve-pool.js";
import { type Bundle, bundleOf, type Host, host } from "./hosted.js";

/** A deployment, and the pool that serves its network. */
export interface HostedPool {
  /** A description of the deployment. */
  readonly of: string;
  readonly pool: Pool;
  readonly subgraph: PoolSubgraph;
}

/** A chain stops changing after this many changes, so that the test can wait for the head. After each, runs wait and retry. */
const enoughChanges = campaign === undefined ? 2 : 10;
/** Intermediate answers that are compared with the chain. */
const mostSamples = 2;
/** Looks after which a deployment counts as stuck: ten minutes. */
const mostLooks = 3_000;
/** Poll rarely, because polling heads would otherwise be most of the work. */
const pollInterval = 150;
/** Milliseconds. */
const longestWait = 1_500;

/** Shortens timeouts, because a pool never answers some requests. */
const hasty: World = {
  ...world,
  timeout: (milliseconds) => world.timeout(Math.min(milliseconds, longestWait)),
};

/**
 * Lets one server index pools, each as a separate network, until all deployments reach their heads. Compares their
 * answers, on the way and at the head, with the chain.
 * @returns the answers that differ
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
  const made = await host({
    ...(await hostDatabase(provider, fresh)),
    nodes,
    verify,
    world: hasty,
    pollInterval,
  });
  const bundles = pools.map(({ subgraph }, index) => bundleOn(networkOf(index), subgraph));
  for (const [index, bundle] of bundles.entries()) await made.deploy(bundle, `1.0.${index}`);
  const all = await Promise.all(
    pools.map(async (pool, index) => judge(pool, made, bundles[index]?.deployment ?? "")),
  );
  return all.flat();
}

const networkOf = (index: number): string => `pool-${index}`;

/** The threads of a server use separate connections. */
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

/** A compiled subgraph, with its network replaced. */
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
        different.push(
          `${of}, block ${found.hash}\n${differenceOf(expected, found.rows)}\n${(await made.log(deployment)).join("\n")}`,
        );
    }
    if (isThere) return different;
    const { fatalError } = (await made.status(deployment)) ?? {};
    if (fatalError) return [...different, `${of}: ${fatalError.message}`];
    await sleep(200);
  }
  const { headBlock, waitsFor = "nothing" } = (await made.status(deployment)) ?? {};
  return [
    ...different,
    `${of}: stays at block ${headBlock} of ${pool.tip.number}, and waits for ${waitsFor}\n${(await made.log(deployment)).join("\n")}`,
  ];
}

/** The answer to a list has at most 1,000 entities. No pool makes more than these pages of a type. */
const pages = [0, 1_000, 2_000, 3_000, 4_000, 5_000];

/** A query for every field of all entities, with the ids of the entities they refer to. */
function queryOf({ entities }: BuiltSubgraph): string {
  const all = [...entities.types].map(([type, { stored }]) => {
    const fields = stored.map(({ name, target }) => (target === undefined ? name : `${name} { id }`));
    const { plural } = queryNames(type);
    return pages.map(
      (skip) => `${plural}_${skip}: ${plural}(first: 1000, skip: ${skip}) { ${fields.join(" ")} }`,
    );
  });
  return `{ _meta { block { hash } } ${all.flat().join(" ")} }`;
}

interface Answered {
  /** The hash of the answer's block. */
  readonly hash: string;
  readonly rows: string;
}

/** The current answer, if there is one yet. */
async function answerOf(made: Host, deployment: string, query: string): Promise<Answered | undefined> {
  const data = await made.query(deployment, query);
  if (typeof data !== "object" || data === null) return undefined;
  const { _meta, ...lists } = data as {
    readonly _meta: { readonly block: { readonly hash: string } };
  } & Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
  return {
    hash: _meta.block.hash,
    rows: textOf(Object.entries(lists).map(([page, rows]) => [page.replace(/_\d+$/, ""), rows])),
  };
}

/** The rows of a clean run on the chain up to a block. */
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
