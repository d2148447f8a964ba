import type { Delta } from "../changes/delta.js";
import { type Changes, netChanges } from "../changes/net-changes.js";
import { addingSinks } from "../definition/shapes.js";
import type { PlannedSink } from "../plan/flow-plan.js";

/** What rows change in a sink. One that only adds rows takes each of them, also several of one key. */
export function sinkChanges(delta: Delta, { definition, schema }: PlannedSink): Changes {
  return netChanges(delta, addingSinks.has(definition.type) ? { ...schema, key: [] } : schema);
}
