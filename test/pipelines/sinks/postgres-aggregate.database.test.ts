import { describe, expect, it } from "vitest";
import type { LedgerEntry } from "../../../src/pipelines/changes/ledger.js";
import { netChanges } from "../../../src/pipelines/changes/net-changes.js";
import { noRows, type Rows, type RowValue } from "../../../src/pipelines/changes/rows.js";
import type { RowSchema } from "../../../src/pipelines/changes/schema.js";
import type { PlannedAggregation } from "../../../src/pipelines/plan/pipeline-plan.js";
import { postgresTables } from "../../../src/pipelines/sinks/postgres/postgres-table.js";
import { AggregateTable } from "../../../src/pipelines/sinks/postgres-aggregate/aggregate-table.js";
import { aggregationOf } from "../../../src/pipelines/sinks/postgres-aggregate/open-postgres-aggregate.js";
import type { Sink } from "../../../src/pipelines/sinks/sink.js";
import { openTable } from "../../../src/pipelines/sinks/tables/table-sink.js";
import type { SinkBatch } from "../../../src/pipelines/state/sink-batch.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { describeDatabase } from "../../support/database/databases.js";
import { postgresMissing } from "../../support/database/postgres-server.js";
import { testFolder } from "../../support/folder.js";
import {
  earlierLedger,
  earlierOwner,
  earlierSchema,
  earlierScript,
  expectContinued,
  ledgerOfRows,
} from "../../support/pipelines/earlier-state.js";
import { expectLaw } from "../../support/pipelines/expect-law.js";
import { faultyDatabase } from "../../support/pipelines/faulty-database.js";
import { lawSeeds } from "../../support/pipelines/law/each-seed.js";
import { expectLawOfKilled } from "../../support/pipelines/law/expect-killed.js";
import { slotDatabases } from "../../support/pipelines/law/slot-databases.js";
import type { LawRow } from "../../support/pipelines/law-pipeline.js";

const decimal = { name: "amount", type: "DECIMAL", nullable: true } as const;
const block = { name: "block_number", type: "LONG", nullable: true } as const;
const text = { name: "id", type: "STRING", nullable: false } as const;

/** The sink is that of a table, whose own test has more of them. */
const schedules = lawSeeds(1);

/** Every function, over values and over nulls. */
const ofLaw: PlannedAggregation = {
  groups: [{ name: "who", type: "STRING" }],
  aggregates: [
    { name: "rows", fn: "count", of: undefined },
    { name: "amounts", fn: "count", of: decimal },
    { name: "total", fn: "sum", of: decimal },
    { name: "mean", fn: "avg", of: decimal },
    { name: "least", fn: "min", of: decimal },
    { name: "largest", fn: "max", of: decimal },
    { name: "first", fn: "min", of: block },
    { name: "last_id", fn: "max", of: text },
  ],
};

/** What the table of aggregates must be equal to. */
const recomputed = SQL`select who, count(*) as rows, count(amount) as amounts, sum(amount) as total, avg(amount) as mean,
    min(amount) as least, max(amount) as largest, min(block_number) as first, max(id) as last_id
  from flow_law.landing group by who order by who`;

const kept = SQL`select who, rows, amounts, total, mean, least, largest, first, last_id from flow_law.groups order by who`;

