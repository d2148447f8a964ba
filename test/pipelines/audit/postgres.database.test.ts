import { beforeAll, expect, it } from "vitest";
import {
  type AuditRequest,
  auditSink,
  isSound,
  type SinkFindings,
} from "../../../src/pipelines/audit/audit-sink.js";
import { replaySink } from "../../../src/pipelines/audit/replay-sink.js";
import type {
  PipelinePlan,
  PlannedSink,
  PlannedTransform,
} from "../../../src/pipelines/plan/pipeline-plan.js";
import { acceptingGuard } from "../../../src/pipelines/runner/guard-lineage.js";
import { sinkLineage } from "../../../src/pipelines/sinks/lineage/sink-lineage.js";
import { openSink } from "../../../src/pipelines/sinks/open-sink.js";
import { statesOf } from "../../../src/pipelines/snapshots/take-snapshot.js";
import { type Database, SQL, type SqlFragment } from "../../../src/store/database/database.js";
import { describeDatabase } from "../../support/database/databases.js";
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
import { type LawPipeline, lawPipeline, text } from "../../support/pipelines/law-pipeline.js";
import { PlayedFeed } from "../../support/pipelines/played-feed.js";
import { PlayedChain } from "../../support/pipelines/played-source.js";
import { randomOf } from "../../support/pipelines/random.js";

const seeds = Number(process.env.GRAPHLOOM_AUDIT_SEEDS ?? 2);

let flow: LawPipeline;
let sink: PlannedSink;

beforeAll(async () => {
  flow = await lawPipeline();
  const settings = { secret_name: text("db"), schema: text("flow_audit"), table: text("chosen") };
  sink = { ...flow.sink, definition: { type: "postgres", name: text("out"), settings } };
});

