import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  type AuditWorld,
  auditSink,
  isSound,
  type SinkFindings,
} from "../../../src/pipelines/audit/audit-sink.js";
import type { RowValue } from "../../../src/pipelines/changes/rows.js";
import type { RowColumn, RowSchema } from "../../../src/pipelines/changes/schema.js";
import { openDuckDbFile } from "../../../src/pipelines/machine/duckdb/open-duckdb-file.js";
import { avroRows } from "../../../src/pipelines/sinks/kafka/avro/avro-rows.js";
import { avroSchemas } from "../../../src/pipelines/sinks/kafka/avro/avro-schema.js";
import { schemaId } from "../../../src/pipelines/sinks/kafka/avro/schema-registry.js";
import type { Kafka } from "../../../src/pipelines/sinks/kafka-client.js";
import type { SinkWorld } from "../../../src/pipelines/sinks/opening.js";
import { SinkError } from "../../../src/pipelines/state/sink-error.js";
import {
  type PipelineTask,
  type PipelineTaskResult,
  performTask,
} from "../../../src/pipelines/tasks/pipeline-task.js";
import { uncheckedSql } from "../../../src/store/database/database.js";
import { bundledScript } from "../../support/bundled-script.js";
import { testFolder } from "../../support/folder.js";
import { eachSeed, isLawCampaign, lawSeeds } from "../../support/pipelines/law/each-seed.js";
import { killedWorld } from "../../support/pipelines/law/killed-world.js";
import { stepping } from "../../support/pipelines/law/mortal.js";
import type { TopicTask } from "../../support/pipelines/law/topic-child.js";
import { openTopic, runTopics } from "../../support/pipelines/law/topic-pipeline.js";
import { lawTopics, type PlayedWrite, TopicSchedule } from "../../support/pipelines/law/topic-schedule.js";
import { openEngine } from "../../support/pipelines/law-pipeline.js";
import { soundPipeline } from "../../support/pipelines/planned-pipeline.js";
import { randomOf } from "../../support/pipelines/random.js";
import { startKafka } from "../../support/servers/kafka.js";
import {
  kafkaMissing,
  openTestKafka,
  type TopicWriter,
  writeTopics,
} from "../../support/servers/kafka-client.js";
import { playRegistry } from "../../support/servers/schema-registry.js";

const rounds = isLawCampaign ? 4 : 2;

/**
 * The definition of the law: both halves of changes go through a query into one table, rows that replace each other into
 * another one, and messages into files.
 */
const lawYaml = (topics: string): string => `
name: law
job: true
sources:
  orders:
    type: kafka
    topic: ${topics}-orders
    secret_name: K
    start_at: earliest
    on_error: skip
    schema: { id: STRING, amount: LONG }
  people:
    type: kafka
    topic: ${topics}-people
    secret_name: K
    start_at: earliest
    data_format: debezium-json
    primary_key: id
    schema: { id: STRING, name: STRING, age: LONG }
  stock:
    type: kafka
    topic: ${topics}-stock
    secret_name: K
    start_at: earliest
    primary_key: id
    schema: { id: STRING, name: STRING, amount: LONG }
transforms:
  chosen:
    primary_key: place
    sql: >
      SELECT 'o' || kafka_partition || ':' || kafka_offset AS place, id AS who, amount FROM orders WHERE amount < 700
      UNION ALL SELECT 'p' || id, upper(name), age FROM people WHERE age >= 18
  kept: { primary_key: code, sql: "SELECT id AS code, upper(name) AS name, amount FROM stock WHERE amount >= 300" }
sinks:
  out: { type: duckdb, from: chosen, path: main.duckdb, table: chosen }
  stored: { type: duckdb, from: kept, path: stock.duckdb, table: stock }
  filed: { type: file, from: orders, path: out, finalized: true }
`;

type Rows = readonly Readonly<Record<string, unknown>>[];

async function query(folder: string, sql: string, name = "main.duckdb"): Promise<Rows> {
  const file = await openDuckDbFile(join(folder, name));
  try {
    return await file.query(uncheckedSql(sql.replaceAll("file.", '"graphloom$file".')));
  } finally {
    await file.close();
  }
}

