import { primaryKey, secret } from "../../definition/node-settings.js";
import type { Shape } from "../../definition/shape.js";
import { everySink } from "../../definition/sink-settings.js";

/** Settings of a sink of type kafka. */
export const kafkaShape = {
  ...everySink,
  topic: { type: "string", required: true, describe: "the topic" },
  topic_partitions: { type: "count", describe: "partitions of the topic, if it is created" },
  data_format: {
    type: "string",
    decides: ["rows", "reading"],
    values: ["json", "debezium-json", "avro"],
    default: "json",
    describe:
      "the format of the messages: the row as JSON or as Avro, or Debezium's envelope with the row before and after",
  },
  schema_registry_url: {
    type: "string",
    describe: "the address of the schema registry, for Avro; that of the secret by default",
  },
  deletions: {
    type: "string",
    decides: ["rows"],
    values: ["row", "tombstone"],
    default: "row",
    describe: "what the message of a deletion holds: the row that is gone, or nothing, as compaction expects",
  },
  primary_key: primaryKey,
  secret_name: { ...secret, required: true },
} as const satisfies Shape;

export type KafkaShape = typeof kafkaShape;
