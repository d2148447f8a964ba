import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { netChanges } from "../../../src/pipelines/changes/net-changes.js";
import { noRows, type RowValue } from "../../../src/pipelines/changes/rows.js";
import type { RowColumn, RowSchema } from "../../../src/pipelines/changes/schema.js";
import { openMysqlDatabase } from "../../../src/pipelines/machine/mysql/open-mysql.js";
import { openTemporaryScratch } from "../../../src/pipelines/machine/temporary-scratch.js";
import { Parking } from "../../../src/pipelines/runner/parking.js";
import { mysqlTables } from "../../../src/pipelines/sinks/mysql/mysql-table.js";
import type { MysqlDatabase } from "../../../src/pipelines/sinks/mysql-database.js";
import { RowError, type Sink } from "../../../src/pipelines/sinks/sink.js";
import type { TableOptions } from "../../../src/pipelines/sinks/tables/table-dialect.js";
import { openTable } from "../../../src/pipelines/sinks/tables/table-sink.js";
import type { SinkBatch } from "../../../src/pipelines/state/sink-batch.js";
import { SinkError } from "../../../src/pipelines/state/sink-error.js";
import { type Row, SQL, type SqlFragment, uncheckedSql } from "../../../src/store/database/database.js";
import { testFolder } from "../../support/folder.js";
import {
  earlierOwner,
  earlierSchema,
  earlierScript,
  expectContinued,
  ledgerOfRows,
} from "../../support/pipelines/earlier-state.js";
import { expectChanges } from "../../support/pipelines/expect-changes.js";
import { type Cut, expectLaw, type LawfulSink } from "../../support/pipelines/expect-law.js";
import { isLawCampaign, lawSeeds } from "../../support/pipelines/law/each-seed.js";
import { expectLawOfKilled } from "../../support/pipelines/law/expect-killed.js";
import type { LawRow } from "../../support/pipelines/law-pipeline.js";
import { thisRun } from "../../support/pipelines/other-run.js";
import { sinkWorld } from "../../support/pipelines/sink-world.js";
import { makeAuthority } from "../../support/servers/certificates.js";
import { type MariaDbServer, mariaDbMissing, startMariaDb } from "../../support/servers/mariadb.js";

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
const schema: RowSchema = { columns, key: ["id"] };

/** A connection that breaks sometimes: before a statement, before a commit, or after it. */
function faulty(database: MysqlDatabase, cut: Cut): MysqlDatabase {
  return {
    run: async (statement) => {
      cut();
      return database.run(statement);
    },
    transaction: async (work) => {
      const result = await database.transaction(async () => {
        const done = await work();
        cut();
        return done;
      });
      cut();
      return result;
    },
    close: async () => undefined,
  };
}

if (mariaDbMissing !== undefined) test.skip(mariaDbMissing, () => undefined);

