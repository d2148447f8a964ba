import { expect } from "vitest";
import type { AuditWorld } from "../../../src/pipelines/audit/audit-sink.js";
import type { PipelinePlan, PlannedSink, PlannedSource } from "../../../src/pipelines/plan/pipeline-plan.js";
import { lineageGuard } from "../../../src/pipelines/runner/guard-lineage.js";
import { sinkLineage } from "../../../src/pipelines/sinks/lineage/sink-lineage.js";
import { openSink } from "../../../src/pipelines/sinks/open-sink.js";
import type { Sink } from "../../../src/pipelines/sinks/sink.js";
import { changedSink, continueSink } from "../../../src/pipelines/snapshots/changed-sinks.js";
import { statesOf } from "../../../src/pipelines/snapshots/take-snapshot.js";
import { type Played, writeAll } from "./audited-pipeline.js";
import { text } from "./law-pipeline.js";

/**
 * Writes a chain into a sink, and expects it to keep how its rows were computed: it does not go on with another definition
 * until the user decides, and then it continues at its position.
 * @param plan one source, `played`, into the sink
 */
export async function expectKeptLineage(
  plan: PipelinePlan,
  sink: PlannedSink,
  world: AuditWorld,
  played: Played,
): Promise<void> {
  const owner = { flow: plan.name, sources: ["played"] };
  const opened = (of: PipelinePlan): Promise<Sink> => {
    const lineage = lineageGuard(sinkLineage(of, sink), { either: "Choose.", anew: "Reset." });
    return openSink(sink, { ...owner, lineage }, world);
  };
  const changesOf = async (of: PipelinePlan): Promise<readonly string[]> =>
    (await changedSink(of, sink, world)).changes.map((change) => change.text);
  const nextOf = async (): Promise<number | undefined> =>
    (await statesOf(plan, sink, world))?.get("played")?.position.next;
  const other = filtered(plan);
  expect(await changesOf(other)).toEqual([]);
  await writeAll({ plan, sink, owner }, sink, await opened(plan), played);
  const next = await nextOf();
  expect(next).toBeGreaterThan(0);
  const changes = ["the filter of source played"];
  expect([await changesOf(plan), await changesOf(other)]).toEqual([[], changes]);
  await expect(opened(other)).rejects.toThrow(
    "Its rows are no longer computed as before: the filter of source played. Choose.",
  );
  await continueSink(other, await changedSink(other, sink, world), world, () => undefined);
  expect([await changesOf(plan), await changesOf(other), await nextOf()]).toEqual([changes, [], next]);
  await (await opened(other)).close();
}

function filtered(plan: PipelinePlan): PipelinePlan {
  const sources = plan.sources.map((source): PlannedSource => {
    const definition = { ...source.definition, settings: { filter: text("who <> 'a'") } };
    return { ...source, definition: definition as PlannedSource["definition"] };
  });
  return { ...plan, sources };
}
