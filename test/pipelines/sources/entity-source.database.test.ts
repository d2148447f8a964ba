import { beforeAll, describe, expect, it } from "vitest";
import { locatedString } from "../../../src/compiler/source/located-string.js";
import type { LocatedString } from "../../../src/compiler/source/source.js";
import { PipelineError } from "../../../src/pipelines/changes/pipeline-error.js";
import { sumOfRows } from "../../../src/pipelines/changes/row-hash.js";
import type { RowValue } from "../../../src/pipelines/changes/rows.js";
import type { PipelinePlan, PlannedSink } from "../../../src/pipelines/plan/pipeline-plan.js";
import { openProgram } from "../../../src/pipelines/runner/program.js";
import { runSink } from "../../../src/pipelines/runner/run-sink.js";
import { postgresTables } from "../../../src/pipelines/sinks/postgres/postgres-table.js";
import type { Sink } from "../../../src/pipelines/sinks/sink.js";
import { openTable } from "../../../src/pipelines/sinks/tables/table-sink.js";
import {
  EntitySource,
  type EntitySourceOptions,
} from "../../../src/pipelines/sources/entities/entity-source.js";
import { UnknownPositionError } from "../../../src/pipelines/sources/source-error.js";
import { SinkError } from "../../../src/pipelines/state/sink-error.js";
import { type Database, type Row, SQL, type SqlFragment } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { quoteNames } from "../../../src/store/database/quote.js";
import { bigInt, remove, set, text } from "../../runtime/store/values.js";
import { describeDatabase } from "../../support/database/databases.js";
import { backUp } from "../../support/database/gone-back.js";
import {
  type IndexedSubgraph,
  indexedSubgraph,
  readingOf,
} from "../../support/pipelines/indexed-subgraph.js";
import { eachSeed, isLawCampaign, lawSeeds } from "../../support/pipelines/law/each-seed.js";
import { onlySql, openEngine } from "../../support/pipelines/law-pipeline.js";
import { type Draw, drawFrom } from "../../support/pool/draw.js";

const schema = `
  type Account @entity { id: ID!, owner: String!, amount: BigInt! }
  type Other @entity { id: ID! }
  type Move @entity(immutable: true) { id: ID!, n: Int! }
`;

/** Filters, and lets rows move between the branches of a union, under another key. */
const query = `
  SELECT 'small ' || id AS id, owner, amount, block_number, chain FROM entity WHERE amount < 500 AND owner <> 'c'
  UNION ALL
  SELECT 'large ' || id, upper(owner), amount - 1, block_number, chain FROM entity WHERE amount >= 500`;

/** Rows and changes of a step: few, so that there are many. */
const limit = 2;
const seeds = lawSeeds(1);
const rounds = 4;

function located(value: string): LocatedString {
  const source = { path: "flow.yaml", text: value };
  return locatedString(value, { source, pointer: "", start: 0, end: value.length }, 0);
}

/** A flow of an entity into a table, through a query. */
interface EntityPipeline {
  /** Drains what there is, and gives up where the draw says. @returns whether it is drained */
  drain(
    options: Partial<EntitySourceOptions>,
    draw?: Draw,
    meanwhile?: () => Promise<void>,
    through?: (write: () => Promise<void>) => Promise<void>,
  ): Promise<boolean>;
  rows(order: SqlFragment): Promise<readonly Row[]>;
  /** The number and the sum of rows that the ledger of the table has, and those of some rows. */
  totals(rows: readonly Row[]): Promise<{ readonly kept: unknown; readonly counted: unknown }>;
}

