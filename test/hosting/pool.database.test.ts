import { beforeAll, expect, it } from "vitest";
import { openDeployment } from "../../src/store/deployments/deployments.js";
import { newDeployment } from "../../src/store/deployments/new-deployment.js";
import { openStore } from "../../src/store/entities/open-store.js";
import { runOnPool } from "../runtime/pool/pool-run.js";
import { type PoolSubgraph, poolSubgraphs } from "../runtime/pool/pool-subgraphs.js";
import { describeDatabase } from "../support/database/databases.js";
import { campaign, type PoolCase, poolCase, poolKinds, seedsOf } from "../support/pool/cases.js";
import { poolConfigs } from "../support/pool/contracts.js";
import { Pool } from "../support/pool/pool.js";
import { bundleOf } from "./hosted.js";
import { type HostedPool, hostPools } from "./hosted-pools.js";

/*
 * The first of the pools that also run in memory. A campaign runs more of them and starts from a given seed:
 * GRAPHLOOM_POOL_SEEDS=100 GRAPHLOOM_POOL_FIRST=5000 npm run campaign:pool
 */
const names = Object.keys(poolConfigs);
const kinds = Object.keys(poolKinds);
const combinations = names.flatMap((name) => kinds.map((kind) => ({ name, kind })));
/** The kinds alternate. */
const casesOf = (count: number) =>
  seedsOf(count).flatMap((seed) => {
    const combination = combinations[seed % combinations.length];
    return combination ? [{ seed, ...combination }] : [];
  });
/** Milliseconds. A pool needs much time on a busy machine. */
const patience = 100_000_000;
/** Deployments per server. While one waits, the others continue. */
const together = 9;

let subgraphs: ReadonlyMap<string, PoolSubgraph>;
beforeAll(async () => {
  subgraphs = await poolSubgraphs();
});

function subgraphOf(name: string): PoolSubgraph {
  const subgraph = subgraphs.get(name);
  if (!subgraph) throw new Error(`there is no subgraph of ${name}`);
  return subgraph;
}

describeDatabase("runs on pools of nodes", campaign !== undefined, ({ fresh }) => {
  it(
    "runs on pools of nodes write exactly the chain's data",
    async () => {
      const database = await fresh();
      const bad: string[] = [];
      const ended: string[] = [];
      const cases = casesOf(campaign ?? 3);
      for (const { seed, name, kind } of cases) {
        const { compiled, built } = subgraphOf(name);
        const { options, ...how } = poolCase(seed, kind);
        const id = `${bundleOf(compiled).deployment} ${seed}`;
        const deployment = await openDeployment(database, newDeployment(built, id));
        const store = openStore(database, deployment, built);
        const outcome = await runOnPool(built, options, { pool: new Pool(options), store, ...how });
        const of = `${name}, ${kind}, seed ${seed}`;
        if (outcome.kind === "ended") ended.push(`${of}: ${outcome.why}`);
        if (outcome.kind === "different") bad.push(`${of}\n${outcome.difference}`);
      }
      if (ended.length > 0) console.log(`${ended.length} of ${cases.length} ended\n${ended.join("\n")}`);
      expect(bad).toEqual([]);
      expect(ended.length).toBeLessThan(cases.length / 2);
    },
    patience,
  );
});

/*
 * Servers wait between attempts, minutes in total on chains as long as those above. So outside of a campaign they have
 * short chains, one database, and three pools: each kind once.
 */
const mostBlocks = campaign === undefined ? 6 : Number.POSITIVE_INFINITY;

/** The case of a seed as a server has it. */
function hostedCase(seed: number, kind: string): PoolCase {
  const { options, ...how } = poolCase(seed, kind);
  return { ...how, options: { ...options, length: Math.min(options.length, mostBlocks) } };
}

/** The cases that one server hosts together, by how it verifies logs. */
const batches = (["bloom", "receipts"] as const).flatMap((verify) => {
  const all = casesOf(campaign ?? 3).map((one) => ({ ...one, ...hostedCase(one.seed, one.kind) }));
  const own = all.filter((one) => one.verify === verify);
  return Array.from({ length: Math.ceil(own.length / together) }, (_, index) => {
    const cases = own.slice(index * together, (index + 1) * together);
    return [verify, cases.map(({ seed }) => seed).join(", "), cases] as const;
  });
});

describeDatabase(
  "a server with deployments on pools of nodes",
  campaign !== undefined,
  ({ fresh, provider }) => {
    it.each(batches)(
      "a server that verifies logs by %s reaches the heads and answers only the chain's data, seeds %s",
      async (verify, _, cases) => {
        const pools = cases.map(
          ({ seed, name, kind, options }): HostedPool => ({
            of: `${name}, ${kind}, seed ${seed}`,
            pool: new Pool(options),
            subgraph: subgraphOf(name),
          }),
        );
        expect(await hostPools(pools, { fresh, provider, verify })).toEqual([]);
      },
      patience,
    );
  },
);