describe.skipIf(mariaDbMissing !== undefined)("a table of MariaDB as a sink", () => {
  let server: MariaDbServer;
  let database: MysqlDatabase;
  const query = async (sql: string): Promise<readonly Row[]> => (await database.run(uncheckedSql(sql))).rows;

  beforeAll(async () => {
    server = await startMariaDb();
    database = await openMysqlDatabase(server.address(""));
  });
  afterAll(async () => {
    await database?.close();
    await server?.stop();
  });

  async function emptied(name = "flow_law"): Promise<void> {
    await query(`drop database if exists ${name}`);
    await query(`create database ${name}`);
  }

  /** What the table and the ledger of a database hold. */
  const heldBy = (name: string): Required<Pick<LawfulSink, "rows" | "ledger">> => ({
    rows: async () => {
      const rows: unknown = await query(`select id, who, amount, block_number from ${name}.chosen`);
      return rows as readonly LawRow[];
    },
    ledger: async () =>
      (await query(`select held, hash from ${name}.graphloom_flows_ledger`)).map(({ held: rows, hash }) => ({
        rows: Number(rows),
        sum: BigInt(hash ?? 0),
      })),
  });
  const held = heldBy("flow_law");

  function opened(options: Partial<TableOptions<MysqlDatabase, MysqlDatabase>> = {}): Promise<Sink> {
    return openTable(mysqlTables, {
      database: faulty(database, () => undefined),
      table: { schema: "flow_law", name: "chosen" },
      schema,
      overrides: new Map<string, SqlFragment | null>(),
      onConflict: "update",
      owner: { flow: "law", sink: "out" },
      ...options,
    });
  }

  /** A batch that inserts rows. */
  function inserted(rows: readonly (readonly RowValue[])[], next = 1, of = schema): SinkBatch {
    const plus = {
      count: rows.length,
      columns: of.columns.map((_, column) => rows.map((row) => row[column] ?? null)),
    };
    const changes = netChanges({ minus: noRows(of.columns.length), plus }, of);
    return {
      source: "s",
      from: next - 1,
      to: next - 1,
      changes,
      position: { next, open: [] },
      ledger: undefined,
    };
  }

  it(`holds the rows of the query, through reorganisations and failures, for ${lawSeeds(1)} schedules`, {
    tags: "law",
  }, async () => {
    await expectLaw(
      {
        empty: emptied,
        open: ({ sink, owner }, cut) =>
          opened({
            database: faulty(database, cut),
            schema: sink.schema,
            owner: { flow: owner.flow, sink: sink.name },
          }),
        ...held,
      },
      lawSeeds(1),
    );
  });

  it.runIf(isLawCampaign)(
    "holds the rows of the query when its writer is killed",
    { tags: "law" },
    async () => {
      await expectLawOfKilled(async (slot) => {
        const name = `flow_law_${slot}`;
        await emptied(name);
        return {
          definition: { type: "mysql_sink", settings: { table: "chosen", secret_name: "DB" } },
          secrets: { DB: server.address(name) },
          folder: testFolder(),
          ...heldBy(name),
        };
      });
    },
  );

  it.runIf(isLawCampaign)(
    "parks only the rows that a constraint refuses when its writer is killed",
    { tags: "law" },
    async () => {
      await expectLawOfKilled(async (slot) => {
        const name = `flow_law_${slot}`;
        await emptied(name);
        await query(refusingTable(name));
        return {
          definition: {
            type: "mysql_sink",
            settings: { table: "chosen", secret_name: "DB", on_error: "park" },
          },
          secrets: { DB: server.address(name) },
          folder: testFolder(),
          ...heldBy(name),
          heal: async () => void (await query(acceptingTable(name))),
        };
      });
    },
  );

  it("writes every value unchanged", async () => {
    await emptied();
    const large = String(2n ** 256n - 1n);
    const values: readonly (readonly RowValue[])[] = [
      [
        "a",
        `{"n": ${large}}`,
        2n ** 63n - 1n,
        0.1 + 0.2,
        large,
        "1.50",
        true,
        1_700_000_000_123_456n,
        ["x'", '"😀\\'],
      ],
      ["b", "[]", -(2n ** 63n), 5e-324, `-${2n ** 255n}`, `${large}.5`, false, -1n, []],
      ["c", null, null, null, null, null, null, null, null],
      ["d", "1", 0n, 123_456_789_012_345_680_000, "0", "0", true, 0n, ["\n\t\0\u001a"]],
    ];
    await (await opened()).write(inserted(values));
    const rows = await query("select * from flow_law.chosen order by id");
    expect(rows.map((row) => Object.values(row))).toEqual([
      [
        "a",
        `{"n": ${large}}`,
        "9223372036854775807",
        "0.30000000000000004",
        large,
        "1.50",
        "1",
        "2023-11-14 22:13:20.123456",
        '["x\'","\\"😀\\\\"]',
      ],
      [
        "b",
        "[]",
        "-9223372036854775808",
        "5e-324",
        `-${2n ** 255n}`,
        `${large}.5`,
        "0",
        "1969-12-31 23:59:59.999999",
        "[]",
      ],
      ["c", null, null, null, null, null, null, null, null],
      [
        "d",
        "1",
        "0",
        "1.2345678901234568e20",
        "0",
        "0",
        "1",
        "1970-01-01 00:00:00.000000",
        '["\\n\\t\\u0000\\u001a"]',
      ],
    ]);
  });

  it("finds the rows that do not fit, and writes nothing of their batch", async () => {
    await emptied();
    const sink = await opened({
      overrides: new Map([
        ["decimal", SQL`decimal(65,0)`],
        ["numeric", SQL`decimal(10,2)`],
      ]),
    });
    const row = (id: string, double: number, decimal: string, numeric: string): readonly RowValue[] => [
      id,
      null,
      null,
      double,
      decimal,
      numeric,
      null,
      null,
      null,
    ];
    const rows = [
      row("fits", 1, "9".repeat(65), "1.25"),
      row("more than 65 digits", 1, `1${"0".repeat(65)}`, "1"),
      row("fits, too", 1, "1", "1"),
      row("more than two digits after the point", 1, "1", "1.255"),
      row("no number", Number.NaN, "1", "1"),
      row("i".repeat(769), 1, "1", "1"),
      row(`spaces at the end${" ".repeat(768)}`, 1, "1", "1"),
    ];
    const error = await sink.write(inserted(rows)).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(RowError);
    expect((error as RowError).rows).toEqual([1, 3, 4, 5, 6]);
    expect(await query("select * from flow_law.chosen")).toEqual([]);
    await sink.write(inserted([rows[0] ?? [], rows[2] ?? []]));
    expect(await query("select id from flow_law.chosen")).toEqual([{ id: "fits" }, { id: "fits, too" }]);
  });

  it(`parks only the rows that a constraint refuses and later changes of their keys, for ${lawSeeds(1)} schedules`, {
    tags: "law",
  }, async () => {
    const subject: LawfulSink = {
      empty: async () => {
        await emptied();
        await query(refusingTable("flow_law"));
      },
      open: ({ sink, owner }, cut) =>
        opened({
          database: faulty(database, cut),
          schema: sink.schema,
          owner: { flow: owner.flow, sink: sink.name },
        }),
      rows: async () =>
        (await query(
          "select id, who, amount, block_number from flow_law.chosen",
        )) as unknown as readonly LawRow[],
      heal: async () => {
        await query(acceptingTable("flow_law"));
      },
    };
    await expectLaw(subject, lawSeeds(1));
  });

  it("names rows that constraints and triggers refuse, and parks them while it writes all others", async () => {
    await emptied();
    await query(`create table flow_law.chosen (id varchar(100) collate utf8mb4_nopad_bin primary key,
      \`long\` bigint not null check (\`long\` < 100), \`decimal\` decimal(5,0))`);
    await query(`create trigger flow_law.refuse before insert on flow_law.chosen for each row
      if new.id = 'cat' then signal sqlstate '45000' set message_text = 'no cats'; end if`);
    const narrow: RowSchema = {
      columns: columns.filter(({ name }) => ["id", "long", "decimal"].includes(name)),
      key: ["id"],
    };
    const overrides = new Map([
      ["id", SQL`varchar(100)`],
      ["decimal", SQL`decimal(5,0)`],
    ]);
    const reopen = (): Promise<Sink> => opened({ schema: narrow, overrides });
    const rows = [
      ["fits", 1n, "1"],
      ["too large", 1n, "100000"],
      ["null", null, "1"],
      ["check", 100n, "1"],
      ["cat", 1n, "1"],
      ["fits, too", 1n, "1"],
    ];
    const batch = inserted(rows, 1, narrow);
    const parking = new Parking(await reopen(), narrow, { parks: true, now: () => 1 });
    expect(await parking.write(batch)).toBe(2);
    expect(await query("select id from flow_law.chosen")).toEqual([{ id: "fits" }, { id: "fits, too" }]);
    expect((await reopen()).parked?.map(({ reason }) => reason)).toEqual([
      "Out of range value for column 'decimal'",
      "Column 'long' cannot be null",
      expect.stringMatching(/^CONSTRAINT `chosen.long` failed/),
      "no cats",
    ]);
  });

  it("leaves existing rows unchanged with on_conflict: nothing", async () => {
    await emptied();
    const sink = await opened({ onConflict: "nothing" });
    await sink.write(inserted([["a", "1", 1n]]));
    await sink.write(
      inserted(
        [
          ["a", "2", 2n],
          ["b", "3", 3n],
        ],
        2,
      ),
    );
    expect(await query("select id, `long` from flow_law.chosen order by id")).toEqual([
      { id: "a", long: "1" },
      { id: "b", long: "3" },
    ]);
  });

  it("deletes as many of equal rows as are gone, in a table without a key", async () => {
    await emptied();
    const keyless = { columns: columns.slice(0, 3), key: [] };
    const sink = await opened({ schema: keyless });
    const row = ["a ", null, 1n] as const;
    await sink.write(inserted([row, row, ["a", null, 1n], row], 1, keyless));
    const minus = {
      count: 2,
      columns: [
        ["a ", "a "],
        [null, null],
        [1n, 1n],
      ],
    };
    const changes = netChanges({ minus, plus: noRows(3) }, keyless);
    await sink.write({ ...inserted([], 2, keyless), changes });
    expect(await query("select id from flow_law.chosen order by id")).toEqual([{ id: "a" }, { id: "a " }]);
  });

  it("splits rows that exceed the size of a statement, and refuses a single row that does", async () => {
    await emptied();
    const sink = await opened();
    const long = `"${"x".repeat(200_000)}"`;
    await sink.write(inserted(Array.from({ length: 8 }, (_, row) => [String(row), long])));
    expect(await query("select count(*) as n, min(length(json)) as l from flow_law.chosen")).toEqual([
      { n: "8", l: "200002" },
    ]);
    const error = await sink
      .write(inserted([["fits"], ["large", `"${"x".repeat(2 ** 20)}"`]], 2))
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(RowError);
    expect((error as RowError).rows).toEqual([1]);
    expect((error as RowError).message).toContain("max_allowed_packet");
  });

  it("keeps any number of rows of open blocks", async () => {
    await emptied();
    const sink = await opened();
    const rows = {
      count: 1,
      columns: columns.map(({ name }) => (name === "id" ? [`x${"😀".repeat(120_001)}`] : [null])),
    };
    const open = [{ number: 7, hash: "0x7", rows }];
    await sink.write({ ...inserted([]), position: { next: 8, open } });
    expect((await opened()).positions.get("s")).toEqual({ next: 8, open });
  });

  it("continues from the state that version 0.1.0 wrote", async () => {
    await emptied("state");
    await query("use state");
    for (const statement of (await earlierScript("mysql")).split(/;\n/).filter((text) => text !== ""))
      await query(statement);
    await expectContinued(
      (lineage) =>
        opened({
          schema: earlierSchema,
          owner: earlierOwner,
          lineage,
          table: { schema: "state", name: "kept" },
        }),
      async () =>
        ledgerOfRows(
          await query(
            "select first, last, held as `rows`, hash as sum from state.graphloom_flows_ledger where source = 's' order by first",
          ),
        ),
    );
    expect(await query("select id from state.kept order by binary id")).toEqual(
      ["a", "b", "it's \\ ß😀", "none"].map((id) => ({ id })),
    );
  });

  it("INV-P3: refuses a second writer", async () => {
    await emptied();
    const [one, other] = [await opened(), await opened()];
    await one.write(inserted([["a"]]));
    await expect(other.write(inserted([["b"]]))).rejects.toThrow(
      new RegExp(`^Another run of pipeline law writes sink out${thisRun.source}`),
    );
    expect(await query("select id from flow_law.chosen")).toEqual([{ id: "a" }]);
    const later = await opened();
    await one.write(inserted([["c"]], 2));
    // As another machine has written itself down.
    await query(
      `update flow_law.graphloom_flows_writers set process = '{"pid":47,"host":"web-2","namespace":null}', since = 1000`,
    );
    await expect(later.write(inserted([["d"]], 2))).rejects.toThrow(
      "Another run of pipeline law writes sink out: process 47 on web-2, since 1970-01-01T00:00:01.000Z. Stop one of them; nothing of this one's last batch was written.",
    );
    // As an earlier version, which has written nothing down.
    await query("delete from flow_law.graphloom_flows_writers");
    await expect(later.write(inserted([["d"]], 2))).rejects.toThrow(
      "Another run of pipeline law writes sink out. Stop one of them; nothing of this one's last batch was written.",
    );
  });

  it("continues or restarts when the definition has changed", async () => {
    await emptied();
    const world = sinkWorld({ folder: testFolder(), secrets: { STORE: server.address("") } });
    await expectChanges({
      world: { ...world, openScratch: openTemporaryScratch, openMysql: openMysqlDatabase },
      settings: "type: mysql_sink, secret_name: STORE, schema: flow_law, table: changing",
      rows: () => query("select * from flow_law.changing order by id"),
    });
  });

  it("restarts in a table that was dropped", async () => {
    await emptied();
    await (await opened()).write(inserted([["a"]]));
    await query("drop table flow_law.chosen");
    expect((await opened()).positions.size).toBe(0);
  });

  it.each([
    [
      "id varchar(768) primary key",
      "Column id of table flow_law.chosen has the type varchar(768) character set latin1, which does not hold every value of STRING.",
    ],
    [
      "id varchar(100) character set utf8mb4 collate utf8mb4_nopad_bin primary key",
      "which does not hold every value of STRING",
    ],
    [
      "id varchar(768) character set utf8mb4 collate utf8mb4_bin primary key",
      "has the collation utf8mb4_bin, under which different keys may be equal.",
    ],
    [
      "id varchar(768) character set utf8mb4 collate utf8mb4_nopad_bin, key (id)",
      "has no unique index on its key, id.",
    ],
    [
      "id varchar(768) character set utf8mb4 collate utf8mb4_nopad_bin, unique (id(9))",
      "has no unique index on its key, id.",
    ],
    [
      "id varchar(768) character set utf8mb4 collate utf8mb4_nopad_bin primary key, amount int unique",
      "has the unique index amount on amount beside its key.",
    ],
  ])("refuses a table with %s", async (definition, message) => {
    await emptied();
    await query(`create table flow_law.chosen (${definition}) default character set latin1`);
    const error = await opened({ schema: { columns: columns.slice(0, 1), key: ["id"] } }).catch(
      (caught: unknown) => caught,
    );
    expect(error).toBeInstanceOf(SinkError);
    expect((error as Error).message).toContain(message);
    expect((error as SinkError).isTemporary).toBe(false);
  });

  it.each([
    ["long", "int"],
    ["long", "bigint unsigned"],
    ["double", "float"],
    ["decimal", "decimal(65,0)"],
    ["timestamp", "datetime"],
    ["timestamp", "timestamp(6)"],
    ["json", "text character set utf8mb4"],
    ["boolean", "bit"],
  ])("refuses a column for %s of the type %s", async (column, type) => {
    await emptied();
    const wanted = columns.filter(({ name }) => name === "id" || name === column);
    await query(
      `create table flow_law.chosen (id varchar(768) character set utf8mb4 collate utf8mb4_nopad_bin primary key, \`${column}\` ${type})`,
    );
    await expect(opened({ schema: { columns: wanted, key: ["id"] } })).rejects.toThrow(
      "which does not hold every value of",
    );
  });

  it("refuses tables without transactions, and views", async () => {
    await emptied();
    await query("create table flow_law.chosen (id int primary key) engine = MyISAM");
    await expect(opened()).rejects.toThrow("has the engine MyISAM, which knows no transactions");
    await query("drop table flow_law.chosen");
    await query("create view flow_law.chosen as select 'a' as id");
    await expect(opened()).rejects.toThrow("Table flow_law.chosen is a view");
  });

  it("accepts a table that it has created, and refuses rows that it has not written", async () => {
    await emptied();
    await opened();
    await opened();
    await query("insert into flow_law.chosen (id) values ('foreign')");
    await expect(opened()).rejects.toThrow("holds rows that this pipeline has not written");
  });

  const failure = (address: string): Promise<unknown> =>
    openMysqlDatabase(address).then(
      (open) => open.close(),
      (error: unknown) => error,
    );

  it("says why a server cannot be used, and whether to try again", async () => {
    expect(await failure(server.address("absent"))).toMatchObject({ state: "42000" });
    expect(await failure("mysql://root@127.0.0.1:1/db")).toMatchObject({ state: undefined });
    const denied = server.address("flow_law").replace("root@", "root:wrong@");
    expect(await failure(denied)).toMatchObject({ state: "28000" });
    await expect(openMysqlDatabase("mysql://root@localhost/db?sslmode=require")).rejects.toThrow(
      "has a parameter sslmode. Use ssl-mode, ssl-ca or socket.",
    );
  });

  it("encrypts connections, and checks the server's certificate on request", async ({ skip }) => {
    const { port, certificate } = server;
    if (certificate === undefined) return skip("openssl is not installed");
    await query("create or replace user encrypted identified by 'p@ss:word' require ssl");
    const address = (mode: string, host = "127.0.0.1"): string =>
      `mysql://encrypted:${encodeURIComponent("p@ss:word")}@${host}:${port}/?${mode}`;
    expect(await failure(address(""))).toBeUndefined();
    expect(await failure(address("ssl-mode=REQUIRED"))).toBeUndefined();
    expect(await failure(address("ssl-mode=disabled"))).toMatchObject({ state: "28000" });
    expect(String(await failure(address("ssl-mode=verify_ca")))).toContain(
      "certificate is self-signed. To trust it",
    );
    const checked = `ssl-mode=verify_identity&ssl-ca=${encodeURIComponent(certificate)}`;
    expect(await failure(address(checked, "localhost"))).toBeUndefined();
    expect(String(await failure(address(checked)))).toContain("127.0.0.1 is an IP address");
    const other = encodeURIComponent(makeAuthority(testFolder(), "other").path);
    for (const mode of ["verify_ca", "verify_identity"])
      expect(String(await failure(address(`ssl-mode=${mode}&ssl-ca=${other}`, "localhost")))).toContain(
        "certificate is self-signed",
      );
  });
});

/** A table whose constraints refuse some rows of the law. */
function refusingTable(database: string): string {
  return `create table ${database}.chosen (id varchar(768) primary key, who longtext, amount varchar(79),
    block_number bigint, constraint fit check (amount % 7 <> 3),
    constraint spare check (who <> 'few' or block_number % 5 <> 1))
    character set utf8mb4 collate utf8mb4_nopad_bin`;
}

function acceptingTable(database: string): string {
  return `alter table ${database}.chosen drop constraint fit, drop constraint spare`;
}
