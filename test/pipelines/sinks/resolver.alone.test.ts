import dns from "node:dns";
import { once } from "node:events";
import { syncBuiltinESMExports } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { guardConnections } from "../../../src/machine/processes/guard-connections.js";
import { createNodeWorld } from "../../../src/machine/world.js";
import { PipelineError } from "../../../src/pipelines/changes/pipeline-error.js";
import { openClickHouse } from "../../../src/pipelines/machine/clickhouse/open-clickhouse.js";
import { openMysqlDatabase } from "../../../src/pipelines/machine/mysql/open-mysql.js";
import { openSink } from "../../../src/pipelines/sinks/open-sink.js";
import type { SinkWorld } from "../../../src/pipelines/sinks/opening.js";
import { openHandler } from "../../../src/pipelines/transforms/handler/open-handler.js";
import type { PlannedTransformOf } from "../../../src/pipelines/transforms/opening.js";
import { openForeignDatabase } from "../../../src/store/open.js";
import { createAddressRule } from "../../../src/web/outgoing/address-rule.js";
import { testFolder } from "../../support/folder.js";
import { keyedBatch, keyedSchema } from "../../support/pipelines/keyed-batch.js";
import { type LawDefinition, sinkDefinition } from "../../support/pipelines/law-pipeline.js";
import { locatedText } from "../../support/pipelines/located.js";
import { sinkWorld } from "../../support/pipelines/sink-world.js";
import { kafkaMissing, openTestKafka } from "../../support/servers/kafka-client.js";

/*
 * What sinks do while a name cannot be resolved, with the real client of each: they fail for now, and are tried again. Once
 * the name leads somewhere again, they connect.
 */

const host = "sink.example";
const resolve = { plainly: dns.lookup, promised: dns.promises.lookup };
/** Why the name cannot be resolved; `undefined` if it leads to this machine. */
let failure: string | undefined;
let connections = 0;
let port = 0;
const server = createServer((socket) => {
  connections += 1;
  socket.on("error", () => undefined).destroy();
});

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
  const unresolved = (name: string): Error =>
    Object.assign(new Error(`getaddrinfo ${failure} ${name}`), { code: failure, syscall: "getaddrinfo" });
  const here = { address: "127.0.0.1", family: 4 };
  const lookup = (
    name: string,
    options: dns.LookupOptions,
    callback: (...given: unknown[]) => void,
  ): void => {
    if (name !== host) Reflect.apply(resolve.plainly, dns, [name, options, callback]);
    else if (failure !== undefined) process.nextTick(callback, unresolved(name));
    else process.nextTick(callback, null, ...(options.all ? [[here]] : [here.address, here.family]));
  };
  const promised = async (name: string, options: dns.LookupAllOptions): Promise<unknown> => {
    if (name !== host) return resolve.promised(name, options);
    if (failure !== undefined) throw unresolved(name);
    return [here];
  };
  Object.assign(dns, { lookup });
  Object.assign(dns.promises, { lookup: promised });
  syncBuiltinESMExports();
  // As the process of a pipeline does.
  guardConnections(createAddressRule({ allowsPrivate: true, listed: [] }));
});
beforeEach(() => {
  failure = undefined;
  connections = 0;
});
afterAll(() => {
  Object.assign(dns, { lookup: resolve.plainly });
  Object.assign(dns.promises, { lookup: resolve.promised });
  syncBuiltinESMExports();
  server.close();
});