describeDatabase("an audit of a table", false, ({ bare }) => {
  /** A table that was written through reorganisations, and what it was written from. */
  async function written(seed: number): Promise<{ readonly database: Database; readonly played: Played }> {
    const database = await bare();
    await database.run(
      SQL`drop schema if exists graphloom_flows cascade; drop schema if exists flow_audit cascade`,
    );
    const played = await playThrough(seed, async (now) =>
      writeAll(flow, sink, await openSink(sink, flow.owner, worldOf(database, now)), now),
    );
    return { database, played };
  }

  function worldOf(database: Database, played: Played) {
    return auditWorld(played, {
      secret: () => "postgres://localhost/flow",
      openDatabase: async () => ({
        provider: database.provider,
        query: (...given) => database.query(...given),
        run: (script) => database.run(script),
        listen: (...given) => database.listen(...given),
        transaction: (...given) => database.transaction(...given),
        close: async () => undefined,
      }),
    });
  }

  function audit(database: Database, played: Played, request: AuditRequest): Promise<SinkFindings> {
    return auditSink(flow.plan, sink, worldOf(database, played), request);
  }

  async function contentOf(database: Database, { sink: written } = flow): Promise<readonly unknown[]> {
    const table = written === flow.sink ? SQL`flow_audit.chosen` : SQL`flow_audit.plain`;
    const tables = [
      SQL`select id, who, amount, block_number from ${table} order by 1`,
      SQL`select * from graphloom_flows.positions order by 4`,
      SQL`select * from graphloom_flows.open_blocks order by 4, 5`,
      SQL`select * from graphloom_flows.ledger order by 4, 5`,
    ];
    const contents = [];
    for (const table of tables) contents.push(await database.query(table));
    return contents;
  }

  it("an audit of a table neither compares, repairs nor sends rows again that another definition computed", async () => {
    const { database, played } = await written(2);
    const world = worldOf(database, played);
    const lineage = acceptingGuard(sinkLineage(flow.plan, sink));
    await (await openSink(sink, { ...flow.owner, lineage }, world)).close();
    expect(isSound(await audit(database, played, verifies))).toBe(true);
    const [chosen] = flow.plan.transforms;
    if (!chosen) throw new Error("the flow has no query");
    const sql = text("SELECT id, who, amount, block_number FROM played");
    const definition = { ...chosen.definition, settings: { sql } } as PlannedTransform["definition"];
    const other: PipelinePlan = { ...flow.plan, transforms: [{ ...chosen, definition }] };
    const why =
      "Its rows are no longer computed as before: the query of chosen. Use the definition that they were computed by, or let the sink go on or start over with this one first.";
    for (const request of [verifies, repairs])
      await expect(auditSink(other, sink, world, request)).rejects.toThrow(why);
    const range = { from: 0, to: 1 };
    const replay = { range, onRange: () => undefined, confirm: async () => true };
    await expect(replaySink(other, sink, world, replay)).rejects.toThrow(why);
  });

  it("an audit of a table reports rows that the table refuses, compares the others, and repairs nothing", async () => {
    const { database, played } = await written(3);
    const [gone] = await database.query(
      SQL`select id from flow_audit.chosen where amount < 100 order by id limit 1`,
    );
    await database.run(SQL`alter table flow_audit.chosen alter amount type numeric(5,0)
      using case when amount < 100000 then amount end`);
    await database.query(SQL`delete from flow_audit.chosen where id = $1`, [gone?.id ?? ""]);
    const before = await contentOf(database);
    const found = await audit(database, played, verifies);
    expect(isSound(found)).toBe(false);
    expect(listed(found)).toEqual([`missing ${gone?.id}`]);
    const unfit =
      /^\d+ rows do not fit into the columns of the table; the first is id=\S.* of blocks? \d.* of \w+: numeric field overflow\. /;
    expect(found.rows?.notes).toEqual([expect.stringMatching(unfit)]);
    await expect(audit(database, played, repairs)).rejects.toThrow("Nothing was mended.");
    expect(await contentOf(database)).toEqual(before);
  });

  it(`INV-P7: an audit of a table finds each deleted, altered or added row, and repairs only these, for ${seeds} schedules`, async () => {
    for (let seed = 1; seed <= seeds; seed += 1) {
      const { database, played } = await written(seed);
      const before = await contentOf(database);
      expect(isSound(await audit(database, played, verifies)), `seed ${seed}`).toBe(true);
      const random = randomOf(seed + 1_000);
      const ids = (await database.query(SQL`select id from flow_audit.chosen order by id`)).map(
        ({ id }) => id ?? "",
      );
      const wrong: string[] = [];
      for (const id of ids) {
        const kind = random();
        if (kind < 0.05) {
          await database.query(SQL`delete from flow_audit.chosen where id = $1`, [id]);
          wrong.push(`missing ${id}`);
        } else if (kind < 0.1) {
          await database.query(
            SQL`update flow_audit.chosen set amount = coalesce(amount, 0) + 1 where id = $1`,
            [id],
          );
          wrong.push(`altered ${id} amount`);
        } else if (kind < 0.15) {
          await database.query(
            SQL`insert into flow_audit.chosen select id || '!', who, amount, block_number from flow_audit.chosen where id = $1`,
            [id],
          );
          wrong.push(`foreign ${id}!`);
        }
      }
      const damaged = await contentOf(database);
      const found = await audit(database, played, verifies);
      expect(listed(found), `seed ${seed}`).toEqual(wrong.sort());
      expect(await contentOf(database)).toEqual(damaged);
      expect(listed(await audit(database, played, repairs))).toEqual(wrong);
      expect(await contentOf(database)).toEqual(before);
      expect(isSound(await audit(database, played, verifies))).toBe(true);
    }
  }, 600_000);

  it("an audit of a table reads positions and ledgers in one transaction", async () => {
    const { database, played } = await written(1);
    const world = worldOf(database, played);
    let isCut = false;
    const shared = await world.openDatabase("");
    const openDatabase = async (): Promise<Database> => ({
      ...shared,
      transaction: (work, options) =>
        database.transaction(
          (sql) =>
            work({
              run: (script) => sql.run(script),
              query: async (statement, ...given) => {
                if (!isCut && statement.includes("from graphloom_flows.ledger")) {
                  isCut = true;
                  await database.run(SQL`delete from graphloom_flows.ledger`);
                }
                return sql.query(statement, ...given);
              },
            }),
          options,
        ),
    });
    const states = await statesOf(flow.plan, sink, { ...world, openDatabase });
    expect([isCut, states?.size]).toEqual([true, 2]);
    for (const { ledger } of states?.values() ?? []) expect(ledger.length).toBeGreaterThan(0);
  });

  it("an audit of a table checks only the blocks of a range", async () => {
    const { database, played } = await written(1);
    const last = played.chain.blocks.findLast(({ rows }) => rows.count > 1)?.number ?? 0;
    const damage = async (block: SqlFragment): Promise<void> => {
      await database.query(SQL`update flow_audit.chosen set who = 'nobody' where block_number ${block}`, [
        String(last),
      ]);
    };
    await damage(SQL`= $1::bigint`);
    const inRange = await audit(database, played, verifies);
    await damage(SQL`<> $1::bigint`);
    const range = { from: last, to: last };
    const found = await audit(database, played, { ...repairs, range });
    expect(found).toMatchObject({ isWhole: false });
    expect(listed(found)).toEqual(listed(inRange));
    expect(isSound(await audit(database, played, { ...verifies, range }))).toBe(true);
    expect(isSound(await audit(database, played, verifies))).toBe(false);
  });

  it("an audit of a table does not expect rows in a range that a later block has changed", async () => {
    const { database, played, flow: latest } = await plain(["who"]);
    const held = await contentOf(database, latest);
    const range = { from: 0, to: 0 };
    const found = await auditSink(latest.plan, latest.sink, worldOf(database, played), { ...repairs, range });
    expect([isSound(found), await contentOf(database, latest)]).toEqual([true, held]);
    await database.query(SQL`delete from flow_audit.plain`);
    const all = await auditSink(latest.plan, latest.sink, worldOf(database, played), repairs);
    expect(all.rows?.counts.missing).toBe(3);
    expect(await contentOf(database, latest)).toEqual(held);
  });

  it("an audit of a table counts the copies of rows that have no key", async () => {
    const { database, played, flow: keyless } = await plain([]);
    const held = await contentOf(database, keyless);
    const [first, second] = await database.query(SQL`select id from flow_audit.plain order by id limit 2`);
    await database.query(SQL`delete from flow_audit.plain where id = $1`, [first?.id ?? ""]);
    await database.query(SQL`insert into flow_audit.plain select * from flow_audit.plain where id = $1`, [
      second?.id ?? "",
    ]);
    await database.query(SQL`insert into flow_audit.plain (id, block_number, who) values ('x', 1, 'nobody')`);
    const found = await auditSink(keyless.plan, keyless.sink, worldOf(database, played), repairs);
    expect(listed(found)).toEqual([`doubled ${second?.id}`, "foreign x", `missing ${first?.id}`]);
    expect(await contentOf(database, keyless)).toEqual(held);
  });

  it("an audit of a table does not repair ranges whose source and ledger differ, unless the user trusts the source", async () => {
    const { database, played } = await written(1);
    const before = await contentOf(database);
    await database.query(
      SQL`update graphloom_flows.ledger set rows = rows + 1 where first = 0 and source = 'played'`,
    );
    await database.query(
      SQL`update flow_audit.chosen set who = 'nobody' where block_number between 5 and 15 and id ~ '^(small|large|none) '`,
    );
    const damaged = await contentOf(database);
    const found = await audit(database, played, repairs);
    const [range] = found.sources[0]?.differing ?? [];
    expect(range).toMatchObject({ from: 0, recorded: (range?.found ?? 0) + 1, isMended: false });
    expect(await contentOf(database)).toEqual(damaged);
    await audit(database, played, { ...repairs, trustsSource: true });
    expect(await contentOf(database)).toEqual(before);
  });

  it("an audit of a table compares groups with the aggregates of all rows, and corrects wrong ones", async () => {
    const { database } = await written(1);
    const settings = {
      secret_name: text("db"),
      schema: text("flow_audit"),
      landing_table: text("landing"),
      agg_table: text("groups"),
    };
    const amount = { name: "amount", type: "DECIMAL", nullable: true } as const;
    const made = plainPipeline(["id"], "postgres_aggregate", settings);
    const aggregated: PlannedSink = {
      ...made.sink,
      aggregation: {
        groups: [{ name: "who", type: "STRING" }],
        aggregates: [
          { name: "transfers", fn: "count", of: undefined },
          { name: "total", fn: "sum", of: amount },
          { name: "mean", fn: "avg", of: amount },
          { name: "least", fn: "min", of: amount },
        ],
      },
    };
    const played = await playThrough(7, async (now) =>
      writeAll(made, aggregated, await openSink(aggregated, made.owner, worldOf(database, now)), now),
    );
    const content = async (): Promise<readonly unknown[]> => [
      await database.query(SQL`select * from flow_audit.landing order by id`),
      await database.query(SQL`select * from flow_audit.groups order by who`),
    ];
    const audited = (request: AuditRequest): Promise<SinkFindings> =>
      auditSink(made.plan, aggregated, worldOf(database, played), request);
    const before = await content();
    expect(isSound(await audited(verifies))).toBe(true);
    await database.query(
      SQL`delete from flow_audit.landing where id in (select id from flow_audit.landing order by id limit 1)`,
    );
    await database.query(SQL`update flow_audit.groups set total = total + 1 where who = 'a'`);
    await database.query(SQL`delete from flow_audit.groups where who = 'b'`);
    await database.query(
      SQL`insert into flow_audit.groups select (jsonb_populate_record(g, '{"who": "nobody"}')).* from flow_audit.groups g where who = 'c'`,
    );
    const damaged = await content();
    const found = await audited(verifies);
    const groups = found.rows?.first.filter(({ table }) => table !== undefined);
    expect(groups).toEqual([
      { kind: "missing", table: "flow_audit.groups", key: { who: "b" } },
      { kind: "altered", table: "flow_audit.groups", key: { who: "a" }, columns: ["total"] },
      { kind: "foreign", table: "flow_audit.groups", key: { who: "nobody" } },
    ]);
    expect(found.rows?.counts).toEqual({ missing: 2, altered: 1, doubled: 0, foreign: 1 });
    expect(await content()).toEqual(damaged);
    await audited(repairs);
    expect(await content()).toEqual(before);
  });

  /** A table that was written with other keys, and what it was written from. */
  async function plain(
    key: readonly string[],
  ): Promise<{ readonly database: Database; readonly played: Played; readonly flow: LawPipeline }> {
    const { database } = await written(1);
    const random = randomOf(5);
    const played = { chain: new PlayedChain(random, 8), feed: new PlayedFeed(random) };
    for (let count = 0; count < 20; count += 1) played.chain.mine();
    const settings = { secret_name: text("db"), schema: text("flow_audit"), table: text("plain") };
    const made = plainPipeline(key, "postgres", settings);
    await writeAll(made, made.sink, await openSink(made.sink, made.owner, worldOf(database, played)), played);
    return { database, played, flow: made };
  }
});
