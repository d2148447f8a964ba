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
  return openKafka(address, async (): Promise<KafkaModule> => import(pathToFileURL(found ?? "").href));
}
