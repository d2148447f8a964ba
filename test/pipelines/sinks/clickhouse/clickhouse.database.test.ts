import { hostname } from "node:os";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { LedgerEntry } from "../../../../src/pipelines/changes/ledger.js";
import { netChanges } from "../../../../src/pipelines/changes/net-changes.js";
import { joinRows, noRows, type Rows, type RowValue } from "../../../../src/pipelines/changes/rows.js";
import type { RowColumn, RowSchema, ValueType } from "../../../../src/pipelines/changes/schema.js";
import { type ClickHouseType, clickHouseType } from "../../../../src/pipelines/definition/clickhouse-type.js";
import { openClickHouse } from "../../../../src/pipelines/machine/clickhouse/open-clickhouse.js";
import { openTemporaryScratch } from "../../../../src/pipelines/machine/temporary-scratch.js";
import { retryParked } from "../../../../src/pipelines/runner/parked-changes.js";
import { Parking } from "../../../../src/pipelines/runner/parking.js";
import {
  type ClickHouseSinkOptions,
  openClickHouseSink,
} from "../../../../src/pipelines/sinks/clickhouse/clickhouse-sink.js";
import {
  marksIn,
  marksQuery,
  type TableMark,
} from "../../../../src/pipelines/sinks/clickhouse/written-places.js";
import { type ClickHouse, ClickHouseError } from "../../../../src/pipelines/sinks/clickhouse-server.js";
import type { Sink, StoredBatch } from "../../../../src/pipelines/sinks/sink.js";
import type { LineageGuard } from "../../../../src/pipelines/state/lineage-guard.js";
import type { SinkBatch, WrittenBlock } from "../../../../src/pipelines/state/sink-batch.js";
import { testFolder, useFolder } from "../../../support/folder.js";
import {
  earlierLineage,
  earlierOwner,
  earlierSchema,
  earlierScript,
  earlierState,
  expectContinued,
} from "../../../support/pipelines/earlier-state.js";
import { expectChanges } from "../../../support/pipelines/expect-changes.js";
import { type Cut, expectLaw, type LawfulSink } from "../../../support/pipelines/expect-law.js";
import { errorOf } from "../../../support/pipelines/keyed-batch.js";
import { isLawCampaign, lawSeeds } from "../../../support/pipelines/law/each-seed.js";
import { expectLawOfKilled } from "../../../support/pipelines/law/expect-killed.js";
import { type LawRow, openEngine } from "../../../support/pipelines/law-pipeline.js";
import { sinkWorld } from "../../../support/pipelines/sink-world.js";
import { storedRows } from "../../../support/pipelines/stored-rows.js";
import {
  type ClickHouseServer,
  lackOfClickHouse,
  startClickHouse,
} from "../../../support/servers/clickhouse.js";

const lack = lackOfClickHouse();
if (lack !== undefined) console.warn(`The tests of the ClickHouse sink are skipped: ${lack}`);

const idColumn: RowColumn = { name: "id", type: "STRING", nullable: false };
const schema: RowSchema = {
  columns: [idColumn, { name: "amount", type: "DECIMAL", nullable: true }],
  key: ["id"],
};

/** Rows of columns, written row by row. */
function rowsOf(...rows: readonly (readonly RowValue[])[]): Rows {
  return {
    count: rows.length,
    columns: (rows[0] ?? []).map((_, index) => rows.map((row) => row[index] ?? null)),
  };
}

