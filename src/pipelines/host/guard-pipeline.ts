import { guardConnections } from "../../machine/processes/guard-connections.js";
import { type AddressPolicy, createAddressRule } from "../../web/outgoing/address-rule.js";

/**
 * Lets the process of a pipeline connect only to what pipelines may reach, wherever a name leads when it is resolved, and
 * whatever the brokers of Kafka name.
 * @returns makes sockets for the server's own database, which is reached in any case
 */
export function guardPipeline(reach: AddressPolicy): ReturnType<typeof guardConnections> {
  return guardConnections(createAddressRule(reach));
}
