import { trustConnections } from "../../../machine/processes/guard-connections.js";
import type { Kafka, ReadRecord } from "../../sinks/kafka-client.js";
import type { FlinkWorld } from "./run-on-flink.js";

type Cluster = NonNullable<FlinkWorld["cluster"]>;

/**
 * Flink and the Kafka of its topics, which are reached wherever they are: the operator has chosen both, and the brokers of
 * Kafka and the gateway name further addresses. Only these clients are trusted, and not the addresses, which a user can write
 * into a definition.
 */
export function trustedCluster({ openKafka, outgoing }: Cluster): Cluster {
  return {
    openKafka: async (address, secret) =>
      trustedKafka(await trustConnections(() => openKafka(address, secret))),
    outgoing: { send: (request) => trustConnections(() => outgoing.send(request)) },
  };
}

function trustedKafka(kafka: Kafka): Kafka {
  return {
    topic: (name) => trustConnections(() => kafka.topic(name)),
    createTopic: (...given) => trustConnections(() => kafka.createTopic(...given)),
    deleteTopics: (prefix) => trustConnections(() => kafka.deleteTopics(prefix)),
    ranges: (topic) => trustConnections(() => kafka.ranges(topic)),
    committed: (...given) => trustConnections(() => kafka.committed(...given)),
    send: (topic, records) => trustConnections(() => kafka.send(topic, records)),
    async *read(...given): AsyncGenerator<ReadRecord> {
      const records = trustConnections(() => kafka.read(...given)[Symbol.asyncIterator]());
      try {
        // Each record may need a connection.
        for (;;) {
          const next = await trustConnections(() => records.next());
          if (next.done === true) return;
          yield next.value;
        }
      } finally {
        await records.return?.();
      }
    },
    close: () => kafka.close(),
  };
}
