import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { Store, WrittenBlock } from "../../../src/runtime/store/store.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { quoteNames } from "../../../src/store/database/quote.js";
import {
  type Deployment,
  layoutOf,
  type NewDeployment,
  openDeployment,
} from "../../../src/store/deployments/deployments.js";
import type { Graft } from "../../../src/store/deployments/graft.js";
import { readHandlerCounts } from "../../../src/store/deployments/handler-counts.js";
import { openStore } from "../../../src/store/entities/open-store.js";
import type { EntityChange } from "../../../src/subgraph/schema/entity.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { int, int8, list, remove, set, text, timestamp } from "../../runtime/store/values.js";
import { describeDatabase } from "../../support/database/databases.js";
import { propertyRun } from "../../support/property/property-run.js";

const baseSchema = `
  type _Schema_ @fulltext(
    name: "search", language: en, algorithm: rank, include: [{ entity: "Note", fields: [{ name: "body" }] }]
  )
  enum Side { SELL BUY }
  type Token @entity { id: ID! name: String! side: Side sides: [Side!] }
  type Note @entity(immutable: true) { id: ID! body: String }
  type Gone @entity { id: ID! }
  type Tick @entity(timeseries: true) { id: Int8! timestamp: Timestamp! n: Int! }
  type Count @aggregation(intervals: ["hour"], source: "Tick") {
    id: Int8! timestamp: Timestamp! n: Int! @aggregate(fn: "sum", arg: "n", cumulative: true)
  }
`;
const newSchema = baseSchema
  .replace("SELL BUY", "BUY HOLD SELL")
  .replace("type Gone @entity { id: ID! }", "type New @entity { id: ID! }")
  .replace("{ id: ID! name: String! side", "{ id: ID! more: Int name: String side");

const hour = 3600n;
const blockAt = (number: number, fork = "a"): WrittenBlock => ({
  number,
  hash: `0x${fork}${number}`,
  parentHash: `0x${fork}${number - 1}`,
  timestamp: BigInt(number) * hour,
});
const tick = (block: number) => {
  const id = BigInt(block) << 32n;
  return set("Tick", String(id), {
    id: int8(id),
    timestamp: timestamp(BigInt(block) * hour * 1_000_000n),
    n: int(block),
  });
};

const storeOf = (
  database: Database,
  deployment: Deployment,
  names: readonly string[] = ["Source", "Pool", "T"],
) =>
  openStore(database, deployment, {
    entities: readEntitySchema(deployment.schema),
    dataSources: [1],
    templates: names.slice(1).map((name) => ({ name })),
  });

/** Blocks 2, 4, 6 and 7 of the base. */
async function indexBase(store: Store): Promise<void> {
  const pool = (creationBlock: number) => ({ template: "T", address: `0x0${creationBlock}`, creationBlock });
  const side = { side: text("BUY"), sides: list(text("SELL"), text("BUY")) };
  await store.commit(blockAt(2), {
    changes: [
      set("Token", "a", { name: text("one"), ...side }),
      set("Token", "b", { name: text("b") }),
      set("Note", "n", { body: text("rocking rolls") }),
      tick(2),
    ],
    dataSources: [pool(2)],
  });
  await store.commit(blockAt(4), {
    changes: [set("Token", "a", { name: text("two") }), tick(4)],
    dataSources: [],
  });
  await store.commit(blockAt(6), {
    changes: [
      remove("Token", "b"),
      set("Note", "later", {}),
      set("Token", "c", { name: text("c") }),
      tick(6),
    ],
    dataSources: [pool(6)],
  });
  await store.commit(blockAt(7), { changes: [set("Token", "a", { name: text("three") })], dataSources: [] });
}

let builds = 0;

type Step =
  | { readonly kind: "commit"; readonly skip: number; readonly changes: readonly EntityChange[] }
  | { readonly kind: "revert"; readonly share: number };

