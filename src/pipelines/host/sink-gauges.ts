import type { Gauge } from "prom-client";
import type { SinkStatus } from "./pipeline-engine.js";

/** Creates a gauge and registers it. */
export type MakeGauge = (name: string, help: string, labelNames?: readonly string[]) => Gauge;

/**
 * Creates the gauges of sinks.
 * @param labelNames labels of a sink's pipeline
 * @returns sets them for a sink
 */
export function createSinkGauges(
  gauge: MakeGauge,
  labelNames: readonly string[],
): (labels: Readonly<Record<string, string>>, sink: string, status: SinkStatus) => void {
  const ofSink = [...labelNames, "sink"];
  const rows = gauge("pipeline_sink_rows", "Rows written to a sink since its pipeline started.", ofSink);
  const stalled = gauge("pipeline_sink_stalled", "Whether a sink cannot be written at the moment.", ofSink);
  const parked = gauge("pipeline_sink_parked_rows", "Rows that wait because a sink refuses them.", ofSink);
  const misses = gauge("pipeline_sink_lookup_misses", "Keys that lookups have not found.", ofSink);
  const block = gauge("pipeline_sink_block", "The last block of a source that was written to a sink.", [
    ...ofSink,
    "source",
  ]);
  const lag = gauge(
    "pipeline_sink_lag_blocks",
    "Blocks between the last one that was written to a sink and the head of the source's chain.",
    [...ofSink, "source"],
  );
  return (of, sink, status) => {
    const labels = { ...of, sink };
    rows.set(labels, status.rows);
    stalled.set(labels, Number(status.state === "stalled" || status.state === "halted"));
    parked.set(labels, status.parked ?? 0);
    if (status.misses !== undefined) misses.set(labels, status.misses);
    for (const [source, number] of Object.entries(status.blocks)) block.set({ ...labels, source }, number);
    for (const [source, behind] of Object.entries(status.lag ?? {})) lag.set({ ...labels, source }, behind);
  };
}
