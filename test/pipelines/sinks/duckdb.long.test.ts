import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import {
  type AuditRequest,
  auditSink,
  isSound,
  type SinkFindings,
} from "../../../src/pipelines/audit/audit-sink.js";
import { netChanges } from "../../../src/pipelines/changes/net-changes.js";
import { noRows, type RowValue } from "../../../src/pipelines/changes/rows.js";
import type { RowColumn } from "../../../src/pipelines/changes/schema.js";
import { openDuckDbFile } from "../../../src/pipelines/machine/duckdb/open-duckdb-file.js";
import type { PlannedSink } from "../../../src/pipelines/plan/pipeline-plan.js";
import type { DuckDbFile } from "../../../src/pipelines/sinks/duckdb-file.js";
import { emptySink, openSink } from "../../../src/pipelines/sinks/open-sink.js";
import { RowError, type Sink } from "../../../src/pipelines/sinks/sink.js";
import type { SinkBatch } from "../../../src/pipelines/state/sink-batch.js";
import { type Row, uncheckedSql } from "../../../src/store/database/database.js";
import { testFolder } from "../../support/folder.js";
import {
  auditWorld,
  listed,
  type Played,
  plainPipeline,
  playThrough,
  repairs,
  verifies,
  writeAll,
} from "../../support/pipelines/audited-pipeline.js";
import { type Cut, expectLaw, type LawfulSink } from "../../support/pipelines/expect-law.js";
import { lawSeeds } from "../../support/pipelines/law/each-seed.js";
import { expectLawOfKilled } from "../../support/pipelines/law/expect-killed.js";
import { killedWorld } from "../../support/pipelines/law/killed-world.js";
import { type LawPipeline, type LawRow, lawPipeline, text } from "../../support/pipelines/law-pipeline.js";

const definition = { type: "duckdb", settings: { path: "main.duckdb", table: "chosen" } };

/** Reads or changes a file as another user of it does. */
async function query(folder: string, sql: string): Promise<readonly Row[]> {
  const file = await openDuckDbFile(join(folder, "main.duckdb"));
  try {
    return await file.query(uncheckedSql(sql.replaceAll("file.", '"graphloom$file".')));
  } finally {
    await file.close();
  }
}

/** What the table and the ledger of a file hold. */
const heldIn = (folder: () => string): Required<Pick<LawfulSink, "rows" | "ledger">> => ({
  rows: async () => {
    const rows: unknown = await query(folder(), "select id, who, amount, block_number from file.main.chosen");
    return rows as readonly LawRow[];
  },
  ledger: async () =>
    (await query(folder(), "select held, total from file.graphloom_flows.ledger")).map(({ held, total }) => ({
      rows: Number(held),
      sum: BigInt(total ?? 0),
    })),
});

/** A file that fails sometimes: before a statement, before a commit, or after it. */
function faulty(file: DuckDbFile, cut: Cut): DuckDbFile {
  return {
    ...file,
    query: (statement, parameters) => {
      cut();
      return file.query(statement, parameters);
    },
    transaction: async (work) => {
      const result = await file.transaction(async (session) => {
        const done = await work({
          ...session,
          query: (statement, parameters) => {
            cut();
            return session.query(statement, parameters);
          },
        });
        cut();
        return done;
      });
      cut();
      return result;
    },
  };
}

it("a DuckDB file holds the rows of the query, through reorganisations and failures", {
  tags: "law",
}, async () => {
  let folder = "";
  await expectLaw(
    {
      // Each failure opens the file again.
      cutRate: 0.01,
      empty: async () => {
        folder = testFolder();
      },
      open: async ({ sink, owner }, cut) => {
        const world = killedWorld(folder, {});
        const openFile = async (path: string) => faulty(await openDuckDbFile(join(folder, path)), cut);
        return openSink(sink, owner, { ...world, openDuckDbFile: openFile });
      },
      ...heldIn(() => folder),
    },
    lawSeeds(1),
    definition,
  );
});

it("a DuckDB file holds the rows of the query when its writer is killed", { tags: "law" }, async () => {
  await expectLawOfKilled(async () => {
    const folder = testFolder();
    return { definition, secrets: {}, folder, ...heldIn(() => folder) };
  });
});

