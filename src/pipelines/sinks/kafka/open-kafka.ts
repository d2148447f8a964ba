import type { RowSchema } from "../../changes/schema.js";
import { SinkError } from "../../state/sink-error.js";
import { type OpenSink, type PlannedSinkOf, type SinkOwner, type SinkWorld, secretOf } from "../opening.js";
import { avroRows } from "./avro/avro-rows.js";
import { avroSchemas } from "./avro/avro-schema.js";
import { schemaId } from "./avro/schema-registry.js";
import { jsonRows } from "./json-rows.js";
import { kafkaAddress, type RegistryLogin, readRegistrySecret } from "./kafka-secret.js";
import { type KafkaSinkOptions, openKafkaSink } from "./kafka-sink.js";
import type { RowFormat } from "./row-format.js";
import type { KafkaShape } from "./shape.js";

/** Opens a topic of a Kafka cluster. @throws SinkError */
export const openKafka: OpenSink<KafkaShape> = async (planned, owner, world) =>
  openKafkaSink(await kafkaOptions(planned, owner, world));

/** Opens the cluster of a sink, and reads what is written there, and how. @throws SinkError */
export async function kafkaOptions(
  { name, definition, schema, integerLimit }: PlannedSinkOf<KafkaShape>,
  { flow, lineage }: SinkOwner,
  world: SinkWorld,
): Promise<KafkaSinkOptions> {
  const { settings } = definition;
  const secretName = settings.secret_name?.value ?? "";
  const secret = secretOf(secretName, world);
  const address = await kafkaAddress(secretName, secret);
  const topic = settings.topic?.value ?? "";
  const format = settings.data_format?.value ?? "json";
  const registry = readRegistrySecret(secret);
  const url = settings.schema_registry_url?.value ?? registry.url;
  const rows =
    format === "avro" ? await registeredRows(topic, schema, { ...registry, url }, world) : jsonRows(schema);
  const kafka = await world.openKafka(address, secretName);
  return {
    kafka,
    topic,
    schema,
    rows,
    format,
    flow,
    sink: name,
    lineage,
    integerLimit,
    parks: settings.on_error?.value === "park",
    began: world.clock.now(),
    partitions: settings.topic_partitions?.value,
    deletions: settings.deletions?.value === "tombstone" ? "tombstone" : "row",
    envelope: format === "debezium-json" ? { pipeline: flow, sink: name } : undefined,
  };
}

/** Rows as Avro, with the schemas that the registry has for the topic. @throws SinkError */
async function registeredRows(
  topic: string,
  schema: RowSchema,
  { url, login, tls }: RegistryLogin,
  { outgoing, clock }: Pick<SinkWorld, "outgoing" | "clock">,
): Promise<RowFormat> {
  if (url === undefined)
    throw new SinkError(
      "Avro needs a schema registry. Set schema_registry_url, or schemaRegistryUrl in the secret, to its address.",
      false,
    );
  const options = { url, login, tls, outgoing, clock };
  const { key, value } = avroSchemas(schema);
  return avroRows(schema, {
    key: key === undefined ? undefined : await schemaId(options, `${topic}-key`, key),
    value: await schemaId(options, `${topic}-value`, value),
  });
}
