import { certificateAdvice, certificateFaultOf } from "../../../base/certificate-fault.js";
import { messageOf } from "../../../base/text/message-of.js";
import { secretTrust } from "../../http/secret-trust.js";
import { KafkaError } from "../../sinks/kafka-client.js";

/** An error of the client: one error, or several at once, some with the protocol's name. */
interface ClientError extends Error {
  readonly errors?: readonly ClientError[];
  readonly apiId?: string;
  readonly code?: string;
  readonly canRetry?: boolean;
  readonly serverErrorMessage?: string | null;
}

/** Refusals that a retry does not change, in our own words. */
const refusals: ReadonlyMap<string, string> = new Map([
  ["MESSAGE_TOO_LARGE", "a record is larger than the topic's max.message.bytes"],
  ["RECORD_LIST_TOO_LARGE", "records are larger than a segment of the topic"],
  ["TOPIC_AUTHORIZATION_FAILED", "the user may not use the topic"],
  ["CLUSTER_AUTHORIZATION_FAILED", "the user may not create topics"],
  ["INVALID_TOPIC_EXCEPTION", "the brokers refuse the topic's name"],
  ["INVALID_PARTITIONS", "the brokers refuse the number of partitions"],
  ["POLICY_VIOLATION", "a policy of the brokers refuses it"],
]);

/** Converts an error of the client to one of ours. */
export function kafkaErrorOf(error: unknown): KafkaError {
  if (error instanceof KafkaError) return error;
  const all = leaves(error as ClientError);
  const own = all.find((one) => one instanceof KafkaError);
  if (own instanceof KafkaError) return own;
  const refused = all.find(({ apiId }) => apiId !== undefined);
  if (refused?.apiId !== undefined) {
    const { apiId, serverErrorMessage, canRetry } = refused;
    const why = refusals.get(apiId) ?? serverErrorMessage ?? refused.message;
    return new KafkaError(`Kafka refuses it with ${apiId}: ${why}.`, canRetry !== false, apiId, {
      cause: error,
    });
  }
  if (all.some(({ code }) => code === "PLT_KFK_AUTHENTICATION"))
    return new KafkaError("Kafka refuses the user or the password.", false, undefined, { cause: error });
  const fault = all.map(certificateFaultOf).find((found) => found !== undefined);
  if (fault) {
    const why = `The brokers' certificate ${fault.words}. ${certificateAdvice(fault, secretTrust)}`;
    return new KafkaError(why, false, undefined, { cause: error });
  }
  const [first] = all;
  const why = all.find(({ message }) => message.startsWith("TLS handshake failed")) ?? first;
  const words = `Kafka does not answer: ${why === undefined ? "no reason given" : messageOf(why).replace(/\.$/, "")}${handshakeHint(why)}`;
  return new KafkaError(words, true, undefined, { cause: error });
}

/** A hint for the case that the other side closes a connection before it has sent anything. */
function handshakeHint(error: ClientError | undefined): string {
  const isEnded = error !== undefined && /^(?:TLS handshake failed|Connection closed)/.test(error.message);
  return isEnded ? ". If it never answers, check that securityProtocol fits the port." : ".";
}

/** Whether the brokers do not have a topic. */
export function isUnknownTopic(error: unknown): boolean {
  return leaves(error as ClientError).some(
    ({ apiId, message }) => apiId === "UNKNOWN_TOPIC_OR_PARTITION" || message.startsWith("Unknown topic "),
  );
}

/** The innermost errors in an error. */
function leaves(error: ClientError): readonly ClientError[] {
  const inside = error.errors ?? [];
  const cause = error.cause instanceof Error ? leaves(error.cause as ClientError) : [];
  return inside.length === 0 ? [error, ...cause] : inside.flatMap(leaves);
}
