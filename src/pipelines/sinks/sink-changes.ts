import type { Delta } from "../changes/delta.js";
import { type Changes, netChanges } from "../changes/net-changes.js";
import type { PlannedSink } from "../plan/pipeline-plan.js";
import { sinkTypeOf } from "./all-sinks.js";

/** What rows change in a sink. One that only adds rows takes each of them, also several of one key. */
export function sinkChanges(delta: Delta, sink: PlannedSink): Changes {
  return netChanges(delta, { ...sink.schema, key: changedKey(sink) });
}

/** The columns by which rows of a sink replace each other; none for one that only adds rows. */
export function changedKey({ definition, schema }: PlannedSink): readonly string[] {
  return sinkTypeOf(definition.type).place === "files" ? [] : schema.key;
}
