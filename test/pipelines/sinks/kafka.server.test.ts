import { fork } from "node:child_process";
import { once } from "node:events";
import { hostname } from "node:os";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import type { Changes } from "../../../src/pipelines/changes/net-changes.js";
import type { RowSchema } from "../../../src/pipelines/changes/schema.js";
import { dropParked } from "../../../src/pipelines/runner/parked-changes.js";
import { Parking } from "../../../src/pipelines/runner/parking.js";
import { jsonRows } from "../../../src/pipelines/sinks/kafka/json-rows.js";
import { type KafkaSinkOptions, openKafkaSink } from "../../../src/pipelines/sinks/kafka/kafka-sink.js";
import { openKafka } from "../../../src/pipelines/sinks/kafka/open-kafka.js";
import type { Kafka, KafkaAddress, PlacedRecord } from "../../../src/pipelines/sinks/kafka-client.js";
import type { SinkWorld } from "../../../src/pipelines/sinks/opening.js";
import type { Sink } from "../../../src/pipelines/sinks/sink.js";
import type { SinkBatch } from "../../../src/pipelines/state/sink-batch.js";
import { bundledScript } from "../../support/bundled-script.js";
import { testFolder } from "../../support/folder.js";
import { type Cut, expectLaw, type LawfulSink } from "../../support/pipelines/expect-law.js";
import { foldTopic } from "../../support/pipelines/folded-topic.js";
import { errorOf } from "../../support/pipelines/keyed-batch.js";
import { isLawCampaign, lawSeeds } from "../../support/pipelines/law/each-seed.js";
import { expectLawOfKilled } from "../../support/pipelines/law/expect-killed.js";
import { ledgersOfTopic } from "../../support/pipelines/law/kept-ledgers.js";
import type { LawRow } from "../../support/pipelines/law-pipeline.js";
import { located, locatedText } from "../../support/pipelines/located.js";
import { isUnlawful, refusingKafka } from "../../support/pipelines/refusing-kafka.js";
import { sinkWorld } from "../../support/pipelines/sink-world.js";
import { makeAuthority } from "../../support/servers/certificates.js";
import { startKafka } from "../../support/servers/kafka.js";
import { kafkaMissing, openTestKafka } from "../../support/servers/kafka-client.js";
import { playRegistry } from "../../support/servers/schema-registry.js";

const schema: RowSchema = {
  columns: [
    { name: "id", type: "STRING", nullable: false },
    { name: "text", type: "STRING", nullable: true },
  ],
  key: ["id"],
};

/** New rows of a block. */
function batchOf(block: number, ids: readonly string[], text: string): SinkBatch {
  return {
    source: "a",
    from: block,
    to: block,
    changes: {
      schema,
      operations: ids.map(() => "i" as const),
      rows: { count: ids.length, columns: [ids, ids.map(() => text)] },
      overwritten: 0,
    },
    position: { next: block + 1, open: [] },
    ledger: { from: block, to: block, rows: ids.length, sum: 1n },
  };
}