/** A column of each type. */
const columns: readonly RowColumn[] = [
  { name: "id", type: "STRING", nullable: false },
  { name: "json", type: "JSON", nullable: true },
  { name: "long", type: "LONG", nullable: true },
  { name: "double", type: "DOUBLE", nullable: true },
  { name: "decimal", type: "DECIMAL", nullable: true },
  { name: "numeric", type: "NUMERIC", nullable: true },
  { name: "boolean", type: "BOOLEAN", nullable: true },
  { name: "timestamp", type: "TIMESTAMP", nullable: true },
  { name: "list", type: "ARRAY<STRING>", nullable: true },
];

const opened: Sink[] = [];
afterEach(async () => {
  for (const sink of opened.splice(0)) await sink.close();
});

/** Opens a sink with these columns. */
async function openWith(folder: string, overrides: Readonly<Record<string, string>> = {}): Promise<Sink> {
  const override = Object.entries(overrides).map(([name, type]) => ({ name: text(name), value: text(type) }));
  const settings = { path: text("main.duckdb"), table: text("chosen"), schema_override: override };
  const { sink, owner } = plainPipeline(["id"], "duckdb", settings);
  const planned = { ...sink, schema: { columns, key: ["id"] } };
  const one = await openSink(planned, owner, killedWorld(folder, {}));
  opened.push(one);
  return one;
}

/** A batch that inserts rows. */
function inserted(rows: readonly (readonly RowValue[])[]): SinkBatch {
  const plus = {
    count: rows.length,
    columns: columns.map((_, column) => rows.map((row) => row[column] ?? null)),
  };
  const changes = netChanges({ minus: noRows(columns.length), plus }, { columns, key: ["id"] });
  return { source: "played", from: 0, to: 0, changes, position: { next: 1, open: [] }, ledger: undefined };
}

it("a DuckDB file holds every value unchanged", async () => {
  const folder = testFolder();
  const large = String(2n ** 256n - 1n);
  const rows: readonly (readonly RowValue[])[] = [
    [
      "a",
      `{"n": ${large}}`,
      2n ** 63n - 1n,
      0.1 + 0.2,
      large,
      "1.50",
      true,
      1_700_000_000_123_456n,
      ["x'", '"\\'],
    ],
    ["b\0", "[]", -(2n ** 63n), 5e-324, `-${2n ** 255n}`, `${large}.5`, false, -1n, []],
    ["c", null, null, null, null, null, null, null, null],
  ];
  await (await openWith(folder)).write(inserted(rows));
  const read = await query(
    folder,
    `select id, json::varchar as json, long, double::varchar as double, "decimal", "numeric", boolean, epoch_us("timestamp") as time,
      to_json(list)::varchar as list from file.main.chosen order by id`,
  );
  expect(read.map((row) => Object.values(row))).toEqual([
    [
      "a",
      `{"n": ${large}}`,
      String(2n ** 63n - 1n),
      "0.30000000000000004",
      large,
      "1.50",
      "true",
      "1700000000123456",
      '["x\'","\\"\\\\"]',
    ],
    ["b\0", "[]", String(-(2n ** 63n)), "5e-324", `-${2n ** 255n}`, `${large}.5`, "false", "-1", "[]"],
    ["c", null, null, null, null, null, null, null, null],
  ]);
});

it("values that do not fit into chosen types are named, and nothing is cut or rounded", async () => {
  const folder = testFolder();
  const sink = await openWith(folder, {
    decimal: "hugeint",
    numeric: "decimal(10,2)",
    json: "blob",
    double: "bigint",
  });
  const row = (
    id: string,
    decimal: string,
    numeric: string,
    json: string,
    double = 1,
  ): readonly RowValue[] => [id, json, null, double, decimal, numeric];
  const rows = [
    row("fits", "-12", "1.250", "0x00ff"),
    row("129 bits", String(2n ** 128n), "1", "0x"),
    row("rounded", "1", "1.255", "0x"),
    row("no bytes", "1", "1", "12"),
    row("a fraction", "1", "1", "0x", 1.5),
  ];
  const error = await sink.write(inserted(rows)).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(RowError);
  const refused = (error as RowError).refused.map(({ row: index, column }) => `${index} ${column}`);
  expect(refused.sort()).toEqual(["1 decimal", "2 numeric", "3 json", "4 double"]);
  await sink.write(inserted(rows.slice(0, 1)));
  expect(
    await query(
      folder,
      `select id, "decimal", "numeric"::varchar as numeric, hex(json) as bytes from file.main.chosen`,
    ),
  ).toEqual([{ id: "fits", decimal: "-12", numeric: "1.25", bytes: "00FF" }]);
});

