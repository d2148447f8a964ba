import { describe, expect, it } from "vitest";
import { jdbcAddress } from "../../../src/pipelines/flink/jdbc-address.js";
import { kafkaOptions } from "../../../src/pipelines/flink/kafka-options.js";

describe("the address of a database for Flink", () => {
  it.each([
    ["postgres://u:p%40@db.example:5433/chain?sslmode=require", "jdbc:postgresql://db.example:5433/chain?"],
    ["postgres://u:p@[2001:db8::1]:5432/chain", "jdbc:postgresql://[2001:db8::1]:5432/chain?"],
    ["postgres://u:p@10.0.0.1/chain_data", "jdbc:postgresql://10.0.0.1/chain_data?"],
  ])("is taken from %s", (address, start) => {
    expect(jdbcAddress(address, "postgres", "DB").url.startsWith(start)).toBe(true);
  });

  it.each([
    "mysql://u:p@(host=x,allowLoadLocalInfile=true)/db",
    "mysql://u:p@address=(host=x)/db",
    "mysql://u:p@a,b/db",
    "mysql://u:p@host/db;allowLoadLocalInfile=true",
    "mysql://u:p@host/a/b",
    "mysql://u:p@host/(x)",
  ])("is refused if the driver would read options in it: %s", (address) => {
    expect(() => jdbcAddress(address, "mysql", "DB")).toThrow("Secret DB has");
  });
});

it("a Kafka login stays one text, even if it contains special characters", () => {
  const login = { mechanism: "PLAIN", user: 'u"\\', password: 'p\n" x="1\r\0' } as const;
  const options = new Map(kafkaOptions({ brokers: ["k:9092"], isTls: true, login }));
  expect(options.get("properties.sasl.jaas.config")).toBe(
    'org.apache.kafka.common.security.plain.PlainLoginModule required username="u\\"\\\\" password="p\\012\\" x=\\"1\\015\\000";',
  );
});