async function pipelineOf(
  database: Database,
  subgraphs: readonly IndexedSubgraph[],
  sql: string,
  key: readonly string[],
): Promise<EntityPipeline> {
  await database.run(
    SQL`drop schema if exists graphloom_flows cascade; drop schema if exists flow_law cascade`,
  );
  const reading = (options: Partial<EntitySourceOptions>): EntitySourceOptions =>
    readingOf(
      database,
      subgraphs.map((subgraph) => subgraph.part("Account")),
      { limit, ...options },
    );
  const { columns } = reading({});
  const engine = await openEngine();
  await engine.createTable("entity", columns);
  const schema = { columns: await engine.createView("chosen", sql), key };
  engine.close();
  const sink: PlannedSink = {
    name: "out",
    definition: { type: "postgres", name: located("out"), settings: {} },
    from: "chosen",
    schema,
  };
  const plan: PipelinePlan = {
    name: "law",
    job: false,
    sources: [
      {
        name: "entity",
        definition: { type: "subgraph_entity", name: located("entity"), settings: {} },
        schema: { columns, key: ["id"] },
      },
    ],
    transforms: [
      {
        name: "chosen",
        definition: { type: "sql", name: located("chosen"), settings: { sql: located(sql) } },
        reads: ["entity"],
        schema,
      },
    ],
    sinks: [sink],
    operations: [],
    functions: [],
  };
  const program = await openProgram(plan, sink, onlySql);
  const opened = async (): Promise<Sink> =>
    openTable(postgresTables, {
      database: { ...calls(database), close: async () => undefined },
      table: { schema: "flow_law", name: "chosen" },
      schema,
      overrides: new Map(),
      onConflict: "update",
      owner: { flow: "law", sink: "out" },
    });
  let unknown: number | undefined;
  return {
    drain: async (options, draw, meanwhile, through = (write) => write()) => {
      const table = await opened();
      const cut = (): void => {
        if (draw?.happens(0.1)) throw new SinkError("the test has cut the connection", true);
      };
      const writer: Sink = {
        positions: table.positions,
        write: async (batch) => {
          if (draw?.happens(0.5)) await meanwhile?.();
          cut();
          await through(() => table.write(batch));
          cut();
        },
        close: () => table.close(),
      };
      try {
        await runSink(sink, writer, program, () => new EntitySource(reading(options)), {
          signal: new AbortController().signal,
          onProgress: () => undefined,
        });
        return true;
      } catch (error) {
        if (error instanceof UnknownPositionError && error.position !== unknown) {
          unknown = error.position;
          return false;
        }
        if (!(error instanceof PipelineError && error.isTemporary)) throw error;
        return false;
      }
    },
    rows: (order) => database.query(SQL`select * from flow_law.chosen order by ${order}`),
    totals: async (rows) => {
      const kept = await database.query(SQL`select rows, sum from graphloom_flows.ledger`);
      const values = schema.columns.map(({ name, type }) =>
        rows.map((row): RowValue => (type === "LONG" ? BigInt(row[name] ?? 0) : (row[name] ?? null))),
      );
      return {
        kept: [
          kept.reduce((total, entry) => total + Number(entry.rows), 0),
          BigInt.asUintN(
            128,
            kept.reduce((total, { sum }) => total + BigInt(sum ?? 0), 0n),
          ),
        ],
        counted: [rows.length, sumOfRows({ count: rows.length, columns: values })],
      };
    },
  };
}

/** A database as an object whose functions can be replaced. */
function calls(database: Database): Database {
  return {
    provider: database.provider,
    query: (...given) => database.query(...given),
    run: (script) => database.run(script),
    listen: (...given) => database.listen(...given),
    transaction: (...given) => database.transaction(...given),
    close: () => database.close(),
  };
}

/** Something that happens to a subgraph: a block with several changes of the same accounts, or a reorganisation. */
async function happen(subgraph: IndexedSubgraph, draw: Draw, deepest: number, step: number): Promise<void> {
  if (subgraph.length > 1 && draw.happens(0.3)) {
    await subgraph.undo(1 + draw.below(Math.min(deepest, subgraph.length - 1)));
    return;
  }
  const changes = Array.from({ length: draw.below(5) }, () => {
    const id = draw.one(["a", "b", "c", "d", "e", "f", "g", "h", "i"]);
    if (draw.happens(0.25)) return remove("Account", id);
    const amount = draw.happens(0.2) ? 2n ** 255n - BigInt(draw.below(9)) : BigInt(draw.below(1000));
    return set("Account", id, { owner: text(draw.one(["a", "b", "c"])), amount: bigInt(amount) });
  });
  // One change of each account in a block.
  const last = new Map(changes.map((change) => [change.id, change]));
  await subgraph.commit([...last.values(), set("Other", "o", {})], (step + 1) * (subgraph.length + 1));
}

/** The final block whose rows the sink has taken; nothing before it has taken all that there were at the beginning. */
async function lastTaken(database: Database): Promise<string | undefined> {
  const [row] = await database.query(
    SQL`select place.value -> 'final' ->> 'block' as block, place.value ->> 'after' as after, place.value -> 'final' ->> 'seen' as seen
      from graphloom.flow_places, jsonb_each(parts) as place
      where position = (select next from graphloom_flows.positions)`,
  );
  return row?.after == null && row?.seen != null ? (row.block ?? undefined) : undefined;
}

