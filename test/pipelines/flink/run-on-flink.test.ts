import { expect, it } from "vitest";
import { present } from "../../../src/base/invariant.js";
import { Report } from "../../../src/compiler/diagnostics/report.js";
import { createNodeWorld } from "../../../src/machine/world.js";
import { splitPipeline } from "../../../src/pipelines/flink/split-pipeline.js";
import { type FlinkWorld, runOnFlink } from "../../../src/pipelines/host/flink/run-on-flink.js";
import { SinkError } from "../../../src/pipelines/state/sink-error.js";
import { useFolder } from "../../support/folder.js";
import { openEngine } from "../../support/pipelines/law-pipeline.js";
import { soundPipeline } from "../../support/pipelines/planned-pipeline.js";
import { sinkWorld } from "../../support/pipelines/sink-world.js";

const folder = useFolder();
const address = "mysql://u:p@10.0.0.1:3306/db";
const definition = `
name: sums
sources:
  transfers: { type: dataset, dataset_name: base.erc20_transfers }
transforms:
  sums: { sql: "SELECT sender, COUNT(*) AS times FROM transfers GROUP BY sender", primary_key: sender }
sinks:
  kept: { type: mysql_sink, from: sums, table: sums, secret_name: DB }
`;

it("pipeline run asks before Flink connects to a database that nothing else connects to", async () => {
  const flow = present(
    splitPipeline(await soundPipeline(definition, undefined, true), "decimal", new Report()),
    "it is divided",
  );
  const reached: string[] = [];
  const world: FlinkWorld = {
    ...sinkWorld({ folder, secrets: { DB: address } }),
    clock: createNodeWorld(),
    openEngine,
    openSource: () => {
      throw new Error("nothing is read before Flink may connect");
    },
    // All topics are there.
    openKafka: async () => ({
      topic: async (name) => ({ id: name, partitions: 1, settings: new Map() }),
      createTopic: never,
      deleteTopics: never,
      ranges: never,
      committed: never,
      send: never,
      read: never,
      close: async () => undefined,
    }),
    openKeptJob: async () => ({ kept: undefined, keep: never, close: () => undefined }),
    admit: async (given) => {
      reached.push(given);
      throw new SinkError("The server does not connect to 10.0.0.1.", false);
    },
  };
  const run = runOnFlink(
    {
      flow,
      integers: "decimal",
      from: "last",
      gateway: "http://127.0.0.1:1",
      kafka: '{"bootstrapServers":"127.0.0.1:1"}',
    },
    world,
    { onSink: () => undefined, onJob: () => undefined },
    new AbortController().signal,
  );
  await expect(run).rejects.toThrow("does not connect to 10.0.0.1");
  expect(reached).toEqual([address]);
});

function never(): never {
  throw new Error("nothing is written before Flink may connect");
}
