import type { ServerTls } from "../../../base/server-tls.js";
import { isRecord, parseJson } from "../../../base/text/json-value.js";
import { type HostReach, hostReach } from "../../../web/outgoing/host-reach.js";
import { SinkError } from "../../state/sink-error.js";
import type { KafkaAddress, SaslMechanism } from "../kafka-client.js";
import { readServerTls } from "../read-server-tls.js";
import { brokerPlace } from "./broker-place.js";

const protocols = ["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"];
const mechanisms: readonly SaslMechanism[] = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"];

/** What a secret says of a cluster. */
export interface GivenKafkaAddress extends Omit<KafkaAddress, "isTls"> {
  /** Missing if the secret does not say whether connections are encrypted. */
  readonly isTls: boolean | undefined;
}

/**
 * The cluster of a secret of the type kafka. If the secret does not say how to encrypt, connections over the internet are
 * encrypted, and the certificates of the brokers are checked.
 * @param name of the secret, for messages
 * @throws SinkError that says what is missing
 */
export async function kafkaAddress(
  name: string,
  value: string,
  reachOf: (host: string) => Promise<HostReach> = hostReach,
): Promise<KafkaAddress> {
  const { isTls, tls, ...given } = readKafkaSecret(name, value);
  if (isTls !== undefined) return { ...given, isTls, ...(isTls && { tls }) };
  const reaches = await Promise.all(
    given.brokers.map((broker) => reachOf(brokerPlace(broker)?.host ?? broker)),
  );
  const isOpen = reaches.includes("public");
  return { ...given, isTls: isOpen, ...(isOpen && { tls }) };
}

/**
 * Reads the value of a secret of the type kafka.
 * @param name of the secret, for messages
 * @throws SinkError that says what is missing
 */
export function readKafkaSecret(name: string, value: string): GivenKafkaAddress {
  const fail = (what: string): never => {
    throw new SinkError(`Secret ${name} is not that of a Kafka cluster: ${what}.`, false);
  };
  const secret = parseJson(value);
  if (!isRecord(secret))
    return fail('its value looks like {"bootstrapServers": "host:9092", "securityProtocol": "SSL"}');
  const text = (key: string): string | undefined => {
    const found = secret[key];
    return typeof found === "string" && found !== "" ? found : undefined;
  };
  const brokers = (text("bootstrapServers") ?? fail("bootstrapServers is missing"))
    .split(",")
    .map((broker) => broker.trim());
  if (!brokers.every((broker) => brokerPlace(broker)))
    fail("bootstrapServers is a list of host:port, separated by commas");
  const protocol = text("securityProtocol");
  if (protocol !== undefined && !protocols.includes(protocol))
    fail(`securityProtocol is one of ${protocols.join(", ")}`);
  const isTls = protocol?.endsWith("SSL");
  const hasLogin =
    protocol === undefined ? secret.saslJaasUsername !== undefined : protocol.startsWith("SASL");
  return {
    brokers,
    isTls,
    ...(isTls !== false && { tls: readServerTls(secret, fail) }),
    login: hasLogin ? loginOf(text, fail) : undefined,
  };
}

/** Where the schema registry of a cluster is, and who uses it. */
export interface RegistryLogin {
  readonly url: string | undefined;
  readonly login: { readonly user: string; readonly password: string } | undefined;
  /** How its certificate is checked, as those of the brokers. */
  readonly tls: ServerTls;
}

/** Reads what a secret of the type kafka says about a schema registry. */
export function readRegistrySecret(value: string): RegistryLogin {
  const secret = parseJson(value);
  const text = (key: string): string | undefined => {
    const found = isRecord(secret) ? secret[key] : undefined;
    return typeof found === "string" && found !== "" ? found : undefined;
  };
  const user = text("schemaRegistryUsername");
  return {
    url: text("schemaRegistryUrl"),
    tls: readServerTls(isRecord(secret) ? secret : {}, (what) => {
      throw new SinkError(`The secret of the Kafka cluster is not valid: ${what}.`, false);
    }),
    login: user === undefined ? undefined : { user, password: text("schemaRegistryPassword") ?? "" },
  };
}

function loginOf(
  text: (key: string) => string | undefined,
  fail: (what: string) => never,
): NonNullable<KafkaAddress["login"]> {
  const given = text("saslMechanism") ?? "PLAIN";
  return {
    mechanism:
      mechanisms.find((mechanism) => mechanism === given) ??
      fail(`saslMechanism is one of ${mechanisms.join(", ")}`),
    user: text("saslJaasUsername") ?? fail("saslJaasUsername is missing"),
    password: text("saslJaasPassword") ?? fail("saslJaasPassword is missing"),
  };
}
