import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { PipelineError } from "../../../src/pipelines/changes/pipeline-error.js";
import { NodeFigures } from "../../../src/pipelines/host/figures.js";
import { openDuckDb } from "../../../src/pipelines/machine/duckdb/open-duckdb.js";
import type { PipelinePlan, PlannedSink } from "../../../src/pipelines/plan/pipeline-plan.js";
import { openProgram } from "../../../src/pipelines/runner/program.js";
import { runSink } from "../../../src/pipelines/runner/run-sink.js";
import type { Sink } from "../../../src/pipelines/sinks/sink.js";
import type { SinkBatch, WrittenPosition } from "../../../src/pipelines/state/sink-batch.js";
import { transfersOf } from "../../support/pipelines/filled-pipeline.js";
import { onlySql } from "../../support/pipelines/law-pipeline.js";
import { plannedPipeline, soundPipeline } from "../../support/pipelines/planned-pipeline.js";
import { PlayedChain } from "../../support/pipelines/played-source.js";
import { objectsOf } from "../../support/pipelines/row-objects.js";

const job = (sql: string, more = ""): string => `
name: sums
job: true
sources: { transfers: { type: dataset, dataset_name: base.erc20_transfers, start_at: earliest, end_block: 29 ${more} } }
transforms: { made: { sql: ${JSON.stringify(sql)}, primary_key: id } }
sinks: { out: { type: print, from: made } }`;

/** A chain of 30 blocks, all final, with two rows each. */
function chainOf(): PlayedChain {
  const chain = new PlayedChain(() => 0.5, 0);
  for (let number = 0; number < 30; number += 1) {
    const ids = [`${number}-0`, `${number}-1`];
    const columns = [
      ids,
      ids.map(() => BigInt(number)),
      ["a", "b"],
      ids.map((_, index) => String(2n ** 200n + BigInt(index))),
    ];
    chain.blocks.push({ number, hash: `0x${number}`, rows: { count: 2, columns } });
  }
  return chain;
}

/** Runs a job until it ends. @returns the rows in the order in which they came, and how many batches were cut */
async function rowsOf(
  plan: PipelinePlan,
  cutAt: readonly number[] = [],
  counter = new NodeFigures(() => 0),
): Promise<readonly (readonly unknown[])[]> {
  const rows: unknown[][] = [];
  const left = new Set(cutAt);
  let kept: WrittenPosition | undefined;
  const write = async ({ changes, position, source }: SinkBatch): Promise<void> => {
    expect(source).toBe("made");
    rows.push(...objectsOf(changes.schema.columns, changes.rows).map((row) => Object.values(row)));
    kept = position;
    if (left.delete(position.next)) throw new PipelineError("the test has killed it", true);
  };
  const planned = plan.sinks[0] as PlannedSink;
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const program = await openProgram(plan, planned, { ...onlySql, counter });
    const columns = plan.sources[0]?.schema.columns ?? [];
    const sink: Sink = {
      positions: new Map(kept ? [["made", kept]] : []),
      write,
      close: async () => undefined,
    };
    const open = () =>
      (program.open as NonNullable<typeof program.open>)(() => transfersOf(chainOf(), columns, 7));
    try {
      await runSink(planned, sink, program, open, {
        signal: new AbortController().signal,
        onProgress: () => undefined,
      });
      return rows;
    } catch (error) {
      if (!(error instanceof PipelineError)) throw error;
    } finally {
      await program.close();
    }
  }
  throw new Error("the job does not end");
}

describe("a job", () => {
  it("adds up integers of any size, joins, orders and ranks", async () => {
    const sums = await soundPipeline(
      job(
        "SELECT sender AS id, sum(amount) AS total, count(*) AS n FROM transfers GROUP BY sender ORDER BY sender DESC",
      ),
    );
    const counter = new NodeFigures(() => 0);
    expect(await rowsOf(sums, [], counter)).toEqual([
      ["b", String(30n * (2n ** 200n + 1n)), 30n],
      ["a", String(30n * 2n ** 200n), 30n],
    ]);
    expect(counter.read()).toMatchObject({ transfers: { rows: 60 }, made: { rows: 2 } });
    const ranked = await soundPipeline(
      job(
        "SELECT one.id, row_number() OVER (ORDER BY one.block_number DESC) AS rank FROM transfers one JOIN transfers other ON other.id = one.id WHERE one.sender = 'b' ORDER BY rank LIMIT 2",
      ),
    );
    expect(await rowsOf(ranked)).toEqual([
      ["29-1", 1n],
      ["28-1", 2n],
    ]);
  });

  it("INV-P14: returns each row once, in the same order, after any number of kills", async () => {
    const plan = await soundPipeline(
      job("SELECT DISTINCT id || '-' || n AS id, n FROM transfers, unnest(range(400)) AS u(n)"),
    );
    const whole = await rowsOf(plan);
    expect(whole).toHaveLength(24_000);
    expect(new Set(whole.map(([id]) => id)).size).toBe(24_000);
    expect(await rowsOf(plan, [10_000, 20_000, 24_000])).toEqual(whole);
  });

  it.each([
    [
      job("SELECT sum(amount) AS id FROM transfers").replace("end_block: 29", ""),
      'sql-not-streaming: sum() needs more than one row at a time, and source "transfers" has no last block',
    ],
    [
      job("SELECT id FROM transfers", ", filter: id IN (SELECT max(id))"),
      "sql-not-streaming: a subquery in an expression needs more than one row at a time",
    ],
    [
      job("SELECT sum(amount) AS id FROM transfers").replace("job: true", ""),
      "sql-not-streaming: sum() needs more than one row at a time",
    ],
    [
      job("SELECT count(*) AS id FROM transfers WHERE dynamic_table_check('t', id)").replace(
        "transforms: {",
        "transforms: { t: { type: dynamic_table, backend_type: InMemory, backend_entity_name: t, sql: SELECT id FROM transfers },",
      ),
      'sql-not-streaming: count() needs more than one row at a time, so "made" cannot look up in a table that is filled meanwhile',
    ],
  ])("is refused if its sources never end", async (definition, message) => {
    expect(await plannedPipeline(definition)).toContain(message);
  });

  it("spills rows that do not fit into memory into a folder that queries cannot reach and that is deleted afterwards", async () => {
    const folders = (): readonly string[] =>
      readdirSync(tmpdir()).filter((name) => name.startsWith("graphloom-job-"));
    const before = folders();
    const engine = await openDuckDb({ memory: 40, time: 60_000, disk: 1 });
    const [folder = ""] = folders().filter((name) => !before.includes(name));
    expect(folder).not.toBe("");
    const numbers = [{ name: "n", type: "LONG", nullable: false }] as const;
    await engine.createTable("numbers", numbers);
    await engine.append("numbers", numbers, {
      count: 1_000,
      columns: [Array.from({ length: 1_000 }, (_, n) => BigInt(n))],
    });
    await engine.createView(
      "sorted",
      "SELECT md5((n * 1000 + m)::VARCHAR) AS hash FROM numbers, unnest(range(1000)) AS u(m) ORDER BY hash",
    );
    expect(await engine.compute("sorted", true)).toBe(1_000_000);
    engine.close();
    expect(existsSync(`${tmpdir()}/${folder}`)).toBe(false);
  });
});
