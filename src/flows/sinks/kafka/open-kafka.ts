import { type OpenSink, secretOf } from "../opening.js";
import { jsonRows } from "./json-rows.js";
import { readKafkaSecret } from "./kafka-secret.js";
import { openKafkaSink } from "./kafka-sink.js";

/** Opens a topic of a Kafka cluster. @throws SinkError */
export const openKafka: OpenSink<"kafka"> = async ({ name, definition, schema }, { flow }, world) => {
  const { settings } = definition;
  const secretName = settings.secret_name?.value ?? "";
  const address = readKafkaSecret(secretName, secretOf(secretName, world));
  const kafka = await world.openKafka(address);
  return openKafkaSink({
    kafka,
    topic: settings.topic?.value ?? "",
    partitions: settings.topic_partitions?.value,
    schema,
    rows: jsonRows(schema),
    deletions: settings.deletions?.value === "tombstone" ? "tombstone" : "row",
    envelope: settings.data_format?.value === "debezium-json" ? { pipeline: flow, sink: name } : undefined,
    flow,
    sink: name,
  });
};
