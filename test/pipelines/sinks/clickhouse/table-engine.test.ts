import { expect, it } from "vitest";
import type { RowSchema } from "../../../../src/pipelines/changes/schema.js";
import { checkEngine, type ExistingTable } from "../../../../src/pipelines/sinks/clickhouse/table-engine.js";

const schema: RowSchema = {
  columns: [
    { name: "chain", type: "STRING", nullable: false },
    { name: "id", type: "STRING", nullable: false },
    { name: "at", type: "LONG", nullable: false },
  ],
  key: ["chain", "id"],
};

function table(changes: Partial<ExistingTable> = {}): ExistingTable {
  return {
    name: "d.t",
    engine: "ReplacingMergeTree",
    engineFull: "ReplacingMergeTree(v, gone) ORDER BY (id, chain) SETTINGS index_granularity = 8192",
    sortingKey: "id, chain",
    columns: [
      { name: "v", type: "UInt64", isInPartitionKey: false },
      { name: "gone", type: "UInt8", isInPartitionKey: false },
      { name: "at", type: "Int64", isInPartitionKey: false },
      { name: "chain", type: "String", isInPartitionKey: true },
    ],
    ...changes,
  };
}

const way =
  "Choose another table, or create it with: ENGINE = ReplacingMergeTree(version, is_deleted) ORDER BY (`chain`, `id`)";

it.each([
  ["ReplacingMergeTree", "ReplacingMergeTree(v, gone) ORDER BY (id, chain)"],
  [
    "ReplicatedReplacingMergeTree",
    "ReplicatedReplacingMergeTree('/ch/{shard}/t(1)', '{replica}', v, gone) ORDER BY id",
  ],
  ["SharedReplacingMergeTree", "SharedReplacingMergeTree('/ch/it''s', '{replica}', v, gone)"],
  ["ReplacingMergeTree", "ReplacingMergeTree(`v`, `gone`) PARTITION BY chain"],
])("checkEngine takes a %s that knows versions and deletions", (engine, engineFull) => {
  expect(checkEngine(table({ engine, engineFull }), schema, undefined)).toEqual({
    version: "v",
    isDeleted: "gone",
  });
});

it("checkEngine takes a key in parentheses", () => {
  const one = { ...schema, key: ["id"] };
  const plain = table({ sortingKey: "(id)", columns: table().columns.slice(0, 3) });
  expect(checkEngine(plain, one, undefined)).toEqual({ version: "v", isDeleted: "gone" });
});

it.each([
  [{ engine: "MergeTree" }, "has the engine MergeTree, which keeps deleted and repeated rows for ever"],
  [
    { engine: "ReplicatedSummingMergeTree" },
    "has the engine ReplicatedSummingMergeTree, which adds up the rows of a key",
  ],
  [
    { engine: "Distributed" },
    "has the engine Distributed, which forwards rows later, and may send those of one key to several servers",
  ],
  [{ engine: "Memory" }, "has the engine Memory, which does not replace rows by their version"],
  [
    { engineFull: "ReplacingMergeTree ORDER BY id" },
    "has a ReplacingMergeTree without a version, in which an old row may replace a new one",
  ],
  [
    { engineFull: "ReplacingMergeTree(v) ORDER BY f(id, chain)" },
    "has a ReplacingMergeTree without is_deleted, in which deleted rows would stay",
  ],
  [
    { engine: "ReplicatedReplacingMergeTree", engineFull: "ReplicatedReplacingMergeTree('/a', '{r}', v)" },
    "has a ReplacingMergeTree without is_deleted, in which deleted rows would stay",
  ],
  [
    { engineFull: "ReplacingMergeTree(at, gone) ORDER BY id" },
    "has a version of the type Int64; graphloom counts versions itself, as UInt64",
  ],
  [
    { sortingKey: "id" },
    "is sorted by (id), but the key is (chain, id): its rows would not replace each other",
  ],
  [
    { sortingKey: "chain, id, at" },
    "is sorted by (chain, id, at), but the key is (chain, id): its rows would not replace each other",
  ],
  [
    { columns: table().columns.map((column) => ({ ...column, isInPartitionKey: column.name === "at" })) },
    "is partitioned by at, which is not in the key: rows of one key could be in several partitions, where they do not replace each other",
  ],
] as const)("checkEngine refuses a table that would lose deletions: %o", (changes, why) => {
  expect(() => checkEngine(table(changes), schema, undefined)).toThrow(`Table d.t ${why}. ${way}`);
});

it("checkEngine refuses rows that fill the version or deletion column of the table engine", () => {
  const own = table({
    engineFull: "ReplacingMergeTree(n, gone)",
    columns: [...table().columns, { name: "n", type: "UInt64", isInPartitionKey: false }],
  });
  const columns = [...schema.columns, { name: "n", type: "LONG", nullable: false }] as const;
  expect(() => checkEngine(own, { ...schema, columns }, undefined)).toThrow(
    "uses column n of the rows as version or deletion; graphloom writes both itself",
  );
  expect(() => checkEngine(table(), schema, "other")).toThrow("has the version in column v, not in other");
});
