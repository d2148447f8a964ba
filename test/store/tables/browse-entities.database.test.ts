import { beforeAll, describe, expect, test } from "vitest";
import { present } from "../../../src/base/invariant.js";
import type { Database } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { readBlockTimes } from "../../../src/store/deployments/block-times.js";
import { type Deployment, layoutOf, openDeployment } from "../../../src/store/deployments/deployments.js";
import { openStore } from "../../../src/store/entities/open-store.js";
import {
  browseEntities,
  type EntitySelection,
  type RowOrder,
} from "../../../src/store/tables/browse-entities.js";
import { lastWrites, readVersions } from "../../../src/store/tables/entity-history.js";
import type { EntityTable, Layout } from "../../../src/store/tables/layout.js";
import type { RowFilter } from "../../../src/store/tables/row-filter.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { bigInt, block, bool, bytes, list, none, remove, set, text } from "../../runtime/store/values.js";
import { describeDatabase } from "../../support/database/databases.js";

const schema = `
  enum Kind { A B }
  type Token @entity { id: ID!, name: String, supply: BigInt, tags: [Bytes!], kind: Kind, isOn: Boolean!, holder: Holder }
  type Holder @entity(immutable: true) { id: Bytes! }
  type Empty @entity { id: ID! }
`;

describeDatabase("of the rows of a table", false, ({ fresh }) => {
  let database: Database;
  let deployment: Deployment;
  let layout: Layout;
  let token: EntityTable;
  let holder: EntityTable;

  beforeAll(async () => {
    database = await fresh();
    await migrate(database);
    const wanted = { deployment: "QmRows", network: "mainnet", schema, startBlock: 0 };
    deployment = await openDeployment(database, wanted);
    layout = layoutOf(deployment);
    token = present(layout.tables[0], "there is a table");
    holder = present(layout.tables[1], "there is a second table");
    const entities = readEntitySchema(schema);
    const store = openStore(database, deployment, { entities, dataSources: [], templates: [] });
    const one = (id: string, supply: bigint | undefined, name = `name of ${id}`) =>
      set("Token", id, {
        name: text(name),
        supply: supply === undefined ? none : bigInt(supply),
        tags: list(bytes("0xaa"), bytes("0xbb")),
        kind: text(id === "a" ? "A" : "B"),
        isOn: bool(id !== "c"),
        holder: bytes("0x01"),
      });
    await store.commit(
      { ...block(1), timestamp: 1_700_000_000n },
      { changes: [one("a", 5n), one("b", undefined), one("c", 7n), one("d", 5n)], dataSources: [] },
    );
    await store.commit(
      { ...block(2), timestamp: 1_700_000_012n },
      { changes: [one("a", 6n), remove("Token", "d")], dataSources: [] },
    );
    const held = set("Holder", "0x01aa", { id: bytes("0x01aa") });
    await store.commit(
      { ...block(4), timestamp: 1_700_000_024n },
      { changes: [one("d", 5n, "x".repeat(500)), held], dataSources: [] },
    );
  });

  const column = (field: string, table = token) =>
    present(
      table.columns.find((each) => each.field === field),
      `there is a field ${field}`,
    );
  const read = (selection: Partial<EntitySelection> = {}, table = token) =>
    browseEntities(database, layout, table, {
      deployment: deployment.id,
      block: 4,
      filters: [],
      limit: 10,
      longest: 100,
      items: 1,
      ...selection,
    });
  const ids = async (selection: Partial<EntitySelection> = {}): Promise<string> =>
    (await read(selection)).rows.map(({ values }) => values.id).join(" ");
  const by = (field: string, isDescending = false): RowOrder => ({ column: column(field), isDescending });

  test("entities come newest first, each once, as of a block", async () => {
    expect(await ids()).toBe("d a c b");
    expect(await ids({ block: 2 })).toBe("a c b");
    expect(await ids({ block: 1 })).toBe("d c b a");
    expect((await read()).rows.map(({ begins }) => begins)).toEqual([4, 2, 1, 1]);
  });

  test.each([
    ["newest first", undefined, ["d a", "c b"]],
    ["by a number, missing values last", ["supply", false], ["d a", "c b"]],
    ["by a number, largest first, missing values last", ["supply", true], ["c a", "d b"]],
    ["by a field without missing values", ["isOn", true], ["d a", "b c"]],
  ] as const)("entities are paged forward and backward %s", async (_, order, [first, second]) => {
    const sorted = order && { order: by(order[0], order[1]) };
    const one = await read({ ...sorted, limit: 2 });
    const [start, end] = [one.rows[0], one.rows[1]];
    const two = { ...sorted, limit: 2, from: { after: end?.vid ?? 0n } };
    expect([one.hasBefore, one.hasAfter]).toEqual([false, true]);
    expect([await ids({ ...sorted, limit: 2 }), await ids(two)]).toEqual([first, second]);
    const next = await read(two);
    expect([next.hasBefore, next.hasAfter]).toEqual([true, false]);
    expect(await ids({ ...sorted, limit: 2, from: "last" })).toBe(second);
    expect(await ids({ ...sorted, limit: 2, from: { before: next.rows[0]?.vid ?? 0n } })).toBe(first);
    expect(await ids({ ...sorted, from: { before: start?.vid ?? 0n } })).toBe("");
    expect(await ids({ ...sorted, limit: 3, from: { before: next.rows[1]?.vid ?? 0n } })).toBe(
      `${first} ${second.split(" ")[0]}`,
    );
  });

  test("entities start at the first row when the row of their cursor is deleted", async () => {
    expect(await ids({ order: by("supply"), from: { after: 99n } })).toBe("d a c b");
  });

  const filtered = (field: string, how: RowFilter["by"], value = ""): RowFilter =>
    ({ column: column(field), by: how, value }) as RowFilter;
  test.each([
    ["id", "is", "a", "a"],
    ["id", "starts", "a", "a"],
    ["name", "is", "name of b", "b"],
    ["name", "contains", "OF C", "c"],
    ["name", "not", "name of b", "d a c"],
    ["supply", "gt", "5", "a c"],
    ["supply", "ge", "5", "d a c"],
    ["supply", "lt", "6", "d"],
    ["supply", "le", "6", "d a"],
    ["supply", "missing", "", "b"],
    ["supply", "present", "", "d a c"],
    ["kind", "is", "A", "a"],
    ["isOn", "is", "false", "c"],
    ["tags", "contains", "\\xbb", "d a c b"],
    ["tags", "contains", "\\xbc", ""],
    ["holder", "starts", "\\x01", "d a c b"],
    ["name", "is", "'; drop table graphloom.deployments; --", ""],
  ] as const)("entities are filtered by %s %s %j", async (field, how, value, found) => {
    expect(await ids({ filters: [filtered(field, how, value)] })).toBe(found);
  });

  test("entities have long values and lists truncated one character and one item later", async () => {
    const [row] = (await read({ filters: [filtered("id", "is", "d")] })).rows;
    expect(row?.values.name).toBe("x".repeat(101));
    expect(row?.values.tags).toBe('{"\\\\xaa","\\\\xbb"}');
    const [whole] = (await read({ filters: [filtered("id", "is", "d")], items: undefined })).rows;
    expect(whole?.values.tags).toBe('{"\\\\xaa","\\\\xbb"}');
  });

  describe("and the history of an entity", () => {
    const versions = async (id: string, more: { limit?: number; before?: bigint } = {}) =>
      readVersions(database, layout, token, { id, limit: 9, longest: 100, items: 5, ...more });

    test("has all versions, newest first, with what changed", async () => {
      const { versions: all, hasOlder } = await versions("a");
      expect(hasOlder).toBe(false);
      expect(all.map(({ begins, ends, previous }) => ({ begins, ends, previous }))).toEqual([
        { begins: 2, ends: undefined, previous: { ends: 2, changed: ["supply"] } },
        { begins: 1, ends: 2, previous: undefined },
      ]);
    });

    test("shows a gap where the entity was removed, and compares long values whole", async () => {
      const { versions: all } = await versions("d");
      expect(all.map(({ begins, ends, next, previous }) => [begins, ends, next, previous])).toEqual([
        [4, undefined, undefined, { ends: 2, changed: ["name"] }],
        [1, 2, 4, undefined],
      ]);
    });

    test("is read page by page", async () => {
      const one = await versions("a", { limit: 1 });
      expect([one.versions.length, one.hasOlder]).toEqual([1, true]);
      expect(one.versions[0]?.previous?.changed).toEqual(["supply"]);
      const two = await versions("a", { before: one.versions[0]?.vid ?? 0n });
      expect(two.versions.map(({ begins, next }) => [begins, next])).toEqual([[1, 2]]);
    });

    test("has one version for an entity that is written once", async () => {
      const { versions: all } = await readVersions(database, layout, holder, {
        id: "\\x01aa",
        limit: 9,
        longest: 100,
        items: 5,
      });
      expect(all.map(({ begins, values }) => [begins, values])).toEqual([[4, { id: "\\x01aa" }]]);
    });
  });

  test("the last written type has a block with a known time while the block is recent", async () => {
    expect([...(await lastWrites(database, layout))]).toEqual([
      ["token", 4],
      ["holder", 4],
    ]);
    expect(await lastWrites(database, { ...layout, tables: [] })).toEqual(new Map());
    expect([...(await readBlockTimes(database, deployment.id, [1, 3, 4]))]).toEqual([
      [1, 1_700_000_000],
      [4, 1_700_000_024],
    ]);
  });
});
