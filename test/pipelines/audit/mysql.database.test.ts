import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import {
  type AuditRequest,
  type AuditWorld,
  auditSink,
  isSound,
  type SinkFindings,
} from "../../../src/pipelines/audit/audit-sink.js";
import { openMysqlDatabase } from "../../../src/pipelines/machine/mysql/open-mysql.js";
import type { PipelinePlan, PlannedSink } from "../../../src/pipelines/plan/pipeline-plan.js";
import { lineageGuard } from "../../../src/pipelines/runner/guard-lineage.js";
import { sinkLineage } from "../../../src/pipelines/sinks/lineage/sink-lineage.js";
import { quoteMysqlText } from "../../../src/pipelines/sinks/mysql/mysql-text.js";
import type { MysqlDatabase } from "../../../src/pipelines/sinks/mysql-database.js";
import { openSink } from "../../../src/pipelines/sinks/open-sink.js";
import { changedSink, resetSink } from "../../../src/pipelines/snapshots/changed-sinks.js";
import { type Row, uncheckedSql } from "../../../src/store/database/database.js";
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
import { cutMysql } from "../../support/pipelines/cut-mysql.js";
import { type LawPipeline, lawPipeline, text } from "../../support/pipelines/law-pipeline.js";
import { expectReturn } from "../../support/pipelines/returned-pipeline.js";
import { type MariaDbServer, mariaDbMissing, startMariaDb } from "../../support/servers/mariadb.js";

const seeds = Number(process.env.GRAPHLOOM_AUDIT_SEEDS ?? 1);

if (mariaDbMissing !== undefined) test.skip(mariaDbMissing, () => undefined);

