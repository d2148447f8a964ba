import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../../../src/runtime/store/store.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { quoteName, quoteNames } from "../../../src/store/database/quote.js";
import { type Deployment, layoutOf, openDeployment } from "../../../src/store/deployments/deployments.js";
import { openStore } from "../../../src/store/entities/open-store.js";
import { TableFeed } from "../../../src/store/tables/table-feed.js";
import type { EntityChange } from "../../../src/subgraph/schema/entity.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { bigInt, int, int8, set, text, timestamp } from "../../runtime/store/values.js";
import { describeDatabases } from "../../support/database/databases.js";
import { fullWhen } from "../../support/database/full-database.js";
import { propertyRun } from "../../support/property/property-run.js";
import { currentRows, Sink } from "../tables/sink.js";
import { type PlainRow, type Point, type PointBlock, rolledUp, schema } from "./roll-up-model.js";

const entities = readEntitySchema(schema);
const built = { entities, dataSources: [], templates: [] };

let builds = 0;

const deploy = (database: Database): Promise<Deployment> =>
  openDeployment(database, {
    deployment: `QmRolled${builds++}`,
    network: "mainnet",
    schema,
    startBlock: 0,
  });

/** Midnight of some day. */
const midnight = 1_700_006_400;
const hash = (number: number, fork: string): string => `0x${fork}${number}`;

function commit(store: Store, { number, time, points }: PointBlock, fork = "a", more = false): Promise<void> {
  const changes = points.map(({ id, pool, side, amount, fee }): EntityChange => {
    const fields = {
      id: int8(id),
      timestamp: timestamp(BigInt(time) * 1_000_000n),
      pool: text(pool),
      amount: int(amount),
      ...(side !== null && { side: text(side) }),
      ...(fee !== null && { fee: bigInt(fee) }),
    };
    return set("Swap", String(id), fields);
  });
  const label = set("Label", "all", { swaps: int(points.length) });
  const block = { number, hash: hash(number, fork), timestamp: BigInt(time) };
  return store.commit(block, { changes: [...changes, label], dataSources: [] }, { more });
}

/** The rows that graph-node would keep, without vids. */
async function tablesOf(
  database: Database,
  { namespace }: Deployment,
): Promise<ReadonlyMap<string, readonly PlainRow[]>> {
  const found = new Map<string, readonly PlainRow[]>();
  for (const name of rolledUp([]).keys()) {
    const rows = await database.query(
      SQL`select (select jsonb_object_agg(key, value) from jsonb_each_text(to_jsonb(t) - 'vid')) as row
        from ${quoteNames(namespace, name)} t order by block$, id`,
    );
    found.set(
      name,
      rows.map(({ row }) => JSON.parse(row ?? "{}")),
    );
  }
  return found;
}

const point = (number: number, n: number, fields: Partial<Point> = {}): Point => ({
  id: (BigInt(number) << 32n) + BigInt(n),
  pool: "p",
  side: null,
  amount: 1,
  fee: null,
  ...fields,
});

