import { visible } from "../../base/visible.js";
import { secretVariable } from "../../flows/definition/secret-variable.js";
import type { FlinkPlace } from "../../pipelines/flink/flink-place.js";
import { isWebAddress } from "../../web/http/address.js";
import { UsageError } from "../terminal/usage-error.js";

/**
 * Reads `flink=<gateway>,kafka=<brokers>`. Brokers are separated by commas, or are the name of a secret of the type kafka
 * in the environment.
 * @throws UsageError, which shows no address: it may hold a password
 */
export function flinkPlaceOf(
  given: string,
  environment: Readonly<Record<string, string | undefined>>,
): FlinkPlace {
  const parts = new Map(
    given.split(/,(?=(?:flink|kafka)=)/).map((part) => {
      const [, name = "", value = ""] = /^(\w+)=(.*)$/s.exec(part.trim()) ?? [];
      return [name, value] as const;
    }),
  );
  const gateway = parts.get("flink");
  const kafka = parts.get("kafka");
  if (!gateway || !kafka || parts.size > 2)
    throw new UsageError(
      "--flows must name Flink's SQL gateway and the brokers of Kafka: flink=http://localhost:8083,kafka=localhost:9092",
    );
  if (!isWebAddress(gateway) || /[?#]/.test(gateway))
    throw new UsageError(
      "--flows: the address of flink does not start with http:// or https://, or has a query.",
    );
  if (kafka.includes(":")) {
    if (kafka.split(",").every((broker) => /^[^\s,]+:\d{1,5}$/.test(broker)))
      return { gateway, kafka: JSON.stringify({ bootstrapServers: kafka }) };
    throw new UsageError("--flows: kafka must list brokers as <host>:<port>, separated by commas.");
  }
  const secret = environment[secretVariable(kafka)];
  if (secret) return { gateway, kafka: secret };
  throw new UsageError(
    `--flows: kafka=${visible(kafka)} is neither <host>:<port> nor a secret. Set ${secretVariable(kafka)}.`,
  );
}
