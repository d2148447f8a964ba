import { describe, expect, it, onTestFinished } from "vitest";
import type { LedgerEntry } from "../../../src/pipelines/changes/ledger.js";
import type { RowValue } from "../../../src/pipelines/changes/rows.js";
import type { RowColumn } from "../../../src/pipelines/changes/schema.js";
import { openTemporaryScratch } from "../../../src/pipelines/machine/temporary-scratch.js";
import { openProgram } from "../../../src/pipelines/runner/program.js";
import { runSink } from "../../../src/pipelines/runner/run-sink.js";
import { postgresTables } from "../../../src/pipelines/sinks/postgres/postgres-table.js";
import type { Sink } from "../../../src/pipelines/sinks/sink.js";
import { openTable } from "../../../src/pipelines/sinks/tables/table-sink.js";
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
import { expectChanges } from "../../support/pipelines/expect-changes.js";
import { expectLaw, type LawfulSink } from "../../support/pipelines/expect-law.js";
import { faultyDatabase } from "../../support/pipelines/faulty-database.js";
import { lawSeeds } from "../../support/pipelines/law/each-seed.js";
import { expectLawOfKilled } from "../../support/pipelines/law/expect-killed.js";
import { slotDatabases } from "../../support/pipelines/law/slot-databases.js";
import {
  expectedRows,
  type LawPipeline,
  type LawRow,
  lawPipeline,
  onlySql,
  openEngine,
} from "../../support/pipelines/law-pipeline.js";
import { feedSource, PlayedFeed } from "../../support/pipelines/played-feed.js";
import { PlayedChain, playedSource } from "../../support/pipelines/played-source.js";
import { randomOf } from "../../support/pipelines/random.js";
import { sinkWorld } from "../../support/pipelines/sink-world.js";
import { storedRows } from "../../support/pipelines/stored-rows.js";

describeDatabase("a table as a sink", false, ({ bare }) => {
  async function emptied(): Promise<Database> {
    const database = await bare();
    await database.run(
      SQL`drop schema if exists graphloom_flows cascade; drop schema if exists flow_law cascade`,
    );
    return database;
  }

  function opened(database: Database, { sink, owner }: LawPipeline, name = "chosen"): Promise<Sink> {
    return openTable(postgresTables, {
      database,
      table: { schema: "flow_law", name },
      schema: sink.schema,
      overrides: new Map(),
      onConflict: "update",
      owner: { flow: owner.flow, sink: sink.name },
    });
  }

  it("a PostgreSQL sink restarts in another table, and in a table that was dropped", async () => {
    const flow = await lawPipeline();
    const database = faultyDatabase(await emptied(), () => undefined);
    const chain = new PlayedChain(randomOf(1));
    const feed = new PlayedFeed(randomOf(2));
    for (let count = 0; count < 20; count += 1) chain.mine();
    const program = await openProgram(flow.plan, flow.sink, onlySql);
    const write = async (name: string): Promise<void> => {
      const options = { signal: new AbortController().signal, onProgress: () => undefined };
      const open = (source: string) => (source === "played" ? playedSource(chain) : feedSource(feed));
      await runSink(flow.sink, await opened(database, flow, name), program, open, options);
    };
    await write("chosen");
    await write("other");
    await database.run(SQL`drop table flow_law.chosen`);
    await write("chosen");
    await program.close();
    for (const table of [SQL`flow_law.chosen`, SQL`flow_law.other`]) {
      const [row] = await database.query(SQL`select count(*) as rows from ${table}`);
      expect(row?.rows).toBe(String(expectedRows(chain, feed).length));
    }
  });

  it("INV-P9: a PostgreSQL sink continues or restarts when the definition has changed", async () => {
    const database = await emptied();
    const world = sinkWorld({ folder: testFolder(), secrets: { STORE: "postgres://unused/flows" } });
    const shared = faultyDatabase(database, () => undefined);
    await expectChanges({
      world: { ...world, openScratch: openTemporaryScratch, openDatabase: async () => shared },
      settings: "type: postgres, secret_name: STORE, schema: flow_law, table: changing",
      rows: () => database.query(SQL`select * from flow_law.changing order by id`),
    });
  });

  it("a PostgreSQL sink continues from the state that version 0.1.0 wrote", async () => {
    const database = await emptied();
    await database.run(SQL`drop schema if exists state cascade`);
    await database.run(await earlierScript("postgres"));
    await expectContinued(
      (lineage) =>
        openTable(postgresTables, {
          schema: earlierSchema,
          owner: earlierOwner,
          lineage,
          overrides: new Map(),
          onConflict: "update",
          database: faultyDatabase(database, () => undefined),
          table: { schema: "state", name: "kept" },
        }),
      async () => ledgerOfRows(await database.query(earlierLedger)),
    );
    expect(await database.query(SQL`select id from state.kept order by id collate "C"`)).toEqual(
      ["a", "b", "it's \\ ß😀", "none"].map((id) => ({ id })),
    );
  });

  it.each([
    "update",
    "nothing",
  ] as const)("a PostgreSQL sink copies rows that DuckDB holds, also over existing rows with on_conflict %s", async (onConflict) => {
    const text = (name: string): RowColumn => ({ name, type: "STRING", nullable: true });
    const columns: readonly RowColumn[] = [text("id"), text("said"), { ...text("data"), type: "JSON" }];
    const schema = { columns, key: ["id"] };
    let copies = 0;
    const database = faultyDatabase(
      await emptied(),
      () => undefined,
      () => {
        copies += 1;
      },
    );
    const folder = testFolder();
    const engine = await openEngine();
    await engine.createTable("given", columns);
    const sink = await openTable(postgresTables, {
      database,
      table: { schema: "flow_law", name: "said" },
      schema,
      overrides: new Map(),
      onConflict,
      owner: { flow: "f", sink: "s" },
    });
    onTestFinished(async () => {
      engine.close();
      await sink.close();
    });
    const slower: string[] = [];
    const write = async (at: number, rows: readonly (readonly RowValue[])[]): Promise<void> => {
      const byColumn = columns.map((_, index) => rows.map((row) => row[index] ?? null));
      const given = { count: rows.length, columns: byColumn };
      const stored = await storedRows(engine, folder, { name: "given", columns }, given, ["id"]);
      const { count, sum } = await stored.facts();
      const range = { source: "a", from: at, to: at };
      const position = { next: at + 1, open: [] };
      const ledger = { from: at, to: at, rows: count, sum };
      const batch = { ...range, position, ledger, stored };
      expect(await sink.storedWriting?.write(batch, (why) => slower.push(why))).toBe(true);
    };
    const odd = ["", "\\.", "\\N", '"', ",", "a\nb\r\n", "NULL", " ", "ß😀", "{}", null];
    await write(
      1,
      odd.map((said, index) => [`${index}`, said, index % 2 === 0 ? '{"a":[1]}' : null]),
    );
    expect([copies, slower]).toEqual([1, []]);
    await write(2, [
      ["0", "again", null],
      ["new", "new", null],
    ]);
    await write(3, [["1", onConflict === "update" ? "\\." : "not taken", null]]);
    expect(slower).toEqual([
      expect.stringMatching(
        /^were inserted, since COPY failed: duplicate key .* "said_pkey"\. Later batches/,
      ),
    ]);
    const rows = await database.query(SQL`select id, said from flow_law.said`);
    const first = onConflict === "update" ? ["again", ...odd.slice(1)] : odd;
    expect(new Map(rows.map(({ id, said }) => [id, said]))).toEqual(
      new Map([...first.map((said, index) => [`${index}`, said] as const), ["new", "new"]]),
    );
  });

  it(`INV-P1: a PostgreSQL sink holds the rows of the query, through reorganisations and failures, for ${lawSeeds(2)} schedules`, {
    tags: "law",
  }, async () => {
    let database: Database;
    await expectLaw(
      {
        empty: async () => {
          database = await emptied();
        },
        open: (flow, cut) => opened(faultyDatabase(database, cut), flow),
        rows: async () => rowsIn(database),
        ledger: async () => ledgerIn(database),
      },
      lawSeeds(2),
    );
  });

  it(`a PostgreSQL sink parks only refused rows and later changes of their keys, for ${lawSeeds(1)} schedules`, {
    tags: "law",
  }, async () => {
    let database: Database;
    const subject: LawfulSink = {
      empty: async () => {
        database = await emptied();
        await database.run(refusingTable);
      },
      open: (flow, cut) => opened(faultyDatabase(database, cut), flow),
      rows: async () => rowsIn(database),
      ledger: async () => ledgerIn(database),
      heal: () => database.run(acceptingTable),
    };
    await expectLaw(subject, lawSeeds(1));
  });
});

