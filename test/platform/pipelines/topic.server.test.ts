import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pipelinesOn } from "../../../src/pipelines/host/create-pipeline-engine.js";
import { pipelinesPart } from "../../../src/platform/management/pipelines/pipelines-part.js";
import { onEither } from "../../support/database/databases.js";
import { useFolder } from "../../support/folder.js";
import {
  partsBesidePipelines,
  startPlatform,
  type TestPlatform,
} from "../../support/server/platform-server.js";
import { type KafkaServer, startKafka } from "../../support/servers/kafka.js";
import {
  kafkaMissing,
  linkKafkaClient,
  openTestKafka,
  type TopicWriter,
  writeTopics,
} from "../../support/servers/kafka-client.js";
import { untilHolds } from "../../support/until.js";

describe.skipIf(kafkaMissing !== undefined)("a topic that a pipeline on a server reads", () => {
  const databases = onEither();
  const files = useFolder();
  let kafka: KafkaServer;
  let writer: TopicWriter;
  let server: TestPlatform;
  let unlink: (() => void) | undefined;

  beforeAll(async () => {
    unlink = linkKafkaClient();
    kafka = await startKafka();
    writer = await writeTopics(kafka.address);
    const cluster = await openTestKafka({ brokers: [kafka.address], isTls: false });
    await cluster.createTopic("orders", 1, new Map());
    await cluster.close();
    const create = pipelinesOn({ address: undefined, verify: "bloom", files });
    // The broker says that it is here, too; its other addresses are not allowed.
    const reach = { allowsPrivate: false, listed: [kafka.address] };
    server = await startPlatform(await databases.fresh(), {
      parts: [...partsBesidePipelines, pipelinesPart((by) => create(by, reach), undefined, { note: 100 })],
    });
    for (const [name, address] of [
      ["EVENTS", kafka.address],
      ["AWAY", kafka.loginAddress],
    ] as const) {
      const value = { type: "kafka", bootstrapServers: address, securityProtocol: "PLAINTEXT" };
      expect((await server.ask("/secrets", { method: "POST", body: { name, value } })).status).toBe(201);
    }
  }, 120_000);
  afterAll(async () => {
    await server?.close();
    await writer?.close();
    await kafka?.stop();
    unlink?.();
  });

  const apply = async (name: string, secret: string): Promise<void> => {
    const text = `
name: ${name}
sources:
  orders:
    type: kafka
    topic: orders
    secret_name: ${secret}
    start_at: earliest
    on_error: park
    schema: { id: STRING, amount: LONG }
sinks:
  stored: { type: duckdb, from: orders, path: ${name}.duckdb, table: orders, on_error: park }
`;
    const made = await server.ask(`/pipelines/${name}/definition`, { method: "PUT", body: { text } });
    expect([made.status, made.json.errors]).toEqual([200, undefined]);
  };
  const settled = (name: string, expected: object): Promise<void> =>
    untilHolds(async () =>
      expect((await server.ask(`/pipelines/${name}/info`)).json.data).toMatchObject(expected),
    );
  const write = (...values: readonly string[]): Promise<void> =>
    writer.write(
      "orders",
      values.map((value) => ({ partition: 0, key: "k", value })),
    );

  it("is read with the project's secret, continues after a pause, and keeps messages aside that cannot be read", async () => {
    await write('{"id": "a", "amount": 1}', '{"id": "b", "amount": "much"}', '{"id": "c"}');
    await apply("orders", "EVENTS");
    await settled("orders", { runtime_status: "RUNNING", sinks: { stored: { rows: 2, parked: 1 } } });
    expect((await server.ask("/secrets/EVENTS", { method: "DELETE" })).status).toBe(422);
    expect((await server.ask("/pipelines/orders/pause", { method: "PUT" })).status).toBe(200);
    const reason =
      'Offset 1 of partition 0 of topic orders: the message has "much" as "amount", which is of the type LONG';
    const key = { kafka_partition: "0", kafka_offset: "1" };
    const left = [{ sink: "stored", total: 1, first: [{ reason, key, row: {} }] }];
    expect((await server.ask("/pipelines/orders/parked")).json.data).toMatchObject(left);
    for (const [how, result] of [
      ["retry", { sink: "stored", total: 1, done: 0 }],
      ["drop", { sink: "stored", total: 0, done: 1 }],
    ] as const) {
      const body = { sink: "stored", key };
      const begun = await server.ask(`/pipelines/orders/parked/${how}`, { method: "POST", body });
      expect(begun.status).toBe(200);
      await untilHolds(async () => {
        const { json } = await server.ask(`/pipelines/orders/tasks/${begun.json.data.id}`);
        expect(json.data).toMatchObject({ result: { sinks: [result] } });
      });
    }
    await write('{"id": "d", "amount": 4}');
    await server.ask("/pipelines/orders/resume", { method: "PUT" });
    await settled("orders", { runtime_status: "RUNNING", sinks: { stored: { rows: 1, parked: 0 } } });
  });

  it("is not read from an address that the server's pipelines may not reach", async () => {
    await apply("away", "AWAY");
    await settled("away", {
      runtime_status: "TERMINATED",
      error: expect.stringContaining(`The server does not connect to ${kafka.loginAddress}`),
    });
  });
});
