import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { auditSink, isSound } from "../../../src/pipelines/audit/audit-sink.js";
import type { RowValue } from "../../../src/pipelines/changes/rows.js";
import { openMysqlDatabase } from "../../../src/pipelines/machine/mysql/open-mysql.js";
import type { PlannedLookup, PlannedSink } from "../../../src/pipelines/plan/pipeline-plan.js";
import { openProgram, type Program } from "../../../src/pipelines/runner/program.js";
import type { MysqlDatabase } from "../../../src/pipelines/sinks/mysql-database.js";
import { openSink } from "../../../src/pipelines/sinks/open-sink.js";
import { openLookup } from "../../../src/pipelines/transforms/open-transform.js";
import type { TransformWorld } from "../../../src/pipelines/transforms/opening.js";
import { type Database, SQL, uncheckedSql } from "../../../src/store/database/database.js";
import { describeDatabase } from "../../support/database/databases.js";
import { testFolder } from "../../support/folder.js";
import { auditWorld, playThrough, verifies, writeAll } from "../../support/pipelines/audited-pipeline.js";
import { killedWorld } from "../../support/pipelines/law/killed-world.js";
import { lawPipeline, onlySql } from "../../support/pipelines/law-pipeline.js";
import { soundPipeline } from "../../support/pipelines/planned-pipeline.js";
import { objectsOf, rowsOf } from "../../support/pipelines/row-objects.js";
import { type MariaDbServer, mariaDbMissing, startMariaDb } from "../../support/servers/mariadb.js";

/** A database with the table `tokens`. */
interface Subject {
  /** Runs statements that both databases understand, with `"` around names. */
  run(...statements: readonly string[]): Promise<void>;
  /** Types of columns: a text that can be a key, and a boolean. */
  readonly types: { readonly key: string; readonly boolean: string };
  /** How many statements lookups have sent, apart from those that open them. */
  readonly asked: () => number;
  readonly world: Pick<TransformWorld, "openDatabase" | "openMysql">;
}

const untouched: Omit<TransformWorld, "openDatabase" | "openMysql" | "clock" | "secret"> = {
  openScript: async () => {
    throw new Error("there are no scripts");
  },
  outgoing: {
    send: async () => {
      throw new Error("there is no network");
    },
  },
};

/** A run of a pipeline that looks logs up. */
interface Run {
  readonly program: Program;
  /** What the query makes of logs with these addresses, and blocks if they have any, a line each. */
  of(
    ...logs: readonly (string | null | readonly [address: string, block: number])[]
  ): Promise<readonly string[]>;
}