describe.skipIf(postgresMissing !== undefined)("a table whose writer is killed", () => {
  it("holds the rows of the query, in every schedule", { tags: "law" }, async () => {
    const emptied = slotDatabases();
    await expectLawOfKilled(async (slot) => {
      const { address, database } = await emptied(slot);
      return {
        definition: {
          type: "postgres",
          settings: { schema: "flow_law", table: "chosen", secret_name: "PG" },
        },
        secrets: { PG: address },
        folder: testFolder(),
        rows: async () => rowsIn(database),
        ledger: async () => ledgerIn(database),
      };
    });
  });

  it("parks only refused rows and later changes of their keys", { tags: "law" }, async () => {
    const emptied = slotDatabases();
    await expectLawOfKilled(async (slot) => {
      const { address, database } = await emptied(slot);
      await database.run(refusingTable);
      return {
        definition: {
          type: "postgres",
          settings: { schema: "flow_law", table: "chosen", secret_name: "PG", on_error: "park" },
        },
        secrets: { PG: address },
        folder: testFolder(),
        rows: async () => rowsIn(database),
        ledger: async () => ledgerIn(database),
        heal: () => database.run(acceptingTable),
      };
    });
  });
});

const refusingTable = SQL`create schema flow_law;
  create table flow_law.chosen (id text primary key, who text, amount numeric(78,0), block_number bigint,
    constraint fit check (amount % 7 <> 3), constraint spare check (who <> 'few' or block_number % 5 <> 1))`;
const acceptingTable = SQL`alter table flow_law.chosen drop constraint fit, drop constraint spare`;

async function rowsIn(database: Database): Promise<readonly LawRow[]> {
  const rows: unknown = await database.query(SQL`select id, who, amount, block_number from flow_law.chosen`);
  return rows as readonly LawRow[];
}

async function ledgerIn(database: Database): Promise<readonly Pick<LedgerEntry, "rows" | "sum">[]> {
  const entries = await database.query(SQL`select rows, sum from graphloom_flows.ledger`);
  return entries.map(({ rows, sum }) => ({ rows: Number(rows), sum: BigInt(sum ?? 0) }));
}