describeDatabase("a table of aggregates", false, ({ bare }) => {
  async function emptied(): Promise<Database> {
    const database = await bare();
    await database.run(
      SQL`drop schema if exists graphloom_flows cascade; drop schema if exists flow_law cascade`,
    );
    return database;
  }

  function opened(database: Database, schema: RowSchema, aggregation: PlannedAggregation): Promise<Sink> {
    const landing = { schema: "flow_law", name: "landing" };
    const groups = { schema: "flow_law", name: "groups" };
    return openTable(postgresTables, {
      database,
      table: landing,
      schema,
      overrides: new Map(),
      onConflict: "update",
      owner: { flow: "law", sink: "out" },
      beside: new AggregateTable(landing, groups, aggregationOf(aggregation)),
    });
  }

  it(`a table of aggregates holds the result of GROUP BY over the rows of the query, for ${schedules} schedules`, {
    tags: "law",
  }, async () => {
    let database: Database;
    await expectLaw(
      {
        empty: async () => {
          database = await emptied();
        },
        open: (flow, cut) => opened(faultyDatabase(database, cut), flow.sink.schema, ofLaw),
        rows: async () => rowsIn(database),
        ledger: async () => ledgerIn(database),
      },
      schedules,
    );
  });

  it("a table of aggregates continues from the state that version 0.1.0 wrote", async () => {
    const database = await emptied();
    await database.run(SQL`drop schema if exists state cascade`);
    await database.run(await earlierScript("postgres"));
    await database.run(await earlierScript("postgres-aggregate"));
    const long = { name: "long", type: "LONG", nullable: true } as const;
    const [landing, groups] = [
      { schema: "state", name: "kept" },
      { schema: "state", name: "groups" },
    ];
    const aggregation = aggregationOf({
      groups: [{ name: "boolean", type: "BOOLEAN" }],
      aggregates: [{ name: "total", fn: "sum", of: long }],
    });
    await expectContinued(
      (lineage) =>
        openTable(postgresTables, {
          schema: earlierSchema,
          owner: earlierOwner,
          lineage,
          overrides: new Map(),
          onConflict: "update",
          database: faultyDatabase(database, () => undefined),
          table: landing,
          beside: new AggregateTable(landing, groups, aggregation),
        }),
      async () => ledgerOfRows(await database.query(earlierLedger)),
    );
    expect(
      await database.query(SQL`select boolean, total, graphloom_rows from state.groups order by boolean`),
    ).toEqual([
      { boolean: "t", total: "9223372036854775807", graphloom_rows: "1" },
      { boolean: null, total: "3", graphloom_rows: "3" },
    ]);
  });

  const columns = [
    { name: "id", type: "STRING", nullable: false },
    { name: "kind", type: "STRING", nullable: true },
    { name: "fee", type: "NUMERIC", nullable: true },
  ] as const;
  const schema: RowSchema = { columns, key: ["id"] };
  const byKind: PlannedAggregation = {
    groups: [{ name: "kind", type: "STRING" }],
    aggregates: [
      { name: "total", fn: "sum", of: columns[2] },
      { name: "least", fn: "min", of: columns[2] },
      { name: "largest", fn: "max", of: columns[2] },
    ],
  };

  function batch(minus: readonly RowValue[][], plus: readonly RowValue[][], next: number): SinkBatch {
    const rows = (of: readonly RowValue[][]): Rows =>
      of.length === 0
        ? noRows(3)
        : { count: of.length, columns: columns.map((_, column) => of.map((row) => row[column] ?? null)) };
    const changes = netChanges({ minus: rows(minus), plus: rows(plus) }, schema);
    const place = { source: "s", from: next - 1, to: next - 1, position: { next, open: [] } };
    return { ...place, changes, ledger: undefined };
  }

  const groups = SQL`select kind, total, least, largest from flow_law.groups order by kind nulls first`;

  it("a table of aggregates distinguishes null from an empty text, and has no row for a group without rows", async () => {
    const database = faultyDatabase(await emptied(), () => undefined);
    const sink = await opened(database, schema, byKind);
    const rows = [
      ["1", null, "1.5"],
      ["2", "", "2"],
      ["3", null, "-7"],
      ["4", "x", null],
      ["5", null, "1"],
    ];
    await sink.write(batch([], rows, 1));
    expect(await database.query(groups)).toEqual([
      { kind: null, total: "-4.5", least: "-7", largest: "1.5" },
      { kind: "", total: "2", least: "2", largest: "2" },
      { kind: "x", total: null, least: null, largest: null },
    ]);
    await sink.write(
      batch(
        [
          ["1", null, "1.5"],
          ["4", "x", null],
        ],
        [],
        2,
      ),
    );
    expect(await database.query(groups)).toEqual([
      { kind: null, total: "-6.0", least: "-7", largest: "1" },
      { kind: "", total: "2", least: "2", largest: "2" },
    ]);
    await sink.write(
      batch(
        [
          ["3", null, "-7"],
          ["2", "", "2"],
        ],
        [["3", "", "-7"]],
        3,
      ),
    );
    expect(await database.query(groups)).toEqual([
      { kind: null, total: "1.0", least: "1", largest: "1" },
      { kind: "", total: "-7", least: "-7", largest: "-7" },
    ]);
    expect(await database.query(SQL`select 1 from flow_law.groups where graphloom_stale`)).toEqual([]);
  });

  it("a table of aggregates is computed again from the landing table after it was dropped", async () => {
    const database = faultyDatabase(await emptied(), () => undefined);
    await (await opened(database, schema, byKind)).write(batch([], [["1", "a", "1"]], 1));
    await database.run(SQL`drop table flow_law.groups`);
    const sink = await opened(database, schema, byKind);
    await sink.write(batch([], [["2", "a", "2"]], 2));
    expect(await database.query(groups)).toEqual([{ kind: "a", total: "3", least: "1", largest: "2" }]);
  });

  it("a table of aggregates is refused if it belongs to other aggregates, or to rows that are gone", async () => {
    const database = faultyDatabase(await emptied(), () => undefined);
    await (await opened(database, schema, byKind)).write(batch([], [["1", "a", "1"]], 1));
    const other = { ...byKind, aggregates: [{ name: "fees", fn: "count", of: columns[2] }] } as const;
    await expect(opened(database, schema, other)).rejects.toThrow("Table flow_law.groups has no column fees");
    await database.run(SQL`drop table flow_law.landing`);
    await expect(opened(database, schema, byKind)).rejects.toThrow(
      "Table flow_law.groups holds rows that this pipeline has not written.",
    );
  });

  it("a table of aggregates has columns of the chosen types", async () => {
    const database = faultyDatabase(await emptied(), () => undefined);
    const sink = await opened(database, schema, {
      groups: [{ name: "kind", type: "STRING", chosen: { name: "integer", sizes: [] } }],
      aggregates: [{ name: "total", fn: "sum", of: columns[2], chosen: { name: "numeric", sizes: [10, 1] } }],
    });
    await sink.write(
      batch(
        [],
        [
          ["1", "07", "0.04"],
          ["2", "7", "0.04"],
        ],
        1,
      ),
    );
    await sink.write(batch([], [["3", "007", "0.04"]], 2));
    expect(await database.query(SQL`select kind, total from flow_law.groups`)).toEqual([
      { kind: "7", total: "0.1" },
    ]);
  });
});

