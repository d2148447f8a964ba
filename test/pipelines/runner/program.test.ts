import { expect, it } from "vitest";
import { noRows, type RowValue } from "../../../src/pipelines/changes/rows.js";
import type {
  PipelinePlan,
  PlannedSink,
  PlannedSource,
  PlannedTransform,
} from "../../../src/pipelines/plan/pipeline-plan.js";
import { openProgram, type Program } from "../../../src/pipelines/runner/program.js";
import { runSink } from "../../../src/pipelines/runner/run-sink.js";
import type { Sink } from "../../../src/pipelines/sinks/sink.js";
import type { Source } from "../../../src/pipelines/sources/source.js";
import { QueryError } from "../../../src/pipelines/sql/engine.js";
import type { RowTransform } from "../../../src/pipelines/transforms/row-transform.js";
import { errorOf } from "../../support/pipelines/keyed-batch.js";
import { onlySql, openEngine as openTestEngine } from "../../support/pipelines/law-pipeline.js";
import { soundPipeline } from "../../support/pipelines/planned-pipeline.js";
import { objectsOf, rowsOf } from "../../support/pipelines/row-objects.js";

type RowObject = Readonly<Record<string, RowValue>>;

/** What a transform of a test makes of a row. */
type Make = (row: RowObject) => readonly RowObject[];

/** A flow whose transforms outside of SQL are functions of the test. */
class TestPipeline {
  /** The rows of each call of a transform. */
  readonly calls: RowObject[][] = [];
  readonly closed: string[] = [];
  readonly plan: PipelinePlan;
  readonly program: Program;
  readonly #sink: PlannedSink;

  private constructor(plan: PipelinePlan, program: Program) {
    this.plan = plan;
    this.#sink = plan.sinks[0] as PlannedSink;
    this.program = program;
  }

  static async open(yaml: string, make: Make, openEngine = openTestEngine): Promise<TestPipeline> {
    const plan = await soundPipeline(yaml, openEngine);
    let flow: TestPipeline | undefined;
    const program = await openProgram(plan, plan.sinks[0] as PlannedSink, {
      openEngine,
      openTable: onlySql.openTable,
      openLookup: onlySql.openLookup,
      openTransform: async (planned) => made(planned, make, () => flow),
    });
    flow = new TestPipeline(plan, program);
    return flow;
  }

