import { expect, it } from "vitest";
import { locatedString } from "../../../src/compiler/source/located-string.js";
import type { LocatedString } from "../../../src/compiler/source/source.js";
import { sumOfRows } from "../../../src/flows/changes/row-hash.js";
import type { FlowPlan, PlannedSink } from "../../../src/flows/plan/flow-plan.js";
import { openProgram } from "../../../src/flows/runner/program.js";
import { runSink } from "../../../src/flows/runner/run-sink.js";
import { openPostgresSink } from "../../../src/flows/sinks/postgres/postgres-sink.js";
import { type Sink, SinkError } from "../../../src/flows/sinks/sink.js";
import type { SqlEngine } from "../../../src/flows/sql/engine.js";
import { openDuckDb } from "../../../src/node/duckdb/open-duckdb.js";
import { type Database, SQL, type Sql } from "../../../src/store/database/database.js";
import { describeDatabase } from "../../support/database/databases.js";
import { PlayedChain, playedColumns, playedSource } from "../../support/flows/played-source.js";

/** Filters, computes the key, and lets rows move between the branches of a union. */
const query = `
  SELECT 'small ' || id AS id, who, amount, block_number FROM played WHERE amount < 500 AND who <> 'c'
  UNION ALL
  SELECT 'large ' || id, upper(who), amount - 1, block_number FROM played WHERE amount >= 500
  UNION ALL
  SELECT 'none ' || id, who, amount, block_number FROM played WHERE amount IS NULL`;

const seeds = Number(process.env.GRAPHLOOM_LAW_SEEDS ?? 2);

function text(value: string): LocatedString {
  const source = { path: "flow.yaml", text: value };
  return locatedString(value, { source, pointer: "", start: 0, end: value.length }, 0);
}

const openEngine = (): Promise<SqlEngine> => openDuckDb({ memory: 256, time: 30_000 });

/** The plan of a flow from the played source through the query. */
async function planned(): Promise<{ readonly plan: FlowPlan; readonly sink: PlannedSink }> {
  const engine = await openEngine();
  await engine.createTable("played", playedColumns);
  const columns = await engine.createView("chosen", query);
  engine.close();
  const schema = { columns, key: ["id"] };
  const sink = {
    name: "out",
    definition: { type: "postgres", name: text("out"), settings: {} },
    from: "chosen",
    schema,
  } as const;
  const plan: FlowPlan = {
    name: "law",
    job: false,
    sources: [
      {
        name: "played",
        definition: { type: "dataset", name: text("played"), settings: {} },
        schema: { columns: playedColumns, key: ["id"] },
      },
    ],
    transforms: [
      {
        name: "chosen",
        definition: { type: "sql", name: text("chosen"), settings: { sql: text(query) } },
        reads: ["played"],
        schema,
      },
    ],
    sinks: [sink],
    operations: [],
    functions: [],
  };
  return { plan, sink };
}

/** Numbers from 0 to 1 that a seed determines. */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A database whose transactions fail sometimes: before anything, in the middle, or after they were committed. */
function faulty(database: Database, random: () => number): Database {
  const fail = (): never => {
    throw new SinkError("the test has cut the connection", true);
  };
  const transaction = async <Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> => {
    const moment = random();
    if (moment < 0.05) fail();
    const result = await database.transaction(async (sql) => {
      const done = await work(sql);
      if (moment < 0.1) fail();
      return done;
    });
    if (moment < 0.15) fail();
    return result;
  };
  return {
    provider: database.provider,
    query: (...given) => database.query(...given),
    run: (script) => database.run(script),
    listen: (...given) => database.listen(...given),
    transaction,
    close: async () => undefined,
  };
}