function lookupsOf(type: string, subject: () => Subject): void {
  let time = 1_000;
  /** @param query what follows `SELECT id,` */
  async function opened(lookup: string, query: string): Promise<Run> {
    const plan = await soundPipeline(`
name: x
sources: { logs: { type: dataset, dataset_name: base.raw_logs } }
lookups: { tokens: { type: ${type}, secret_name: TOKENS, ${lookup} } }
transforms: { made: { primary_key: id, sql: "SELECT id, ${query}" } }
sinks: { shown: { type: print, from: made } }`);
    const world: TransformWorld = {
      ...untouched,
      ...subject().world,
      secret: () => `${type}://nowhere/x`,
      clock: { now: () => time, timeout: () => new AbortController().signal },
    };
    const sink = plan.sinks[0] as PlannedSink;
    const program = await openProgram(plan, sink, {
      ...onlySql,
      openLookup: (planned: PlannedLookup) => openLookup(planned, world),
    });
    const columns = plan.sources[0]?.schema.columns ?? [];
    return {
      program,
      async of(...logs) {
        const objects = logs.map((log, index): Record<string, RowValue> => {
          const [address, block] = typeof log === "object" && log !== null ? log : [log, 1];
          return { id: String(index), address, block_number: BigInt(block) };
        });
        const blocks = objects.map(({ block_number: block }) => Number(block));
        const place = { from: Math.min(...blocks), to: Math.max(...blocks) };
        const delta = { minus: rowsOf(columns, []), plus: rowsOf(columns, objects) };
        const { plus } = await program.apply("logs", delta, place);
        return objectsOf(sink.schema.columns, plus).map((row) => Object.values(row).map(String).join(" "));
      },
    };
  }

  const made = async (rows: string, columns = ""): Promise<void> => {
    const { run, types } = subject();
    await run(
      'drop table if exists "tokens"',
      `create table "tokens" ("address" ${types.key}, "symbol" ${types.key}, "decimals" bigint, "known" ${types.boolean}${columns})`,
      ...(rows === "" ? [] : [`insert into "tokens" values ${rows}`]),
    );
  };
  const usual = "table: tokens, key: address, columns: { symbol: string, decimals: uint64, known: boolean }";
  const all =
    "t.address, t.symbol, t.decimals + 1 AS more, t.known FROM logs LEFT JOIN tokens AS t ON t.address = logs.address";

  it("finds rows by keys of exactly the same text, once for all rows of a batch, and counts the others", async () => {
    await made("('0xa', 'USDC', 6, true), ('0xb', null, 18, false), ('0xA', 'other', 1, true)");
    const { program, of } = await opened(usual, all);
    try {
      const before = subject().asked();
      const logs = Array.from(
        { length: 4_000 },
        (_, index) => ["0xa", "0xb", "0xc", null, "0x'\\\"{}"][index % 5] ?? null,
      );
      const lines = await of(...logs);
      expect(lines.slice(0, 5)).toEqual([
        "0 0xa USDC 7 true",
        "1 0xb null 19 false",
        "2 null null null null",
        "3 null null null null",
        "4 null null null null",
      ]);
      expect(lines).toHaveLength(4_000);
      expect(subject().asked() - before).toBe(1);
      expect(program.misses).toBe(1_600);
    } finally {
      await program.close();
    }
  });

  it("looks a row up again once it is older than cache_ttl, and never within a batch", async () => {
    await made("('0xa', 'old', 6, true)");
    const query = "t.symbol FROM logs LEFT JOIN tokens AS t ON t.address = logs.address";
    const { program, of } = await opened(`${usual}, cache_ttl: 10s`, query);
    try {
      expect(await of("0xa", "0xb")).toEqual(["0 old", "1 null"]);
      await subject().run(
        `update "tokens" set "symbol" = 'new'`,
        `insert into "tokens" ("address") values ('0xb')`,
      );
      const before = subject().asked();
      time += 10_000;
      expect(await of("0xa", "0xb", "0xa")).toEqual(["0 old", "1 null", "2 old"]);
      expect(subject().asked()).toBe(before);
      time += 1;
      expect(await of("0xa", "0xb")).toEqual(["0 new", "1 null"]);
      expect(program.misses).toBe(2);
    } finally {
      await program.close();
    }
  });

  it("forgets rows if more were looked up than cache_rows", async () => {
    await made(Array.from({ length: 40 }, (_, n) => `('${n}', 's${n}', ${n}, true)`).join());
    const query = "t.symbol FROM logs JOIN tokens AS t ON t.address = logs.address";
    const { program, of } = await opened(`${usual}, cache_rows: 20`, query);
    try {
      const keys = (from: number): string[] => Array.from({ length: 10 }, (_, n) => String(from + n));
      for (const from of [0, 10, 20, 0])
        expect(await of(...keys(from))).toEqual(keys(from).map((key, n) => `${n} s${key}`));
      const before = subject().asked();
      expect(await of("0", "21")).toEqual(["0 s0", "1 s21"]);
      expect(subject().asked()).toBe(before);
      expect(await of("11")).toEqual(["0 s11"]);
      expect(subject().asked()).toBe(before + 1);
    } finally {
      await program.close();
    }
  });

  it("finds rows by several columns, by integers of any size, and by what another lookup has found", async () => {
    await made("('0xa', '0xb', 6, true), ('0xb', 'WETH', 6, true), ('0xb', 'DAI', 7, true)");
    const { program, of } = await opened(
      "table: tokens, key: 'decimals, address', columns: { decimals: uint256, symbol: string }",
      `coalesce(second.symbol, 'none') AS symbol FROM logs JOIN tokens AS t ON t.address = logs.address AND t.decimals = CAST('6' AS NUMERIC(78)) * CAST(CASE WHEN id = '1' THEN '100000000000000000000' ELSE '1' END AS NUMERIC(78)) LEFT JOIN tokens AS second ON second.address = t.symbol AND second.decimals = t.decimals`,
    );
    try {
      expect(await of("0xa", "0xa", "0xb")).toEqual(["0 WETH", "2 none"]);
    } finally {
      await program.close();
    }
  });

  it("finds the version that counts at the block of a row, if rows have one", async () => {
    await made(
      "('0xa', 'first', 1, true, null), ('0xa', 'second', 1, true, 10), ('0xa', 'third', 1, true, 12), ('0xb', 'late', 1, true, 11)",
      ', "since" bigint',
    );
    const { program, of } = await opened(
      "table: tokens, key: address, columns: { symbol: string }, valid_from: since",
      "block_number, t.symbol FROM logs LEFT JOIN tokens AS t ON t.address = logs.address",
    );
    try {
      const logs = [9, 10, 11, 12, 13].flatMap((block) => [["0xa", block] as const, ["0xb", block] as const]);
      expect((await of(...logs)).map((line) => line.split(" ").slice(1).join(" "))).toEqual([
        "9 first",
        "9 null",
        "10 second",
        "10 null",
        "11 second",
        "11 late",
        "12 third",
        "12 late",
        "13 third",
        "13 late",
      ]);
      expect(program.misses).toBe(2);
    } finally {
      await program.close();
    }
  });

  it.each([
    [
      usual,
      "('0xa', 'a', 1, true), ('0xa', 'b', 1, true)",
      /two rows with "address 0xa", so that a row would become two/,
    ],
    [
      usual.replace("symbol: string", "symbol: int64"),
      "('0xa', 'a', 1, true)",
      /"a" in "symbol" is not a value/,
    ],
    [usual, `('0xa', '${"x".repeat(16_385)}', 1, true)`, /a text in "symbol" has more than 16384 characters/],
    [
      `${usual}, valid_from: symbol`,
      "('0xa', 'a', 1, true)",
      /"a" in the column of valid_from is not a block number/,
    ],
    [
      "table: tokens, key: decimals, columns: { symbol: string }",
      "",
      /the key "decimals" is of type "(int8|bigint)", and the definition says text/,
    ],
    ["table: tokens, key: known, columns: { symbol: string }", "", /the key "known" is of type/],
    [usual.replace("symbol:", "sign:"), "", /table "tokens" has no column "sign"/],
    [usual.replace("table: tokens", "table: others"), "", /there is no table "others" that may be read/],
  ])("stops with what is wrong with the table: %s %s", async (lookup, rows, message) => {
    await made(rows);
    const key = /key: (\w+)/.exec(lookup)?.[1];
    const query = `t.${key} AS found FROM logs LEFT JOIN tokens AS t ON t.${key} = logs.address`;
    const found = async (): Promise<unknown> => {
      const { program, of } = await opened(lookup, query);
      try {
        return await of("0xa");
      } finally {
        await program.close();
      }
    };
    await expect(found()).rejects.toThrow(message);
  });
}