  /** What comes of rows that are gone and of rows that are new. */
  async apply(
    source: string,
    minus: readonly RowObject[],
    plus: readonly RowObject[],
  ): Promise<{ readonly minus: readonly RowObject[]; readonly plus: readonly RowObject[] }> {
    const columns = this.plan.sources.find(({ name }) => name === source)?.schema.columns ?? [];
    const delta = { minus: rowsOf(columns, minus), plus: rowsOf(columns, plus) };
    const out = await this.program.apply(source, delta);
    return {
      minus: objectsOf(this.#sink.schema.columns, out.minus),
      plus: objectsOf(this.#sink.schema.columns, out.plus),
    };
  }
}

function made(planned: PlannedTransform, make: Make, flow: () => TestPipeline | undefined): RowTransform {
  return {
    apply: async (rows) => {
      const objects = objectsOf(planned.input ?? [], rows);
      flow()?.calls.push([...objects]);
      return rowsOf(planned.schema.columns, objects.flatMap(make));
    },
    close: async () => {
      flow()?.closed.push(planned.name);
    },
  };
}

const source = (more = ""): string => `{ type: dataset, dataset_name: base.raw_blocks${more} }`;
const handler = (from: string, override: string): string =>
  `{ type: handler, url: "http://handler", from: ${from}, primary_key: id, schema_override: { ${override} } }`;

/** Drops rows whose number is divisible by 3, and adds a column to others. */
const marked: Make = (row) =>
  (row.number as bigint) % 3n === 0n ? [] : [{ ...row, mark: `<${String(row.id)}>` }];

it("a program passes deleted and new rows through code between queries", async () => {
  const flow = await TestPipeline.open(
    `
name: x
sources: { blocks: ${source()} }
transforms:
  few: { sql: "SELECT id, number FROM blocks WHERE number < 10", primary_key: id }
  marked: ${handler("few", "mark: string")}
  out: { sql: "SELECT id, mark || '!' AS mark FROM marked WHERE number <> 5", primary_key: id }
sinks: { shown: { type: print, from: out } }`,
    marked,
  );
  const rows = [1n, 3n, 4n, 5n, 12n].map((number) => ({ id: `b${number}`, number }));
  expect(await flow.apply("blocks", rows.slice(0, 1), rows.slice(1))).toEqual({
    minus: [{ id: "b1", mark: "<b1>!" }],
    plus: [{ id: "b4", mark: "<b4>!" }],
  });
  expect(flow.calls).toEqual([
    [{ id: "b1", number: 1n }],
    [3n, 4n, 5n].map((number) => ({ id: `b${number}`, number })),
  ]);
  await flow.program.close();
  expect(flow.closed).toEqual(["marked"]);
});

it("a program opens no SQL engine for a pipeline without SQL, neither to plan nor to run it", async () => {
  const openEngine = (): never => {
    throw new Error("an engine was opened");
  };
  const flow = await TestPipeline.open(
    `
name: x
sources: { blocks: ${source()} }
transforms:
  first: ${handler("blocks", "mark: string")}
  second: ${handler("first", "mark: string, number: null")}
sinks: { shown: { type: print, from: second } }`,
    (row) => [{ ...row, mark: `${String(row.mark ?? "")}*` }],
    openEngine,
  );
  const { plus } = await flow.apply("blocks", [], [{ id: "a", number: 1n }]);
  expect(plus).toMatchObject([{ id: "a", mark: "**" }]);
  expect(plus[0]).not.toHaveProperty("number");
});

it("a program passes the rows that a filter accepts to code, and makes no call without rows", async () => {
  const flow = await TestPipeline.open(
    `
name: x
sources: { blocks: ${source(', filter: "number > 5"')} }
transforms: { marked: ${handler("blocks", "mark: string")} }
sinks: { shown: { type: print, from: marked } }`,
    marked,
  );
  const { minus, plus } = await flow.apply(
    "blocks",
    [{ id: "a", number: 5n }],
    [
      { id: "b", number: 5n },
      { id: "c", number: 7n },
    ],
  );
  expect(minus).toEqual([]);
  expect(plus).toMatchObject([{ id: "c", mark: "<c>" }]);
  expect(flow.calls).toMatchObject([[{ id: "c" }]]);
});

const twoSources = `
name: x
sources: { one: ${source()}, other: ${source()} }
transforms:
  marked: ${handler("one", "mark: string")}
  out:
    sql: SELECT id, mark FROM marked UNION ALL SELECT id, 'plain' FROM other
    primary_key: id
sinks: { shown: { type: print, from: out } }`;

it("a program follows one source while the rows of all others are unavailable", async () => {
  const flow = await TestPipeline.open(twoSources, marked);
  expect((await flow.apply("one", [], [{ id: "a", number: 1n }])).plus).toEqual([{ id: "a", mark: "<a>" }]);
  expect((await flow.apply("other", [], [{ id: "b", number: 1n }])).plus).toEqual([
    { id: "b", mark: "plain" },
  ]);
  expect(flow.calls).toHaveLength(1);
});

it("a program forgets the rows of a batch that failed", async () => {
  const flow = await TestPipeline.open(twoSources, (row) => {
    if (row.id === "bad") throw new Error("no such row");
    return marked(row);
  });
  await expect(flow.apply("one", [{ id: "a", number: 1n }], [{ id: "bad", number: 1n }])).rejects.toThrow(
    "no such row",
  );
  expect(await flow.apply("other", [], [{ id: "b", number: 1n }])).toEqual({
    minus: [],
    plus: [{ id: "b", mark: "plain" }],
  });
});

it("a program closes opened transforms when another one cannot be opened", async () => {
  const plan = await soundPipeline(`
name: x
sources: { blocks: ${source()} }
transforms:
  first: ${handler("blocks", "mark: string")}
  second: ${handler("first", "mark: string")}
sinks: { shown: { type: print, from: second } }`);
  const closed: string[] = [];
  const opened = openProgram(plan, plan.sinks[0] as PlannedSink, {
    openEngine: openTestEngine,
    openTable: onlySql.openTable,
    openLookup: onlySql.openLookup,
    openTransform: async ({ name }) => {
      if (name === "second") throw new Error("no such handler");
      return { apply: async (rows) => rows, close: async () => void closed.push(name) };
    },
  });
  await expect(opened).rejects.toThrow("no such handler");
  expect(closed).toEqual(["first"]);
});

it("INV-P10: a value that a query cannot compute stops the sink with its row and its block", async () => {
  const plan = await soundPipeline(`
name: casts
sources: { logs: { type: dataset, dataset_name: ethereum.raw_logs, start_at: earliest } }
transforms:
  numbers: { type: sql, primary_key: id, sql: "SELECT id, CAST(data AS INTEGER) AS number FROM logs" }
sinks: { out: { type: print, from: numbers } }`);
  const [source, sink] = [plan.sources[0] as PlannedSource, plan.sinks[0] as PlannedSink];
  const program = await openProgram(plan, sink, onlySql);
  const rows = ["1", "2", "three", "4", "5"].map((data, index) => ({
    id: `log ${index}`,
    block_number: BigInt(10 + index),
    data,
  }));
  const delta = { minus: noRows(source.schema.columns.length), plus: rowsOf(source.schema.columns, rows) };
  const batch = { from: 10, to: 14, isUndone: false, delta, position: { next: 15, open: [] } };
  const writer: Sink = { positions: new Map(), write: async () => undefined, close: async () => undefined };
  const open = (): Source => ({
    batches: async function* () {
      yield batch;
    },
  });
  const run = { signal: new AbortController().signal, onProgress: () => undefined };
  const error = await errorOf(runSink(sink, writer, program, open, run));
  await program.close();
  expect(error).toBeInstanceOf(QueryError);
  expect(error.message).toMatch(/^Row id=log 2 of block 12 cannot be computed: "three" is not a value of/);
});

it("a program deletes rows of a replaced key that a condition leaves out or that are gone, by the key alone", async () => {
  const flow = await TestPipeline.open(
    `
name: f
sources: { stock: { type: kafka, topic: t, secret_name: K, primary_key: [id, part], schema: { id: STRING, part: LONG, n: LONG } } }
transforms:
  kept: { primary_key: [section, code], sql: "SELECT n * 2 AS twice, part AS section, id AS code FROM stock WHERE n > 1" }
sinks: { out: { type: blackhole, from: kept } }
`,
    () => [],
  );
  const key = (id: string): RowObject => ({ id, part: 7n, n: null });
  const made = await flow.apply("stock", ["a", "b", "c"].map(key), [
    { id: "a", part: 7n, n: 5n },
    { id: "b", part: 7n, n: 1n },
  ]);
  const gone = (code: string): RowObject => ({ twice: null, section: 7n, code });
  expect(made).toEqual({ minus: [gone("b"), gone("c")], plus: [{ twice: 10n, section: 7n, code: "a" }] });
  await flow.program.close();
});