describe.skipIf(postgresMissing !== undefined)("a table of aggregates whose writer is killed", () => {
  it("holds the result of GROUP BY over the rows of the query", { tags: "law" }, async () => {
    const emptied = slotDatabases();
    await expectLawOfKilled(async (slot) => {
      const { address, database } = await emptied(slot);
      return {
        definition: {
          type: "postgres_aggregate",
          settings: { schema: "flow_law", landing_table: "landing", agg_table: "groups", secret_name: "PG" },
          aggregation: ofLaw,
        },
        secrets: { PG: address },
        folder: testFolder(),
        rows: async () => rowsIn(database),
        ledger: async () => ledgerIn(database),
      };
    });
  });
});

/** The rows that have landed. They are what is aggregated. */
async function rowsIn(database: Database): Promise<readonly LawRow[]> {
  expect(await database.query(kept)).toEqual(await database.query(recomputed));
  const rows: unknown = await database.query(SQL`select id, who, amount, block_number from flow_law.landing`);
  return rows as readonly LawRow[];
}

async function ledgerIn(database: Database): Promise<readonly Pick<LedgerEntry, "rows" | "sum">[]> {
  const entries = await database.query(SQL`select rows, sum from graphloom_flows.ledger`);
  return entries.map(({ rows, sum }) => ({ rows: Number(rows), sum: BigInt(sum ?? 0) }));
}
