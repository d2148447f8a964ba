import type { Changes } from "../changes/net-changes.js";
import { PipelineError } from "../changes/pipeline-error.js";
import { joinRows, type Rows } from "../changes/rows.js";
import { readPart } from "../changes/source-parts.js";
import type { PipelinePlan, PlannedSink } from "../plan/pipeline-plan.js";
import { openProgram } from "../runner/program.js";
import { sinkChanges } from "../sinks/sink-changes.js";
import type { ParkedChange } from "../state/parked-change.js";
import { openRange, openTables, type RangeWorld } from "./open-range.js";

/**
 * Reads a message of a topic again that could not be read, and computes its rows for a sink.
 * @returns what it changes in the sink, or why it still cannot be read
 * @throws QueryError, and errors that may pass
 */
export async function rereadMessage(
  plan: PipelinePlan,
  sink: PlannedSink,
  { source: part, from: offset }: ParkedChange,
  world: RangeWorld,
): Promise<Changes | string> {
  const tables = openTables(plan, world);
  const program = await openProgram(plan, sink, tables.programWorld);
  try {
    const source = program.sources.find(({ name }) => readPart(name, part));
    const opened = source && openRange(program, source, offset, world, part);
    if (!opened) return "the pipeline does not read the topic any more";
    const [minus, plus]: [Rows[], Rows[]] = [[], []];
    for await (const { delta, unread = [], from, to } of opened.batches({ next: offset, open: [] })) {
      const [wrong] = unread;
      if (wrong) return wrong.why;
      const made = await program.apply(source.name, delta, { from, to });
      minus.push(made.minus);
      plus.push(made.plus);
    }
    const width = sink.schema.columns.length;
    return sinkChanges({ minus: joinRows(minus, width), plus: joinRows(plus, width) }, sink);
  } catch (error) {
    if (error instanceof PipelineError && !error.isTemporary) return error.message.replace(/\.$/, "");
    throw error;
  } finally {
    await program.close();
    await tables.close();
  }
}
