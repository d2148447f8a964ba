import { expect, it } from "vitest";
import { present } from "../../../src/base/invariant.js";
import { Report } from "../../../src/compiler/diagnostics/report.js";
import { digestOf } from "../../../src/pipelines/flink/flink-statements.js";
import { type FlinkPipeline, splitPipeline } from "../../../src/pipelines/flink/split-pipeline.js";
import { savepointIn, savepointSnapshot } from "../../../src/pipelines/host/flink/savepoints.js";
import { compareFlinkSinks } from "../../../src/pipelines/host/read-sinks.js";
import { soundPipeline } from "../../support/pipelines/planned-pipeline.js";

/** A flow with a sum. @param sum how it is computed @param table where it is written */
async function pipelineOf(sum: string, table = "sums"): Promise<FlinkPipeline> {
  const text = `
name: sums
sources:
  transfers: { type: dataset, dataset_name: base.erc20_transfers }
transforms:
  sums: { sql: "SELECT sender, ${sum} AS times FROM transfers GROUP BY sender", primary_key: sender }
sinks:
  kept: { type: postgres, from: sums, table: ${table}, secret_name: DB }
`;
  return present(
    splitPipeline(await soundPipeline(text, undefined, true), "decimal", new Report()),
    "it is divided",
  );
}

const own = { format: 1, sinks: {} } as const;
const place = "file:///savepoint-1";

it("sinks of Flink continue when the job computes something else, and cannot be emptied", async () => {
  const [before, after] = [await pipelineOf("COUNT(*)"), await pipelineOf("COUNT(*) + 1")];
  const kept = { digest: digestOf(before, "decimal"), targets: ["postgres DB  sums"], savepoint: undefined };
  const changes = (flow: FlinkPipeline, job = kept) =>
    compareFlinkSinks(flow, "decimal", job).map(({ change, reset, recreate }) => [change, reset, recreate]);
  expect(changes(before)).toEqual([["same", null, null]]);
  expect(changes(after)).toEqual([["continues", null, null]]);
  expect(compareFlinkSinks(after, "decimal", kept)).toMatchObject([
    { sink: "kept", reasons: [expect.stringContaining("starts over")], otherwise: expect.any(String) },
  ]);
  expect(changes(await pipelineOf("COUNT(*)", "others"))).toEqual([["new", null, null]]);
  expect(compareFlinkSinks(before, "decimal", undefined)).toMatchObject([{ change: "new" }]);
});

it("a savepoint is kept in a snapshot, and is used where Flink computes the same", async () => {
  const flow = await pipelineOf("COUNT(*)");
  const kept = { digest: digestOf(flow, "decimal"), targets: [], savepoint: place };
  const snapshot = savepointSnapshot(own, kept);
  expect(savepointIn(snapshot, flow, "decimal")).toBe(place);
  const other = await pipelineOf("COUNT(*) + 1");
  expect(() => savepointIn(snapshot, other, "decimal")).toThrow(/now computes something else/);
  expect(() => savepointIn(JSON.stringify(own), flow, "decimal")).toThrow(/while graphloom ran the queries/);
  for (const nothing of [undefined, { ...kept, savepoint: undefined }])
    expect(() => savepointSnapshot(own, nothing)).toThrow(/no savepoint of the pipeline/);
});
