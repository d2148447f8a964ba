import { visible } from "../../base/text/visible.js";
import { secretVariable } from "../../pipelines/definition/secret-variable.js";
import { type FlinkPlace, withLogin } from "../../pipelines/host/flink/flink-place.js";
import { readKafkaSecret } from "../../pipelines/sinks/kafka/kafka-secret.js";
import { SinkError } from "../../pipelines/state/sink-error.js";
import { isWebAddress } from "../../web/http/address.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** The content of `--flows`. */
export interface GivenFlinkPlace extends FlinkPlace {
  /** The path of a file with a login for each project. */
  readonly logins?: string;
}

/**
 * Reads `flink=<gateway>,kafka=<brokers>,logins=<file>`. Brokers are separated by commas, or are the name of a secret of the
 * type kafka in the environment.
 * @throws UsageError, which shows no address: it may hold a password
 */
export function flinkPlaceOf(
  given: string,
  environment: Readonly<Record<string, string | undefined>>,
): GivenFlinkPlace {
  const parts = new Map(
    given.split(/,(?=(?:flink|kafka|logins)=)/).map((part) => {
      const [, name = "", value = ""] = /^(\w+)=(.*)$/s.exec(part.trim()) ?? [];
      return [name, value] as const;
    }),
  );
  const gateway = parts.get("flink");
  const kafka = parts.get("kafka");
  const logins = parts.get("logins");
  if (!gateway || !kafka || logins === "" || [...parts.keys()].some((name) => !known.includes(name)))
    throw new UsageError(
      "--flows must name Flink's SQL gateway and the brokers of Kafka: flink=http://localhost:8083,kafka=localhost:9092",
    );
  if (!isWebAddress(gateway) || /[?#]/.test(gateway))
    throw new UsageError(
      "--flows: the address of flink does not start with http:// or https://, or has a query.",
    );
  if (kafka.includes(":")) {
    if (logins !== undefined)
      throw new UsageError(
        "--flows: with logins, kafka must be the name of a secret, whose securityProtocol is SASL_SSL or SASL_PLAINTEXT.",
      );
    if (kafka.split(",").every((broker) => /^[^\s,]+:\d{1,5}$/.test(broker)))
      return { gateway, kafka: JSON.stringify({ bootstrapServers: kafka }) };
    throw new UsageError("--flows: kafka must list brokers as <host>:<port>, separated by commas.");
  }
  const secret = environment[secretVariable(kafka)];
  if (secret && logins === undefined) return { gateway, kafka: secret };
  if (secret && logins !== undefined) return { gateway, kafka: checked(kafka, secret), logins };
  throw new UsageError(
    `--flows: kafka=${visible(kafka)} is neither <host>:<port> nor a secret. Set ${secretVariable(kafka)}.`,
  );
}

const known = ["flink", "kafka", "logins"];

/** The value of a secret with which projects log in. @throws UsageError if they cannot log in with it */
function checked(name: string, secret: string): string {
  try {
    const { login } = readKafkaSecret(name, withLogin(secret, { user: "-", password: "-" }));
    if (login) return secret;
  } catch (error) {
    if (!(error instanceof SinkError)) throw error;
    throw new UsageError(`--flows: ${error.message}`);
  }
  throw new UsageError(
    `--flows: with logins, securityProtocol in ${secretVariable(name)} must be SASL_SSL or SASL_PLAINTEXT.`,
  );
}