describeDatabase("a table as a sink", process.env.GRAPHLOOM_LAW_SEEDS !== undefined, ({ bare }) => {
  async function emptied(): Promise<Database> {
    const database = await bare();
    await database.run(
      SQL`drop schema if exists graphloom_flows cascade; drop schema if exists flow_law cascade`,
    );
    return database;
  }

  function opened(database: Database, sink: PlannedSink, name = "chosen"): Promise<Sink> {
    return openPostgresSink({
      database,
      table: { schema: "flow_law", name },
      schema: sink.schema,
      overrides: new Map(),
      onConflict: "update",
      owner: { flow: "law", sink: "out" },
    });
  }

  it("begins anew in another table, and in one that was dropped", async () => {
    const { plan, sink } = await planned();
    const database = faulty(await emptied(), () => 1);
    const chain = new PlayedChain(randomOf(1));
    for (let count = 0; count < 20; count += 1) chain.mine();
    const program = await openProgram(plan, sink, openEngine);
    const write = async (name: string): Promise<void> => {
      const options = { signal: new AbortController().signal, onProgress: () => undefined };
      await runSink(sink, await opened(database, sink, name), program, () => playedSource(chain), options);
    };
    await write("chosen");
    await write("other");
    await database.run(SQL`drop table flow_law.chosen`);
    await write("chosen");
    program.close();
    for (const table of [SQL`flow_law.chosen`, SQL`flow_law.other`]) {
      const [row] = await database.query(SQL`select count(*) as rows from ${table}`);
      expect(row?.rows).toBe(String(expected(chain).length));
    }
  });

  it(`holds the rows of the query, through reorganisations and failures, for ${seeds} schedules`, async () => {
    const { plan, sink } = await planned();
    for (let seed = 1; seed <= seeds; seed += 1) {
      const database = await emptied();
      const random = randomOf(seed);
      const chain = new PlayedChain(random);
      const program = await openProgram(plan, sink, openEngine);
      // So that some blocks become final.
      for (let count = 0; count < 50; count += 1) chain.mine();
      for (let round = 0; round < 8; round += 1) {
        for (let count = Math.floor(random() * 12); count >= 0; count -= 1) chain.mine();
        if (random() < 0.6) chain.reorganise(1 + Math.floor(random() * 64));
        await drain(
          () => opened(faulty(database, random), sink),
          (writer) =>
            runSink(sink, writer, program, () => playedSource(chain), {
              signal: new AbortController().signal,
              onProgress: () => undefined,
            }),
        );
      }
      program.close();
      const rows = await database.query(
        SQL`select id, who, amount, block_number from flow_law.chosen order by id`,
      );
      expect(
        rows.map((row) => JSON.stringify(row)),
        `seed ${seed}`,
      ).toEqual(expected(chain).map((row) => JSON.stringify(row)));
      await expectLedger(database, chain);
    }
  }, 600_000);
});

/** The ledger has each block once, and the rows that came of it. */
async function expectLedger(database: Database, chain: PlayedChain): Promise<void> {
  const entries = await database.query(
    SQL`select first, last, rows, sum from graphloom_flows.ledger order by first`,
  );
  let next = 0;
  for (const { first, last, rows, sum } of entries) {
    expect(Number(first)).toBe(next);
    next = Number(last) + 1;
    const made = expected(chain).filter(
      ({ block_number: block }) => BigInt(block) >= BigInt(first ?? 0) && BigInt(block) < next,
    );
    const columns = ["id", "who", "amount", "block_number"].map((name) =>
      made.map((row) => (name === "block_number" ? BigInt(row.block_number) : row[name as "id"])),
    );
    expect([rows, sum]).toEqual([String(made.length), String(sumOfRows({ count: made.length, columns }))]);
  }
  expect(next).toBe(chain.blocks.length);
  expect(entries.length).toBeLessThanOrEqual(chain.finality + 1);
}

/** Opens a sink and works on it, again and again while the test cuts its connection. */
async function drain(open: () => Promise<Sink>, work: (sink: Sink) => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work(await open());
      return;
    } catch (error) {
      if (!(error instanceof SinkError && error.isTemporary)) throw error;
    }
  }
}

interface ExpectedRow {
  readonly id: string;
  readonly who: string;
  readonly amount: string | null;
  readonly block_number: string;
}

/** What the query makes of all rows of the chain, computed here. */
function expected(chain: PlayedChain): readonly ExpectedRow[] {
  return chain.rows
    .flatMap(({ id, who, amount, block_number: block }) => {
      const row = (kind: string, person: unknown, value: string | null): ExpectedRow => ({
        id: `${kind} ${String(id)}`,
        who: String(person),
        amount: value,
        block_number: String(block),
      });
      if (amount === null) return [row("none", who, null)];
      const value = BigInt(String(amount));
      if (value >= 500n) return [row("large", String(who).toUpperCase(), String(value - 1n))];
      return who === "c" ? [] : [row("small", who, String(value))];
    })
    .sort((one, other) => (one.id < other.id ? -1 : 1));
}