describeDatabase("a lookup in a table of PostgreSQL", false, ({ bare }) => {
  let asked = 0;
  let database: Database;
  beforeAll(async () => {
    database = await bare();
  });
  const subject: Subject = {
    run: async (...statements) => {
      for (const statement of statements) await database.run(uncheckedSql(statement));
    },
    types: { key: "text", boolean: "boolean" },
    asked: () => asked,
    world: {
      openDatabase: async () => ({
        ...database,
        provider: database.provider,
        query: (...given) => database.query(...given),
        run: (script) => database.run(script),
        listen: (...given) => database.listen(...given),
        transaction: (...given) => {
          asked += 1;
          return database.transaction(...given);
        },
        // It belongs to the tests.
        close: async () => undefined,
      }),
      openMysql: async () => {
        throw new Error("this is PostgreSQL");
      },
    },
  };
  lookupsOf("postgres", () => subject);

  it("is read again by an audit, which says that its rows may have changed", async () => {
    await subject.run(
      "drop table if exists people; create table people (who text primary key, name text)",
      "insert into people values ('a', 'A'), ('b', 'B')",
    );
    const definition = {
      type: "duckdb",
      settings: { path: "main.duckdb", table: "chosen" },
      isChanging: true,
    };
    const law = await lawPipeline(definition);
    const world = {
      ...untouched,
      ...killedWorld(testFolder(), { PEOPLE: "postgres://nowhere/x" }),
      ...subject.world,
    };
    const played = await playThrough(1, async (now) =>
      writeAll(law, law.sink, await openSink(law.sink, law.owner, world), now, {
        ...onlySql,
        openLookup: (planned) => openLookup(planned, world),
      }),
    );
    const audited = async (): Promise<readonly [boolean, readonly string[]]> => {
      const found = await auditSink(law.plan, law.sink, auditWorld(played, world), verifies);
      return [isSound(found), found.unproved];
    };
    const note =
      "Rows are computed with what lookup people finds now. Where its table has changed, they differ, though the sink may hold what was written.";
    expect(await audited()).toEqual([true, [note]]);
    await subject.run("update people set name = 'Z' where who = 'a'");
    expect(await audited()).toEqual([false, [note]]);
  });

  it("writes nothing, even if a view calls a function that writes", async () => {
    await subject.run(
      'drop table if exists "tokens"; drop table if exists written; create table written (n int)',
      "create or replace function note() returns text language sql volatile as 'insert into written values (1) returning ''x'''",
      "create or replace view notes as select '0xa'::text as address, note() as symbol",
    );
    const plan = await soundPipeline(`
name: x
sources: { logs: { type: dataset, dataset_name: base.raw_logs } }
lookups: { notes: { type: postgres, secret_name: X, table: notes, key: address, columns: { symbol: string } } }
transforms: { made: { primary_key: id, sql: "SELECT id, n.symbol FROM logs JOIN notes AS n ON n.address = logs.address" } }
sinks: { shown: { type: print, from: made } }`);
    const world = {
      ...untouched,
      ...subject.world,
      secret: () => "postgres://nowhere/x",
      clock: { now: () => 1, timeout: () => new AbortController().signal },
    };
    const table = await openLookup(plan.lookups?.[0] as PlannedLookup, world);
    await expect(table.load([["0xa"]])).rejects.toThrow(/^Lookup notes: .*read-only transaction/);
    expect(await database.query(SQL`select * from written`)).toEqual([]);
  });
});

