import { tlsClientOptions } from "../../../base/server-tls.js";
import { optionalPackage } from "../../../machine/optional-package.js";
import { brokerPlace } from "../../sinks/kafka/broker-place.js";
import type { Kafka, KafkaAddress } from "../../sinks/kafka-client.js";
import { KafkaCluster } from "./kafka-cluster.js";
import type { ClientOptions, KafkaModule } from "./kafka-module.js";
import { limitDecompression } from "./limit-decompression.js";

const packageName = "@platformatic/kafka";

/** Clients that decompress within limits. */
const limited = new WeakSet<KafkaModule>();

/** Loads the package that speaks Kafka's protocol. @throws PackageMissingError */
function loadPackage(): Promise<KafkaModule> {
  // The compiler does not resolve a computed name: only users of Kafka install the package.
  const name: string = packageName;
  return optionalPackage("A source or a sink of type kafka", packageName, () => import(name));
}

/**
 * Prepares a client of a Kafka cluster. It connects when it is used.
 * @throws PackageMissingError
 */
export async function openKafka(
  { brokers, isTls, tls, login }: KafkaAddress,
  load: () => Promise<KafkaModule> = loadPackage,
): Promise<Kafka> {
  const module = await load();
  if (!limited.has(module)) limitDecompression(module);
  limited.add(module);
  const options: ClientOptions = {
    clientId: "graphloom",
    bootstrapBrokers: brokers.flatMap((broker) => brokerPlace(broker) ?? []),
    // The caller retries, after it has checked what arrived in the topic.
    retries: 0,
    retryDelay: 0,
    timeout: 30_000,
    connectTimeout: 10_000,
    requestTimeout: 60_000,
    ...(isTls && { tls: tls ? tlsClientOptions(tls) : {} }),
    ...(login && {
      sasl: { mechanism: login.mechanism, username: login.user, password: login.password },
    }),
  };
  return new KafkaCluster(module, options);
}
