import fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Store } from "../../../src/runtime/store/store.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { quoteName } from "../../../src/store/database/quote.js";
import { layoutOf, openDeployment } from "../../../src/store/deployments/deployments.js";
import { openStore } from "../../../src/store/entities/open-store.js";
import { type Feed, SnapshotLost } from "../../../src/store/tables/feed.js";
import { cursorOf, FeedReader } from "../../../src/store/tables/feed-reader.js";
import type { Layout } from "../../../src/store/tables/layout.js";
import { TableFeed } from "../../../src/store/tables/table-feed.js";
import type { EntityChange } from "../../../src/subgraph/schema/entity.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { bigInt, block, bytes, decimal, list, remove, set, text } from "../../runtime/store/values.js";
import { describeDatabases } from "../../support/database/databases.js";
import { whileWaiting } from "../../support/database/while-waiting.js";
import { propertyRun } from "../../support/property/property-run.js";
import { currentRows, Sink } from "./sink.js";

const schema = `
  type Mutable @entity { id: ID!, n: BigInt, names: [String!] }
  type Other @entity { id: ID!, of: Mutable }
  type Fixed @entity(immutable: true) { id: ID!, n: BigInt }
`;
const entities = readEntitySchema(schema);

interface Made {
  readonly store: Store;
  readonly layout: Layout;
  readonly deployment: number;
  feed(reader: string, tables?: readonly string[]): Feed;
}

let builds = 0;

async function make(database: Database): Promise<Made> {
  const wanted = { deployment: `QmFeed${builds++}`, network: "mainnet", schema, startBlock: 0 };
  const deployment = await openDeployment(database, wanted);
  const layout = layoutOf(deployment);
  const limits = { mostChanges: 4, mostRemembered: 3 };
  return {
    store: openStore(database, deployment, { entities, dataSources: [], templates: [] }, limits),
    layout,
    deployment: deployment.id,
    feed: (reader, tables) =>
      new TableFeed({ database, deployment: deployment.id, layout, reader, ...(tables && { tables }) }),
  };
}

const commit = (store: Store, number: number, changes: readonly EntityChange[], fork = "a", more = false) =>
  store.commit(block(number, fork), { changes, dataSources: [] }, { more });

const logged = async (database: Database, { namespace }: Layout) =>
  Number((await database.query(SQL`select count(*) as n from ${quoteName(namespace)}.changes$`))[0]?.n);

