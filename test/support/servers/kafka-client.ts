import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { KafkaModule } from "../../../src/pipelines/machine/kafka/kafka-module.js";
import { openKafka } from "../../../src/pipelines/machine/kafka/open-kafka.js";
import type { Kafka, KafkaAddress } from "../../../src/pipelines/sinks/kafka-client.js";
import { lackOfCertificates } from "./certificates.js";
import { cacheFolder, lackOfJava } from "./java-server.js";

const inside = "node_modules/@platformatic/kafka/dist/index.js";
/** The client of Kafka, in the project if it is installed there, or where `.ci/run` puts it. */
const found = [fileURLToPath(new URL("../../../", import.meta.url)), join(cacheFolder, "kafka-client")]
  .map((folder) => join(folder, inside))
  .find((file) => existsSync(file));

/** Why tests with Kafka are skipped; `undefined` when there are a broker and a client. */
export const kafkaMissing: string | undefined =
  lackOfJava("kafka") ??
  lackOfCertificates() ??
  (found === undefined ? "@platformatic/kafka is not there; .ci/run brings it" : undefined);

/** Lets threads that were bundled from the sources find the client. @returns takes it away again */
export function linkKafkaClient(): () => void {
  const folder = fileURLToPath(new URL("../../../node_modules/.graphloom-tests/", import.meta.url));
  const link = join(folder, "node_modules/@platformatic/kafka");
  mkdirSync(dirname(link), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(dirname(dirname(found ?? "")), link);
  return () => rmSync(link, { force: true });
}

/** Prepares a client as the product does. */
export function openTestKafka(address: KafkaAddress): Promise<Kafka> {
  return openKafka(address, loadTestKafka);
}

/** The client itself. */
export function loadTestKafka(): Promise<KafkaModule> {
  return import(pathToFileURL(found ?? "").href);
}

/** Writes topics as other programs do. */
export interface TopicWriter {
  /** @param transaction how it ends, if the messages are written in one */
  write(
    topic: string,
    messages: readonly {
      readonly partition: number;
      readonly key: string;
      readonly value: string | Uint8Array | null;
    }[],
    transaction?: "commit" | "abort",
  ): Promise<void>;
  /** Adds partitions to a topic, and waits until all may be written. */
  grow(topic: string, partitions: number): Promise<void>;
  close(): Promise<void>;
}

/** The part of the client that only tests use. */
interface WritingModule {
  readonly Admin: new (
    options: object,
  ) => {
    createPartitions(options: object): Promise<void>;
    close(): Promise<void>;
  };
  readonly Producer: new (
    options: object,
  ) => {
    send(options: object): Promise<unknown>;
    metadata(options: object): Promise<unknown>;
    beginTransaction(): Promise<{
      send(options: object): Promise<unknown>;
      commit(): Promise<void>;
      abort(): Promise<void>;
    }>;
    close(force: boolean): Promise<void>;
  };
}

/** @param broker `host:port` */
export async function writeTopics(broker: string): Promise<TopicWriter> {
  const { Admin, Producer }: WritingModule = await import(pathToFileURL(found ?? "").href);
  const options = { clientId: "test", bootstrapBrokers: [broker] };
  const admin = new Admin(options);
  const plain = new Producer({ ...options, idempotent: false });
  const transactional = new Producer({
    ...options,
    idempotent: true,
    transactionalId: `test-${process.pid}`,
  });
  const kafka = await openTestKafka({ brokers: [broker], isTls: false });
  return {
    async write(topic, messages, transaction) {
      const given = messages.map(({ partition, key, value }) => ({
        topic,
        partition,
        key: Buffer.from(key),
        ...(value !== null && { value: Buffer.from(value) }),
      }));
      if (transaction === undefined) {
        await plain.send({ acks: -1, messages: given });
        return;
      }
      const begun = await transactional.beginTransaction();
      await begun.send({ acks: -1, messages: given });
      await begun[transaction]();
    },
    async grow(topic, partitions) {
      await admin.createPartitions({ topics: [{ name: topic, count: partitions, assignments: null }] });
      // It waits until each has a leader.
      await kafka.createTopic(topic, partitions, new Map());
      // Otherwise, it would take them for others.
      for (const producer of [plain, transactional])
        await producer.metadata({ topics: [topic], forceUpdate: true });
    },
    async close() {
      await admin.close();
      await plain.close(true);
      await transactional.close(true);
      await kafka.close();
    },
  };
}
