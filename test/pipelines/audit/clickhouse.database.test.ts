import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type AuditRequest,
  auditSink,
  isSound,
  type SinkFindings,
} from "../../../src/pipelines/audit/audit-sink.js";
import { replaySink } from "../../../src/pipelines/audit/replay-sink.js";
import type { RowValue } from "../../../src/pipelines/changes/rows.js";
import type { ValueType } from "../../../src/pipelines/changes/schema.js";
import { clickHouseType } from "../../../src/pipelines/definition/clickhouse-type.js";
import { openClickHouse } from "../../../src/pipelines/machine/clickhouse/open-clickhouse.js";
import { keyNumber, rowHex } from "../../../src/pipelines/sinks/clickhouse/stored-table.js";
import type { ClickHouse } from "../../../src/pipelines/sinks/clickhouse-server.js";
import { openSink } from "../../../src/pipelines/sinks/open-sink.js";
import { useFolder } from "../../support/folder.js";
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
import { expectReturn } from "../../support/pipelines/returned-pipeline.js";
import {
  type ClickHouseServer,
  lackOfClickHouse,
  startClickHouse,
} from "../../support/servers/clickhouse.js";

const lack = lackOfClickHouse();
if (lack !== undefined) console.warn(`The tests of audits of ClickHouse are skipped: ${lack}`);