describe.skipIf(lack !== undefined)("a ClickHouse table as a sink", () => {
  const folder = useFolder();
  let server: ClickHouseServer;
  let asked: ClickHouse;
  let tables = 0;

  beforeAll(async () => {
    server = await startClickHouse(folder);
    asked = await openClickHouse(server.address);
  });

  afterAll(async () => {
    await asked?.close();
    await server?.stop();
  });

  const newName = (): string => `t${++tables}`;

  async function opened(table: string, options: Partial<ClickHouseSinkOptions> = {}): Promise<Sink> {
    return openClickHouseSink({
      server: await openClickHouse(server.address),
      table: { database: "flows", name: table },
      schema,
      overrides: new Map(),
      version: undefined,
      flow: "test",
      sink: "out",
      batchSize: 100_000,
      flushInterval: 600_000,
      began: 1_000,
      timeout: (milliseconds) => AbortSignal.timeout(milliseconds),
      run: String(Math.random()),
      ...options,
    });
  }

  /** A batch of a block that may still be replaced. */
  function batch(
    number: number,
    minus: Rows,
    plus: Rows,
    of = schema,
    open: readonly WrittenBlock[] = [],
  ): SinkBatch {
    const own = { number, hash: `0x${number}`, rows: plus };
    return {
      source: "s",
      from: number,
      to: number,
      changes: netChanges({ minus, plus }, of),
      position: { next: number + 1, open: [...open, own] },
      ledger: { from: number, to: number, rows: plus.count - minus.count, sum: 5n },
    };
  }

  const none = noRows(2);
  const shownRows = async (table: string): Promise<readonly string[]> => {
    const rows = await asked.query(
      `SELECT id, toString(amount) AS amount FROM flows.${table} FINAL ORDER BY id`,
    );
    return rows.map(({ id, amount }) => `${String(id)}=${String(amount)}`);
  };

  it("tells the readers of its table that a block is undone, even if the block has no rows", async () => {
    const table = newName();
    const sink = await opened(table);
    const flow = { flow: "test", database: "flows", tables: { out: table } };
    const { sql, parameters } = marksQuery(flow);
    const mark = async (): Promise<TableMark> =>
      marksIn(flow, await asked.query(sql, parameters)).get("out") ?? { written: 0, replaced: 0 };
    await sink.write(batch(1, none, rowsOf(["a", "1"])));
    await sink.write(batch(2, none, none));
    await sink.end?.("s", 0);
    const before = await mark();
    const undone: SinkBatch = { ...batch(2, none, none), ledger: undefined, position: { next: 2, open: [] } };
    await sink.write(undone);
    await sink.write(batch(2, none, rowsOf(["b", "2"])));
    await sink.end?.("s", 0);
    const after = await mark();
    await sink.close();
    expect(before.replaced).toBeLessThanOrEqual(before.written);
    expect(after.replaced).toBeGreaterThan(before.written);
    expect(await shownRows(table)).toEqual(["a=1", "b=2"]);
  });

  it("writes values of all types exactly", async () => {
    const table = newName();
    const cases: readonly (readonly [ValueType, RowValue, string | undefined, string | null, string])[] = [
      [
        "STRING",
        "a\u0000b\n\n\t\\\n'\"`é\u{1f98a}",
        undefined,
        "a\u0000b\n\n\t\\\n'\"`é\u{1f98a}",
        "Nullable(String)",
      ],
      ["STRING", "x".repeat(300_000), undefined, "x".repeat(300_000), "Nullable(String)"],
      ["STRING", "é".repeat(127), undefined, "é".repeat(127), "Nullable(String)"],
      ["STRING", null, undefined, null, "Nullable(String)"],
      ["STRING", `0x${"ab".repeat(20)}`, "FixedString(42)", `0x${"ab".repeat(20)}`, "FixedString(42)"],
      ["DECIMAL", String(2n ** 256n - 1n), undefined, String(2n ** 256n - 1n), "Nullable(UInt256)"],
      ["DECIMAL", "999999999999999", undefined, "999999999999999", "Nullable(UInt256)"],
      ["DECIMAL", null, undefined, null, "Nullable(UInt256)"],
      ["DECIMAL", String(-(2n ** 255n)), "Int256", String(-(2n ** 255n)), "Int256"],
      ["DECIMAL", "-1", "Nullable(Int8)", "-1", "Nullable(Int8)"],
      ["DECIMAL", "123456789", "Decimal(38, 18)", "123456789", "Decimal(38, 18)"],
      ["NUMERIC", "-1.50", undefined, "-1.50", "Nullable(String)"],
      ["NUMERIC", "-123.4500", "Decimal(9, 2)", "-123.45", "Decimal(9, 2)"],
      [
        "NUMERIC",
        `${"9".repeat(58)}.${"9".repeat(18)}`,
        "Decimal(76, 18)",
        `${"9".repeat(58)}.${"9".repeat(18)}`,
        "Decimal(76, 18)",
      ],
      ["LONG", -(2n ** 63n), undefined, String(-(2n ** 63n)), "Nullable(Int64)"],
      ["LONG", 1_700_000_000n, "DateTime", "2023-11-14 22:13:20", "DateTime"],
      ["DOUBLE", -1.5e300, undefined, "-1.5e300", "Nullable(Float64)"],
      ["DOUBLE", Number.POSITIVE_INFINITY, undefined, "inf", "Nullable(Float64)"],
      ["BOOLEAN", true, undefined, "true", "Nullable(Bool)"],
      ["TIMESTAMP", -1n, undefined, "1969-12-31 23:59:59.999999", "Nullable(DateTime64(6, 'UTC'))"],
      [
        "TIMESTAMP",
        1_700_000_000_123_000n,
        "DateTime64(3, 'UTC')",
        "2023-11-14 22:13:20.123",
        "DateTime64(3, 'UTC')",
      ],
      ["ARRAY<STRING>", ["", "a,b", "'"], undefined, "['','a,b','\\'']", "Array(String)"],
      ["ARRAY<STRING>", ["a", "b"], "String", '["a","b"]', "String"],
      ["JSON", '{"a":[1]}', undefined, '{"a":[1]}', "Nullable(String)"],
    ];
    const of: RowSchema = {
      columns: [idColumn, ...cases.map(([type], index) => ({ name: `v${index}`, type, nullable: true }))],
      key: ["id"],
    };
    const overrides = new Map(
      cases.flatMap(([, , chosen], index) =>
        chosen === undefined ? [] : [[`v${index}`, clickHouseType(chosen) as ClickHouseType] as const],
      ),
    );
    const sink = await opened(table, { schema: of, overrides });
    await sink.write(batch(1, none, rowsOf(["a", ...cases.map(([, value]) => value)]), of));
    await sink.close();
    const columns = cases.map(
      (_, index) => `toString(v${index}) AS s${index}, toTypeName(v${index}) AS t${index}`,
    );
    const [row] = await asked.query(`SELECT ${columns.join(", ")} FROM flows.${table} FINAL`);
    expect(cases.map((_, index) => [row?.[`s${index}`], row?.[`t${index}`]])).toEqual(
      cases.map(([, , , shown, type]) => [shown, type]),
    );
  });

  describe("rows that DuckDB holds", () => {
    const columns: readonly RowColumn[] = [
      idColumn,
      ...(["STRING", "JSON", "DECIMAL", "LONG", "BOOLEAN"] as const).map((type) => ({
        name: type.toLowerCase(),
        type,
        nullable: true,
      })),
    ];
    const wide: RowSchema = { columns, key: ["id"] };
    const told = (): void => undefined;

    /** What makes batches of rows, as the SQL engine does. */
    async function engineBatches(): Promise<(at: number, rows: Rows) => Promise<StoredBatch>> {
      const engine = await openEngine();
      onTestFinished(() => engine.close());
      await engine.createTable("given", columns);
      return async (at, rows) => {
        const stored = await storedRows(engine, testFolder(), { name: "given", columns }, rows, ["id"]);
        const { count, sum } = await stored.facts();
        const ledger = { from: at, to: at, rows: count, sum };
        return { source: "s", from: at, to: at, position: { next: at + 1, open: [] }, ledger, stored };
      };
    }

    const shown = (table: string): Promise<unknown> =>
      asked.query(
        `SELECT ${columns.map(({ name }) => `toString(${name}) AS t_${name}`).join(", ")} FROM flows.${table} FINAL ORDER BY id`,
      );

    it("are inserted as one batch, with the same result as rows that are inserted one by one", async () => {
      const rows = rowsOf(
        ...["", "\\N", "NULL", '"', ",", "'a'", "a\nb\r\n\n", " x\t", "\u0000", "ß😀", null].map(
          (said, index): readonly RowValue[] => [
            `${index}`,
            said,
            index % 2 === 0 ? '{"a":["\\""]}' : null,
            [String(2n ** 256n - 1n), "0", null][index % 3] as RowValue,
            [-(2n ** 63n), 2n ** 63n - 1n, null][index % 3] as RowValue,
            [true, false, null][index % 3] as RowValue,
          ],
        ),
      );
      const [stored, single] = [newName(), newName()];
      const batchOf = await engineBatches();
      const first = await opened(stored, { schema: wide });
      expect(await first.storedWriting?.write(await batchOf(1, rows), told)).toBe(true);
      expect(first.written?.("s")).toBe(2);
      await first.close();
      const other = await opened(single, { schema: wide });
      await other.write(batch(1, noRows(columns.length), rows, wide));
      await other.close();
      expect(await shown(stored)).toEqual(await shown(single));
      expect(await shown(stored)).toHaveLength(rows.count);
      const again = await opened(stored, { schema: wide });
      await again.close();
      expect(again.positions.get("s")).toEqual({ next: 2, open: [] });
    });

    it.each<[string, RowValue, string]>([
      ["a number that is too large", String(2n ** 255n), "Nullable(Int256)"],
      ["a number that is too small", "-1", "Nullable(UInt256)"],
      ["a number with too many digits", "256", "Nullable(UInt8)"],
      ["a null", null, "UInt256"],
    ])("are inserted one by one if the column does not hold %s", async (_, value, type) => {
      const table = newName();
      const batchOf = await engineBatches();
      const overrides = new Map([["decimal", clickHouseType(type) as ClickHouseType]]);
      const sink = await opened(table, { schema: wide, overrides });
      const rows = rowsOf(["a", null, null, "7", null, null], ["b", null, null, value, null, null]);
      expect(await sink.storedWriting?.write(await batchOf(1, rows), told)).toBe(false);
      await expect(sink.write(batch(1, noRows(6), rows, wide))).rejects.toMatchObject({ rows: [1] });
      await sink.close();
      expect(await shown(table)).toEqual([]);
    });

    it("are inserted one by one if the server refuses some, and the refused ones are parked", async () => {
      const table = newName();
      const batchOf = await engineBatches();
      const sink = await opened(table, { schema: wide, parks: true });
      await asked.run(`ALTER TABLE flows.${table} ADD CONSTRAINT small CHECK long < 5`);
      const rows = rowsOf(["a", null, null, "1", 1n, null], ["b", null, null, "2", 7n, null]);
      expect(await sink.storedWriting?.write(await batchOf(1, rows), told)).toBe(false);
      expect([sink.written?.("s"), await shown(table)]).toEqual([undefined, []]);
      const parking = new Parking(sink, wide, { parks: true, now: () => 1 });
      expect(await parking.write(batch(1, noRows(6), rows, wide))).toBe(1);
      expect(parking.keys.flat().map(({ reason }) => reason)).toEqual([expect.stringContaining("small")]);
      await sink.close();
      expect(await shown(table)).toHaveLength(1);
    });

    it("are removed if the position was not saved", async () => {
      const table = newName();
      const batchOf = await engineBatches();
      const rows = rowsOf(["a", "x", null, "1", 1n, true]);
      const failing = await opened(table, {
        schema: wide,
        server: failsAfter(await openClickHouse(server.address), "-rows-"),
      });
      const writing = failing.storedWriting?.write(await batchOf(1, rows), told);
      await expect(writing).rejects.toMatchObject({ name: "SinkError", isTemporary: true });
      await failing.close();
      expect(await shown(table)).toHaveLength(1);
      const again = await opened(table, { schema: wide });
      expect(await shown(table)).toEqual([]);
      expect(await again.storedWriting?.write(await batchOf(1, rows), told)).toBe(true);
      await again.close();
      expect(await shown(table)).toHaveLength(1);
    });
  });

  it("INV-P2: restores rows that an interrupted batch has replaced or deleted, and removes rows that it has added", async () => {
    const table = newName();
    const first = await opened(table);
    await first.write(batch(1, none, rowsOf(["a", "1"], ["b", "2"], ["c", "3"])));
    await first.close();
    const failing = await opened(table, {
      server: failsAfter(await openClickHouse(server.address), "-rows-"),
    });
    const change = batch(2, rowsOf(["a", "1"], ["b", "2"]), rowsOf(["b", "20"], ["d", "4"]));
    await expect(failing.write(change)).rejects.toMatchObject({ name: "SinkError", isTemporary: true });
    await failing.close();
    expect(await shownRows(table)).toEqual(["b=20", "c=3", "d=4"]);

    const again = await opened(table);
    expect(await shownRows(table)).toEqual(["a=1", "b=2", "c=3"]);
    expect(again.positions.get("s")?.next).toBe(2);
    await again.write(change);
    await again.close();
    expect(await shownRows(table)).toEqual(["b=20", "c=3", "d=4"]);
  });

  describe("the state that version 0.1.0 wrote, whose last batch was interrupted,", () => {
    beforeEach(async () => {
      await asked.run("DROP DATABASE IF EXISTS earlier");
      for (const statement of (await earlierScript("clickhouse")).split(/;\n/).filter((text) => text !== ""))
        await asked.run(statement);
    });

    const continued = (lineage: LineageGuard): Promise<Sink> =>
      opened("kept", {
        table: { database: "earlier", name: "kept" },
        schema: earlierSchema,
        ...earlierOwner,
        lineage,
      });

    const rows = async (): Promise<readonly string[]> =>
      (await asked.query("SELECT id, toString(long) AS long FROM earlier.kept FINAL ORDER BY id")).map(
        ({ id, long }) => `${String(id)}=${String(long)}`,
      );

    const ledger = async (): Promise<readonly LedgerEntry[]> =>
      (
        await asked.query(
          "SELECT value FROM earlier.graphloom_flow_states FINAL WHERE kind = 'ledger' AND source = 's' ORDER BY number",
        )
      ).map(({ value }) => {
        const entry = JSON.parse(String(value));
        return { ...entry, sum: BigInt(entry.sum) };
      });

    it("is continued", async () => {
      expect(await rows()).toEqual(["b=2", "it's \\ ß😀=9223372036854775807", "none=9", "x=1"]);
      await expectContinued(continued, ledger, earlierState, false);
      expect(await rows()).toEqual(["a=1", "b=2", "it's \\ ß😀=9223372036854775807", "none=null"]);
    });

    it("has the rows of its open blocks, which a reorganisation deletes", async () => {
      const sink = await continued({ text: earlierLineage, check: () => undefined });
      const minus = joinRows(
        (sink.positions.get("s")?.open ?? []).map((block) => block.rows),
        earlierSchema.columns.length,
      );
      const changes = netChanges({ minus, plus: noRows(earlierSchema.columns.length) }, earlierSchema);
      const position = { next: 10, open: [] };
      await sink.write({ source: "s", from: 10, to: 11, changes, position, ledger: undefined });
      await sink.end?.("s", 10);
      await sink.close();
      expect(await rows()).toEqual(["a=1", "b=2"]);
      expect(await ledger()).toEqual(earlierState.ledger.slice(0, 1));
    });
  });

  it("writes final rows together when there are enough, after a time limit, and at the end", async () => {
    const table = newName();
    const final = (number: number): SinkBatch => ({
      ...batch(number, none, rowsOf([`${number}`, "1"])),
      position: { next: number + 1, open: [] },
    });
    const late = new AbortController();
    const sink = await opened(table, { batchSize: 3, timeout: () => late.signal });
    const countOf = async (): Promise<number> => (await shownRows(table)).length;
    await sink.write(final(1));
    await sink.write(final(2));
    expect(await countOf()).toBe(0);
    await sink.write(final(3));
    expect(await countOf()).toBe(3);
    await sink.write(final(4));
    late.abort();
    await expect.poll(countOf).toBe(4);
    await sink.write(final(5));
    await sink.end?.("s", 6);
    expect(await countOf()).toBe(5);
    await sink.close();
    const versions = await asked.query(`SELECT toString(version) AS v FROM flows.${table} ORDER BY id`);
    expect(versions.map(({ v }) => v)).toEqual(["1", "2", "3", "4", "5"]);
  });

  it("refuses a table with foreign rows, and does not change them", async () => {
    const table = newName();
    const sink = await opened(table);
    await sink.write(batch(1, none, rowsOf(["a", "1"])));
    await sink.close();
    await expect(opened(table, { sink: "other" })).rejects.toThrow(
      `Table flows.${table} holds rows that this pipeline has not written. Choose another table, or empty it with: TRUNCATE TABLE`,
    );
    await asked.run(`INSERT INTO flows.${table} (id, version) VALUES ('x', 9999999999)`);
    await expect(opened(table)).rejects.toThrow(
      `Table flows.${table} holds rows with version 9999999999, which this pipeline has not written.`,
    );
    expect(await shownRows(table)).toEqual(["a=1", "x=null"]);
  });

  it("restarts in a table that was dropped", async () => {
    const table = newName();
    const write = async (): Promise<void> => {
      const sink = await opened(table);
      expect(sink.positions.size).toBe(0);
      await sink.write(batch(1, none, rowsOf(["a", "1"])));
      await sink.close();
    };
    await write();
    await asked.run(`DROP TABLE flows.${table}`);
    await write();
    expect(await shownRows(table)).toEqual(["a=1"]);
  });

  it("stops when another run writes the same sink", async () => {
    const table = newName();
    const one = await opened(table);
    await one.write(batch(1, none, rowsOf(["a", "1"])));
    const other = await opened(table, { began: 2_000 });
    await expect(one.write(batch(2, none, rowsOf(["b", "1"])))).rejects.toThrow(
      `Another run of pipeline test writes sink out: process ${process.pid} on ${hostname()}, since 1970-01-01T00:00:02.000Z. Stop one of them; nothing of this one's last batch was written.`,
    );
    await other.write(batch(2, none, rowsOf(["c", "1"])));
    await one.close();
    await other.close();
    expect(await shownRows(table)).toEqual(["a=1", "c=1"]);
  });

  it("writes a table that exists, and refuses one that does not fit", async () => {
    const table = newName();
    const create = (columns: string, engine: string): Promise<void> =>
      asked.run(`CREATE OR REPLACE TABLE flows.${table} (${columns}) ENGINE = ${engine}`);
    await create("id String, amount Int256", "MergeTree ORDER BY id");
    await expect(opened(table)).rejects.toThrow("has the engine MergeTree, which keeps deleted");
    const replacing = "ReplacingMergeTree(n, gone) ORDER BY id";
    const own = "note String DEFAULT 'x', n UInt64, gone UInt8";
    await create(`id String, ${own}`, replacing);
    await expect(opened(table)).rejects.toThrow(
      `Table flows.${table} has no column amount. Set schema_changes: evolve, or add it with: ALTER TABLE \`flows\`.\`${table}\` ADD COLUMN \`amount\` Nullable(UInt256)`,
    );
    await create(`id String, amount UInt64, ${own}`, replacing);
    await expect(opened(table)).rejects.toThrow(
      `Column amount of table flows.${table} has the type UInt64, which does not hold every value of DECIMAL. Use the type Nullable(UInt256), or choose the type with schema_override.`,
    );
    await create(`id LowCardinality(String), amount Int256, ${own}`, replacing);
    const sink = await opened(table);
    await sink.write(batch(1, none, rowsOf(["a", "-1"])));
    await sink.write(batch(2, none, rowsOf(["b", "2"])));
    await sink.write(batch(3, rowsOf(["a", "-1"]), none));
    await sink.close();
    expect(
      await asked.query(`SELECT id, toString(amount) AS amount, note FROM flows.${table} FINAL`),
    ).toEqual([{ id: "b", amount: "2", note: "x" }]);
  });

  it("INV-P9: continues or restarts when the definition has changed", async () => {
    const table = newName();
    const world = sinkWorld({ folder, secrets: { STORE: "https://user:password@unused/flows" } });
    await expectChanges({
      world: {
        ...world,
        openScratch: openTemporaryScratch,
        openClickHouse: () => openClickHouse(server.address),
      },
      settings: `type: clickhouse, secret_name: STORE, database: flows, table: ${table}`,
      rows: async () => {
        const found = await asked.query(
          `SELECT * EXCEPT (version, is_deleted) REPLACE (toString(amount) AS amount) FROM flows.${table} FINAL ORDER BY id`,
        );
        return [...found];
      },
    });
  });

  it("INV-P8: parks a row that a materialized view refuses, which leaves the row before it", async () => {
    const table = newName();
    await (await opened(table, { parks: true })).close();
    await asked.run(
      `CREATE MATERIALIZED VIEW flows.view_${table} ENGINE = Null AS SELECT throwIf(amount = 13, 'unlucky') AS fails FROM flows.${table}`,
    );
    const sink = await opened(table, { parks: true });
    const parking = new Parking(sink, schema, { parks: true, now: () => 1 });
    const [before, after] = [rowsOf(["a", "1"], ["b", "1"]), rowsOf(["a", "13"], ["b", "2"])];
    await parking.write(batch(1, none, before));
    await parking.write(batch(2, before, joinRows([after, rowsOf(["c", "13"], ["d", "4"])], 2)));
    await sink.close();
    expect(await shownRows(table)).toEqual(["a=1", "b=2", "d=4"]);
    // Zero is refused, too, which a deleted row has where it has only its key.
    await asked.run(`ALTER TABLE flows.${table} ADD CONSTRAINT some CHECK amount > 0`);
    const again = await opened(table, { parks: true });
    const { done, left } = await retryParked(again, schema, { isChosen: () => true, now: () => 2 });
    expect([done.length, left.map(({ reason }) => reason)]).toEqual([
      0,
      [expect.stringContaining("unlucky"), expect.stringContaining("unlucky")],
    ]);
    await new Parking(again, schema, { parks: true, now: () => 1 }).write(
      batch(3, none, rowsOf(["e", "5"], ["f", "0"])),
    );
    await again.close();
    expect(await shownRows(table)).toEqual(["a=1", "b=2", "d=4", "e=5"]);
  });

  it("names the range and the reason of rows that the server refuses, if they are not parked", async () => {
    const table = newName();
    const sink = await opened(table);
    await asked.run(`ALTER TABLE flows.${table} ADD CONSTRAINT small CHECK amount < 5`);
    const error = await errorOf(sink.write(batch(1, none, rowsOf(["a", "7"]))));
    expect(error.message).toMatch(/^Rows of s 1-1 are refused: .*small.*amount = '7'.*on_error: park/s);
    expect(error).toMatchObject({ name: "SinkError", isTemporary: false });
    await sink.close();
  });

  it("reports the server's message", async () => {
    const { address } = server;
    const strange = async (changes: Partial<typeof address>): Promise<Sink> =>
      opened(newName(), { server: await openClickHouse({ ...address, ...changes }) });
    await expect(strange({ password: "wrong" })).rejects.toMatchObject({
      name: "SinkError",
      message: "Authentication failed.",
      isTemporary: false,
    });
    await expect(strange({ url: "http://127.0.0.1:1" })).rejects.toMatchObject({
      name: "SinkError",
      message: "ClickHouse does not answer: connect ECONNREFUSED 127.0.0.1:1",
      isTemporary: true,
    });
  });

  /** What a table and the ledger hold. */
  const heldBy = (table: string): Required<Pick<LawfulSink, "rows" | "ledger">> => ({
    rows: async () => {
      const sql = `SELECT id, who, toString(amount) AS amount, toString(block_number) AS block_number FROM flows.${table} FINAL`;
      const rows: unknown = await asked.query(sql);
      return rows as readonly LawRow[];
    },
    ledger: async () => {
      const sql =
        "SELECT value FROM flows.graphloom_flow_states FINAL WHERE target = {table:String} AND kind = 'ledger'";
      return (await asked.query(sql, { table })).map(({ value }) => {
        const { rows, sum } = JSON.parse(String(value));
        return { rows, sum: BigInt(sum) };
      });
    },
  });

  /** Drops a table, and the states of all. */
  const forget = async (table: string): Promise<void> => {
    for (const name of [table, "graphloom_flow_states"])
      await asked.run(`DROP TABLE IF EXISTS flows.${name}`);
  };

  it("holds the rows of the query, through reorganisations and failures", { tags: "law" }, async () => {
    let table = newName();
    await expectLaw(
      {
        empty: async () => {
          await forget(table);
          table = newName();
        },
        cutRate: 0.01,
        open: async ({ sink }, cut) =>
          opened(table, {
            schema: sink.schema,
            server: interrupted(await openClickHouse(server.address), cut),
          }),
        rows: () => heldBy(table).rows(),
        ledger: () => heldBy(table).ledger(),
      },
      lawSeeds(1),
    );
  });

  /** Creates a table whose constraints refuse some rows of the law. */
  async function makeRefusing(table: string): Promise<void> {
    await asked.run("CREATE DATABASE IF NOT EXISTS flows");
    await asked.run(
      `CREATE TABLE flows.${table} (id String, who Nullable(String), amount Nullable(UInt256), block_number Int64,
        version UInt64, is_deleted UInt8, CONSTRAINT fit CHECK ifNull(amount % 7 <> 3, 1),
        CONSTRAINT spare CHECK ifNull(who <> 'few' OR block_number % 5 <> 1, 1))
        ENGINE = ReplacingMergeTree(version, is_deleted) ORDER BY id`,
    );
  }

  const makeAccepting = (table: string): Promise<unknown> =>
    asked.run(`ALTER TABLE flows.${table} DROP CONSTRAINT fit, DROP CONSTRAINT spare`);

  it("parks only rows that the server refuses, and later changes of their keys", {
    tags: "law",
  }, async () => {
    let table = newName();
    await expectLaw(
      {
        empty: async () => {
          await forget(table);
          table = newName();
          await makeRefusing(table);
        },
        cutRate: 0.01,
        open: async ({ sink }, cut) =>
          opened(table, {
            schema: sink.schema,
            parks: true,
            server: interrupted(await openClickHouse(server.address), cut),
          }),
        rows: () => heldBy(table).rows(),
        ledger: () => heldBy(table).ledger(),
        heal: async () => void (await makeAccepting(table)),
      },
      lawSeeds(1),
    );
  });

  it.runIf(isLawCampaign)(
    "holds the rows of the query when its writer is killed",
    { tags: "law" },
    async () => {
      const tables = new Map<number, string>();
      await expectLawOfKilled(async (slot) => {
        const last = tables.get(slot);
        if (last !== undefined) await forget(last);
        const table = newName();
        tables.set(slot, table);
        return {
          definition: { type: "clickhouse", settings: { table, database: "flows", secret_name: "CH" } },
          secrets: { CH: server.secret },
          folder: "",
          ...heldBy(table),
        };
      });
    },
  );

  it.runIf(isLawCampaign)(
    "parks only rows that the server refuses when its writer is killed",
    { tags: "law" },
    async () => {
      const tables = new Map<number, string>();
      await expectLawOfKilled(async (slot) => {
        const last = tables.get(slot);
        if (last !== undefined) await forget(last);
        const table = newName();
        tables.set(slot, table);
        await makeRefusing(table);
        return {
          definition: {
            type: "clickhouse",
            settings: { table, database: "flows", secret_name: "CH", on_error: "park" },
          },
          secrets: { CH: server.secret },
          folder: "",
          ...heldBy(table),
          heal: async () => void (await makeAccepting(table)),
        };
      });
    },
  );
});

/** A server that is interrupted before statements and after them. */
function interrupted(server: ClickHouse, cut: Cut): ClickHouse {
  const between = async <T>(work: () => Promise<T>): Promise<T> => {
    cut();
    const done = await work();
    cut();
    return done;
  };
  return {
    query: (...given) => between(() => server.query(...given)),
    run: (...given) => between(() => server.run(...given)),
    insert: (...given) => between(() => server.insert(...given)),
    close: () => server.close(),
  };
}

/** A server whose answer to an insert is lost. @param id a part of the insert's id */
function failsAfter(server: ClickHouse, id: string): ClickHouse {
  return {
    query: (...given) => server.query(...given),
    run: (...given) => server.run(...given),
    insert: async (...given) => {
      await server.insert(...given);
      if (given[2].includes(id)) throw new ClickHouseError("the connection is gone", undefined);
    },
    close: () => server.close(),
  };
}