/** Writes a file through reorganisations. */
async function written(flow: LawPipeline, folder: string, seed: number): Promise<Played> {
  const world = killedWorld(folder, {});
  return playThrough(seed, async (played) =>
    writeAll(flow, flow.sink, await openSink(flow.sink, flow.owner, world), played),
  );
}

function audit(
  flow: LawPipeline,
  folder: string,
  played: Played,
  request: AuditRequest,
): Promise<SinkFindings> {
  return auditSink(flow.plan, flow.sink, auditWorld(played, killedWorld(folder, {})), request);
}

const settings = { path: text("main.duckdb"), table: text("chosen") };

it("an audit of a DuckDB file finds each wrong row, and repairs only these", async () => {
  const folder = testFolder();
  const law = await lawPipeline();
  const sink: PlannedSink = { ...law.sink, definition: { type: "duckdb", name: text("out"), settings } };
  const flow = { ...law, sink };
  const played = await written(flow, folder, 1);
  const content = () => query(folder, "select * from file.main.chosen order by id");
  const before = await content();
  expect(isSound(await audit(flow, folder, played, verifies))).toBe(true);
  const [lost, changed, copied] = before.map(({ id }) => `'${id}'`);
  await query(folder, `delete from file.main.chosen where id = ${lost}`);
  await query(folder, `update file.main.chosen set who = 'x' where id = ${changed}`);
  await query(
    folder,
    `insert into file.main.chosen select id || '!', who, amount, block_number from file.main.chosen where id = ${copied}`,
  );
  const wrong = [`altered ${before[1]?.id} who`, `foreign ${before[2]?.id}!`, `missing ${before[0]?.id}`];
  expect(listed(await audit(flow, folder, played, verifies))).toEqual(wrong);
  expect(listed(await audit(flow, folder, played, repairs))).toEqual(wrong);
  expect(await content()).toEqual(before);
  // An emptied sink is written from the start again.
  await emptySink(flow.sink, flow.owner, killedWorld(folder, {}), true);
  const world = killedWorld(folder, {});
  await writeAll(flow, flow.sink, await openSink(flow.sink, flow.owner, world), played);
  expect(isSound(await audit(flow, folder, played, verifies))).toBe(true);
});

it("an audit of a DuckDB file counts the copies of rows that have no key", async () => {
  const folder = testFolder();
  const flow = plainPipeline([], "duckdb", settings);
  const played = await written(flow, folder, 3);
  const content = () => query(folder, "select * from file.main.chosen order by all");
  const before = await content();
  const [first, second] = before;
  await query(folder, `delete from file.main.chosen where id = '${first?.id}'`);
  await query(
    folder,
    `insert into file.main.chosen select * from file.main.chosen where id = '${second?.id}'`,
  );
  const wrong = [`doubled ${second?.id}`, `missing ${first?.id}`];
  expect(listed(await audit(flow, folder, played, repairs))).toEqual(wrong);
  expect(await content()).toEqual(before);
});

it("INV-P3: a DuckDB file that another process has open is not written, and the error names the process", async () => {
  const folder = testFolder();
  const script = `require("@duckdb/node-api").DuckDBInstance.create(process.argv[1]).then(() => console.log("open")); setInterval(() => {}, 1000)`;
  const other = spawn(process.execPath, ["-e", script, join(folder, "main.duckdb")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await once(other.stdout, "data");
    await expect(openWith(folder)).rejects.toMatchObject({
      name: "SinkError",
      isTemporary: true,
      message: expect.stringMatching(
        new RegExp(`main.duckdb cannot be opened: another process has it open.*${other.pid}`),
      ),
    });
  } finally {
    other.kill("SIGKILL");
  }
});
