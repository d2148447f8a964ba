import { expect, it } from "vitest";
import { netChanges } from "../../../src/pipelines/changes/net-changes.js";
import { noRows, type RowValue } from "../../../src/pipelines/changes/rows.js";
import type { RowSchema } from "../../../src/pipelines/changes/schema.js";
import { overrideType, postgresTypes } from "../../../src/pipelines/definition/override-type.js";
import { Parking } from "../../../src/pipelines/runner/parking.js";
import { chosenType } from "../../../src/pipelines/sinks/postgres/column-types.js";
import { postgresTables } from "../../../src/pipelines/sinks/postgres/postgres-table.js";
import { RowError, type Sink } from "../../../src/pipelines/sinks/sink.js";
import { openTable } from "../../../src/pipelines/sinks/tables/table-sink.js";
import type { SinkBatch } from "../../../src/pipelines/state/sink-batch.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { describeDatabase } from "../../support/database/databases.js";
import { errorOf } from "../../support/pipelines/keyed-batch.js";

const schema: RowSchema = {
  columns: [
    { name: "id", type: "STRING", nullable: false },
    { name: "name", type: "STRING", nullable: true },
    { name: "amount", type: "DECIMAL", nullable: true },
    { name: "block_number", type: "LONG", nullable: false },
  ],
  key: ["id"],
};

type TestRow = readonly [id: string, name: RowValue, amount: RowValue, block: RowValue];

/** A batch in which some rows go and others come. */
function batchOf(next: number, plus: readonly TestRow[], minus: readonly TestRow[] = []): SinkBatch {
  const rows = (given: readonly TestRow[]) =>
    given.length === 0
      ? noRows(4)
      : {
          count: given.length,
          columns: [0, 1, 2, 3].map((column) => given.map((row) => row[column] ?? null)),
        };
  const changes = netChanges({ minus: rows(minus), plus: rows(plus) }, schema);
  return {
    source: "s",
    from: next - 1,
    to: next - 1,
    changes,
    position: { next, open: [] },
    ledger: undefined,
  };
}

describeDatabase("rows that a table refuses", process.env.GRAPHLOOM_LAW_SEEDS !== undefined, ({ bare }) => {
  let database: Database;

  /** A table with narrow columns, constraints and a trigger, and a sink that writes it. */
  async function opened(): Promise<Sink> {
    database = await bare();
    await database.run(SQL`drop schema if exists graphloom_flows cascade; drop schema if exists refusing cascade;
      create schema refusing;
      create table refusing.rows (id text primary key, name varchar(5) unique, amount numeric(5,0) not null,
        block_number bigint constraint early check (block_number < 100));
      create table refusing.uses (id text references refusing.rows deferrable initially deferred);
      create function refusing.refuse() returns trigger language plpgsql as
        $$ begin if new.name = 'cat' then raise exception 'no cats'; end if; return new; end $$;
      create trigger refuse before insert on refusing.rows for each row execute function refusing.refuse()`);
    return reopened();
  }

  function reopened(): Promise<Sink> {
    const type = (text: string) => {
      const chosen = overrideType(text, postgresTypes);
      return chosen ? chosenType(chosen) : null;
    };
    return openTable(postgresTables, {
      database: { ...methodsOf(database), close: async () => undefined },
      table: { schema: "refusing", name: "rows" },
      schema,
      overrides: new Map([
        ["name", type("varchar(5)")],
        ["amount", type("numeric(5,0)")],
      ]),
      onConflict: "update",
      owner: { flow: "refusing", sink: "out" },
    });
  }

  const stored = async (): Promise<readonly (string | null)[]> =>
    (await database.query(SQL`select id from refusing.rows order by id`)).map(({ id }) => id ?? null);

  const poison: readonly TestRow[] = [
    ["a", "fits", "1", 1n],
    ["too large", "b", "100000", 1n],
    ["zero byte", "c\0", "1", 1n],
    ["null", "d", null, 1n],
    ["too long", "longer", "1", 1n],
    ["check", "e", "1", 100n],
    ["trigger", "cat", "1", 1n],
    ["same name", "fits", "1", 1n],
    ["z", "f", "1", 1n],
  ];

  it("refused rows are named with their columns, and no row of their batch is written", async () => {
    const sink = await opened();
    const error = (await errorOf(sink.write(batchOf(1, poison)))) as RowError;
    expect(error).toBeInstanceOf(RowError);
    expect(error.refused.map(({ row, column }) => [poison[row]?.[0], column])).toEqual([
      ["too large", "amount"],
      ["zero byte", "name"],
      ["null", undefined],
      ["too long", "name"],
      ["check", undefined],
      ["trigger", undefined],
      ["same name", undefined],
    ]);
    expect(error.refused.map(({ why }) => why)).toEqual([
      "numeric field overflow",
      expect.stringContaining("0x00"),
      expect.stringContaining('null value in column "amount"'),
      expect.stringContaining("too long"),
      expect.stringContaining('"early"'),
      "no cats",
      expect.stringContaining('"rows_name_key"'),
    ]);
    expect(await stored()).toEqual([]);
    expect((await reopened()).positions.size).toBe(0);
  });

  it("refused rows stop the sink with one line that names the first, or are parked while all others are written", async () => {
    const sink = await opened();
    const stops = new Parking(sink, schema, { parks: false, now: () => 1 });
    expect((await errorOf(stops.write(batchOf(1, poison)))).message).toBe(
      "Row id=too large of block 1, and 6 other rows of its batch, is refused: column amount: numeric field overflow. Correct the table or the query, or set on_error: park to keep such rows aside.",
    );
    const parks = new Parking(sink, schema, { parks: true, now: () => 1 });
    expect(await parks.write(batchOf(1, poison))).toBe(2);
    expect([await stored(), parks.count]).toEqual([["a", "z"], 7]);
    expect((await reopened()).parked?.map(({ reason }) => reason)).toContain(
      "column amount: numeric field overflow",
    );
  });

  it("refused rows may be deletions that foreign keys of other tables prevent", async () => {
    const sink = await opened();
    const row: TestRow = ["a", "fits", "1", 1n];
    await sink.write(batchOf(1, [row]));
    await database.run(SQL`insert into refusing.uses values ('a')`);
    const error = (await errorOf(sink.write(batchOf(2, [["b", "b", "1", 2n]], [row])))) as RowError;
    expect(error.refused).toEqual([
      { row: 0, why: expect.stringContaining("foreign key"), column: undefined },
    ]);
  });
});

function methodsOf(database: Database): Database {
  return {
    provider: database.provider,
    query: (...given) => database.query(...given),
    run: (script) => database.run(script),
    listen: (...given) => database.listen(...given),
    transaction: (...given) => database.transaction(...given),
    close: () => database.close(),
  };
}
