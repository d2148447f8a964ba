import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createThreadWorld } from "../../../src/hosting/embedded/thread-world.js";
import { trustedCluster } from "../../../src/pipelines/host/flink/run-served-flink.js";
import { guardPipeline } from "../../../src/pipelines/host/guard-pipeline.js";
import { resourceSizes } from "../../../src/pipelines/host/resource-sizes.js";
import { servedWorld } from "../../../src/pipelines/host/served/served-world.js";
import { openClickHouse } from "../../../src/pipelines/machine/clickhouse/open-clickhouse.js";
import { openMysqlDatabase } from "../../../src/pipelines/machine/mysql/open-mysql.js";
import { openFileState } from "../../../src/pipelines/machine/state/open-file-state.js";
import { runSinks } from "../../../src/pipelines/runner/run-sinks.js";
import type { SourcePosition } from "../../../src/pipelines/sources/source.js";
import type { Database } from "../../../src/store/database/database.js";
import { openPostgres } from "../../../src/store/database/postgres/postgres-database.js";
import { openForeignDatabase } from "../../../src/store/open.js";
import { createOutgoing } from "../../../src/web/outgoing/outgoing.js";
import { useFolder } from "../../support/folder.js";
import { soundPipeline } from "../../support/pipelines/planned-pipeline.js";
import { rowsOf } from "../../support/pipelines/row-objects.js";
import { kafkaMissing, openTestKafka } from "../../support/servers/kafka-client.js";
import { playBroker } from "../../support/servers/played-broker.js";

const world = createThreadWorld(() => Promise.reject(new Error("no network")), new AbortController().signal);
const folder = useFolder();

/** A port of 127.0.0.1, and how often it was connected to. */
interface Door {
  readonly server: Server;
  readonly port: number;
  readonly visits: () => number;
}

