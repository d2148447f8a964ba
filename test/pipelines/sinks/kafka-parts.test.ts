import { describe, expect, it } from "vitest";
import { partitionOf } from "../../../src/pipelines/sinks/kafka/change-records.js";
import { cutRecords, sizeOf } from "../../../src/pipelines/sinks/kafka/cut-records.js";
import {
  decodeJournal,
  encodeJournal,
  type JournalRecord,
} from "../../../src/pipelines/sinks/kafka/journal-records.js";
import { JournalState } from "../../../src/pipelines/sinks/kafka/journal-state.js";
import { jsonRows } from "../../../src/pipelines/sinks/kafka/json-rows.js";
import { kafkaAddress, readKafkaSecret } from "../../../src/pipelines/sinks/kafka/kafka-secret.js";

describe("records of Kafka", () => {
  it("are in the partitions that clients in Java choose", () => {
    // The hashes that Kafka's own tests expect of its default partitioner.
    const hashes: readonly (readonly [string, number])[] = [
      ["21", -973_932_308],
      ["foobar", -790_332_482],
      ["a-little-bit-long-string", -985_981_536],
      ["a-little-bit-longer-string", -1_486_304_829],
      ["lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58_897_971],
      ["abc", 479_470_107],
    ];
    for (const [key, hash] of hashes)
      expect([key, partitionOf(Buffer.from(key), 1_000_003)]).toEqual([key, (hash & 0x7fffffff) % 1_000_003]);
  });

  it("are cut by the bytes of each partition, in order", () => {
    const record = (partition: number, bytes: number) => ({
      partition,
      key: null,
      value: Buffer.alloc(bytes),
      headers: new Map(),
    });
    const records = [record(0, 500), record(1, 500), record(0, 500), record(1, 900), record(0, 10)];
    const parts = [...cutRecords(records, 1_000)];
    expect(parts.map((part) => part.length)).toEqual([2, 3]);
    expect(parts.flat()).toEqual(records);
    for (const part of parts)
      for (const partition of [0, 1])
        expect(
          part.filter((one) => one.partition === partition).reduce((sum, one) => sum + sizeOf(one), 0),
        ).toBeLessThanOrEqual(1_000);
  });
});

it("the encoder writes exact values as JSON", () => {
  const columns = [
    ["text", "STRING", 'say "ä"'],
    ["long", "LONG", -9_223_372_036_854_775_808n],
    ["wide", "DECIMAL", String(2n ** 256n)],
    ["ratio", "DOUBLE", Number.NaN],
    ["yes", "BOOLEAN", true],
    ["time", "TIMESTAMP", -1n],
    ["list", "ARRAY<STRING>", ["a", "b"]],
    ["none", "STRING", null],
  ] as const;
  const schema = {
    columns: columns.map(([name, type]) => ({ name, type, nullable: true })),
    key: ["wide", "text"],
  };
  const rows = { count: 1, columns: columns.map(([, , value]) => [value]) };
  const format = jsonRows(schema);
  expect(String(format.value(rows, 0))).toBe(
    `{"text":"say \\"ä\\"","long":-9223372036854775808,"wide":"${2n ** 256n}","ratio":"NaN","yes":true,"time":"1969-12-31T23:59:59.999999Z","list":["a","b"],"none":null}`,
  );
  expect(String(format.key(rows, 0))).toBe(`{"wide":"${2n ** 256n}","text":"say \\"ä\\""}`);
  expect(jsonRows({ ...schema, key: [] }).key(rows, 0)).toBeNull();
});

describe("the state of a journal", () => {
  const head = {
    flow: "f",
    sink: "s",
    source: "a",
    format: "json",
    next: 1,
    open: [],
    partitions: 1,
    sequence: 0n,
    count: 1,
    parts: 1,
    ends: [],
  };
  const rows = (batch: number, slot: 0 | 1, key: string): JournalRecord => ({
    kind: "rows",
    slot,
    batch,
    part: 0,
    records: [{ partition: 0, key: Buffer.from(key), value: null, headers: new Map() }],
  });

  it("INV-P4: keeps the records of the last batch while some are noted again", () => {
    const state = new JournalState();
    const pending = (): readonly string[] => state.pending.map(({ key }) => String(key));
    for (const record of [
      rows(1, 0, "first"),
      { kind: "head", head: { ...head, batch: 1, slot: 0 } },
    ] as const)
      state.add(record);
    expect(pending()).toEqual(["first"]);
    state.add(rows(2, 1, "again"));
    expect(pending()).toEqual(["first"]);
    state.add({ kind: "head", head: { ...head, batch: 2, slot: 1 } });
    expect(pending()).toEqual(["again"]);
    // Another batch begins once all of them are in the topic.
    state.add(rows(3, 0, "next"));
    state.add(rows(3, 1, "later"));
    expect(pending()).toEqual([]);
  });
});

describe("the journal of a topic", () => {
  const records: readonly JournalRecord[] = [
    { kind: "writer", holder: undefined },
    { kind: "writer", holder: { pid: 12, host: "web-1", namespace: "pid:[1]", since: new Date(7) } },
    {
      kind: "rows",
      slot: 1,
      batch: 7,
      part: 1,
      records: [
        { partition: 2, key: Buffer.from([0, 255]), value: Buffer.from("v"), headers: new Map([["h", "ä"]]) },
        { partition: 0, key: null, value: null, headers: new Map() },
      ],
    },
    { kind: "open", source: "a", number: 3, hash: "0x1", part: 0, bytes: Buffer.from("rows") },
    { kind: "open", source: "a", number: 3, hash: "0x1", part: 0, bytes: undefined },
    { kind: "ledger", source: "a", from: 3, entry: { from: 3, to: 9, rows: -2, sum: 2n ** 127n } },
    { kind: "ledger", source: "a", from: 3, entry: undefined },
    { kind: "changes", slot: 0, batch: 7, part: 2, bytes: Buffer.from("changes") },
    { kind: "refused", batch: 7 },
    { kind: "aside", id: "7.1", part: 0, bytes: Buffer.from("a change") },
    { kind: "aside", id: "7.1", part: 0, bytes: undefined },
    { kind: "parked", index: [{ number: 1, id: "7.1", parts: 2 }] },
    {
      kind: "head",
      head: {
        flow: "f",
        sink: "s",
        source: "a",
        format: "json",
        next: 10,
        open: [{ number: 3, hash: "0x1", parts: 1 }],
        partitions: 3,
        batch: 7,
        sequence: 10n ** 20n,
        count: 2,
        parts: 2,
        slot: 0,
        ends: [0n, 5n, 2n ** 60n],
      },
    },
  ];

  it("is read back unchanged", () => {
    for (const record of records)
      expect(decodeJournal({ ...encodeJournal(record, "topic", 5n), offset: 5n }, "topic")).toEqual(record);
  });

  it("omits records that another writer has put elsewhere, and records of another topic", () => {
    for (const record of records) {
      const encoded = encodeJournal(record, "topic", 5n);
      expect(decodeJournal({ ...encoded, offset: 6n }, "topic")).toBeUndefined();
      expect(decodeJournal({ ...encoded, offset: 5n }, "other")).toBeUndefined();
    }
  });

  it("refuses anything else", () => {
    const headers = new Map([["place", "topic 5"]]);
    const key = (name: unknown): Buffer => Buffer.from(JSON.stringify(name));
    for (const record of [
      { key: null, value: null },
      { key: key({}), value: null },
      { key: key(["later"]), value: null },
      { key: key(["head", "a"]), value: Buffer.from('{"next": -1}') },
      { key: key(["ledger", "a", 3]), value: Buffer.from("[]") },
      { key: key(["rows", 0]), value: Buffer.alloc(10) },
    ])
      expect(() => decodeJournal({ ...record, headers, offset: 5n }, "topic")).toThrow();
  });
});

describe("a secret of the type kafka", () => {
  const secret = { type: "kafka", bootstrapServers: "a:9092, b:9093", securityProtocol: "SASL_SSL" };
  const login = { saslMechanism: "SCRAM-SHA-512", saslJaasUsername: "u", saslJaasPassword: "p" };

  it("says where the brokers are and how to log in", () => {
    expect(readKafkaSecret("K", JSON.stringify({ ...secret, ...login }))).toEqual({
      brokers: ["a:9092", "b:9093"],
      isTls: true,
      login: { mechanism: "SCRAM-SHA-512", user: "u", password: "p" },
      tls: { checks: "all" },
    });
  });

  it.each([
    ["encrypts over the internet", "public", {}, { isTls: true, tls: { checks: "all" }, login: undefined }],
    ["sends plain text in private networks", "private", {}, { isTls: false, login: undefined }],
    [
      "encrypts a login over the internet",
      "public",
      login,
      {
        isTls: true,
        tls: { checks: "all" },
        login: { mechanism: "SCRAM-SHA-512", user: "u", password: "p" },
      },
    ],
    [
      "logs in where it has a login",
      "machine",
      login,
      { isTls: false, login: { mechanism: "SCRAM-SHA-512", user: "u", password: "p" } },
    ],
    [
      "sends plain text where it says so",
      "public",
      { securityProtocol: "PLAINTEXT" },
      { isTls: false, login: undefined },
    ],
  ] as const)("%s", async (_, reach, fields, expected) => {
    const value = JSON.stringify({ bootstrapServers: "[::1]:1,a:2", ...fields });
    const asked: string[] = [];
    const found = await kafkaAddress("K", value, async (host) => {
      asked.push(host);
      return host === "a" ? reach : "machine";
    });
    expect(found).toEqual({ brokers: ["[::1]:1", "a:2"], ...expected });
    expect(asked).toEqual("securityProtocol" in fields ? [] : ["::1", "a"]);
  });

  it.each([
    ["kafka://a", 'its value looks like {"bootstrapServers": "host:9092", "securityProtocol": "SSL"}'],
    ["{}", "bootstrapServers is missing"],
    ['{"bootstrapServers":"a"}', "bootstrapServers is a list of host:port, separated by commas"],
    [JSON.stringify({ ...secret, securityProtocol: "TLS" }), "securityProtocol is one of PLAINTEXT, SSL"],
    [
      JSON.stringify({ ...secret, ...login, saslMechanism: "GSSAPI" }),
      "saslMechanism is one of PLAIN, SCRAM",
    ],
    [JSON.stringify(secret), "saslJaasUsername is missing"],
  ])("is refused with a reason: %s", (value, why) => {
    expect(() => readKafkaSecret("K", value)).toThrow(`Secret K is not that of a Kafka cluster: ${why}`);
  });
});
