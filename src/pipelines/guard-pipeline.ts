import { guardConnections } from "../node/processes/guard-connections.js";
import { createAddressRule } from "../web/outgoing/address-rule.js";
import type { PipelineStart } from "./messages.js";

/**
 * Lets the process of a pipeline connect only to what pipelines may reach, wherever a name leads when it is resolved, and
 * whatever the brokers of Kafka name.
 * @returns makes sockets for the server's own database, which is reached in any case; `undefined` if nothing is guarded
 */
export function guardPipeline({
  mode,
  definition,
  flink,
  reach,
}: Pick<PipelineStart, "mode" | "definition" | "flink" | "reach">):
  | ReturnType<typeof guardConnections>
  | undefined {
  // The Kafka of Flink is the operator's, and its brokers may be anywhere.
  if (mode === "run" && definition.engine && flink) return undefined;
  return guardConnections(createAddressRule(reach));
}
