import { guardConnections } from "../node/processes/guard-connections.js";
import { createAddressRule } from "../web/outgoing/address-rule.js";
import { namedHosts } from "./database-hosts.js";
import type { PipelineStart } from "./messages.js";

/**
 * Lets the process of a pipeline connect only to what pipelines may reach, wherever names lead by now, and whatever brokers
 * of Kafka name. The server's own database is reached in any case.
 */
export function guardPipeline({ mode, definition, flink, reach, database }: PipelineStart): void {
  // The Kafka of Flink is the operator's, and its brokers may be anywhere.
  if (mode === "run" && definition.engine && flink) return;
  const trusted = database.kind === "postgres" ? hostsOf(database.address) : [];
  guardConnections({ refusal: createAddressRule(reach), trusted });
}

/** The hosts of the server's database, as its client connects to them. */
function hostsOf(address: string): readonly string[] {
  // The client also takes an address without a host, which is no URL, and IPv6 addresses without their brackets.
  const hosts = namedHosts(address.replace("@/", "@localhost/"));
  return hosts.map((host) => host.replace(/^\[(.*)\]$/, "$1"));
}