const anyChange: fc.Arbitrary<EntityChange> = fc
  .tuple(fc.constantFrom("a", "b", "c"), fc.constantFrom("BUY", "SELL", undefined))
  .map(([id, side]) =>
    side === undefined
      ? remove("Token", id)
      : set("Token", id, { name: text(id), side: text(side), sides: list(text(side)) }),
  );
/** Evenly spaced: most random doubles are tiny. */
const anyShare = fc.integer({ min: 0, max: 20 }).map((twentieths) => twentieths / 20);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("commit" as const),
      skip: fc.integer({ min: 1, max: 3 }),
      changes: fc.uniqueArray(anyChange, { maxLength: 3, selector: ({ id }) => id }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("revert" as const),
      share: anyShare,
    }),
  },
);

/** A graft at a block that may still be reorganised. */
const at = (base: string, block: number): Graft => ({ base, block, reorgThreshold: 0 });

const rowsOf = async (
  database: Database,
  { namespace }: Deployment,
  table: string,
): Promise<readonly unknown[]> => {
  const rows = await database.query(
    SQL`select (select jsonb_object_agg(key, value) from jsonb_each_text(jsonb_strip_nulls(to_jsonb(t)))) as row
      from ${quoteNames(namespace, table)} t order by vid`,
  );
  return rows.map(({ row }) => JSON.parse(row ?? "null"));
};