describeDatabases("aggregations in tables", ({ fresh }) => {
  let database: Database;
  beforeAll(async () => {
    database = await fresh();
    await migrate(database);
  });

  const open = async (limits = {}): Promise<{ store: Store; deployment: Deployment }> => {
    const deployment = await deploy(database);
    return { deployment, store: openStore(database, deployment, built, limits) };
  };
  const hours = async ({ namespace }: Deployment): Promise<readonly string[]> => {
    const rows = await database.query(
      SQL`select block$, extract(epoch from "timestamp") - ${midnight} as since, ever_total from ${quoteName(namespace)}.pool_stats_hour order by vid`,
    );
    return rows.map(({ block$, since, ever_total }) => `${block$}: ${Number(since)} ${ever_total}`);
  };
  const blockAt = (number: number, since: number, ...amounts: number[]): PointBlock => ({
    number,
    time: midnight + since,
    points: amounts.map((amount, n) => point(number, n, { amount })),
  });

  test("the store writes aggregations with the first block of a later hour, even an empty one", async () => {
    const { store, deployment } = await open();
    await commit(store, blockAt(1, 0, 5));
    await commit(store, blockAt(2, 3599, 7));
    expect(await hours(deployment)).toEqual([]);
    await commit(store, blockAt(9, 3600));
    expect(await hours(deployment)).toEqual(["9: 0 12"]);
    await commit(store, blockAt(10, 3600, 1));
    await commit(store, blockAt(11, 9 * 3600, 2));
    await commit(store, blockAt(12, 10 * 3600));
    expect(await hours(deployment)).toEqual(["9: 0 12", "11: 3600 13", "12: 32400 15"]);
  });

  test("the store writes aggregations with a block whose handler fails for good, as graph-node does", async () => {
    const { store, deployment } = await open();
    await commit(store, blockAt(1, 0, 5));
    const block = { number: 2, hash: hash(2, "a"), timestamp: BigInt(midnight + 3600) };
    const failure = {
      handler: "handleSwap",
      source: "Pool",
      block: 2,
      blockHash: block.hash,
      transactionHash: undefined,
      logIndex: undefined,
      error: new Error("no"),
    };
    await store.fail?.({ ...failure, isDeterministic: false }, block);
    expect(await hours(deployment)).toEqual([]);
    await store.fail?.({ ...failure, isDeterministic: true }, block);
    expect(await hours(deployment)).toEqual(["2: 0 5"]);
  });

  test("the store writes the aggregations of several hours in one transaction in order", async () => {
    const { store, deployment } = await open();
    for (let hour = 0; hour < 5; hour++)
      await commit(store, blockAt(hour + 1, hour * 3600, hour + 1), "a", true);
    await store.flush?.();
    expect(await hours(deployment)).toEqual(["2: 0 1", "3: 3600 3", "4: 7200 6", "5: 10800 10"]);
  });

  test("the store reverts aggregations with the block that wrote them, and writes them with the next block", async () => {
    const { store, deployment } = await open();
    await commit(store, blockAt(1, 0, 5));
    await commit(store, blockAt(2, 3600, 7));
    await commit(store, blockAt(3, 7200));
    await store.revert({ number: 1, hash: hash(1, "a") });
    expect(await hours(deployment)).toEqual([]);
    await commit(store, blockAt(2, 10, 1), "b");
    expect(await hours(deployment)).toEqual([]);
    await commit(store, blockAt(3, 3601), "b");
    expect(await hours(deployment)).toEqual(["3: 0 6"]);
  });

  test("the store writes aggregations after a restart", async () => {
    const { store, deployment } = await open();
    await commit(store, blockAt(1, 0, 5));
    await commit(
      openStore(database, { ...deployment, head: { number: 1, hash: hash(1, "a") } }, built),
      blockAt(2, 3600),
    );
    expect(await hours(deployment)).toEqual(["2: 0 5"]);
  });

  test("the store commits aggregations together with their block or not at all", async () => {
    let fails = false;
    const failing = fullWhen(database, () => fails);
    const deployment = await deploy(database);
    const store = openStore(failing, deployment, built);
    await commit(store, blockAt(1, 0, 5));
    fails = true;
    await expect(commit(store, blockAt(2, 3600))).rejects.toThrow("no space left");
    expect(await hours(deployment)).toEqual([]);
    const again = openStore(database, { ...deployment, head: { number: 1, hash: hash(1, "a") } }, built);
    await commit(again, blockAt(2, 3600));
    expect(await hours(deployment)).toEqual(["2: 0 5"]);
  });

  test("the store refuses blocks without a timestamp when there are aggregations", async () => {
    const { store } = await open();
    const untimed = store.commit({ number: 1, hash: "0x1" }, { changes: [], dataSources: [] });
    await expect(untimed).rejects.toThrow(
      "block 1 has no timestamp, which the aggregations of the schema require",
    );
  });

  describe("after any blocks and reversals", () => {
    test("aggregations match their points in tables and feeds after any commits and reverts", async () => {
      const seen = { rows: 0, cumulated: 0, reversals: 0 };
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyStep, { minLength: 5, maxLength: 25 }),
          fc.integer({ min: 1, max: 12 }),
          async (steps, mostChanges) => {
            const deployment = await deploy(database);
            const layout = layoutOf(deployment);
            const feed = new TableFeed({ database, deployment: deployment.id, layout, reader: "one" });
            const sink = new Sink(feed);
            await sink.begin(3);
            let store = openStore(database, deployment, built, { mostChanges });
            const blocks: (PointBlock & { readonly fork: string })[] = [];
            for (const [index, step] of steps.entries()) {
              const fork = `f${index}-`;
              if (step.kind === "revert") {
                blocks.length = Math.floor(step.share * blocks.length);
                const last = blocks.at(-1);
                await store.revert(last && { number: last.number, hash: hash(last.number, last.fork) });
                seen.reversals += 1;
              } else if (step.kind === "restart") {
                await store.flush?.();
                const head = await store.head();
                store = openStore(database, { ...deployment, ...(head && { head }) }, built, { mostChanges });
              } else {
                const before = blocks.at(-1);
                const number = (before?.number ?? 0) + step.skip;
                const points = step.points.map((fields, n) => point(number, n, fields));
                const block = { number, time: (before?.time ?? midnight) + step.seconds, points };
                await commit(store, block, fork, step.more);
                blocks.push({ ...block, fork });
              }
            }
            await store.flush?.();
            const expected = rolledUp(blocks);
            expect(await tablesOf(database, deployment)).toEqual(expected);
            for (const rows of expected.values()) seen.rows += rows.length;
            seen.cumulated +=
              expected.get("pool_stats_hour")?.filter((row) => row.ever_swaps !== row.swaps).length ?? 0;
            await sink.drain(4, true);
            expect(new Map([...sink.rows].sort())).toEqual(
              new Map([...(await currentRows(database, layout))].sort()),
            );
          },
        ),
        propertyRun(12),
      );
      expect(Math.min(seen.rows, seen.cumulated, seen.reversals)).toBeGreaterThan(8);
    });
  });
});

type Step =
  | {
      readonly kind: "commit";
      readonly skip: number;
      readonly seconds: number;
      readonly more: boolean;
      readonly points: readonly Partial<Point>[];
    }
  | { readonly kind: "revert"; readonly share: number }
  | { readonly kind: "restart" };

const anyPoint: fc.Arbitrary<Partial<Point>> = fc.record({
  pool: fc.constantFrom("p", "q"),
  side: fc.constantFrom(null, "buy", "sell"),
  amount: fc.integer({ min: -5, max: 9 }),
  fee: fc.oneof(fc.constant(null), fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n })),
});
/** Evenly spaced: most random doubles are tiny. */
const anyShare = fc.integer({ min: 0, max: 20 }).map((twentieths) => twentieths / 20);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("commit" as const),
      skip: fc.integer({ min: 1, max: 3 }),
      seconds: fc.constantFrom(0, 1, 12, 1800, 3599, 3600, 3601, 7200, 40_000, 86_400, 200_000),
      more: fc.boolean(),
      points: fc.array(anyPoint, { maxLength: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("revert" as const),
      share: anyShare,
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "restart" as const }) },
);
