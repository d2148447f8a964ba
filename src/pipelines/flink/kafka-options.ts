import type { ServerTls } from "../../base/server-tls.js";
import type { KafkaAddress } from "../sinks/kafka-client.js";
import { SinkError } from "../state/sink-error.js";
import { quotedForms } from "./sql-text.js";

/** Options of a table for connecting to a Kafka cluster. */
export type KafkaOptions = readonly (readonly [name: string, value: string])[];

const modules = {
  PLAIN: "org.apache.kafka.common.security.plain.PlainLoginModule",
  SCRAM: "org.apache.kafka.common.security.scram.ScramLoginModule",
};

/** The options for a cluster as our own client reaches it. */
export function kafkaOptions({ brokers, isTls, tls, login }: KafkaAddress): KafkaOptions {
  const protocol = `${login ? "SASL_" : ""}${isTls ? "SSL" : "PLAINTEXT"}`;
  const servers = ["properties.bootstrap.servers", brokers.join(",")] as const;
  const trust = tls ? trustOptions(tls) : [];
  if (!login) return isTls ? [servers, ["properties.security.protocol", protocol], ...trust] : [servers];
  const module = login.mechanism === "PLAIN" ? modules.PLAIN : modules.SCRAM;
  const user = `username=${jaasText(login.user)} password=${jaasText(login.password)}`;
  return [
    servers,
    ["properties.security.protocol", protocol],
    ["properties.sasl.mechanism", login.mechanism],
    ["properties.sasl.jaas.config", `${module} required ${user};`],
    ...trust,
  ];
}

/**
 * How Java checks the certificates of brokers.
 * @throws SinkError if it should not check them, which is not possible
 */
function trustOptions({ checks, authorities }: ServerTls): KafkaOptions {
  if (checks === "nothing")
    throw new SinkError(
      "Flink checks the certificates of Kafka's brokers. Put the certificates of their authorities in sslrootcert of the secret, and remove sslmode.",
      false,
    );
  return [
    ...(authorities === undefined
      ? []
      : ([
          ["properties.ssl.truststore.type", "PEM"],
          ["properties.ssl.truststore.certificates", authorities],
        ] as const)),
    ...(checks === "authority" ? ([["properties.ssl.endpoint.identification.algorithm", ""]] as const) : []),
  ];
}

/** The forms in which statements contain a password, so that messages which quote a statement can omit it. */
export function writtenForms(password: string): readonly string[] {
  const inner = jaasText(password).slice(1, -1);
  return [...new Set([...quotedForms(password), ...quotedForms(inner)])];
}

/** A text in a login configuration of Java, where a line break would end it. */
function jaasText(text: string): string {
  const escaped = text.replace(/["\\]/g, "\\$&");
  return `"${escaped.replace(/\p{Cc}/gu, (unit) => `\\${unit.charCodeAt(0).toString(8).padStart(3, "0")}`)}"`;
}