/** Listens, and hangs up at once unless the visitor is answered. */
async function openDoor(answer: (socket: Socket) => void = (socket) => socket.destroy()): Promise<Door> {
  let visits = 0;
  const server = createServer((socket) => {
    visits += 1;
    socket.on("error", () => undefined);
    answer(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, port: (server.address() as AddressInfo).port, visits: () => visits };
}

let [allowed, forbidden, broker]: readonly Door[] = [];
let reach: { readonly allowsPrivate: boolean; readonly listed: readonly string[] };
const refusedPorts = new Set<number>();
let ownSocket: ReturnType<typeof guardPipeline>;

beforeAll(async () => {
  [allowed, forbidden] = [await openDoor(), await openDoor()];
  broker = await openDoor((socket) => playBroker(socket, portOf(forbidden)));
  reach = { allowsPrivate: false, listed: [allowed, broker].map(({ port }) => `127.0.0.1:${port}`) };
  ownSocket = guardPipeline({ ...reach, onRefused: ({ port }) => void refusedPorts.add(port) });
});
afterAll(() => {
  for (const door of [allowed, forbidden, broker]) door?.server.close();
});

const portOf = (door: Door | undefined): number => door?.port ?? 0;
const refused =
  /(?:forbidden: .*|does not connect to .*)is a private address, and its port \d+ is not allowed/;

describe("without anything that judges addresses before it, the guard of the process keeps", () => {
  const clients: readonly (readonly [string, (port: number) => Promise<unknown>])[] = [
    ["clients of PostgreSQL", (port) => openForeignDatabase(`postgres://u:p@127.0.0.1:${port}/db`, world)],
    [
      "clients of PostgreSQL with a port among the parameters",
      (port) => openForeignDatabase(`postgres://u:p@127.0.0.1:${portOf(allowed)}/db?port=${port}`, world),
    ],
    ["clients of MySQL", (port) => openMysqlDatabase(`mysql://u:p@127.0.0.1:${port}/db`)],
    [
      "clients of ClickHouse",
      async (port) => {
        const login = { username: "u", password: "p", database: "d" };
        return (await openClickHouse({ url: `http://127.0.0.1:${port}`, ...login })).query("select 1");
      },
    ],
    ["fetch", (port) => fetch(`http://127.0.0.1:${port}/`)],
  ];

  it.each(clients)("%s to the port that is allowed", async (_, open) => {
    const [before, never] = [allowed?.visits() ?? 0, forbidden?.visits()];
    const visited = await open(portOf(allowed)).catch(messagesOf);
    expect(visited).not.toMatch(refused);
    expect(allowed?.visits()).toBeGreaterThan(before);
    refusedPorts.clear();
    expect(await open(portOf(forbidden)).catch(messagesOf)).toMatch(refused);
    expect([...refusedPorts]).toEqual([portOf(forbidden)]);
    expect(forbidden?.visits()).toBe(never);
  });

  it.skipIf(kafkaMissing !== undefined)(
    "Kafka clients to it, even if a broker says that others are elsewhere",
    async () => {
      const kafka = await openTestKafka({ brokers: [`127.0.0.1:${portOf(broker)}`], isTls: false });
      const never = forbidden?.visits();
      expect(await kafka.ranges("t").catch(messagesOf)).toMatch(/forbidden|connect/i);
      expect(broker?.visits()).toBeGreaterThan(0);
      expect(forbidden?.visits()).toBe(never);
      await kafka.close();
    },
  );
});

describe("the server's own database", () => {
  it("is reached by the server's own client", async () => {
    const address = `postgres://u:p@127.0.0.1:${portOf(forbidden)}/own`;
    const before = forbidden?.visits() ?? 0;
    const failure = await openPostgres(address, world, { stream: ownSocket }).catch(messagesOf);
    expect(failure).not.toMatch(refused);
    expect(forbidden?.visits()).toBeGreaterThan(before);
  });

  it("is refused to the clients of pipelines like any other address", async () => {
    const before = forbidden?.visits();
    const failure = await openForeignDatabase(
      `postgres://u:p@127.0.0.1:${portOf(forbidden)}/own`,
      world,
    ).catch(messagesOf);
    expect(failure).toMatch(refused);
    expect(forbidden?.visits()).toBe(before);
  });
});

describe("the operator's Flink, and the Kafka of its topics", () => {
  const outgoing = createOutgoing({ allowsPrivate: true }, world);
  const request = (port: number) => ({ url: `http://127.0.0.1:${port}/`, timeout: 5_000, mostBytes: 10 });
  afterAll(() => outgoing.close());

  it.skipIf(kafkaMissing !== undefined)(
    "are reached by the clients of the topics and of the gateway, and by no others",
    async () => {
      const cluster = trustedCluster({ openKafka: (address) => openTestKafka(address), outgoing });
      const visits = (): number => forbidden?.visits() ?? 0;
      let before = visits();
      await cluster.outgoing.send(request(portOf(forbidden))).catch(messagesOf);
      expect(visits()).toBeGreaterThan(before);
      before = visits();
      // The broker that is allowed names another one, which is not.
      const kafka = await cluster.openKafka(
        { brokers: [`127.0.0.1:${portOf(broker)}`], isTls: false },
        "topics",
      );
      expect(await kafka.ranges("t").catch(messagesOf)).not.toMatch(/forbidden/);
      expect(visits()).toBeGreaterThan(before);
      before = visits();
      const range = { first: 0n, next: 1n };
      const read = kafka.read("t", 0, range)[Symbol.asyncIterator]();
      expect(await read.next().catch(messagesOf)).not.toMatch(/forbidden/);
      expect(visits()).toBeGreaterThan(before);
      await kafka.close();
      before = visits();
      expect(await outgoing.send(request(portOf(forbidden))).catch(messagesOf)).toMatch(/forbidden/);
      expect(visits()).toBe(before);
    },
  );
});

it("no sink or transform of any kind connects to a port other than the allowed one", async () => {
  const never = forbidden?.visits();
  expect(await reasons(portOf(forbidden))).toEqual(
    Object.fromEntries(
      kinds.map((kind) => [kind, expect.stringMatching(/is a private address, and its port/)]),
    ),
  );
  expect(forbidden?.visits()).toBe(never);
  const before = allowed?.visits() ?? 0;
  for (const [kind, reason] of Object.entries(await reasons(portOf(allowed))))
    expect([kind, reason]).toEqual([kind, expect.not.stringMatching(refused)]);
  // The client of Kafka is not installed here, and is loaded once its brokers are admitted.
  expect((allowed?.visits() ?? 0) - before).toBeGreaterThanOrEqual(kinds.length - 1);
});

const sinks = {
  postgres: "schema: public, table: t, primary_key: id, secret_name: PG",
  mysql_sink: "schema: d, table: t, primary_key: id, secret_name: MY",
  postgres_aggregate:
    "schema: public, landing_table: l, agg_table: a, primary_key: id, secret_name: PG, group_by: { id: {} }, aggregate: { n: { fn: count } }",
  clickhouse: "table: t, primary_key: id, secret_name: CH",
  s3_sink: "endpoint: '<web>', bucket: b, secret_name: KEY, finalized: true",
  kafka: "topic: t, primary_key: id, secret_name: KAFKA",
  webhook: "url: '<web>'",
  sqs_sink: "queue_url: '<web>/q', region: us-east-1, secret_name: KEY",
  elasticsearch: "index: i, primary_key: id, secret_name: ES",
};
const transforms = { handler: "handled", dynamic_table: "checked" };
const kinds = [...Object.keys(sinks), ...Object.keys(transforms)];

/** Why each sink, and each sink behind a transform, cannot go on with addresses at a port. */
async function reasons(port: number): Promise<Readonly<Record<string, string>>> {
  const place = `u:p@127.0.0.1:${port}`;
  const plan = await soundPipeline(
    `
name: x
sources: { blocks: { type: dataset, dataset_name: base.raw_blocks } }
transforms:
  few: { sql: "SELECT id FROM blocks", primary_key: id }
  handled: { type: handler, from: few, primary_key: id, url: "<web>" }
  known: { type: dynamic_table, backend_type: Postgres, backend_entity_name: known, secret_name: PG }
  checked: { sql: "SELECT id FROM blocks WHERE dynamic_table_check('known', id)", primary_key: id }
sinks:
${Object.entries(sinks)
  .map(([type, settings]) => `  ${type}: { type: ${type}, from: few, ${settings} }`)
  .join("\n")}
${Object.entries(transforms)
  .map(([type, from]) => `  ${type}: { type: blackhole, from: ${from} }`)
  .join("\n")}
`.replaceAll("<web>", `http://127.0.0.1:${port}`),
  );
  const secrets: Readonly<Record<string, string>> = {
    PG: `postgres://${place}/d`,
    MY: `mysql://${place}/d`,
    CH: `http://${place}/d`,
    ES: `http://${place}`,
    KEY: "id:key",
    KAFKA: `{"bootstrapServers": "127.0.0.1:${port}"}`,
  };
  const ports = servedWorld({
    limits: resourceSizes.xs,
    reach,
    files: folder,
    filesMegabytes: 1,
    database: {} as Database,
    world,
    secret: (name) => secrets[name],
    out: () => undefined,
  });
  const stop = new AbortController();
  const why = new Map<string, string>();
  await runSinks(
    plan,
    {
      ...ports,
      openState: (owner) => openFileState(folder, owner),
      openSource: ({ schema: { columns } }) => ({
        async *batches(position: SourcePosition | undefined) {
          if (position) return;
          const none = rowsOf(columns, []);
          const delta = { minus: none, plus: rowsOf(columns, [{ id: "a" }]) };
          yield { from: 1, to: 1, isUndone: false, delta, position: { next: 2, open: [] } };
        },
      }),
    },
    (sink, state) => {
      if (state.kind === "stalled") why.set(sink, state.why);
      if (state.kind === "halted") why.set(sink, messagesOf(state.error));
      if (why.size === kinds.length) stop.abort();
    },
    stop.signal,
  );
  ports.close();
  return Object.fromEntries(why);
}

/** What an error and its causes say. */
function messagesOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const inner = error instanceof AggregateError ? error.errors : [error.cause];
  return [error.message, ...inner.map(messagesOf)].join("; ");
}