describe.skipIf(mariaDbMissing !== undefined)("an audit of a table of MariaDB", () => {
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

  const settings = { secret_name: text("db"), schema: text("flow_audit"), table: text("chosen") };

  function worldOf(played: Played) {
    return auditWorld(played, {
      secret: () => "mysql://localhost/flow_audit",
      openMysql: () => openMysqlDatabase(server.address("")),
    });
  }

  /** Writes a table through reorganisations. */
  async function written(flow: LawPipeline, seed: number): Promise<Played> {
    await query("drop database if exists flow_audit");
    return playThrough(seed, async (played) =>
      writeAll(flow, flow.sink, await openSink(flow.sink, flow.owner, worldOf(played)), played),
    );
  }

  function audit(flow: LawPipeline, played: Played, request: AuditRequest): Promise<SinkFindings> {
    return auditSink(flow.plan, flow.sink, worldOf(played), request);
  }

  async function contentOf(): Promise<readonly unknown[]> {
    const contents = [];
    for (const table of [
      "chosen",
      "graphloom_flows_positions",
      "graphloom_flows_open_blocks",
      "graphloom_flows_ledger",
    ])
      contents.push(await query(`select * from flow_audit.${table} order by 1, 2, 3`));
    return contents;
  }

  it("finds each row that was deleted, altered or added, and repairs only these", async () => {
    const law = await lawPipeline();
    const sink: PlannedSink = {
      ...law.sink,
      definition: { type: "mysql_sink", name: text("out"), settings },
    };
    const flow = { ...law, sink };
    for (let seed = 1; seed <= seeds; seed += 1) {
      const played = await written(flow, seed);
      const before = await contentOf();
      expect(isSound(await audit(flow, played, verifies)), `seed ${seed}`).toBe(true);
      const ids = (await query("select id from flow_audit.chosen order by id")).map(({ id }) => id ?? "");
      const quoted = (id: string): string => quoteMysqlText(id);
      const wrong: string[] = [];
      for (const [index, id] of ids.entries()) {
        if (index % 9 === 1) {
          await query(`delete from flow_audit.chosen where id = ${quoted(id)}`);
          wrong.push(`missing ${id}`);
        } else if (index % 9 === 4) {
          await query(`update flow_audit.chosen set who = upper(concat(who, 'x')) where id = ${quoted(id)}`);
          wrong.push(`altered ${id} who`);
        } else if (index % 9 === 7) {
          await query(
            `insert into flow_audit.chosen select concat(id, '!'), who, amount, block_number from flow_audit.chosen where id = ${quoted(id)}`,
          );
          wrong.push(`foreign ${id}!`);
        }
      }
      expect(wrong.length).toBeGreaterThan(3);
      const damaged = await contentOf();
      expect(listed(await audit(flow, played, verifies)), `seed ${seed}`).toEqual(wrong.sort());
      expect(await contentOf()).toEqual(damaged);
      expect(listed(await audit(flow, played, repairs))).toEqual(wrong);
      expect(await contentOf()).toEqual(before);
      expect(isSound(await audit(flow, played, verifies))).toBe(true);
    }
  });

  it("finds a duplicate row after the unique index was dropped", async () => {
    const flow = plainPipeline(["id"], "mysql_sink", settings);
    const played = await written(flow, 2);
    const before = await contentOf();
    await query("alter table flow_audit.chosen drop primary key");
    const [first] = await query("select id from flow_audit.chosen order by id limit 1");
    await query(`insert into flow_audit.chosen select * from flow_audit.chosen where id = '${first?.id}'`);
    expect(listed(await audit(flow, played, verifies))).toEqual([`doubled ${first?.id}`]);
    await audit(flow, played, repairs);
    expect(await contentOf()).toEqual(before);
  });

  it("names rows that the table refuses, and repairs nothing", async () => {
    const flow = plainPipeline(["id"], "mysql_sink", settings);
    const played = await written(flow, 4);
    await query("update flow_audit.chosen set amount = null where amount > 999");
    await query("alter table flow_audit.chosen modify amount decimal(3,0)");
    const before = await contentOf();
    const found = await audit(flow, played, verifies);
    expect([listed(found), isSound(found)]).toEqual([[], false]);
    expect(found.rows?.notes).toEqual([
      expect.stringMatching(/^\d+ rows do not fit into the columns of the table; the first is id=.*amount/),
    ]);
    await expect(audit(flow, played, repairs)).rejects.toThrow("Nothing was mended.");
    expect(await contentOf()).toEqual(before);
  });

  it("accepts a table whose sink was restored from a snapshot or restarted", async () => {
    await query("drop database if exists flow_audit");
    await expectReturn({
      worldOf,
      mayBeginAnew: true,
      flow: plainPipeline(["id"], "mysql_sink", settings),
      content: () => query("select * from flow_audit.chosen order by id"),
    });
  });

  it.each([
    false,
    true,
  ])("is complete after a reset that was interrupted anywhere: recreate is %s", async (recreates) => {
    const flow = plainPipeline(["id"], "mysql_sink", settings);
    const [source] = flow.plan.sources;
    if (!source) throw new Error("the flow has no source");
    const former = { ...source.definition, settings: { filter: text("TRUE") } } as typeof source.definition;
    const before: PipelinePlan = { ...flow.plan, sources: [{ ...source, definition: former }] };
    const write = async (played: Played, plan: PipelinePlan): Promise<void> => {
      const lineage = lineageGuard(sinkLineage(plan, flow.sink), { either: "Choose.", anew: "Reset." });
      const opened = await openSink(flow.sink, { ...flow.owner, lineage }, worldOf(played));
      await writeAll(flow, flow.sink, opened, played);
    };
    for (let statements = 0, isDone = false; !isDone; statements += recreates ? 1 : 3) {
      await query("drop database if exists flow_audit");
      const played = await playThrough(7, (now) => write(now, before), { blocks: 3, rounds: 1 });
      // A row that only the former definition made.
      await query("insert into flow_audit.chosen (id, block_number, who) values ('former', 1, 'nobody')");
      const world = worldOf(played);
      let left = statements;
      const openMysql: AuditWorld["openMysql"] = async () =>
        cutMysql(await openMysqlDatabase(server.address("")), () => left-- > 0);
      const changed = await changedSink(flow.plan, flow.sink, world);
      expect(changed.changes).toHaveLength(1);
      isDone = await resetSink(flow.plan, changed, recreates, { ...world, openMysql }).then(
        () => true,
        () => false,
      );
      const now = await changedSink(flow.plan, flow.sink, world);
      if (now.changes.length > 0) await resetSink(flow.plan, now, recreates, world);
      await write(played, flow.plan);
      expect(isSound(await audit(flow, played, verifies)), `${statements} statements`).toBe(true);
    }
  });

  it("counts the copies of rows that have no key", async () => {
    const flow = plainPipeline([], "mysql_sink", settings);
    const played = await written(flow, 3);
    const before = await contentOf();
    const [first, second] = await query("select id from flow_audit.chosen order by id limit 2");
    await query(`delete from flow_audit.chosen where id = '${first?.id}'`);
    await query(`insert into flow_audit.chosen select * from flow_audit.chosen where id = '${second?.id}'`);
    await query("insert into flow_audit.chosen (id, block_number, who) values ('x', 1, 'nobody')");
    const wrong = [`doubled ${second?.id}`, "foreign x", `missing ${first?.id}`];
    expect(listed(await audit(flow, played, verifies))).toEqual(wrong);
    const found = await audit(flow, played, repairs);
    expect([listed(found), found.rows?.counts]).toEqual([
      wrong,
      { missing: 1, altered: 0, doubled: 1, foreign: 1 },
    ]);
    expect(await contentOf()).toEqual(before);
  });

  it("checks only the blocks of a range", async () => {
    const flow = plainPipeline(["id"], "mysql_sink", settings);
    const played = await written(flow, 4);
    const last = played.chain.blocks.findLast(({ rows }) => rows.count > 1)?.number ?? 0;
    await query("update flow_audit.chosen set who = 'nobody'");
    const range = { from: last, to: last };
    const found = await audit(flow, played, { ...repairs, range });
    const own = await query(
      `select id from flow_audit.chosen where block_number = ${last} and who <> 'nobody' order by id`,
    );
    expect(listed(found)).toEqual(own.map(({ id }) => `altered ${id} who`));
    expect(isSound(await audit(flow, played, { ...verifies, range }))).toBe(true);
    expect(isSound(await audit(flow, played, verifies))).toBe(false);
  });

  it("corrects the ledger if the user trusts the source", async () => {
    const flow = plainPipeline(["id"], "mysql_sink", settings);
    const played = await written(flow, 5);
    const before = await contentOf();
    await query("update flow_audit.graphloom_flows_ledger set held = held + 1 where first = 0");
    const left = await audit(flow, played, repairs);
    expect(left.sources[0]?.differing).toMatchObject([{ from: 0, isMended: false }]);
    await audit(flow, played, { ...repairs, trustsSource: true });
    expect(await contentOf()).toEqual(before);
  });
});