describe.skipIf(kafkaMissing !== undefined)(
  `a topic as a source${kafkaMissing ? `: ${kafkaMissing}` : ""}`,
  () => {
    let server: Awaited<ReturnType<typeof startKafka>>;
    let kafka: Kafka;
    let writer: TopicWriter;
    let topics = 0;
    beforeAll(async () => {
      server = await startKafka();
      kafka = await openTestKafka({ brokers: [server.address], isTls: false });
      writer = await writeTopics(server.address);
    }, 120_000);
    afterAll(async () => {
      await writer?.close();
      await kafka?.close();
      await server?.stop();
    });

    const secrets = (): Readonly<Record<string, string>> => ({
      K: JSON.stringify({ bootstrapServers: server.address, securityProtocol: "PLAINTEXT" }),
    });

    /** Makes the topics of a schedule. @returns what their names begin with */
    async function topicsOf({ partitions }: TopicSchedule): Promise<string> {
      topics += 1;
      const name = `t${topics}`;
      for (const topic of lawTopics) await kafka.createTopic(`${name}-${topic}`, partitions, new Map());
      return name;
    }

    async function play(schedule: TopicSchedule, name: string): Promise<void> {
      if (schedule.grows())
        for (const topic of lawTopics) await writer.grow(`${name}-${topic}`, schedule.partitions);
      for (const write of schedule.play()) await writeOne(name, write);
    }

    async function writeOne(name: string, { topic, messages, transaction }: PlayedWrite): Promise<void> {
      await writer.write(`${name}-${topic}`, messages, transaction);
    }

    /** The rows of the query, computed from all messages of the topics. */
    async function expected(schedule: TopicSchedule, name: string): Promise<Rows> {
      const rows: { place: string; who: string; amount: string }[] = [];
      const topic = `${name}-orders`;
      // A client remembers how many partitions a topic has.
      await kafka.topic(topic);
      for (const [partition, range] of (await kafka.ranges(topic)).entries())
        for await (const { offset, value } of kafka.read(topic, partition, range)) {
          const text = value && Buffer.from(value).toString();
          if (!text || text === "{ not JSON") continue;
          const { id, amount, aborted } = JSON.parse(text);
          if (aborted !== true && amount < 700)
            rows.push({ place: `o${partition}:${offset}`, who: id, amount: String(amount) });
        }
      for (const { id, name: who, age } of schedule.people.values())
        if (age >= 18) rows.push({ place: `p${id}`, who: who.toUpperCase(), amount: String(age) });
      return sorted(rows);
    }

    const sorted = (rows: Rows): Rows =>
      [...rows].sort((a, b) => (String(a.place) < String(b.place) ? -1 : 1));
    const held = async (folder: string): Promise<Rows> =>
      sorted(await query(folder, "select place, who, amount from file.main.chosen"));

    /** Expects the rows and the ledger of a folder to be those of the topics, and an audit to find the same. */
    async function expectAll(
      folder: string,
      schedule: TopicSchedule,
      name: string,
      seed: number,
    ): Promise<void> {
      expect(await held(folder), `seed ${seed}`).toEqual(await expected(schedule, name));
      const items = [...schedule.stock].filter(([, { amount }]) => amount >= 300).sort();
      expect(
        await query(folder, "select code, name, amount from file.main.stock order by code", "stock.duckdb"),
        `stock of seed ${seed}`,
      ).toEqual(
        items.map(([code, { name: of, amount }]) => ({
          code,
          name: of.toUpperCase(),
          amount: String(amount),
        })),
      );
      for (const sink of ["out", "stored", "filed"]) {
        const findings = await audited(folder, lawYaml(name), sink);
        expect(findings.sources.map(({ compared }) => compared)).not.toContain("nothing");
        expect([isSound(findings), findings.isWhole], `audit of ${sink}, seed ${seed}`).toEqual([true, true]);
      }
    }

    /** What an audit finds in the sink of a pipeline, which reads the topics again. */
    async function audited(folder: string, yaml: string, name = "out"): Promise<SinkFindings> {
      const plan = await soundPipeline(yaml);
      const sink = plan.sinks.find((one) => one.name === name);
      if (!sink) throw new Error("there is a sink");
      const world = readingAgain(yaml, killedWorld(folder, secrets()));
      const request = { mends: false, trustsSource: false, most: 5, onRange: () => undefined };
      return auditSink(plan, sink, world, request);
    }

    /** A world that reads the topics of a pipeline again. */
    function readingAgain(yaml: string, world: SinkWorld): AuditWorld {
      const none = (): never => {
        throw new Error("the pipeline has no scripts, and compares nothing in files");
      };
      return {
        ...world,
        openEngine,
        openScript: none,
        openScratch: none,
        openSource: (source, last, part = source.name) =>
          openTopic(source, { yaml, world }, true, { part, last }),
        openContents: () => undefined,
        openAdopted: () => undefined,
      };
    }

    it("INV-P1: files hold the offsets of each partition, and an audit finds what is missing", async () => {
      await kafka.createTopic("filed", 2, new Map());
      const folder = testFolder();
      const yaml = `
name: filed
job: true
sources: { orders: { type: kafka, topic: filed, secret_name: K, start_at: earliest, schema: { id: STRING } } }
sinks: { out: { type: file, from: orders, path: out, finalized: true } }
`;
      const message = (partition: number, id: string) => ({
        partition,
        key: id,
        value: JSON.stringify({ id }),
      });
      for (const messages of [[message(0, "a"), message(1, "b")], [message(0, "c")]]) {
        await writer.write("filed", messages);
        await runTopics({ yaml, world: killedWorld(folder, secrets()) });
      }
      const found = await audited(folder, yaml);
      expect([isSound(found), found.isWhole, found.sources.map(({ rows }) => rows).sort()]).toEqual([
        true,
        true,
        [1, 2],
      ]);
      const files = readdirSync(join(folder, "out"), { recursive: true, encoding: "utf8" });
      const [lost = ""] = files.filter((path) => path.endsWith(".parquet")).sort();
      rmSync(join(folder, "out", lost));
      expect((await audited(folder, yaml)).rows).toMatchObject({
        counts: { missing: 1 },
        notes: [
          expect.stringMatching(/^orders%2f0\.[\da-f]{8}\/000000000000-000000000000\.parquet is missing\.$/),
        ],
      });
    });

    it("rows in Avro are read with the schemas that a registry has; a message whose schema it lacks stops the sink, or is parked", async () => {
      const registry = await playRegistry();
      onTestFinished(() => registry.stop());
      await kafka.createTopic("typed", 1, new Map());
      const folder = testFolder();
      const { user, password } = registry.login;
      const login = {
        schemaRegistryUrl: registry.url,
        schemaRegistryUsername: user,
        schemaRegistryPassword: password,
      };
      const world = killedWorld(folder, {
        K: JSON.stringify({ ...JSON.parse(secrets().K ?? ""), ...login }),
      });
      const columns: readonly RowColumn[] = [
        { name: "place", type: "STRING", nullable: false },
        { name: "amount", type: "DECIMAL", nullable: true },
      ];
      const options = {
        url: registry.url,
        login: registry.login,
        outgoing: world.outgoing,
        clock: world.clock,
      };
      const written = async (
        id: number,
        schema: RowSchema,
        ...values: readonly RowValue[]
      ): Promise<void> => {
        const rows = { count: 1, columns: values.map((value) => [value]) };
        const value = avroRows(schema, { key: undefined, value: id }).value(rows, 0);
        await writer.write("typed", [{ partition: 0, key: "k", value }]);
      };
      const before: RowSchema = { columns, key: [] };
      const after: RowSchema = {
        columns: [{ name: "who", type: "STRING", nullable: true }, ...columns],
        key: [],
      };
      const register = (schema: RowSchema): Promise<number> =>
        schemaId(options, "typed-value", avroSchemas(schema).value);
      await written(await register(before), before, "a", "1");
      await written(await register(after), after, "x", "b", null);
      const later: RowSchema = { columns: [...columns, ...after.columns.slice(0, 1)], key: [] };
      await written(3, later, "c", "3", null);
      await written(1, before, "d", "4");
      const yaml = `
name: typed
job: true
sources:
  rows:
    type: kafka
    topic: typed
    secret_name: K
    data_format: avro
    start_at: earliest
    schema: { place: STRING, who: STRING, amount: DECIMAL }
sinks: { out: { type: duckdb, from: rows, path: main.duckdb, table: chosen } }
`;
      const end = (await runTopics({ yaml, world })).get("out");
      expect(end?.kind === "halted" && String(end.error)).toContain(
        "Offset 2 of partition 0 of topic typed: the message has schema 3, which the registry lacks.",
      );
      const rows = [
        { place: "a", who: null, amount: "1" },
        { place: "b", who: "x", amount: null },
      ];
      expect(await held(folder)).toEqual(rows);
      const parking = yaml
        .replace("start_at", "on_error: park\n    start_at")
        .replace("path:", "on_error: park, path:");
      expect((await runTopics({ yaml: parking, world })).get("out")).toMatchObject({ kind: "ended" });
      rows.push({ place: "d", who: null, amount: "4" });
      expect(await held(folder)).toEqual(rows);
      const plan = await soundPipeline(parking);
      const settled = (task: PipelineTask): Promise<PipelineTaskResult> =>
        performTask(plan, task, readingAgain(parking, world), { onProgress: () => undefined });
      const reason =
        "Offset 2 of partition 0 of topic typed: the message has schema 3, which the registry lacks";
      const key = { kafka_partition: "0", kafka_offset: "2" };
      const isLeft = {
        total: 1,
        first: [{ source: expect.stringMatching(/^rows\/0\./), from: 2, reason, key }],
      };
      expect(await settled({ kind: "parked" })).toMatchObject({ sinks: [isLeft] });
      expect(await settled({ kind: "retry" })).toMatchObject({ sinks: [{ ...isLeft, done: 0 }] });
      expect(await settled({ kind: "verify" })).toMatchObject({ agrees: false });
      expect(await register(later)).toBe(3);
      expect(await settled({ kind: "retry", key })).toMatchObject({ sinks: [{ total: 0, done: 1 }] });
      expect(await held(folder)).toHaveLength(4);
    });

    it("INV-P1: a sink holds the rows of all messages, through new partitions, transactions and failures", {
      tags: "law",
    }, async () => {
      await eachSeed(lawSeeds(1), async (seed) => {
        const schedule = new TopicSchedule(seed);
        const name = await topicsOf(schedule);
        const folder = testFolder();
        const random = randomOf(seed + 1_000_000);
        let cuts = 0;
        const cut = (): void => {
          if (random() >= 0.01) return;
          cuts += 1;
          throw new SinkError("the test has cut the connection", true);
        };
        const world = killedWorld(folder, secrets());
        const cutting: SinkWorld = {
          ...world,
          openKafka: async (address) => stepping(await openTestKafka(address), cut),
          openDuckDbFile: async (path) => stepping(await openDuckDbFile(join(folder, path)), cut),
        };
        for (let round = 0; round < rounds; round += 1) {
          await play(schedule, name);
          const ends = await runTopics({ yaml: lawYaml(name), world: cutting });
          expect([...ends.values()].map(({ kind }) => kind)).toEqual(["ended", "ended", "ended"]);
        }
        await expectAll(folder, schedule, name, seed);
        return { reorganisations: 0, deepest: 0, repeating: 0, kills: 0, recoveries: 0, cuts };
      });
    });

    it("INV-P1: a sink holds the rows of all messages, although its process is killed at any request", {
      tags: "law",
    }, async () => {
      const script = await bundledScript("test/support/pipelines/law/topic-child.ts");
      /** @returns the steps that it took, unless it was killed */
      const run = async (task: TopicTask): Promise<number | undefined> => {
        const child = fork(script, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
        await once(child, "message");
        const exited = once(child, "exit");
        child.send(task);
        const [said] = await Promise.race([once(child, "message"), exited]);
        child.kill("SIGKILL");
        await exited;
        if (said?.why) throw new Error(said.why);
        return said?.steps;
      };
      await eachSeed(lawSeeds(1), async (seed) => {
        const schedule = new TopicSchedule(seed);
        const name = await topicsOf(schedule);
        const random = randomOf(seed + 2_000_000);
        const task = { yaml: lawYaml(name), secrets: secrets(), folder: testFolder() };
        let kills = 0;
        for (let round = 0; round < rounds; round += 1) {
          await play(schedule, name);
          for (let left = 3; left > 0 && random() < 0.8; left -= 1)
            if ((await run({ ...task, death: Math.floor(random() * 120) })) === undefined) kills += 1;
        }
        await run({ ...task, death: Number.MAX_SAFE_INTEGER });
        await expectAll(task.folder, schedule, name, seed);
        return { reorganisations: 0, deepest: 0, repeating: 0, kills, recoveries: 0, cuts: 0 };
      });
    });
  },
);
