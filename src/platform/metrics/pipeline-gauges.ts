import type { NodeStatus } from "../../pipelines/host/pipeline-engine.js";
import { createSinkGauges, type MakeGauge } from "../../pipelines/host/sink-gauges.js";
import type { PipelineReading } from "../pipelines/pipeline-readings.js";
import { type RuntimeStatus, runtimeStatuses } from "../pipelines/pipeline-rows.js";

/** The most nodes of a pipeline whose rows are reported. */
const mostNodes = 100;

/** Creates the gauges of pipelines. @returns sets them, and names pipelines only if it may */
export function createPipelineGauges(
  gauge: MakeGauge,
): (pipelines: readonly PipelineReading[], isNamed: boolean) => void {
  const pipelines = gauge("pipelines", "Pipelines, by what they do.", ["status"]);
  const isUp = gauge("pipeline_running", "Whether a pipeline runs and all of its sinks are written.", [
    "project",
    "pipeline",
  ]);
  const state = gauge("pipeline_state", "1 for the current state of a pipeline, or for the requested one.", [
    "project",
    "pipeline",
    "state",
  ]);
  const memory = gauge("pipeline_memory_bytes", "Memory of the process of a pipeline that runs.", [
    "project",
    "pipeline",
  ]);
  const restarts = gauge("pipeline_restarts", "How often a pipeline was started after its first start.", [
    "project",
    "pipeline",
  ]);
  const nodeRows = gauge(
    "pipeline_node_rows",
    "Rows that a source or a transform has given since its pipeline started.",
    ["project", "pipeline", "node"],
  );
  const setSink = createSinkGauges(gauge, ["project", "pipeline"]);

  const setOne = (reading: PipelineReading): void => {
    const { project, name: pipeline, status, runtime, sinks } = reading;
    state.set({ project, pipeline, state: stateOf(reading) }, 1);
    if (reading.memory !== null) memory.set({ project, pipeline }, reading.memory);
    restarts.set({ project, pipeline }, Math.max(0, reading.starts - 1));
    for (const [node, one] of busiest(reading)) nodeRows.set({ project, pipeline, node }, one.rows);
    if (status === "ACTIVE" && runtime !== "COMPLETED")
      isUp.set({ project, pipeline }, Number(runtime === "RUNNING"));
    for (const [sink, one] of Object.entries(sinks)) setSink({ project, pipeline }, sink, one);
  };
  return (all, isNamed) => {
    for (const status of runtimeStatuses) pipelines.set({ status: word(status) }, count(all, status));
    if (isNamed) for (const one of all) setOne(one);
  };
}

/** The requested state if that is `paused` or `stopped`, and otherwise the actual one. */
function stateOf({ status, runtime }: PipelineReading): string {
  if (status === "PAUSED") return "paused";
  return status === "INACTIVE" ? "stopped" : word(runtime);
}

/**
 * Nodes of a pipeline with separate series: the ones with most rows, so that no definition creates too many series.
 */
function busiest({ nodes }: PipelineReading): readonly (readonly [string, NodeStatus])[] {
  return Object.entries(nodes)
    .sort(([, one], [, other]) => other.rows - one.rows)
    .slice(0, mostNodes);
}

function count(all: readonly PipelineReading[], status: RuntimeStatus): number {
  return all.filter(({ runtime }) => runtime === status).length;
}

function word(status: RuntimeStatus): string {
  return status.toLowerCase();
}
