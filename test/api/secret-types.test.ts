import { describe, expect, it } from "vitest";
import { apiSchemas } from "../../src/api/api-document.js";
import { checkSecretValue, hiddenTexts, secretTypes } from "../../src/api/secret-types.js";
import { secretValues } from "../platform/secrets/values.js";

const types = [
  "jdbc",
  "clickHouse",
  "elasticSearch",
  "opensearch",
  "kafka",
  "s3",
  "sqs",
  "pubsub",
  "dynamodb",
  "httpauth",
];

describe("the types of secrets", () => {
  it("are the ten types of the management API", () => {
    expect(secretTypes.map(({ name }) => name)).toEqual(types);
    expect(apiSchemas.SecretType).toMatchObject({ enum: types });
    expect(Object.keys(secretValues)).toEqual(types);
  });

  it.each(secretTypes)("$name accepts valid values and rejects invalid ones", ({ name, fields }) => {
    const value: Record<string, unknown> = secretValues[name as keyof typeof secretValues];
    expect(Object.keys(value)).toEqual(["type", ...fields.map((field) => field.name)]);
    expect(checkSecretValue(value)).toEqual([]);
    for (const field of fields) {
      const { [field.name]: _, ...others } = value;
      const missing = { field: field.name, message: `is required: ${field.meaning}` };
      expect(checkSecretValue(others)).toEqual(field.isRequired ? [missing] : []);
      for (const wrong of [null, {}, ["hunter2"], true, "", "x".repeat(20_001), field.isNumber ? "1" : 1]) {
        const faults = checkSecretValue({ ...value, [field.name]: wrong });
        expect([field.name, wrong, faults.map((fault) => fault.field)]).toEqual([
          field.name,
          wrong,
          [field.name],
        ]);
      }
    }
    expect(checkSecretValue({ ...value, hunter2: 1 })).toEqual([
      { message: expect.stringMatching(/^has a field that \w+ does not have; its fields are type, /) },
    ]);
  });

  it("names a field that a type does not have, unless its name may be a secret", () => {
    const { jdbc } = secretValues;
    const its =
      "its fields are type, protocol, host, port, databaseName, user, password, sslmode, sslrootcert";
    for (const name of ["tls", "username", "databasename", "saslMechanism", "hunter2", "__proto__2"]) {
      const isUsual = name === "tls" || name === "username" || name === "saslMechanism";
      const which = isUsual ? `the field "${name}", which` : "a field that";
      expect(checkSecretValue({ ...jdbc, [name]: true })).toEqual([
        { message: `has ${which} jdbc does not have; ${its}` },
      ]);
    }
    expect(checkSecretValue({ ...jdbc, tls: true, hunter2: 1 })).toHaveLength(2);
  });

  it.each([
    [undefined, { message: "must be a JSON object with a type and the fields of that type" }],
    [["jdbc"], { message: "must be a JSON object with a type and the fields of that type" }],
    [{}, { field: "type", message: `must be one of ${types.join(", ")}` }],
    [{ type: "JDBC" }, { field: "type", message: `must be one of ${types.join(", ")}` }],
    [{ type: "toString" }, { field: "type", message: `must be one of ${types.join(", ")}` }],
    [
      { ...secretValues.jdbc, port: 0 },
      { field: "port", message: "must be >= 1" },
    ],
    [
      { ...secretValues.jdbc, port: 65_536 },
      { field: "port", message: "must be <= 65535" },
    ],
    [
      { ...secretValues.jdbc, port: 1.5 },
      { field: "port", message: "must be a whole number" },
    ],
    [
      { ...secretValues.jdbc, protocol: "oracle" },
      { field: "protocol", message: "must be one of postgres, postgresql, mysql" },
    ],
    [
      { ...secretValues.jdbc, host: "user:hunter2@db" },
      { field: "host", message: "is not valid: the name or address of the server" },
    ],
    [
      { ...secretValues.clickHouse, url: "tcp://ch:9000" },
      { field: "url", message: "is not valid: the server's address" },
    ],
    [
      { ...secretValues.pubsub, serviceAccountJson: '["hunter2"]' },
      {
        field: "serviceAccountJson",
        message: "is not valid: the service account's key: the content of its JSON file, as a string",
      },
    ],
    [
      { ...secretValues.httpauth, secretKey: "x key" },
      { field: "secretKey", message: "is not valid: the name of the header" },
    ],
    [
      { ...secretValues.httpauth, secretValue: "two\nlines" },
      {
        field: "secretValue",
        message: "is not valid: the header's value, in printable ASCII characters",
      },
    ],
  ])("reject %j", (value, fault) => {
    expect(checkSecretValue(value)).toEqual([fault]);
  });

  it("accept host names and IP addresses", () => {
    for (const host of ["localhost", "10.1.2.3", "::1", "[fe80::1]", "db-1.internal"])
      expect([host, checkSecretValue({ ...secretValues.jdbc, host })]).toEqual([host, []]);
  });

  it("list the strings to redact, including their JSON form", () => {
    expect(hiddenTexts(secretValues.jdbc)).toEqual(['jdbc-pw-7Qk"\\é', 'jdbc-pw-7Qk\\"\\\\é']);
    expect(new Set(hiddenTexts(secretValues.kafka))).toEqual(new Set(["kafka-pw-9Jn", "registry-pw-3Lp"]));
    const url = "https://writer:pw-in-url@ch.example.com";
    expect(hiddenTexts({ ...secretValues.clickHouse, url, password: "p" })).toEqual([
      "pw-in-url",
      "writer",
      "p",
    ]);
    expect(hiddenTexts({ type: "none", password: "x" })).toEqual([]);
  });
});
