import { expect, it } from "vitest";
import type { RowValue } from "../../../src/pipelines/changes/rows.js";
import { NodeFigures } from "../../../src/pipelines/host/figures.js";
import { NodeTap } from "../../../src/pipelines/host/node-tap.js";
import type { PlannedSink } from "../../../src/pipelines/plan/pipeline-plan.js";
import { openProgram } from "../../../src/pipelines/runner/program.js";
import { onlySql, openEngine } from "../../support/pipelines/law-pipeline.js";
import { soundPipeline } from "../../support/pipelines/planned-pipeline.js";
import { rowsOf } from "../../support/pipelines/row-objects.js";

const yaml = `
name: x
sources: { blocks: { type: dataset, dataset_name: base.raw_blocks, filter: "number > 5" } }
transforms:
  small: { sql: "SELECT id, number FROM blocks WHERE number < 1000", primary_key: id }
  even: { sql: "SELECT id, number AS share FROM small WHERE number % 2 = 0", primary_key: id }
sinks: { shown: { type: print, from: even } }`;

type RowObject = Readonly<Record<string, RowValue>>;
const blocks = (...numbers: readonly number[]): RowObject[] =>
  numbers.map((number) => ({ id: `b${number}`, number: BigInt(number) }));

/** Opens the flow. @param nodes those that are looked at */
async function open(nodes: readonly string[]) {
  const plan = await soundPipeline(yaml, openEngine);
  const tap = new NodeTap(() => 0);
  tap.watch(nodes);
  const program = await openProgram(plan, plan.sinks[0] as PlannedSink, { ...onlySql, tap });
  const columns = plan.sources[0]?.schema.columns ?? [];
  return {
    async apply(minus: readonly RowObject[], plus: readonly RowObject[]) {
      const { plus: out } = await program.apply("blocks", {
        minus: rowsOf(columns, minus),
        plus: rowsOf(columns, plus),
      });
      return out.count;
    },
    seen: () =>
      Object.fromEntries(
        tap
          .flush()
          .map(({ node, rows, dropped }) => [
            node,
            [rows.map(({ op, json }) => `${op} ${JSON.parse(json).id}`), dropped] as const,
          ]),
      ),
    close: () => program.close(),
  };
}

it("a tap shows the rows of sources behind their filter, and of each query", async () => {
  const flow = await open(["blocks", "small", "even"]);
  expect(await flow.apply([], blocks(1, 6, 9, 2_000))).toBe(1);
  expect(flow.seen()).toEqual({
    blocks: [["i b6", "i b9", "i b2000"], 0],
    small: [["i b6", "i b9"], 0],
    even: [["i b6"], 0],
  });
  await flow.close();
});

it("a tap shows updates as updates and deletions as deletions", async () => {
  const flow = await open(["blocks"]);
  const before = blocks(6, 9, 8);
  const after = [...blocks(6), { ...blocks(9)[0], hash: "0x1" }];
  await flow.apply(before, after);
  expect(flow.seen()).toEqual({ blocks: [["d b8", "u b9"], 0] });
  await flow.close();
});

it("a tap takes a part of a large batch, and counts the rest if their number is known", async () => {
  const flow = await open(["blocks", "even"]);
  const many = Array.from({ length: 500 }, (_, index) => index + 10);
  expect(await flow.apply([], blocks(...many))).toBe(250);
  const { blocks: shown, even } = flow.seen();
  expect([shown?.[0]?.length, shown?.[1]]).toEqual([100, 0]);
  expect([even?.[0]?.length, even?.[1]]).toEqual([100, 150]);
  await flow.close();
});

it("a tap counts the rows that each node returns: sources after their filter, and each change once", async () => {
  const plan = await soundPipeline(yaml, openEngine);
  const counter = new NodeFigures(() => 0);
  const program = await openProgram(plan, plan.sinks[0] as PlannedSink, { ...onlySql, counter });
  const columns = plan.sources[0]?.schema.columns ?? [];
  const apply = (minus: readonly RowObject[], plus: readonly RowObject[]) =>
    program.apply("blocks", { minus: rowsOf(columns, minus), plus: rowsOf(columns, plus) });
  await apply([], blocks(1, 6, 9, 2_000));
  await apply(blocks(9), [{ ...blocks(9)[0], hash: "0x1" }]);
  await apply(blocks(6), []);
  expect(counter.read()).toMatchObject({ blocks: { rows: 5 }, small: { rows: 4 }, even: { rows: 2 } });
  await program.close();
});

it("a failing value that only a viewer reads does not stop a pipeline", async () => {
  const plan = await soundPipeline(
    yaml.replace(
      "SELECT id, number FROM blocks",
      "SELECT id, number, CAST(id AS INTEGER) AS wrong FROM blocks",
    ),
    openEngine,
  );
  const tap = new NodeTap(() => 0);
  tap.watch(["small"]);
  const program = await openProgram(plan, plan.sinks[0] as PlannedSink, { ...onlySql, tap });
  const columns = plan.sources[0]?.schema.columns ?? [];
  const { plus } = await program.apply("blocks", {
    minus: rowsOf(columns, []),
    plus: rowsOf(columns, blocks(6)),
  });
  expect([plus.count, tap.flush()]).toEqual([1, []]);
  await program.close();
});