if (mariaDbMissing !== undefined) test.skip(mariaDbMissing, () => undefined);

describe.skipIf(mariaDbMissing !== undefined)("a lookup in a table of MariaDB", () => {
  let server: MariaDbServer;
  let database: MysqlDatabase;
  let asked = 0;
  beforeAll(async () => {
    server = await startMariaDb();
    database = await openMysqlDatabase(server.address(""));
    await database.run("create database looked_up");
    await database.run("use looked_up");
  });
  afterAll(async () => {
    await database?.close();
    await server?.stop();
  });
  lookupsOf("mysql", () => ({
    run: async (...statements) => {
      for (const statement of statements) await database.run(statement.replaceAll('"', "`"));
    },
    types: { key: "varchar(20000)", boolean: "boolean" },
    asked: () => asked,
    world: {
      openDatabase: async () => {
        throw new Error("this is MariaDB");
      },
      openMysql: async () => {
        const opened = await openMysqlDatabase(server.address("looked_up"));
        return {
          run: (statement) => {
            asked += Number(statement.startsWith("select"));
            return opened.run(statement);
          },
          transaction: (work) => opened.transaction(work),
          close: () => opened.close(),
        };
      },
    },
  }));

  it("lets its session only read", async () => {
    await database.run("create table if not exists looked_up.kept (a varchar(10), b varchar(10))");
    let session: MysqlDatabase | undefined;
    const { openMysqlRows } = await import("../../../src/pipelines/transforms/row-lookup/mysql-rows.js");
    const plan = await soundPipeline(`
name: x
sources: { logs: { type: dataset, dataset_name: base.raw_logs } }
lookups: { kept: { type: mysql, secret_name: X, table: kept, key: a, columns: { b: string } } }
transforms: { made: { primary_key: id, sql: "SELECT id, n.b FROM logs JOIN kept AS n ON n.a = logs.address" } }
sinks: { shown: { type: print, from: made } }`);
    session = await openMysqlDatabase(server.address("looked_up"));
    try {
      await openMysqlRows(session, plan.lookups?.[0] as PlannedLookup);
      await expect(session.run("insert into kept values ('a', 'b')")).rejects.toThrow(/READ ONLY/i);
    } finally {
      await session.close();
    }
  });
});