describe.skipIf(lack !== undefined)("an audit of a ClickHouse table", () => {
  const folder = useFolder();
  let server: ClickHouseServer;
  let asked: ClickHouse;
  let flow: LawPipeline;

  beforeAll(async () => {
    server = await startClickHouse(folder);
    asked = await openClickHouse(server.address);
    const settings = { secret_name: text("ch"), database: text("flows"), table: text("chosen") };
    const law = await lawPipeline();
    const sink = { ...law.sink, definition: { type: "clickhouse", name: text("out"), settings } } as const;
    flow = { ...law, sink };
  });
  afterAll(async () => {
    await asked?.close();
    await server?.stop();
  });

  function worldOf(played: Played) {
    const clock = { timeout: (milliseconds: number) => AbortSignal.timeout(milliseconds), now: () => 0 };
    return auditWorld(played, { secret: () => server.secret, openClickHouse, clock });
  }

  async function written(seed: number): Promise<Played> {
    await asked.run("DROP DATABASE IF EXISTS flows");
    const write = async (played: Played): Promise<void> =>
      writeAll(flow, flow.sink, await openSink(flow.sink, flow.owner, worldOf(played)), played);
    // Each statement takes some milliseconds.
    return playThrough(seed, write, { blocks: 12, rounds: 2 });
  }

  function audit(played: Played, request: AuditRequest): Promise<SinkFindings> {
    return auditSink(flow.plan, flow.sink, worldOf(played), request);
  }

  const content = (): Promise<readonly unknown[]> =>
    asked.query(
      "SELECT id, who, toString(amount) AS amount, block_number FROM flows.chosen FINAL ORDER BY id",
    );

  it("finds each row that was deleted, altered or added, and repairs only these", async () => {
    const played = await written(1);
    const before = await content();
    expect(isSound(await audit(played, verifies))).toBe(true);
    const ids = (await asked.query("SELECT id FROM flows.chosen FINAL ORDER BY id")).map(({ id }) =>
      String(id),
    );
    const wrong: string[] = [];
    const of = (kind: number): readonly string[] => ids.filter((_, index) => index % 9 === kind);
    const list = (some: readonly string[]): string =>
      some.map((id) => `'${id.replace(/[\\']/g, "\\$&")}'`).join(", ");
    await asked.run(
      `INSERT INTO flows.chosen SELECT id, who, amount, block_number, version, 1 FROM flows.chosen FINAL WHERE id IN (${list(of(1))})`,
    );
    wrong.push(...of(1).map((id) => `missing ${id}`));
    await asked.run(
      `INSERT INTO flows.chosen SELECT id, concat(who, 'x'), amount, block_number, version, 0 FROM flows.chosen FINAL WHERE id IN (${list(of(4))})`,
    );
    wrong.push(...of(4).map((id) => `altered ${id} who`));
    await asked.run(
      `INSERT INTO flows.chosen SELECT concat(id, '!'), who, amount, block_number, version, 0 FROM flows.chosen FINAL WHERE id IN (${list(of(7))})`,
    );
    wrong.push(...of(7).map((id) => `foreign ${id}!`));
    expect(wrong.length).toBeGreaterThan(3);
    const damaged = await content();
    expect(listed(await audit(played, verifies))).toEqual(wrong.sort());
    expect(await content()).toEqual(damaged);
    expect(listed(await audit(played, repairs))).toEqual(wrong);
    expect(await content()).toEqual(before);
    expect(isSound(await audit(played, verifies))).toBe(true);
    played.chain.mine();
    await writeAll(flow, flow.sink, await openSink(flow.sink, flow.owner, worldOf(played)), played);
    expect(isSound(await audit(played, verifies))).toBe(true);
  });

  it("computes the same bytes of values and the same numbers of keys as ClickHouse", async () => {
    const values: readonly (readonly [ValueType, RowValue, string, string])[] = [
      ["STRING", "é\u0000'x", "String", "'é\\0\\'x'"],
      ["STRING", null, "Nullable(String)", "NULL"],
      ["STRING", "ab", "Nullable(FixedString(2))", "'ab'"],
      ["DECIMAL", String(2n ** 256n - 1n), "UInt256", `'${2n ** 256n - 1n}'`],
      ["NUMERIC", "-123.4500", "Nullable(Decimal(38, 4))", "'-123.45'"],
      ["LONG", -5n, "Int64", "-5"],
      ["DOUBLE", -1.5, "Float64", "-1.5"],
      ["BOOLEAN", true, "Nullable(Bool)", "true"],
      ["TIMESTAMP", -1n, "DateTime64(6, 'UTC')", "toDateTime64('1969-12-31 23:59:59.999999', 6, 'UTC')"],
      ["ARRAY<STRING>", ["a", ""], "Array(String)", "['a', '']"],
    ];
    const columns = values.map(([from, , type], index) => ({
      name: `c${index}`,
      from,
      index,
      type: clickHouseType(type) ?? expect.unreachable(type),
    }));
    const row = { rows: { count: 1, columns: values.map(([, value]) => [value]) }, row: 0 };
    const cells = values.map(([, , type, sql]) => `CAST(${sql} AS ${type})`).join(", ");
    const [found] = await asked.query(
      `SELECT hex(formatRow('RowBinary', ${cells})) AS bytes, CRC32(formatRow('RowBinary', ${cells})) AS number`,
    );
    expect(found).toEqual({ bytes: rowHex(columns, row), number: keyNumber(columns, row) });
  });

  it("accepts a table whose sink was restored from a snapshot", async () => {
    await asked.run("DROP DATABASE IF EXISTS flows");
    const settings = { secret_name: text("ch"), database: text("flows"), table: text("chosen") };
    const returning = plainPipeline(["id"], "clickhouse", settings);
    await expectReturn({ flow: returning, worldOf, content, mayBeginAnew: false });
  });

  it("has the rows of a range again after a replay", async () => {
    await asked.run("DROP DATABASE IF EXISTS flows");
    const settings = { secret_name: text("ch"), database: text("flows"), table: text("chosen") };
    const plain = plainPipeline(["id"], "clickhouse", settings);
    const { plan, sink, owner } = plain;
    const write = async (now: Played): Promise<void> =>
      writeAll(plain, sink, await openSink(sink, owner, worldOf(now)), now);
    const played = await playThrough(5, write, { blocks: 12, rounds: 1 });
    const before = await content();
    await asked.run(
      "INSERT INTO flows.chosen SELECT id, block_number, who, amount, version, 1 FROM flows.chosen FINAL WHERE block_number < 4",
    );
    const rows = played.chain.blocks.slice(0, 4).reduce((sum, { rows: { count } }) => sum + count, 0);
    expect((await content()).length).toBeLessThan(before.length);
    const request = { range: { from: 0, to: 3 }, onRange: () => undefined, confirm: async () => true };
    const outcome = await replaySink(plan, sink, worldOf(played), request);
    expect(outcome).toEqual({ rows, overtaken: 0, isSent: true });
    expect(await content()).toEqual(before);
    expect(isSound(await auditSink(plan, sink, worldOf(played), verifies))).toBe(true);
  });

  it("creates no database if no row was written", async () => {
    await asked.run("DROP DATABASE IF EXISTS flows");
    const played = await playThrough(2, async () => undefined);
    expect(isSound(await audit(played, verifies))).toBe(true);
    expect(await asked.query("SELECT name FROM system.databases WHERE name = 'flows'")).toEqual([]);
  });
});
