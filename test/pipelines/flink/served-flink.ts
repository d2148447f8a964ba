import { readFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { pipelinesOn } from "../../../src/pipelines/host/create-pipeline-engine.js";
import { pipelinesPart } from "../../../src/platform/management/pipelines/pipelines-part.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { openDatabase } from "../../../src/store/open.js";
import { type Contract, useAnvil } from "../../support/chain/anvil.js";
import { deployToken } from "../../support/chain/erc20.js";
import { world } from "../../support/database/databases.js";
import { harmlessQueries } from "../../support/pipelines/flink-attacks.js";
import {
  partsBesidePipelines,
  startPlatform,
  type TestPlatform,
} from "../../support/server/platform-server.js";
import { addressOf, type FlinkPlaces, type KafkaUser, ordered } from "../../support/servers/flink-places.js";
import { linkKafkaClient, openTestKafka } from "../../support/servers/kafka-client.js";
import { until } from "../../support/until.js";

/** A project that attacks the one that the server begins with. */
const otherProject = "project_thief";

const times = { look: 200, lease: 3_000, note: 100 };

/** Tests of servers whose pipelines Flink runs. They share one cluster with the tests of the file that calls this. */
export function servedFlinkTests(places: () => FlinkPlaces): void {
  const anvil = useAnvil();
  let gateway: CutOff;
  let address: string;
  let database: Database;
  let server: TestPlatform;
  let key: string;
  /** The users of Kafka, by project. */
  const logins = new Map<string, KafkaUser>();
  let token: Contract;
  let otherKey: string;
  let unlink: (() => void) | undefined;

  const started = (hasFlink = true): Promise<TestPlatform> => {
    const kafka = JSON.stringify({
      bootstrapServers: places().kafka.loginAddress,
      securityProtocol: "SASL_PLAINTEXT",
    });
    const create = pipelinesOn({
      address,
      verify: "bloom",
      openKafka: openTestKafka,
      ...(hasFlink && {
        flink: { gateway: gateway.url, kafka, loginOf: (project: string) => logins.get(project) },
      }),
    });
    const reach = { allowsPrivate: false, listed: [`127.0.0.1:${places().port}`] };
    return startPlatform(database, {
      nodes: new Map([["anvil", [anvil().url]]]),
      // Only the clients of Flink and of its topics reach more than pipelines may.
      parts: [...partsBesidePipelines, pipelinesPart((server) => create(server, reach), undefined, times)],
    });
  };
  const ask: TestPlatform["ask"] = (path, request) => server.ask(path, { key, ...request });

  beforeAll(async () => {
    unlink = linkKafkaClient();
    const { port, database: postgres, flink } = places();
    await postgres.query(SQL`create database platform`);
    address = addressOf(port, "platform");
    database = await openDatabase(address, world);
    gateway = await startCutOff(flink.gateway);
    server = await started();
    key = server.token;
    const [victim, thief] = places().users;
    for (const [project, login] of [
      [server.project, victim],
      [otherProject, thief],
    ] as const) {
      if (!login) throw new Error("each project has a user of Kafka");
      logins.set(project, login);
      places().kafka.grant(documentedGrant(login.user, project));
    }
    otherKey = await server.addKey("Owner", otherProject);
    const login = { host: "127.0.0.1", port, databaseName: "postgres", user: "postgres", password: "-" };
    for (const owner of [key, otherKey])
      await ask("/secrets", {
        method: "POST",
        key: owner,
        body: { name: "DB", value: { type: "jdbc", protocol: "postgres", ...login } },
      });
    token = await deployToken(anvil(), { name: "T", symbol: "T", decimals: 18, supply: 10n ** 30n });
  });
  afterAll(async () => {
    await server?.close();
    await database?.close();
    await gateway?.stop();
    unlink?.();
  });

  /** With the one that has made the token. */
  let transfers = 1;
  const transfer = async (...amounts: readonly number[]): Promise<void> => {
    transfers += amounts.length;
    for (const amount of amounts) await anvil().send(token, "transfer", [anvil().account(2), amount]);
  };
  const definition = (name: string, transforms: string, sinks: string): string => `
name: ${name}
sources:
  transfers: { type: dataset, dataset_name: anvil.erc20_transfers, start_at: earliest }
transforms:
  moved: { sql: "SELECT id, sender, recipient, amount FROM transfers", primary_key: id }
${transforms}
sinks:
${sinks}
`;
  const sums =
    '  sums: { sql: "SELECT sender, COUNT(*) AS times, SUM(amount) AS total FROM moved GROUP BY sender", primary_key: sender }';
  const sink = (from: string, table: string): string =>
    `  ${table}: { type: postgres, from: ${from}, table: ${table}, secret_name: DB, batch_flush_interval: 100 }`;
  const totals = definition("totals", sums, [sink("moved", "moved"), sink("sums", "by_sender")].join("\n"));
  const apply = (name: string, text: string, rest: object = {}) =>
    ask(`/pipelines/${name}/definition`, { method: "PUT", body: { text, ...rest } });
  const info = async (name: string) => (await ask(`/pipelines/${name}/info`)).json.data;
  const settled = async (name: string, expected: object): Promise<void> => {
    // Without the error, a pipeline that has failed looks like one that is slow.
    await expect.poll(() => info(name), { interval: 100 }).toMatchObject({ error: null, ...expected });
  };
  const logged = async (name: string, part: string): Promise<readonly string[]> =>
    (await ask(`/pipelines/${name}/logs?search=${encodeURIComponent(part)}`)).json.data.results.map(
      ({ text }: { readonly text: string }) => text,
    );
  /** Waits until Flink's tables are as ours, of which the table of sums is computed. */
  const arrived = async (least: number): Promise<void> => {
    const { rowsOf, database: postgres } = places();
    await until(async () => (await rowsOf("moved_here")).length >= least);
    const expected = await rowsOf("moved_here");
    await until(async () => (await rowsOf("moved")).join() === expected.join());
    const computed = ordered(
      await postgres.query(
        SQL`select sender, count(*)::bigint as times, sum(amount) as total from moved_here group by sender`,
      ),
    );
    await until(async () => (await rowsOf("by_sender")).join() === computed.join());
  };

  it("a pipeline is refused with another gateway, with a sink that Flink cannot write, and without Flink if its SQL needs it", async () => {
    const elsewhere = await apply("totals", totals, { engine: "flink=http://127.0.0.1:1" });
    expect([elsewhere.status, elsewhere.json.errors[0]?.field]).toEqual([400, "engine"]);
    const aggregate = await apply("totals", totals);
    expect([aggregate.status, aggregate.json.errors[0]]).toMatchObject([
      400,
      { code: "sql-not-streaming", line: 7, hint: expect.stringContaining("--engine flink=<gateway>") },
    ]);
    const sent = definition("totals", sums, "  sent: { type: print, from: sums }");
    const printed = await apply("totals", sent, { engine: "flink" });
    expect([printed.status, printed.json.errors[0]]).toMatchObject([400, { code: "flink-cannot", line: 9 }]);
    const without = await started(false);
    try {
      const refused = await without.ask("/pipelines/totals/definition", {
        method: "PUT",
        key,
        body: { text: totals, engine: "flink" },
      });
      expect([refused.status, refused.json.detail]).toEqual([422, expect.stringContaining("--flows flink=")]);
    } finally {
      await without.close();
    }
    expect((await ask("/pipelines/totals")).status).toBe(404);
  });

  it("Flink writes the same tables as our runner, also when a pipeline is paused, the gateway goes away, or the server changes", async () => {
    await transfer(5, 500, 70);
    await apply("ours", definition("ours", "", sink("moved", "moved_here")));
    const made = await apply("totals", totals, { engine: `flink=${gateway.url}` });
    expect([made.status, made.json.data?.change, made.json.data?.pipeline.engine]).toEqual([
      200,
      "created",
      "flink",
    ]);
    await arrived(4);
    await settled("totals", {
      runtime_status: "RUNNING",
      sinks: { moved: { state: "idle", rows: 4, waiting: 0 }, by_sender: { state: "idle" } },
    });
    // The engine stays when nothing is said of it.
    expect((await apply("totals", totals)).json.data.change).toBe("unchanged");

    // A gateway that is away is told, and the job goes on.
    gateway.cut();
    await settled("totals", {
      runtime_status: "FAILING",
      sinks: { moved: { state: "stalled", why: expect.stringContaining("gave no answer") } },
    });
    await transfer(30);
    await arrived(5);
    gateway.mend();
    await settled("totals", { runtime_status: "RUNNING" });

    // The next server finds the job, and does not start it again.
    const before = await logged("totals", "starting a job");
    await server.close();
    await transfer(8);
    expect(await places().active()).toEqual(["RUNNING"]);
    server = await started();
    await arrived(6);
    expect(await logged("totals", "starting a job")).toEqual(before);

    // The savepoint of a pause is where it goes on.
    expect((await ask("/pipelines/totals/pause", { method: "PUT" })).status).toBe(200);
    expect(await places().active()).toEqual([]);
    const [paused = ""] = await logged("totals", "paused at savepoint");
    const [{ id, cause, savepoint }] = (await ask("/pipelines/totals/snapshots")).json.data;
    expect([cause, `Flink: paused at savepoint ${savepoint}`]).toEqual(["pause", paused]);
    const compare = async (text: string) =>
      (await ask("/pipelines/totals/compare", { method: "POST", body: { text } })).json.data.sinks;
    expect(await compare(totals)).toMatchObject([{ change: "same" }, { change: "same" }]);
    expect(await compare(totals.replace("COUNT(*)", "COUNT(*) + 1"))).toMatchObject([
      { sink: "moved", change: "continues", reset: null },
      { sink: "by_sender", change: "continues", reasons: [expect.stringContaining("Flink computes")] },
    ]);
    const refused = await ask("/pipelines/totals/verify", { method: "POST", body: {} });
    expect([refused.status, refused.json.detail]).toEqual([
      422,
      expect.stringMatching(/^verify is not possible: Flink runs .*--from-snapshot none$/),
    ]);
    await ask("/pipelines/totals/status", { method: "PUT", body: { status: "ACTIVE", from_snapshot: id } });
    await transfer(9);
    await arrived(7);
    expect(await logged("totals", "starting a job at")).toContainEqual(
      paused.replace("paused", "starting a job"),
    );

    // Nothing of it is left when it is deleted.
    expect((await ask("/pipelines/totals", { method: "DELETE" })).status).toBe(200);
    expect(await places().active()).toEqual([]);
    const kept = await database.query(
      SQL`select sink from graphloom.pipeline_states where flow like '%/totals'`,
    );
    expect(kept).toEqual([]);
    const kafka = await openTestKafka({ brokers: [places().kafka.address], isTls: false });
    expect(await kafka.topic(`${server.project}.totals.transfers`)).toBeUndefined();
    await kafka.close();
  });

  it("a pipeline on Flink protects the rows of a project from the queries of another", async () => {
    const { kafka, rowsOf, users } = places();
    await transfer(1, 2, 3);
    const secret = `SELECT id, keccak256(id || 'secret') AS secret FROM transfers`;
    const pipeline = (name: string, transforms: readonly string[], sinks: readonly string[]): string =>
      [
        `name: ${name}`,
        "sources:",
        "  transfers: { type: dataset, dataset_name: anvil.erc20_transfers, start_at: earliest }",
        "transforms:",
        ...[secret, ...transforms].map(
          (sql, index) =>
            `  ${index === 0 ? "mine" : `t${index}`}: ${JSON.stringify({ sql, primary_key: "id" })}`,
        ),
        "sinks:",
        ...sinks,
      ].join("\n");
    await apply("victim", pipeline("victim", ["SELECT id, secret FROM mine"], [sink("t1", "kept")]), {
      engine: "flink",
    });
    await until(async () => (await rowsOf("kept")).length === transfers);
    const kept = await rowsOf("kept");
    const topic = `${server.project}.victim.mine`;
    const cluster = await openTestKafka({ brokers: [kafka.address], isTls: false });
    const known = await cluster.ranges(topic);
    const elsewhere = await startCutOff("http://127.0.0.1:1");

    const thief = async (transforms: readonly string[], sinks: readonly string[]) =>
      ask("/pipelines/thief/definition", {
        method: "PUT",
        key: otherKey,
        body: { text: pipeline("thief", transforms, sinks), engine: "flink" },
      });
    // All others are refused in print-query.test.ts.
    const refused = await thief(["SELECT id FROM graphloom.topics.mine"], [sink("mine", "stolen")]);
    expect([refused.status, refused.json.errors[0]]).toMatchObject([400, { line: 6 }]);
    const harmless = harmlessQueries(topic, new URL(elsewhere.url).host);
    const all = harmless.map((_, index) => `SELECT id || '${index}' AS id, v FROM t${index + 1}`);
    const made = await thief(
      [...harmless.map(({ sql }) => sql), all.join(" UNION ALL ")],
      [sink(`t${harmless.length + 1}`, "stolen")],
    );
    expect(made.json).toMatchObject({ data: { change: "created" } });
    const own = kept.map((row) => JSON.parse(row).id as string);
    const expected = own.flatMap((id) => harmless.map(({ v }, index) => ({ id: `${id}${index}`, v })));
    await until(async () => (await rowsOf("stolen")).length >= expected.length);
    expect(await rowsOf("stolen")).toEqual(ordered(expected));
    await ask("/pipelines/thief", { method: "DELETE", key: otherKey });

    // The thief's own user of Kafka, if it were known, may use no topic of the victim.
    const [, { user = "", password = "" } = {}] = users;
    const login = { mechanism: "PLAIN", user, password } as const;
    const asThief = await openTestKafka({ brokers: [kafka.loginAddress], isTls: false, login });
    const record = { partition: 0, key: null, value: Buffer.from("forged"), headers: new Map() };
    await expect(asThief.send(topic, [record])).rejects.toThrow("TOPIC_AUTHORIZATION_FAILED");
    await expect(asThief.ranges(topic)).rejects.toThrow("TOPIC_AUTHORIZATION_FAILED");
    await asThief.close();

    expect(await cluster.ranges(topic)).toEqual(known);
    expect(await rowsOf("kept")).toEqual(kept);
    expect(elsewhere.connections()).toBe(0);
    await elsewhere.stop();
    await cluster.close();
    await ask("/pipelines/victim", { method: "DELETE" });
  });
}

/** What the manual has an operator grant to the user of a project. */
function documentedGrant(user: string, project: string): readonly string[] {
  const manual = readFileSync(new URL("../../../docs/pipeline-flink.md", import.meta.url), "utf8");
  const [, command = ""] = /\nkafka-acls\.sh [^\n]*\n([^`]*)\n```/.exec(manual) ?? [];
  const options = command.replaceAll("\\\n", " ").trim().split(/\s+/);
  expect(options).toContain("--add");
  return options.map((option) => option.replace("team-a", user).replace("project_4k2v9x", project));
}

/** A way to a server that can be cut. */
interface CutOff {
  readonly url: string;
  /** From now on, connections are refused and those that are open end. */
  cut(): void;
  mend(): void;
  /** How many connections there have been. */
  connections(): number;
  stop(): Promise<void>;
}

async function startCutOff(target: string): Promise<CutOff> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let isCut = false;
  let connections = 0;
  const server = createServer((near) => {
    connections += 1;
    if (isCut) return void near.destroy();
    const far = connect(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const bound = server.address();
  const end = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${typeof bound === "object" ? bound?.port : 0}`,
    cut: () => {
      isCut = true;
      end();
    },
    mend: () => {
      isCut = false;
    },
    connections: () => connections,
    stop: async () => {
      end();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
