import { beforeAll, expect, it } from "vitest";
import {
  type AuditRequest,
  auditSink,
  isSound,
  type SinkFindings,
} from "../../../src/flows/audit/audit-sink.js";
import type { PlannedSink } from "../../../src/flows/plan/flow-plan.js";
import { openSink } from "../../../src/flows/sinks/open-sink.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { describeDatabase } from "../../support/database/databases.js";
import { auditWorld, type Played, repairs, verifies, writeAll } from "../../support/flows/audited-flow.js";
import { type LawFlow, lawFlow, text } from "../../support/flows/law-flow.js";
import { PlayedFeed } from "../../support/flows/played-feed.js";
import { PlayedChain } from "../../support/flows/played-source.js";
import { randomOf } from "../../support/flows/random.js";

const seeds = Number(process.env.GRAPHLOOM_AUDIT_SEEDS ?? 2);

let flow: LawFlow;
let sink: PlannedSink;

beforeAll(async () => {
  flow = await lawFlow();
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
    const random = randomOf(seed);
    const played = { chain: new PlayedChain(random, 8), feed: new PlayedFeed(random) };
    for (let count = 0; count < 30; count += 1) played.chain.mine();
    for (let round = 0; round < 3; round += 1) {
      for (let count = 0; count < 4; count += 1) played.feed.change();
      played.chain.reorganise(1 + Math.floor(random() * 8));
      await writeAll(flow, sink, await openSink(sink, flow.owner, worldOf(database, played)), played);
    }
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

  async function contentOf(database: Database): Promise<readonly unknown[]> {
    const tables = [
      SQL`select id, who, amount, block_number from flow_audit.chosen order by 1`,
      SQL`select * from graphloom_flows.positions order by 4`,
      SQL`select * from graphloom_flows.open_blocks order by 4, 5`,
      SQL`select * from graphloom_flows.ledger order by 4, 5`,
    ];
    const contents = [];
    for (const table of tables) contents.push(await database.query(table));
    return contents;
  }

  it(`finds each row that was deleted, altered or added, and mends these alone, for ${seeds} schedules`, async () => {
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
});

function listed({ rows }: SinkFindings): readonly string[] {
  return (rows?.first ?? [])
    .map(({ kind, key, columns = [] }) => [kind, key.id, ...columns].join(" "))
    .sort();
}
