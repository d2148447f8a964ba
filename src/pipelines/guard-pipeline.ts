import { guardConnections } from "../node/processes/guard-connections.js";
import { createAddressRule } from "../web/outgoing/address-rule.js";
import type { PipelineStart } from "./messages.js";

/**
 * Lets the process of a pipeline connect only to what pipelines may reach, wherever a name leads when it is resolved, and
 * whatever the brokers of Kafka name.
 * @returns makes sockets for the server's own database, which is reached in any case
 */
export function guardPipeline({ reach }: Pick<PipelineStart, "reach">): ReturnType<typeof guardConnections> {
  return guardConnections(createAddressRule(reach));
}