describeDatabase("entities as a source", isLawCampaign, ({ fresh }) => {
  let database: Database;
  beforeAll(async () => {
    database = await fresh();
    await migrate(database);
  });

  /** What the query makes of the accounts, computed by the database. */
  async function expected(subgraphs: readonly IndexedSubgraph[]): Promise<readonly Row[]> {
    const rows: Row[] = [];
    for (const subgraph of subgraphs) {
      const { layout, table, network } = subgraph.part("Account");
      rows.push(
        ...(await database.query(
          SQL`select * from (
              select 'small ' || id as id, owner, amount, (vid >> 32)::text as block_number, $1::text as chain
                from ${quoteNames(layout.namespace, table.name)} where upper_inf(block_range) and amount < 500 and owner <> 'c'
              union all select 'large ' || id, upper(owner), amount - 1, (vid >> 32)::text, $1::text
                from ${quoteNames(layout.namespace, table.name)} where upper_inf(block_range) and amount >= 500) a`,
          [network],
        )),
      );
    }
    return rows.sort((one, other) => (`${one.chain} ${one.id}` < `${other.chain} ${other.id}` ? -1 : 1));
  }

  describe("hold the law", () => {
    it(`with two subgraphs, reorganisations and failures, for ${seeds} schedules`, {
      tags: "law",
    }, async () => {
      await eachSeed(seeds, async (seed) => {
        const draw = drawFrom(seed);
        const subgraphs = [
          await indexedSubgraph(database, schema, "base"),
          await indexedSubgraph(database, schema, "mainnet"),
        ];
        const flow = await pipelineOf(database, subgraphs, query, ["chain", "id"]);
        const more = async (): Promise<void> => happen(draw.one(subgraphs), draw, 64, 0);
        for (let round = 0; round < rounds; round += 1) {
          for (let count = round === 0 ? 20 : draw.below(12); count > 0; count -= 1) await more();
          while (!(await flow.drain({}, draw, more)));
        }
        await flow.drain({});
        const rows = await flow.rows(SQL`chain, id`);
        expect(rows, `seed ${seed}`).toEqual(await expected(subgraphs));
        const { kept, counted } = await flow.totals(rows);
        expect(kept, `ledger of seed ${seed}`).toEqual(counted);
        return undefined;
      });
    });

    it(`with failovers that lose the last changes of both databases, for ${seeds} schedules`, {
      tags: "law",
    }, async () => {
      let failovers = 0;
      await eachSeed(seeds, async (seed) => {
        const draw = drawFrom(300 + seed);
        const subgraphs = [
          await indexedSubgraph(database, schema, "base"),
          await indexedSubgraph(database, schema, "mainnet"),
        ];
        const schemas = subgraphs.map((subgraph) => subgraph.part("Account").layout.namespace);
        const flow = await pipelineOf(database, subgraphs, query, ["chain", "id"]);
        let happening: Promise<void> = Promise.resolve();
        const more = (): Promise<void> => {
          happening = happening.then(() => happen(draw.one(subgraphs), draw, 5, 0));
          return happening;
        };
        // The tables of the sink are there.
        await flow.drain({});
        for (let round = 0; round < rounds * 2; round += 1) {
          for (let count = round === 0 ? 20 : draw.below(12); count > 0; count -= 1) await more();
          const restore = await backUp(database, [...schemas, "graphloom_flows", "flow_law"]);
          const at = failovers + draw.below(2);
          let [writing, looks] = [Promise.resolve(), draw.below(9)];
          // The process outlives the failover, and remembers what the databases do not have any more.
          const transaction: Database["transaction"] = async (work, options) => {
            looks -= 1;
            if (looks < 0 && failovers === at) {
              failovers += 1;
              happening = happening.then(async () => {
                await writing;
                await restore();
                for (const subgraph of subgraphs) await subgraph.goOn();
              });
              await happening;
              for (let count = draw.below(4); count > 0; count -= 1) await more();
            }
            return database.transaction(work, options);
          };
          const source = { ...calls(database), transaction };
          for (let isDrained = false; !isDrained; ) {
            const before = failovers;
            // Connections of before a failover are gone.
            const through = (write: () => Promise<void>): Promise<void> => {
              const written =
                failovers > before ? Promise.reject(new SinkError("the connection is lost", true)) : write();
              writing = written.catch(() => undefined);
              return written;
            };
            isDrained = await flow.drain({ database: source }, draw, more, through);
          }
        }
        await flow.drain({});
        const rows = await flow.rows(SQL`chain, id`);
        expect(rows, `seed ${seed}`).toEqual(await expected(subgraphs));
        const { kept, counted } = await flow.totals(rows);
        expect(kept, `ledger of seed ${seed}`).toEqual(counted);
        return undefined;
      });
      expect(failovers).toBeGreaterThan(2);
    });

    it(`with ended versions, which stay as history, for ${seeds} schedules`, { tags: "law" }, async () => {
      let ended = 0;
      await eachSeed(seeds, async (seed) => {
        const draw = drawFrom(102 + seed);
        const subgraph = await indexedSubgraph(database, schema);
        const flow = await pipelineOf(database, [subgraph], "SELECT * FROM entity", ["vid"]);
        const more = async (): Promise<void> => happen(subgraph, draw, 5, 0);
        for (let round = 0; round < rounds; round += 1) {
          for (let count = round === 0 ? 20 : draw.below(12); count > 0; count -= 1) await more();
          while (!(await flow.drain({ withHistory: true }, draw, more)));
        }
        // However the schedule went, one version has ended.
        for (const amount of [1n, 2n])
          await subgraph.commit(
            [set("Account", "a", { owner: text("a"), amount: bigInt(amount) })],
            subgraph.length + 1,
          );
        await flow.drain({ withHistory: true });
        const { layout, table } = subgraph.part("Account");
        const versions = await database.query(
          SQL`select id, owner, amount, vid, block_range::text as block_range, lower(block_range)::text as block_number
            from ${quoteNames(layout.namespace, table.name)} order by vid`,
        );
        ended += versions.filter((row) => !row.block_range?.endsWith(",)")).length;
        const rows = await flow.rows(SQL`vid`);
        expect(rows, `seed ${seed}`).toEqual(versions);
        const { kept, counted } = await flow.totals(rows);
        expect(kept, `ledger of seed ${seed}`).toEqual(counted);
        return undefined;
      });
      expect(ended).toBeGreaterThan(0);
    });

    it("with only final blocks, when those are rewound and indexed again, unless they then differ", async () => {
      const subgraph = await indexedSubgraph(database, schema);
      const sql = "SELECT id, amount, block_number FROM entity";
      const flow = await pipelineOf(database, [subgraph], sql, ["id"]);
      const account = (id: string, amount: bigint) =>
        set("Account", id, { owner: text(id), amount: bigInt(amount) });
      const blocks = [
        [account("a", 1n), account("b", 1n)],
        [account("a", 2n)],
        [remove("Account", "b"), account("c", 3n)],
        [account("a", 4n)],
      ];
      const index = async (from: number, last = 10_000): Promise<void> => {
        for (const [at, changes] of blocks.entries()) if (at >= from) await subgraph.commit(changes, at + 1);
        await subgraph.commit([], last);
      };
      await flow.drain({ finalOnly: true });
      await index(0);
      await flow.drain({ finalOnly: true });
      const rows = await flow.rows(SQL`id`);
      expect(rows).toEqual([
        { id: "a", amount: "4", block_number: "4" },
        { id: "c", amount: "3", block_number: "3" },
      ]);
      await subgraph.undo(4);
      await flow.drain({ finalOnly: true });
      expect(await flow.rows(SQL`id`)).toEqual(rows);
      await index(1);
      await flow.drain({ finalOnly: true });
      expect(await flow.rows(SQL`id`)).toEqual(rows);
      await subgraph.undo(4);
      blocks[2] = [account("c", 5n)];
      await index(1, 20_000);
      await expect(flow.drain({ finalOnly: true })).rejects.toThrow("replaced block 3, which was final");
    });

    it(`with only final blocks, without a row that is deleted again, for ${seeds} schedules`, {
      tags: "law",
    }, async () => {
      await eachSeed(seeds, async (seed) => {
        const draw = drawFrom(200 + seed);
        const subgraph = await indexedSubgraph(database, schema);
        const flow = await pipelineOf(
          database,
          [subgraph],
          "SELECT id, owner, amount, block_number FROM entity",
          ["id"],
        );
        // 60 blocks at once, so that up to four of ours are not final.
        const more = async (): Promise<void> => happen(subgraph, draw, 4, 60);
        const { layout, table } = subgraph.part("Account");
        for (let round = 0; round < rounds; round += 1) {
          for (let count = round === 0 ? 20 : draw.below(12); count > 0; count -= 1) await more();
          while (!(await flow.drain({ finalOnly: true }, draw, more)));
          const taken = await lastTaken(database);
          if (taken === undefined) continue;
          const rows = await database.query(
            SQL`select id, owner, amount, (vid >> 32)::text as block_number
              from ${quoteNames(layout.namespace, table.name)} where block_range @> $1::integer order by id`,
            [taken],
          );
          expect(await flow.rows(SQL`id`), `seed ${seed}, round ${round}`).toEqual(rows);
        }
        await subgraph.commit([], 100_000);
        await flow.drain({ finalOnly: true });
        expect(await flow.rows(SQL`id`), `seed ${seed}`).toEqual(
          await database.query(
            SQL`select id, owner, amount, (vid >> 32)::text as block_number
              from ${quoteNames(layout.namespace, table.name)} where upper_inf(block_range) order by id`,
          ),
        );
        return undefined;
      });
    });
  });
});