describe.skipIf(kafkaMissing !== undefined)(
  `a topic as a sink${kafkaMissing ? `: ${kafkaMissing}` : ""}`,
  () => {
    const starting = kafkaMissing === undefined ? startKafka() : undefined;
    const clients: Kafka[] = [];
    afterAll(async () => {
      for (const client of clients) await client.close();
      await (await starting)?.stop();
    });

    async function started(): Promise<Awaited<ReturnType<typeof startKafka>>> {
      if (!starting) throw new Error("there is no broker");
      return starting;
    }

    /** A client that all tests share, for sinks that close it. */
    async function shared(over: Partial<Kafka> = {}): Promise<Kafka> {
      const { address } = await started();
      const kafka = clients[0] ?? (await openTestKafka({ brokers: [address], isTls: false }));
      if (clients.length === 0) clients.push(kafka);
      return {
        topic: (name) => kafka.topic(name),
        createTopic: (...given) => kafka.createTopic(...given),
        deleteTopics: (prefix) => kafka.deleteTopics(prefix),
        ranges: (topic) => kafka.ranges(topic),
        committed: (...given) => kafka.committed(...given),
        send: (topic, records) => kafka.send(topic, records),
        read: (...given) => kafka.read(...given),
        close: async () => undefined,
        ...over,
      };
    }

    /** A client of its own, which logs in. */
    async function loggedIn(password?: string): Promise<Kafka> {
      const { loginAddress, login } = await started();
      return openTestKafka({
        brokers: [loginAddress],
        isTls: false,
        login: { mechanism: "PLAIN", ...login, ...(password !== undefined && { password }) },
      });
    }

    async function opened(topic: string, over: Partial<KafkaSinkOptions> = {}): Promise<Sink> {
      const fixed = { topic, partitions: 3, schema, rows: jsonRows(schema), deletions: "row" } as const;
      return openKafkaSink({ kafka: await shared(), ...fixed, flow: "f", sink: "s", began: 1_000, ...over });
    }

    /** A sink as a definition has it, of a topic with one partition. */
    async function defined(
      { topic, format, deletions }: Readonly<Record<"topic" | "format" | "deletions", string>>,
      secret: object,
      over: Partial<RowSchema> = {},
    ): Promise<Sink> {
      const kafka = await shared();
      const secrets = { K: JSON.stringify({ bootstrapServers: "127.0.0.1:1", ...secret }) };
      const world: SinkWorld = {
        ...sinkWorld({ folder: testFolder(), secrets }),
        openKafka: async () => kafka,
      };
      const settings = {
        topic: locatedText(topic),
        secret_name: locatedText("K"),
        topic_partitions: located(1),
        data_format: locatedText(format),
        deletions: locatedText(deletions),
      };
      const definition = { type: "kafka", name: locatedText("s"), settings } as const;
      const planned = { name: "s", definition, from: "rows", schema: { ...schema, ...over } };
      return openKafka(planned, { flow: "f", sources: ["a"] }, world);
    }

    /** A client whose requests are interrupted: before, after, or when one partition has its records. */
    async function cutting(cut: Cut): Promise<Kafka> {
      const kafka = await shared();
      const send = async (
        topic: string,
        records: readonly PlacedRecord[],
      ): Promise<ReadonlyMap<number, bigint>> => {
        cut();
        try {
          cut();
        } catch (error) {
          const [first] = records;
          await kafka.send(
            topic,
            records.filter(({ partition }) => partition === first?.partition),
          );
          throw error;
        }
        const offsets = await kafka.send(topic, records);
        cut();
        return offsets;
      };
      return { ...kafka, send };
    }

    /** What a topic and its journal hold. */
    async function heldBy(topic: string): Promise<Required<Pick<LawfulSink, "rows" | "ledger">>> {
      const kafka = await shared();
      return {
        rows: async () => {
          const { rows, repeats } = await foldTopic(kafka, topic);
          expect(repeats).toBe(0);
          return [...rows.values()].map((row) => {
            const { block_number: block, ...rest } = row as LawRow;
            return { ...rest, block_number: String(block) };
          });
        },
        ledger: () => ledgersOfTopic(kafka, topic),
      };
    }

    it("holds the rows of the query, through reorganisations and failures", { tags: "law" }, async () => {
      let made = 0;
      await expectLaw(
        {
          empty: async () => {
            made += 1;
          },
          open: async ({ plan, sink }, cut) =>
            opened(`law-${made}`, {
              kafka: await cutting(cut),
              schema: sink.schema,
              rows: jsonRows(sink.schema),
              flow: plan.name,
              sink: sink.name,
              ...(made % 2 === 0 && { envelope: { pipeline: plan.name, sink: sink.name } }),
            }),
          rows: async () => (await heldBy(`law-${made}`)).rows(),
          ledger: async () => (await heldBy(`law-${made}`)).ledger(),
        },
        lawSeeds(1),
      );
    });

    it("parks only records that the brokers refuse, and later changes of their keys", {
      tags: "law",
    }, async () => {
      let made = 0;
      let isHealed = false;
      await expectLaw(
        {
          empty: async () => {
            made += 1;
            isHealed = false;
          },
          cutRate: 0.01,
          open: async ({ plan, sink }, cut) =>
            opened(`refusing-law-${made}`, {
              kafka: refusingKafka(await cutting(cut), (record) => !isHealed && isUnlawful(record)),
              schema: sink.schema,
              rows: jsonRows(sink.schema),
              flow: plan.name,
              sink: sink.name,
              parks: true,
            }),
          rows: async () => (await heldBy(`refusing-law-${made}`)).rows(),
          ledger: async () => (await heldBy(`refusing-law-${made}`)).ledger(),
          heal: async () => {
            isHealed = true;
          },
        },
        lawSeeds(1),
      );
    });

    it.each([
      true,
      false,
    ])("INV-P4: tries refused records again after a restart, each row once, whether it parks them or not: %s", async (parks) => {
      const topic = `refused-${parks}`;
      let isHealed = false;
      const kafka = refusingKafka(
        await shared(),
        ({ key }) =>
          !isHealed &&
          Buffer.from(key ?? "")
            .toString()
            .includes("bad"),
      );
      const sink = await opened(topic, { kafka, parks, partitions: 1 });
      const refused = await errorOf(sink.write(batchOf(1, ["first", "bad", "last", "other"], "x")));
      expect(refused).toMatchObject({ name: "RowError", rows: [1] });
      isHealed = true;
      const again = await opened(topic, { kafka, parks, partitions: 1 });
      expect(again.positions.get("a")?.next).toBe(2);
      expect(again.unfinished?.map(({ changes }) => changes.rows.columns[0])).toEqual([["bad"]]);
      for (const batch of again.unfinished ?? []) await again.write(batch);
      await again.write(batchOf(2, ["next"], "x"));
      const { rows, records, repeats } = await foldTopic(await shared(), topic);
      expect({ rows: rows.size, records, repeats }).toEqual({ rows: 5, records: 5, repeats: 0 });
      expect((await opened(topic, { kafka, parks, partitions: 1 })).unfinished).toEqual([]);
    });

    it("INV-P8: parks a row that is larger than a record, and keeps it until it is dropped", async () => {
      const wide = "x".repeat(1_100_000);
      const rules = { parks: true, now: () => 1 };
      const sink = await opened("parking", { parks: true });
      const batch = batchOf(1, ["small", "wide"], "x");
      const columns = [
        ["small", "wide"],
        ["x", wide],
      ];
      const changes = { ...batch.changes, rows: { count: 2, columns } };
      expect(await new Parking(sink, schema, rules).write({ ...batch, changes })).toBe(1);
      const again = await opened("parking", { parks: true });
      expect(again.parked?.map(({ row }) => row.columns)).toEqual([[["wide"], [wide]]]);
      const parking = new Parking(again, schema, rules);
      expect(await parking.write(batchOf(2, ["wide", "new"], "later"))).toBe(1);
      expect(parking.count).toBe(2);
      const last = await opened("parking", { parks: true });
      expect(last.parked?.map(({ reason }) => reason)).toEqual([
        expect.stringContaining("takes more"),
        undefined,
      ]);
      await dropParked(last, schema, { isChosen: () => true, now: () => 3 });
      const dropped = await opened("parking", { parks: true });
      expect(await new Parking(dropped, schema, rules).write(batchOf(3, ["wide"], "fits"))).toBe(1);
      expect((await opened("parking", { parks: true })).parked).toEqual([]);
      const { rows } = await foldTopic(await shared(), "parking");
      expect([...rows.values()]).toEqual([
        { id: "small", text: "x" },
        { id: "new", text: "later" },
        { id: "wide", text: "fits" },
      ]);
    });

    it("holds the rows of the query when its writer is killed", { tags: "law" }, async () => {
      const { address } = await started();
      let made = 0;
      await expectLawOfKilled(async () => {
        made += 1;
        const topic = `killed-${made}`;
        return {
          definition: { type: "kafka", settings: { topic, topic_partitions: 3, secret_name: "BROKER" } },
          secrets: { BROKER: JSON.stringify({ bootstrapServers: address, securityProtocol: "PLAINTEXT" }) },
          folder: "",
          ...(await heldBy(topic)),
        };
      });
    });

    it("parks only records that the brokers refuse when its writer is killed", { tags: "law" }, async () => {
      const { address } = await started();
      let made = 0;
      await expectLawOfKilled(async () => {
        made += 1;
        const topic = `killed-refusing-${made}`;
        return {
          definition: {
            type: "kafka",
            settings: { topic, topic_partitions: 3, secret_name: "BROKER", on_error: "park" },
          },
          secrets: { BROKER: JSON.stringify({ bootstrapServers: address, securityProtocol: "PLAINTEXT" }) },
          folder: "",
          ...(await heldBy(topic)),
          heal: async () => undefined,
        };
      });
    });

    it("writes a batch of 10,000 rows in parts that brokers accept, each row once", async () => {
      const ids = Array.from({ length: 10_000 }, (_, index) => `row ${index}`);
      const sink = await opened("large", { partitions: 1 });
      await sink.write(batchOf(1, ids, "x".repeat(180)));
      const { rows, records, repeats } = await foldTopic(await shared(), "large");
      expect({ rows: rows.size, records, repeats }).toEqual({ rows: 10_000, records: 10_000, repeats: 0 });
      expect((await opened("large", { partitions: 1 })).positions.get("a")).toEqual({ next: 2, open: [] });
    });

    it("refuses a row that does not fit into a record before it writes any row of the batch", async () => {
      const sink = await opened("wide");
      const batch = batchOf(1, ["small", "wide"], "x");
      const columns = [
        ["small", "wide"],
        ["x", "x".repeat(1_100_000)],
      ];
      const changes = { ...batch.changes, rows: { count: 2, columns } };
      await expect(sink.write({ ...batch, changes })).rejects.toMatchObject({ name: "RowError", rows: [1] });
      expect(await foldTopic(await shared(), "wide")).toMatchObject({ records: 0 });
    });

    it("stops if acknowledged records have no offsets of their own, and writes them again", async () => {
      const offsets = new Map([
        [0, 0n],
        [1, 0n],
        [2, 0n],
      ]);
      const kafka = await shared();
      const losing = {
        send: async (topic: string, records: readonly PlacedRecord[]) =>
          topic === "losing" ? offsets : kafka.send(topic, records),
      };
      await (await opened("losing")).write(batchOf(1, ["first", "second", "third", "fourth", "fifth"], "x"));
      const sink = await opened("losing", { kafka: await shared(losing) });
      await expect(sink.write(batchOf(2, ["sixth", "seventh", "eighth"], "x"))).rejects.toMatchObject({
        message: expect.stringContaining("gave them no new offsets"),
        isTemporary: true,
      });
      await opened("losing");
      expect(await foldTopic(await shared(), "losing")).toMatchObject({ records: 8, repeats: 0 });
    });

    it("writes keys, rows, operations and tombstones", async () => {
      const sink = await opened("forms", { partitions: 1, deletions: "tombstone" });
      const batch = batchOf(1, ["a", "b", "c"], "x");
      await sink.write({ ...batch, changes: { ...batch.changes, operations: ["d", "u", "i"] } });
      const kafka = await shared();
      const read: unknown[] = [];
      for await (const { key, value, headers } of kafka.read("forms", 0, { first: 0n, next: 3n }))
        read.push([String(key), value && String(value), ...headers.values()]);
      expect(read).toEqual([
        ['{"id":"a"}', null, "d", "0"],
        ['{"id":"b"}', '{"id":"b","text":"x"}', "u", "1"],
        ['{"id":"c"}', '{"id":"c","text":"x"}', "c", "2"],
      ]);
    });

    it("writes Debezium's envelopes with the rows before and after", async () => {
      const sink = await defined({ topic: "envelopes", format: "debezium-json", deletions: "row" }, {});
      const batch = batchOf(1, ["a", "b", "c"], "new");
      const changes: Changes = {
        ...batch.changes,
        operations: ["d", "u", "i"],
        replaced: { count: 1, columns: [["b"], ["old"]] },
      };
      await sink.write({ ...batch, changes });
      const kafka = await shared();
      const read: unknown[] = [];
      for await (const { key, value } of kafka.read("envelopes", 0, { first: 0n, next: 3n }))
        read.push([String(key), JSON.parse(String(value))]);
      const row = (id: string, text: string): unknown => ({ id, text });
      const source = (sequence: string): unknown => ({
        connector: "graphloom",
        name: "f",
        table: "s",
        sequence,
      });
      expect(read).toEqual([
        ['{"id":"a"}', { before: row("a", "new"), after: null, source: source("0"), op: "d" }],
        ['{"id":"b"}', { before: row("b", "old"), after: row("b", "new"), source: source("1"), op: "u" }],
        ['{"id":"c"}', { before: null, after: row("c", "new"), source: source("2"), op: "c" }],
      ]);
    });

    it("writes Avro with the ids of the registry, and refuses another format of the same topic", async () => {
      const registry = await playRegistry();
      onTestFinished(() => registry.stop());
      const secret = {
        schemaRegistryUrl: registry.url,
        schemaRegistryUsername: registry.login.user,
        schemaRegistryPassword: registry.login.password,
      };
      const kafka = await shared();
      const avro = (format: string, over: Partial<RowSchema> = {}): Promise<Sink> =>
        defined({ topic: "avro", format, deletions: "tombstone" }, secret, over);
      const batch = batchOf(1, ["a", "b"], "x");
      await (await avro("avro")).write({ ...batch, changes: { ...batch.changes, operations: ["d", "i"] } });
      await (await avro("avro")).write(batchOf(2, ["c"], "x"));
      const ids = ["avro-key", "avro-value"].map((subject) => {
        expect(registry.schemas(subject)).toHaveLength(1);
        return [1, 2].find((id) => registry.schema(id) === registry.schemas(subject)[0]) ?? 0;
      });
      const [key = 0, value = 0] = ids;
      const text = (bytes: Uint8Array | null): string | null =>
        bytes && Buffer.from(bytes).toString("latin1");
      const read: unknown[] = [];
      for await (const record of kafka.read("avro", 0, { first: 0n, next: 3n }))
        read.push([text(record.key), text(record.value)]);
      const head = (id: number): string => `\u0000\u0000\u0000\u0000${String.fromCharCode(id)}`;
      const row = (id: string): string => `${head(value)}\u0002${id}\u0002\u0002x`;
      expect(read).toEqual([
        [`${head(key)}\u0002a`, null],
        [`${head(key)}\u0002b`, row("b")],
        [`${head(key)}\u0002c`, row("c")],
      ]);
      await expect(avro("json")).rejects.toThrow(
        "Topic avro holds records as avro. Set data_format: avro, or choose another topic.",
      );
      const columns = [...schema.columns, { name: "late", type: "LONG", nullable: false } as const];
      await expect(avro("avro", { columns })).rejects.toThrow(
        'The columns of the sink do not fit the schemas that subject avro-value already has: Schema being registered is incompatible with an earlier schema for subject "avro-value". Restore the columns, choose another topic, or change the compatibility of the subject.',
      );
      const nullable = columns.map((column) => ({ ...column, nullable: column.name !== "id" }));
      await (await avro("avro", { columns: nullable })).close();
      expect(registry.schemas("avro-value")).toHaveLength(2);
    });

    it("refuses topics that it cannot continue, and never empties them", async () => {
      const kafka = await shared();
      await kafka.createTopic("foreign", 2, new Map());
      const record = { key: null, value: Buffer.from("x"), headers: new Map(), partition: 1 };
      await kafka.send("foreign", [record]);
      await expect(opened("foreign", { partitions: undefined })).rejects.toThrow(
        "Topic foreign holds records that this pipeline has not written. Choose another topic, or delete it and its records.",
      );
      await expect(opened("foreign")).rejects.toThrow(
        "Topic foreign has 2 partitions, not 3. Set topic_partitions: 2, or choose another topic.",
      );
      await (await opened("owned")).write(batchOf(1, ["a"], "x"));
      await expect(opened("owned", { flow: "g" })).rejects.toThrow(
        "Topic owned is written by sink s of pipeline f. Choose another topic.",
      );
      await kafka.createTopic("kept.graphloom", 1, new Map());
      await expect(opened("kept")).rejects.toThrow(
        "Topic kept.graphloom must have one partition and cleanup.policy=compact, since it keeps what was written.",
      );
      expect(await foldTopic(kafka, "foreign")).toMatchObject({ records: 1 });
    });

    it("stops a writer when another one takes over", async () => {
      const first = await opened("shared");
      await first.write(batchOf(1, ["a"], "x"));
      const second = await opened("shared", { began: 2_000 });
      await expect(first.write(batchOf(2, ["b"], "old"))).rejects.toThrow(
        `Another run of pipeline f writes sink s: process ${process.pid} on ${hostname()}, since 1970-01-01T00:00:02.000Z. Stop one of them; nothing of this one's last batch was written.`,
      );
      await second.write(batchOf(2, ["b"], "new"));
      const { rows, records } = await foldTopic(await shared(), "shared");
      expect([records, rows.get('{"id":"b"}')]).toEqual([2, { id: "b", text: "new" }]);
    });

    it("logs in, and reports a refusal", async () => {
      await expect(opened("login", { kafka: await loggedIn("wrong") })).rejects.toMatchObject({
        message: expect.stringContaining("SASL_AUTHENTICATION_FAILED"),
        isTemporary: false,
      });
      await (await opened("login", { kafka: await loggedIn() })).close();
    });

    /** What comes of connections of a process that trusts an authority. */
    async function doors(authority: string, addresses: readonly KafkaAddress[]): Promise<readonly string[]> {
      const script = await bundledScript("test/support/pipelines/kafka-doors.ts");
      const child = fork(script, [JSON.stringify(addresses)], {
        env: { ...process.env, NODE_EXTRA_CA_CERTS: authority },
        stdio: ["ignore", "ignore", "inherit", "ipc"],
      });
      const [results] = await once(child, "message");
      return results;
    }

    const mechanisms = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] as const;

    it("logs in over TLS with each mechanism, and reports a refusal", async () => {
      const { authority, encrypted, loginAddress, login } = await started();
      const withLogin = (brokers: string, isTls: boolean, password: string): readonly KafkaAddress[] =>
        mechanisms.map((mechanism) => ({
          brokers: [brokers],
          isTls,
          login: { mechanism, user: login.user, password },
        }));
      const all = [
        { brokers: [encrypted.address], isTls: true },
        ...withLogin(encrypted.loginAddress, true, login.password),
        ...withLogin(loginAddress, false, login.password),
      ];
      const wrong = withLogin(encrypted.loginAddress, true, "wrong");
      const results = await doors(authority, [...all, ...wrong]);
      expect(results.slice(0, all.length)).toEqual(all.map(() => "connected"));
      for (const message of results.slice(all.length))
        expect(message).toMatch(/^for good: Kafka refuses .*SASL_AUTHENTICATION_FAILED/);
    });

    it("trusts only certificates of its authorities, and distinguishes TLS from plain text", async () => {
      const { authority, encrypted, address } = await started();
      const other = makeAuthority(testFolder(), "other").path;
      const tls = { brokers: [encrypted.address], isTls: true };
      const results = [
        ...(await doors(other, [tls])),
        ...(await doors(authority, [
          { ...tls, brokers: [encrypted.address.replace("127.0.0.1", "localhost")] },
          { ...tls, isTls: false },
          { ...tls, brokers: [address] },
        ])),
      ];
      const hint = "If it never answers, check that securityProtocol fits the port.";
      expect(results).toEqual([
        `for good: The brokers' certificate comes from an unknown authority. To trust it, put the authority's certificate in sslrootcert of the secret. Its field "sslmode": "require" encrypts without checking the certificate.`,
        expect.stringMatching(
          /^for good: The brokers' certificate is for 127\.0\.0\.1, and not for localhost\. Connect to a name/,
        ),
        expect.stringMatching(
          /^for now: Kafka does not answer: 127\.0\.0\.1:\d+ announces an answer of \d+ bytes, so it may not be a broker\. Check the port and securityProtocol\.$/,
        ),
        expect.stringMatching(
          new RegExp(`^for now: Kafka does not answer: TLS handshake failed.*\\. ${hint}$`),
        ),
      ]);
    });

    it.runIf(isLawCampaign)(
      "continues at its position after the broker was unreachable",
      { tags: "law" },
      async () => {
        const server = await started();
        const sink = await opened("away", { kafka: await loggedIn() });
        await sink.write(batchOf(1, ["a"], "x"));
        await server.kill();
        await expect(sink.write(batchOf(2, ["b"], "x"))).rejects.toMatchObject({ isTemporary: true });
        await sink.close();
        await server.restart();
        const again = await opened("away", { kafka: await loggedIn() });
        expect(again.positions.get("a")?.next).toBe(2);
        await again.write(batchOf(2, ["b"], "x"));
        await again.close();
        expect(await foldTopic(await shared(), "away")).toMatchObject({ records: 2, repeats: 0 });
      },
    );
  },
);