describeDatabases("the feed of tables", ({ fresh, provider }) => {
  let database: Database;
  beforeAll(async () => {
    database = await fresh();
    await migrate(database);
  });
  let made: Made;
  beforeEach(async () => {
    made = await make(database);
  });

  test("the feed reports row changes, and a reorganisation as ordinary changes that undo it", async () => {
    const { store, feed } = made;
    await commit(store, 1, [set("Mutable", "m", { n: bigInt(1n) }), set("Fixed", "f", {})]);
    const reader = feed("one");
    const { block: at, cursor, pages } = await reader.begin();
    expect(at).toBe(1);
    const found = [];
    for await (const page of pages()) found.push(page);
    const first = { vid: "4294967396", id: "m", n: "1", names: null };
    expect(found).toEqual([
      { table: "mutable", rows: [first], blocks: [1] },
      { table: "fixed", rows: [{ vid: "4294967397", id: "f", n: null }], blocks: [1] },
    ]);
    await commit(store, 2, [set("Mutable", "m", { n: bigInt(2n) }), set("Other", "o", { of: text("m") })]);
    await commit(store, 3, [remove("Mutable", "m"), set("Fixed", "g", {})]);
    await store.revert(block(1));
    const second = { vid: "8589934692", id: "m", n: "2", names: null };
    const other = { vid: "8589934693", id: "o", of: "m" };
    const fixed = { vid: "12884901988", id: "g", n: null };
    const changes = await reader.changes(cursor, 99);
    expect(changes.map(({ cursor: _, vid: __, origin: ___, ...change }) => change)).toEqual([
      { op: "u", table: "mutable", block: 2, old: first, new: second },
      { op: "i", table: "other", block: 2, new: other },
      { op: "d", table: "mutable", block: 3, old: second },
      { op: "i", table: "fixed", block: 3, new: fixed },
      { op: "d", table: "fixed", block: 3, old: fixed },
      { op: "i", table: "mutable", block: 3, new: second },
      { op: "d", table: "other", block: 2, old: other },
      { op: "u", table: "mutable", block: 2, old: second, new: first },
    ]);
    expect(changes.map((change) => change.cursor)).toEqual(changes.map((change) => change.cursor).sort());
    expect(await reader.changes(changes[2]?.cursor ?? "", 2)).toEqual(changes.slice(3, 5));
    expect((await feed("two", ["other"]).changes(cursor, 99)).map(({ table }) => table)).toEqual([
      "other",
      "other",
    ]);
  });

  test("the feed keeps numbers, bytes and strings exactly", async () => {
    const typed = `type Typed @entity { id: Bytes!, n: BigInt, d: BigDecimal, list: [String!], b: Boolean }`;
    const wanted = { deployment: `QmTyped${provider}`, network: "mainnet", schema: typed, startBlock: 0 };
    const deployment = await openDeployment(database, wanted);
    const store = openStore(database, deployment, {
      entities: readEntitySchema(typed),
      dataSources: [],
      templates: [],
    });
    const reader = new TableFeed({
      database,
      deployment: deployment.id,
      layout: layoutOf(deployment),
      reader: "r",
    });
    const { cursor } = await reader.begin();
    const fields = {
      id: bytes("0x01ff"),
      n: bigInt(12345678901234567890123456789n),
      d: decimal(-15n, -20),
      list: list(text('"'), text(",")),
    };
    await commit(store, 1, [set("Typed", "0x01ff", fields)]);
    expect((await reader.changes(cursor, 9))[0]?.new).toEqual({
      vid: "4294967396",
      id: "\\x01ff",
      n: "12345678901234567890123456789",
      d: "-0.00000000000000000015",
      list: '{"\\"",","}',
      b: null,
    });
  });

  test("the feed returns the changes of a writer that waited while the first reader started", async () => {
    const { store, layout, feed, deployment } = made;
    await commit(store, 1, [set("Mutable", "m", { n: bigInt(1n) })]);
    const reader = new FeedReader({ database, deployment, namespace: layout.namespace, name: "first" });
    await whileWaiting(
      database,
      async (sql) => {
        const [row] = await sql.query(
          SQL`select feed_seq from graphloom.deployments where id = $1::integer for update`,
          [String(deployment)],
        );
        await reader.register(sql, row?.feed_seq ?? null);
      },
      () => commit(store, 2, [set("Mutable", "m", { n: bigInt(2n) })]),
    );
    expect(await logged(database, layout)).toBe(1);
    expect(await feed("first").changes(cursorOf("0"), 9)).toMatchObject([{ op: "u", block: 2 }]);
  });

  test("the feed is written only while it has readers, and trimmed once all have read it", async () => {
    const { store, layout, feed } = made;
    const write = (number: number) =>
      commit(store, number, [set("Mutable", "m", { n: bigInt(BigInt(number)) })]);
    await write(1);
    expect(await logged(database, layout)).toBe(0);
    const [one, two] = [feed("one"), feed("two")];
    expect(await one.cursor()).toBeUndefined();
    const began = await one.begin();
    await write(2);
    await two.begin();
    await write(3);
    expect(await logged(database, layout)).toBe(2);
    const [second, third] = await one.changes(began.cursor, 9);
    await one.keep(third?.cursor ?? "");
    expect(await one.cursor()).toBe(third?.cursor);
    expect(await logged(database, layout)).toBe(1);
    await one.keep(second?.cursor ?? "");
    expect(await one.cursor()).toBe(third?.cursor);
    await two.end();
    expect(await logged(database, layout)).toBe(0);
    await one.end();
    await write(4);
    expect(await logged(database, layout)).toBe(0);
  });

  test("the feed lets a reader skip changes of tables that it does not read", async () => {
    const { store, layout, feed } = made;
    const reader = feed("one", ["other"]);
    const { cursor } = await reader.begin();
    expect(await reader.latest()).toBe(cursor);
    await commit(store, 1, [set("Mutable", "m", {}), set("Mutable", "n", {})]);
    const latest = await reader.latest();
    expect(await reader.changes(cursor, 9)).toEqual([]);
    expect(await logged(database, layout)).toBe(2);
    await reader.keep(latest);
    expect(await logged(database, layout)).toBe(0);
    await commit(store, 2, [set("Other", "o", {})]);
    expect(await reader.changes(latest, 9)).toMatchObject([{ op: "i", table: "other" }]);
  });

  test("the feed notifies its readers of new changes", async () => {
    const { store, feed } = made;
    const heard: string[] = [];
    const stop = await database.listen("graphloom_changes", (payload) => heard.push(payload));
    await commit(store, 1, [set("Mutable", "m", {})]);
    await feed("one").begin();
    await commit(store, 2, [set("Mutable", "m", { n: bigInt(1n) })]);
    await store.revert(block(1));
    await expect.poll(() => heard.length).toBe(2);
    await stop();
  });

  describe("a snapshot", () => {
    test("a snapshot shows its block despite later changes", async () => {
      const { store, feed } = made;
      const ids = ["a", "b", "c", "d", "e"];
      await commit(
        store,
        1,
        ids.map((id) => set("Mutable", id, {})),
      );
      const { pages } = await feed("one").begin();
      const found: string[] = [];
      for await (const { rows } of pages(2)) {
        for (const { id } of rows) found.push(id ?? "");
        const number = found.length + 1;
        await commit(store, number, [remove("Mutable", "e"), set("Mutable", `z${number}`, {})]);
      }
      expect(found).toEqual(ids);
    });

    test("a snapshot is lost when the chain reverts to below its block", async () => {
      const { store, feed } = made;
      await commit(store, 1, [set("Mutable", "a", {}), set("Mutable", "b", {})]);
      await commit(store, 2, [set("Mutable", "c", {})]);
      const reader = feed("one");
      const { pages } = await reader.begin();
      const pageByPage = pages(1)[Symbol.asyncIterator]();
      expect((await pageByPage.next()).value.rows).toMatchObject([{ id: "a" }]);
      await store.revert(block(1));
      await expect(pageByPage.next()).rejects.toThrow(SnapshotLost);
      const sink = new Sink(reader);
      await sink.begin(1);
      expect([...sink.rows.keys()]).toEqual(["mutable a", "mutable b"]);
    });
  });

  test("INV-S3: the feed reproduces the tables after any commits and reverts", async () => {
    const seen = { i: 0, u: 0, d: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyStep, { maxLength: 20 }),
        fc.integer({ min: 1, max: 4 }),
        async (steps, size) => {
          const { store, layout, feed } = await make(database);
          const sinks: Sink[] = [];
          const blocks: { readonly number: number; readonly fork: string }[] = [];
          for (const [index, step] of steps.entries()) {
            if (step.kind === "begin") {
              await store.flush?.();
              const sink = new Sink(feed(`reader ${index}`));
              await sink.begin(size);
              sinks.push(sink);
            } else if (step.kind === "drain") {
              for (const sink of sinks) await sink.drain(size, step.keeps);
            } else if (step.kind === "revert") {
              blocks.length = Math.floor(step.share * blocks.length);
              const last = blocks.at(-1);
              await store.revert(last && block(last.number, last.fork));
            } else {
              const number = (blocks.at(-1)?.number ?? 0) + step.skip;
              const fork = `f${index}`;
              const fixed = new Set(
                (await store.all("Fixed")).map((found) => JSON.stringify(found.get("id"))),
              );
              const changes = step.changes.filter(
                ({ type, id }) => type !== "Fixed" || !fixed.has(JSON.stringify(text(id))),
              );
              await commit(store, number, changes, fork, step.more);
              blocks.push({ number, fork });
            }
          }
          await store.flush?.();
          const rows = await currentRows(database, layout);
          for (const sink of sinks) {
            await sink.drain(size, true);
            expect(new Map([...sink.rows].sort())).toEqual(new Map([...rows].sort()));
            for (const { op } of sink.applied) seen[op] += 1;
          }
          if (sinks.length > 0) expect(await logged(database, layout)).toBe(0);
        },
      ),
      propertyRun(40),
    );
    expect(Math.min(seen.i, seen.u, seen.d)).toBeGreaterThan(10);
  });
});

type Step =
  | {
      readonly kind: "commit";
      readonly skip: number;
      readonly more: boolean;
      readonly changes: readonly EntityChange[];
    }
  | { readonly kind: "revert"; readonly share: number }
  | { readonly kind: "begin" }
  | { readonly kind: "drain"; readonly keeps: boolean };

const anyId = fc.constantFrom("a", "b", "c");
const anyType = fc.constantFrom("Mutable", "Other", "Fixed");
const anyChange: fc.Arbitrary<EntityChange> = fc
  .tuple(anyType, anyId, fc.integer({ min: 0, max: 3 }))
  .map(([type, id, n]) => {
    if (n === 0) return remove(type, id);
    return set(type, id, type === "Other" ? { of: text(`${n}`) } : { n: bigInt(BigInt(n)) });
  });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("commit" as const),
      skip: fc.integer({ min: 1, max: 3 }),
      more: fc.boolean(),
      changes: fc.uniqueArray(anyChange, { maxLength: 6, selector: ({ type, id }) => `${type} ${id}` }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("revert" as const),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "begin" as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("drain" as const), keeps: fc.boolean() }) },
);
