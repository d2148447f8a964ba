import { pause } from "../../machine/world.js";
import type { PlannedSource } from "../plan/pipeline-plan.js";
import { schemaWithId } from "../sinks/kafka/avro/schema-registry.js";
import { kafkaAddress, readRegistrySecret } from "../sinks/kafka/kafka-secret.js";
import { type Kafka, KafkaError } from "../sinks/kafka-client.js";
import { type SinkWorld, secretOf } from "../sinks/opening.js";
import { topicFormats } from "../sources/kafka/message-reader.js";
import { OffsetGoneError, type TopicReader } from "../sources/kafka/topic-reader.js";
import { TopicSource } from "../sources/kafka/topic-source.js";
import type { Source, SourceBatch } from "../sources/source.js";
import { SourceError } from "../sources/source-error.js";

/** What reaches the clusters of topics. */
export type TopicWorld = Pick<SinkWorld, "openKafka" | "secret" | "outgoing" | "clock">;

/** How a topic is read. */
export interface TopicReading {
  readonly ports: TopicWorld;
  /** Whether it ends once it has what the topic holds when it starts. */
  readonly ends: boolean;
  /** Reads only one part of the topic, up to this offset. */
  readonly only?: { readonly part: string; readonly last: number };
  readonly signal: AbortSignal;
  /** Told whenever everything is read. */
  onHead?(): void;
  /** Prints a permanent line. */
  say(text: string): void;
}

/** What can happen to messages that cannot be read. */
const treatments = ["stop", "skip", "park"] as const;
/** Milliseconds between two looks for messages once all are read. */
const topicPause = 300;

/** Opens the topic of a source. Its cluster is connected when the first batch is asked for. */
export function openTopicSource(
  { name, definition, schema, replaces }: PlannedSource,
  { ports, ends, only, signal, onHead, say }: TopicReading,
): Source {
  if (definition.type !== "kafka") throw new Error("only a topic is read as one");
  const { settings } = definition;
  const secretName = settings.secret_name?.value ?? "";
  const format = topicFormats.find((one) => one === settings.data_format?.value) ?? "json";
  const start = settings.start_at ?? settings.starting_offsets;
  return {
    async *batches(position, limits, parts): AsyncGenerator<SourceBatch, void, void> {
      const secret = secretOf(secretName, ports);
      const address = await kafkaAddress(secretName, secret);
      const schemaOf =
        format === "avro" || format === "debezium-avro"
          ? registryOf(secret, settings.schema_registry_url?.value, ports)
          : undefined;
      const kafka = await ports.openKafka(address, secretName);
      try {
        const source = new TopicSource({
          reader: readerOf(kafka),
          name,
          topic: settings.topic?.value ?? "",
          format,
          ...(schemaOf && { schemaOf }),
          columns: schema.columns,
          key: replaces ? schema.key : undefined,
          startAt: start?.value === "earliest" ? "earliest" : "latest",
          ends,
          only,
          onError: treatments.find((one) => one === settings.on_error?.value) ?? "stop",
          say: (text) => say(`${name}: ${text}`),
          wait: async () => {
            onHead?.();
            await pause(topicPause, signal);
            return !signal.aborted;
          },
        });
        const given = only && position ? new Map([[only.part, position]]) : parts;
        yield* source.batches(undefined, limits, given);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof KafkaError)) throw error;
        throw new SourceError(`${name}: ${error.message}`, error.isTemporary, { cause: error });
      } finally {
        await kafka.close();
      }
    },
  };
}

/** Reads schemas by their ids. @throws SourceError if no registry is named */
function registryOf(
  secret: string,
  url: string | undefined,
  { outgoing, clock }: TopicWorld,
): (id: number) => Promise<unknown> {
  const registry = readRegistrySecret(secret);
  const place = url ?? registry.url;
  if (place === undefined)
    throw new SourceError(
      "Avro needs a schema registry. Set schema_registry_url, or schemaRegistryUrl in the secret, to its address.",
      false,
    );
  const options = { url: place, login: registry.login, tls: registry.tls, outgoing, clock };
  return (id) => schemaWithId(options, id);
}

function readerOf(kafka: Kafka): TopicReader {
  return {
    ranges: (topic) => kafka.ranges(topic),
    committed: async (...given) => {
      try {
        return await kafka.committed(...given);
      } catch (error) {
        const isGone = error instanceof KafkaError && error.code === "OFFSET_OUT_OF_RANGE";
        throw isGone ? new OffsetGoneError(error.message, { cause: error }) : error;
      }
    },
  };
}
