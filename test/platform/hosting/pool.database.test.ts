import { beforeAll, describe, expect, it } from "vitest";
import type { Compilation } from "../../../src/exports/index.js";
import { openDeployment } from "../../../src/platform/catalog/deployments.js";
import { newDeployment } from "../../../src/platform/catalog/new-deployment.js";
import { openStore } from "../../../src/platform/entities/open-store.js";
import { run } from "../../../src/runtime/run-subgraph.js";
import { MemoryStore } from "../../../src/runtime/store/memory-store.js";
import type { BuiltSubgraph } from "../../../src/subgraph/runnable/built-subgraph.js";
import { readRunnable } from "../../../src/subgraph/runnable/read-runnable.js";
import { buildConfig, plainEntity } from "../../runtime/harness.js";
import { chainOf, runOnPool } from "../../runtime/pool/pool-run.js";
import { describeDatabases, onPglite } from "../../support/databases.js";
import { poolConfigs } from "../../support/pool/contracts.js";
import { Pool, type PoolOptions } from "../../support/pool/pool.js";
import { servePool } from "../../support/pool/serve-pool.js";
import { type Bundle, bundleOf, host, until } from "./hosted.js";

/*
 * A few seeds. A campaign has more, and goes on from where it is told:
 * GRAPHLOOM_POOL_SEEDS=100 GRAPHLOOM_POOL_FIRST=5000 npm run campaign:pool
 */
const seeds = Math.ceil(Number(process.env.GRAPHLOOM_POOL_SEEDS ?? 10) / 10);
const first = Number(process.env.GRAPHLOOM_POOL_FIRST ?? 1);
const drawn = Array.from({ length: seeds }, (_, index) => first + index);
const kinds: readonly (readonly [string, Pick<PoolOptions, "disturbance" | "lag" | "cuts">])[] = [
  ["disturbed", { disturbance: 0.05, lag: 0.05 }],
  ["that cut a third of all lists of logs short", { disturbance: 0.01, lag: 0, cuts: 0.3 }],
];
/** Milliseconds: a pool asks much of a busy machine. */
const patience = 600_000;
const cases = kinds.flatMap(([name, kind]) => drawn.map((seed) => [name, seed, kind] as const));

let compiled: Compilation;
let built: BuiltSubgraph;
let bundle: Bundle;
beforeAll(async () => {
  compiled = await buildConfig(poolConfigs.events ?? {});
  bundle = bundleOf(compiled);
  const own = [...compiled.files].filter(([path]) => path.startsWith("build/"));
  const files = new Map(own.map(([path, content]) => [path.slice("build/".length), content]));
  built = readRunnable({ manifest: "subgraph.yaml", files });
});

describeDatabases("a run on a pool of nodes", ({ fresh }) => {
  it.each(cases)(
    "%s, seed %i: writes what is there, and nothing else",
    async (_, seed, kind) => {
      const database = await fresh();
      const deployment = await openDeployment(database, newDeployment(built, bundle.deployment));
      const store = openStore(database, deployment, built);
      const options = { seed, length: 30, busy: 0.6, change: 0.1, ...kind };
      const outcome = await runOnPool(built, options, { store });
      expect(outcome).toEqual({ kind: "whole" });
    },
    patience,
  );
});

describe("a hosted deployment on a pool of nodes", () => {
  const { fresh } = onPglite();

  it.each(cases)(
    "%s, seed %i: gets to the head, and has what is there",
    async (_, seed, kind) => {
      // The server waits for half a minute for what is not answered.
      const without = ["no answer in time", "status 429"];
      const pool = new Pool({ seed, length: 40, busy: 0.6, change: 0.02, without, ...kind });
      const server = await servePool(pool);
      try {
        const made = await host({ database: await fresh(), nodes: [server.url] });
        await made.deploy(bundle);
        const head = async (): Promise<number> => (await made.status(bundle.deployment))?.headBlock ?? -1;
        await until("it has begun", head, (number) => number > 20);
        pool.settle();
        const answer = (): Promise<unknown> => made.query(bundle.deployment, allEntities);
        const expected = await wholeOf(pool);
        await until("it is at the head", answer, (data) => hashOf(data) === pool.tip.hash);
        expect(await answer()).toMatchObject(expected);
      } finally {
        await server.stop();
      }
    },
    patience,
  );
});

const allEntities = `{
  _meta { block { hash } }
  mades(first: 1000, orderBy: id) { id token number }
  moveds(first: 1000, orderBy: id) { id amount to }
}`;

function hashOf(data: unknown): string | undefined {
  return (data as { readonly _meta?: { readonly block: { readonly hash: string } } } | undefined)?._meta
    ?.block.hash;
}

/** What a clean run has, as the query tells it. */
async function wholeOf(pool: Pool): Promise<object> {
  const store = new MemoryStore(built.entities);
  const { chain } = chainOf(pool.faultless(pool.tip.hash), 0);
  await run(built, chain, store, { from: 0 });
  const all = async (type: string, names: readonly string[]): Promise<readonly object[]> => {
    const entities = (await store.all(type)).map(plainEntity);
    const rows = entities.map((entity) =>
      Object.fromEntries(names.map((name) => [name, String(entity[name])])),
    );
    return rows.sort((one, other) => (String(one.id) < String(other.id) ? -1 : 1));
  };
  return {
    mades: await all("Made", ["id", "token", "number"]),
    moveds: await all("Moved", ["id", "amount", "to"]),
  };
}