describeDatabase("grafts", process.env.GRAPHLOOM_PROPERTY_RUNS !== undefined, ({ fresh }) => {
  let database: Database;
  beforeEach(async () => {
    database = await fresh();
    await migrate(database);
  });

  const wanted = (given: Partial<NewDeployment> = {}): NewDeployment => ({
    deployment: "QmNew",
    network: "mainnet",
    schema: newSchema,
    startBlock: 1,
    sourceNames: ["T", "T", "Pool"],
    graft: at("QmBase", 5),
    ...given,
  });
  const makeBase = async (given: Partial<NewDeployment> = {}): Promise<Deployment> => {
    const names = ["Source", "Pool", "T"];
    const own = { deployment: "QmBase", schema: baseSchema, sourceNames: names, startBlock: 2, ...given };
    const { graft: _, ...plain } = wanted(own);
    return openDeployment(database, plain);
  };

  describe("onto a base that has the block", () => {
    let base: Deployment;
    let grafted: Deployment;
    beforeEach(async () => {
      base = await makeBase();
      await indexBase(storeOf(database, base));
      grafted = await openDeployment(database, wanted());
    });

    test("counts what handlers do after the block", async () => {
      expect(await readHandlerCounts(database, grafted.id)).toEqual({ after: 5, counts: [] });
    });

    test("takes over the base's state as of the block", async () => {
      const a = { id: "a", side: "BUY", sides: "{SELL,BUY}" };
      expect(await rowsOf(database, grafted, "token")).toEqual([
        { vid: "8589934692", block_range: "[2,4)", name: "one", ...a, sides: '["SELL", "BUY"]' },
        { vid: "8589934693", block_range: "[2,)", name: "b", id: "b" },
        { vid: "17179869284", block_range: "[4,)", name: "two", id: "a" },
      ]);
      expect(await rowsOf(database, grafted, "note")).toEqual([
        { vid: "8589934694", block$: "2", id: "n", body: "rocking rolls", search: "'rock':1 'roll':2" },
      ]);
      expect(await rowsOf(database, grafted, "new")).toEqual([]);
      expect(await rowsOf(database, grafted, "count_hour")).toMatchObject([
        { vid: "1", block$: "4", n: "2" },
      ]);
      expect(grafted).toMatchObject({ startBlock: 1, earliestBlock: 2, head: { number: 5, hash: "0xa5" } });
      const store = storeOf(database, grafted, ["Source", "T", "Pool"]);
      expect(await store.dataSources()).toEqual([{ template: "T", address: "0x02", creationBlock: 2 }]);
      expect(await store.recentBlocks(9)).toEqual([
        { number: 5, hash: "0xa5" },
        { number: 4, hash: "0xa4" },
        { number: 2, hash: "0xa2" },
      ]);
      expect(await openDeployment(database, wanted())).toEqual(grafted);
    });

    test("a graft continues from the block, with aggregations, and leaves the base unchanged", async () => {
      const before = await rowsOf(database, base, "token");
      const store = storeOf(database, grafted);
      await store.commit(blockAt(6, "b"), {
        changes: [set("Token", "b", { side: text("HOLD") }), tick(6)],
        dataSources: [],
      });
      await store.commit(blockAt(7, "b"), { changes: [], dataSources: [] });
      expect(await rowsOf(database, grafted, "count_hour")).toMatchObject([
        { vid: "1", block$: "4", n: "2" },
        { vid: "2", block$: "6", n: "6" },
        { vid: "3", block$: "7", n: "12" },
      ]);
      expect((await store.get("Token", "b"))?.get("side")).toEqual(text("HOLD"));
      expect(await rowsOf(database, base, "token")).toEqual(before);
    });

    test("computes new aggregations from all points, including the base's", async () => {
      const sums = `${newSchema} type Sums @aggregation(intervals: ["hour"], source: "Tick") {
        id: Int8! timestamp: Timestamp! n: Int! @aggregate(fn: "sum", arg: "n * 10", cumulative: true)
      }`;
      const deployment = await openDeployment(database, wanted({ deployment: "QmSums", schema: sums }));
      const store = storeOf(database, deployment);
      await store.commit(blockAt(6, "b"), { changes: [tick(6)], dataSources: [] });
      await store.commit(blockAt(7, "b"), { changes: [], dataSources: [] });
      expect(await rowsOf(database, deployment, "sums_hour")).toMatchObject([
        { block$: "6", timestamp: "1970-01-01T02:00:00+00:00", n: "20" },
        { block$: "6", timestamp: "1970-01-01T04:00:00+00:00", n: "60" },
        { block$: "7", timestamp: "1970-01-01T06:00:00+00:00", n: "120" },
      ]);
    });

    test("handles files again that the base handled after the block", async () => {
      const fileTypes = new Set(["Token"]);
      const before = await makeBase({ deployment: "QmFiles", fileTypes });
      const store = storeOf(database, before);
      const file = (region: number) => ({ template: "T", address: `0x0${region}`, creationBlock: 2, region });
      const ofFile = (region: number, id: string): EntityChange => ({
        ...set("Token", id, { name: text(id) }),
        region,
      });
      await store.commit(blockAt(2), { changes: [], dataSources: [file(1), file(2)] });
      await store.commit(blockAt(4), { changes: [ofFile(1, "early")], dataSources: [], filesDone: [1] });
      await store.commit(blockAt(5), { changes: [], dataSources: [] });
      await store.commit(blockAt(6), { changes: [ofFile(2, "late")], dataSources: [], filesDone: [2] });
      const graft = at("QmFiles", 5);
      const after = storeOf(
        database,
        await openDeployment(database, wanted({ deployment: "QmAfter", graft, fileTypes })),
        ["Source", "T", "Pool"],
      );
      expect(await after.dataSources()).toEqual([{ ...file(1), doneAt: 4 }, file(2)]);
      expect((await after.current("Token")).map(({ id }) => id)).toEqual(["early"]);
      expect(await after.get("Token", "early")).toBeUndefined();
      await after.commit(blockAt(6, "b"), { changes: [ofFile(2, "late")], dataSources: [], filesDone: [2] });
      expect((await after.current("Token")).map(({ id }) => id)).toEqual(["early", "late"]);
    });

    test("a graft can revert to below its block", async () => {
      const store = storeOf(database, grafted);
      await store.revert({ number: 2, hash: "0xa2" });
      expect((await store.get("Token", "a"))?.get("name")).toEqual(text("one"));
      expect(await rowsOf(database, grafted, "count_hour")).toEqual([]);
      await store.commit(blockAt(3, "b"), { changes: [], dataSources: [] });
      expect(await rowsOf(database, grafted, "count_hour")).toMatchObject([{ block$: "3", n: "2" }]);
    });

    test("a graft has no data from before the base's start block", async () => {
      const store = storeOf(database, grafted);
      await expect(store.all("Token", 1)).rejects.toThrow(
        "entities are kept only from block 2, so block 1 cannot be read",
      );
      expect((await store.all("Token", 2)).map((token) => token.get("id"))).toEqual([text("a"), text("b")]);
    });

    test("a graft can be the base of another graft", async () => {
      const third = await openDeployment(
        database,
        wanted({
          deployment: "QmThird",
          graft: at("QmNew", 4),
          schema: baseSchema.replace("String!", "String"),
        }),
      ).catch((error: unknown) => error);
      expect(third).toMatchObject({
        message: "the schema cannot be grafted onto that of QmNew: the enum Side no longer has HOLD",
      });
      const other = await openDeployment(database, wanted({ deployment: "QmThird", graft: at("QmNew", 4) }));
      expect(other.head).toEqual(expect.objectContaining({ number: 4, hash: "0xa4" }));
    });
  });

  test("a graft equals its base reverted to the block", async () => {
    const seen = { rows: 0, ended: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 6, maxLength: 16 }), anyShare, async (steps, share) => {
        const build = builds++;
        const base = await makeBase({ deployment: `QmBase${build}`, startBlock: 0 });
        const store = storeOf(database, base);
        const blocks: WrittenBlock[] = [];
        for (const [index, step] of steps.entries()) {
          if (step.kind === "revert") {
            blocks.splice(Math.max(1, Math.floor(step.share * blocks.length)));
            const [last] = blocks.slice(-1);
            if (last) await store.revert({ number: last.number, hash: last.hash });
            continue;
          }
          const block = blockAt((blocks.at(-1)?.number ?? 0) + step.skip, `f${index}-`);
          const { number } = block;
          const pool = { template: "T", address: "0x01", creationBlock: number };
          await store.commit(block, {
            changes: [...step.changes, set("Note", `${index}`, { body: text("a body") }), tick(number)],
            dataSources: step.skip === 1 ? [pool] : [],
          });
          blocks.push(block);
        }
        const block = Math.floor(share * (blocks.at(-1)?.number ?? 0));
        const told = (number: number) => blocks.find((one) => one.number === number);
        const hash = told(block)?.hash ?? told(block + 1)?.parentHash ?? "0xempty";
        const graft = { ...at(base.deployment, block), hash };
        const names = { schema: baseSchema, sourceNames: ["Source", "Pool", "T"], startBlock: 0 };
        const made = wanted({ deployment: `QmNew${build}`, ...names, graft });
        if (blocks.length === 0) return;
        const grafted = await openDeployment(database, made);
        const own = new Map<string, readonly unknown[]>();
        const tables = layoutOf(grafted).tables.map(({ name }) => name);
        for (const table of tables) own.set(table, await rowsOf(database, grafted, table));
        const sources = await storeOf(database, grafted).dataSources();
        await store.revert({ number: block, hash });
        for (const table of tables)
          expect(own.get(table), table).toEqual(await rowsOf(database, base, table));
        expect(sources).toEqual(await store.dataSources());
        seen.rows += own.get("token")?.length ?? 0;
        seen.ended += JSON.stringify(own.get("token")).match(/,\d+\)/g)?.length ?? 0;
      }),
      propertyRun(5),
    );
    expect(Math.min(seen.rows, seen.ended)).toBeGreaterThan(4);
  });

  describe("refused grafts", () => {
    beforeEach(async () => {
      await indexBase(storeOf(database, await makeBase()));
    });

    test.each<[string, Partial<NewDeployment>, string, string]>([
      [
        "onto a deployment that does not exist",
        { graft: at("QmOther", 5) },
        "cannot graft onto QmOther at block 5: it is not in the database",
        "Index it into this database first, or remove the graft.",
      ],
      [
        "onto another network",
        { network: "base" },
        "cannot graft onto QmBase at block 5: it is on mainnet, not on base",
        "Graft onto a deployment on the same network.",
      ],
      [
        "at a block that the base has not reached",
        { graft: at("QmBase", 8) },
        "cannot graft onto QmBase at block 8: it has only reached block 7",
        "Index it up to the block first, or graft at block 7 or earlier.",
      ],
      [
        "at a block that the chain may still replace",
        { graft: { ...at("QmBase", 5), reorgThreshold: 3 } },
        "cannot graft onto QmBase at block 5: it has reached block 7, and the chain may still replace the last 3 blocks",
        "Graft at block 4 or earlier, or index it further first.",
      ],
      [
        "at a block near the head, as graph-node does",
        { graft: { base: "QmBase", block: 5 } },
        "cannot graft onto QmBase at block 5: it has reached block 7, and the chain may still replace the last 250 blocks",
        "Index it further first.",
      ],
      [
        "at a block that the chain has replaced",
        { graft: { ...at("QmBase", 5), hash: "0xb5" } },
        "block 5 of QmBase has the hash 0xa5, but the chain now has 0xb5",
        "Continue indexing the base first. It will revert the blocks that the chain has replaced.",
      ],
      [
        "at a block before the base's first entities",
        { graft: at("QmBase", 1) },
        "cannot graft onto QmBase at block 1: its entities start at block 2",
        "Graft at block 2 or later.",
      ],
      [
        "with a schema that does not fit",
        {
          schema: newSchema
            .replace("more: Int", "more: Int!")
            .replace("sides: [Side!]", "sides: Side")
            .replace("type Note @entity(immutable: true)", "type Note @entity")
            .replace("body: String", "body: String!"),
        },
        "the schema cannot be grafted onto that of QmBase: Token.more is new and not nullable; Token.sides was [Side] and is now Side; Note was immutable; Note.body was nullable and no longer is",
        "Change the schema. A graft may add and remove types, remove fields, and add nullable fields.",
      ],
      [
        "without the template of a data source",
        { sourceNames: ["Source", "Pool"] },
        "QmBase has created data sources from the template T, which is not in the manifest",
        "Add a template of that name to the manifest, or graft at an earlier block.",
      ],
    ])("refuses a graft %s", async (_, given, message, hint) => {
      await expect(openDeployment(database, wanted(given))).rejects.toMatchObject({ message, hint });
      const rows = await database.query(SQL`select deployment from graphloom.deployments`);
      expect(rows).toEqual([{ deployment: "QmBase" }]);
    });

    test("refuses a graft at a block after a handler failed", async () => {
      await database.query(SQL`update graphloom.deployments set first_error_block = 4`);
      await expect(openDeployment(database, wanted())).rejects.toMatchObject({
        message: "cannot graft onto QmBase at block 5: it has had errors since block 4",
        hint: "Graft at block 3 or earlier.",
      });
      await openDeployment(database, wanted({ graft: at("QmBase", 3), deployment: "QmThree" }));
      await database.query(SQL`update graphloom.deployments set first_error_block = 2`);
      await expect(openDeployment(database, wanted())).rejects.toMatchObject({
        hint: "Graft onto another deployment.",
      });
    });

    test("refuses a graft onto a deployment without blocks", async () => {
      await makeBase({ deployment: "QmEmpty" });
      const empty = openDeployment(database, wanted({ graft: at("QmEmpty", 5) }));
      await expect(empty).rejects.toThrow("cannot graft onto QmEmpty at block 5: it has no blocks yet");
    });

    test("refuses a graft at a block whose hash is unknown, unless the hash is given", async () => {
      await database.query(SQL`delete from graphloom.recent_blocks where number in (5, 6)`);
      await expect(openDeployment(database, wanted())).rejects.toMatchObject({
        message: "QmBase no longer knows the hash of block 5",
        hint: "Graft at a later block.",
      });
      const told = await openDeployment(database, wanted({ graft: { ...at("QmBase", 5), hash: "0xfive" } }));
      expect(told.head).toEqual({ number: 5, hash: "0xfive" });
    });
  });
});