const aggregation = { groups: [], aggregates: [] };
const sinks: Readonly<Record<string, (place: string) => LawDefinition & { readonly secret: string }>> = {
  postgres: (at) => ({ type: "postgres", settings: { table: "t" }, secret: `postgres://u:p@${at}/db` }),
  postgres_aggregate: (at) => ({
    type: "postgres_aggregate",
    settings: { landing_table: "l", agg_table: "a" },
    aggregation,
    secret: `postgres://u:p@${at}/db`,
  }),
  mysql_sink: (at) => ({ type: "mysql_sink", settings: { table: "t" }, secret: `mysql://u:p@${at}/db` }),
  clickhouse: (at) => ({ type: "clickhouse", settings: { table: "t" }, secret: `http://u:p@${at}/db` }),
  elasticsearch: (at) => ({ type: "elasticsearch", settings: { index: "i" }, secret: `http://u:p@${at}` }),
  s3_sink: (at) => ({
    type: "s3_sink",
    settings: { endpoint: `http://${at}`, bucket: "bucket" },
    secret: JSON.stringify({ accessKeyId: "k", secretAccessKey: "s" }),
  }),
  webhook: (at) => ({
    type: "webhook",
    settings: { url: `http://${at}/` },
    secret: JSON.stringify({ type: "httpauth", secretKey: "x-key", secretValue: "v" }),
  }),
  sqs_sink: (at) => ({
    type: "sqs_sink",
    settings: { queue_url: `http://${at}/1/queue`, region: "eu-west-1" },
    secret: "key:secret",
  }),
  kafka: (at) => ({
    type: "kafka",
    settings: { topic: "t" },
    secret: JSON.stringify({ bootstrapServers: at, securityProtocol: "PLAINTEXT" }),
  }),
  "kafka with a registry": (at) => ({
    type: "kafka",
    settings: { topic: "t", data_format: "avro", schema_registry_url: `http://${at}` },
    secret: JSON.stringify({ bootstrapServers: "127.0.0.1:1", securityProtocol: "PLAINTEXT" }),
  }),
};

function worldOf(secret: string): ReturnType<typeof sinkWorld> {
  const world = createNodeWorld();
  const clients: Pick<SinkWorld, "openDatabase" | "openMysql" | "openClickHouse" | "openKafka"> = {
    openDatabase: (address) => openForeignDatabase(address, world),
    openMysql: openMysqlDatabase,
    openClickHouse,
    openKafka: openTestKafka,
  };
  return { ...sinkWorld({ folder: testFolder(), secrets: { SECRET: secret } }), ...clients };
}

/** Opens a sink and writes a row, which fails one way or the other. */
async function failureOf(name: string): Promise<unknown> {
  const { secret, ...definition } = (sinks[name] as (typeof sinks)[string])(`${host}:${port}`);
  const settings = { secret_name: "SECRET", ...definition.settings };
  const planned = {
    name: "out",
    from: "rows",
    schema: keyedSchema,
    ...(definition.aggregation && { aggregation: definition.aggregation }),
    definition: sinkDefinition({ ...definition, settings }),
  };
  try {
    const sink = await openSink(planned, { flow: "f", sources: ["chain"] }, worldOf(secret));
    try {
      await sink.write(keyedBatch(1, "i a"));
      await sink.end?.("chain", 2);
    } finally {
      await sink.close();
    }
    return "nothing has failed";
  } catch (error) {
    return error;
  }
}

const untried = kafkaMissing === undefined ? [] : ["kafka", "kafka with a registry"];

it.each(
  Object.keys(sinks).filter((name) => !untried.includes(name)),
)("a sink stalls while its host cannot be resolved, and continues afterwards: %s", async (name) => {
  for (const code of ["ENOTFOUND", "EAI_AGAIN"]) {
    failure = code;
    const error = await failureOf(name);
    expect(error).toBeInstanceOf(PipelineError);
    expect(error).toMatchObject({
      isTemporary: true,
      message: expect.not.stringMatching(/undefined|TypeError/),
    });
    expect(connections).toBe(0);
  }
  failure = undefined;
  expect(await failureOf(name)).toMatchObject({ isTemporary: true });
  expect(connections).toBeGreaterThan(0);
});

it("a handler waits while its host cannot be resolved", async () => {
  const planned = {
    name: "made",
    reads: [],
    schema: keyedSchema,
    input: keyedSchema.columns,
    definition: {
      type: "handler" as const,
      name: locatedText("made"),
      settings: { url: locatedText(`http://${host}:${port}/`) },
    },
  } as unknown as PlannedTransformOf<"handler">;
  const transform = await openHandler(planned, worldOf(""));
  const apply = (): Promise<unknown> =>
    transform.apply({ count: 1, columns: [["a"], [1n]] }).catch((error: unknown) => error);
  for (const code of ["ENOTFOUND", "EAI_AGAIN"]) {
    failure = code;
    expect(await apply()).toMatchObject({ isTemporary: true });
  }
  failure = undefined;
  expect(await apply()).toMatchObject({ isTemporary: true });
  expect(connections).toBeGreaterThan(0);
  await transform.close();
});
