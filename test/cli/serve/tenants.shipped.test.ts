import { execFileSync } from "node:child_process";
import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterEach, expect, it } from "vitest";
import { addApiKey } from "../../../src/platform/people/api-keys.js";
import { createProject } from "../../../src/platform/people/projects.js";
import { SQL } from "../../../src/store/database/database.js";
import { openDatabase } from "../../../src/store/open.js";
import { manifestPath } from "../../../src/subgraph/build.js";
import { collectBuild } from "../../../src/subgraph/collect-build.js";
import { zipBuild } from "../../../src/subgraph/zip-build.js";
import { Anvil } from "../../support/chain/anvil.js";
import { writtenSubgraph } from "../../support/compiler/written-subgraph.js";
import { serverDatabase, world } from "../../support/database/databases.js";
import { postgresMissing, startPostgres } from "../../support/database/postgres-server.js";
import { testFolder } from "../../support/folder.js";
import { drawFrom } from "../../support/pool/draw.js";
import { propertySeed } from "../../support/property/property-run.js";
import { deployForm } from "../../support/server/platform-server.js";
import { startReceiver } from "../../support/server/webhook-receiver.js";
import { overlappingZip, zipOfZeros } from "../../support/server/zip-bombs.js";
import { freePorts } from "../../support/servers/java-server.js";
import { until } from "../../support/until.js";
import { Ledger } from "./ledger.js";
import { killServed, startServed } from "./served.js";

/**
 * One project hammers each resource that it shares with another, which goes on with its work. `npm run campaign:tenants`
 * takes this many minutes in all, and prints what the other project feels. Phases without and with the attack take turns,
 * since the machine has other work as well.
 */
const minutes = Number(process.env.GRAPHLOOM_TENANT_MINUTES ?? "0");
/** The attacks to run, by name; all by default. */
const chosen = process.env.GRAPHLOOM_TENANT_ATTACKS?.split(",");
/** Rounds of the other project's work, without and with each attack. */
const rounds = 2;
const attackers = 16;
/**
 * Milliseconds by which work may take longer in addition to twice its time. A check is a
 * process, and two cores run two: one of the other project waits for the end of one that has begun. The rest waits for a core.
 */
const floor = { query: 250, request: 250, sink: 250, validate: 5_000, deploy: 500, block: 1_000 } as const;
type Work = keyof typeof floor;

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Versions of the attack on handlers. */
const spinning = 40;

/** A request of a project. @returns its status */
type Ask = (
  path: string,
  request?: { method?: string; body?: unknown; form?: FormData },
) => Promise<Response>;

/** Milliseconds of pieces of work. */
type Times = Record<Work, number[]>;

const doubling = (steps: number, padding: string): string => `
name: hostile
sources: { b: { type: dataset, dataset_name: base.raw_blocks } }
transforms:
${Array.from({ length: steps }, (_, index) => {
  const before = index === 0 ? "b" : `t${index - 1}`;
  return `  t${index}: { type: sql, primary_key: id, sql: "SELECT id FROM ${before} UNION ALL SELECT id FROM ${before} ${padding}" }`;
}).join("\n")}
sinks: { out: { type: blackhole, from: t${steps - 1} } }
`;
/** A pipeline whose query takes what it gets of the processor. */
const busy = (name: string, number: number): string => `
name: ${name}
sources: { b: { type: dataset, dataset_name: sepolia.raw_blocks, start_at: earliest } }
transforms:
  t: { type: sql, primary_key: id, sql: "SELECT id, len(list_distinct(range(3000000 + ${number}))) AS n FROM b" }
sinks: { out: { type: blackhole, from: t } }
`;
/** A pipeline whose sink the project has tasks for. */
const stored = `
name: stored
sources: { b: { type: dataset, dataset_name: sepolia.raw_blocks, start_at: earliest } }
transforms:
  t: { type: sql, primary_key: id, sql: "SELECT id, number FROM b" }
sinks: { out: { type: postgres, from: t, schema: public, table: blocks, primary_key: id, secret_name: SINK } }
`;
const plain = `
name: plain
sources: { b: { type: dataset, dataset_name: base.raw_blocks } }
transforms: { t: { type: sql, primary_key: id, sql: "SELECT id FROM b" } }
sinks: { out: { type: blackhole, from: t } }
`;

it.skipIf(postgresMissing !== undefined || minutes === 0)(
  "a project that overloads shared parts does not keep another project from working",
  async () => {
    const anvil = await Anvil.start();
    ends.push(() => anvil.stop());
    const ledger = await Ledger.start(anvil, drawFrom(propertySeed), { accounts: 20, block: 5 });
    const [home, address] = [testFolder(), await serverDatabase()];
    const [port = 0] = await freePorts(1);
    const cluster = await startPostgres({ listen_addresses: "127.0.0.1", port: String(port) });
    ends.push(() => cluster.stop());
    // In production it has a machine of its own. Here it takes one core at most.
    execFileSync("taskset", ["-cp", "0", String(cluster.pid)]);
    const operator = new pg.Client(`postgres://postgres@127.0.0.1:${port}/postgres`);
    await operator.connect();
    await operator.query("revoke connect, temporary on database postgres, template1 from public");
    await operator.end();
    const flags = ["--data", "data", "--rpc", `sepolia=${anvil.url}`, "--reachable", `127.0.0.1:${port}`];
    const served = await startServed(flags, home, {
      GRAPHLOOM_DATABASE: address,
      GRAPHLOOM_QUERY_SHARE: "25",
      GRAPHLOOM_HOSTED_SINKS: `postgres://postgres@127.0.0.1:${port}/postgres`,
    });
    ends.push(() => killServed(served));
    const database = await openDatabase(address, world);
    ends.push(() => database.close());
    const key = `gl_${"H".repeat(32)}`;
    await createProject(database, { id: "project_hostile", name: "hostile" });
    await addApiKey(database, { id: "key_h", project: "project_hostile", name: "h", role: "Owner", key });
    /** Aborted when an attack is over, so that no phase has the rest of another. */
    let attackOver = new AbortController();
    const askWith =
      (token: string, signal?: () => AbortSignal): Ask =>
      (path, { method = "GET", body, form } = {}) =>
        fetch(`${served.address}${path}`, {
          method,
          ...(signal && { signal: signal() }),
          headers: {
            authorization: `Bearer ${token}`,
            ...(body !== undefined && { "content-type": "application/json" }),
          },
          ...(form ? { body: form } : body !== undefined && { body: JSON.stringify(body) }),
        });
    const [own, hostile] = [askWith(served.token), askWith(key, () => attackOver.signal)];
    const bundle = zipBuild(collectBuild({ manifest: `build/${manifestPath}`, files: await ledger.files() }));
    let versions = 0;
    const deploy = async (ask: Ask): Promise<Response> => {
      versions += 1;
      const path = `/api/v1/subgraphs/ledger/deployments/v${versions}`;
      return ask(path, { method: "PUT", form: deployForm(bundle, { private_endpoint_enabled: "1" }) });
    };
    const query = (ask: Ask, project: string, text: string): Promise<Response> =>
      ask(`/api/private/${project}/subgraphs/ledger/${project === served.project ? "v1" : "v2"}/gn`, {
        method: "POST",
        body: { query: text },
      });
    const validate = (ask: Ask, text: string): Promise<Response> =>
      ask("/api/v1/pipelines/check", { method: "POST", body: { text } });

    expect((await deploy(own)).status).toBe(201);
    expect((await deploy(hostile)).status).toBe(201);
    for (const ask of [own, hostile]) {
      const made = await ask("/api/v1/hosted-sinks", {
        method: "POST",
        body: { type: "postgres", name: "SINK" },
      });
      expect(made.status, await made.text()).toBe(201);
    }
    const sinks = await database.query(SQL`select project, database from graphloom.hosted_sinks`);
    /** Connects as the tenant of a hosted sink. */
    const connect = async (isHostile: boolean): Promise<pg.Client> => {
      const sink = sinks.find(({ project }) => (project === "project_hostile") === isHostile);
      const client = new pg.Client(`postgres://${sink?.database}@127.0.0.1:${port}/${sink?.database}`);
      client.on("error", () => undefined);
      await client.connect();
      return client;
    };
    const ownSink = await connect(false);
    ends.push(() => ownSink.end());
    await ownSink.query("create table numbers as select generate_series(1, 1000) as n");
    const put = (name: string, text: string): Promise<Response> =>
      hostile(`/api/v1/pipelines/${name}/definition`, { method: "PUT", body: { text } });
    expect((await put("stored", stored)).status).toBe(200);
    const failures: string[] = [];
    const timed = async (times: number[], what: string, work: () => Promise<Response>): Promise<void> => {
      const began = performance.now();
      const answer = await work();
      const body = await answer.text();
      times.push(performance.now() - began);
      if (!answer.ok) failures.push(`${what}: ${answer.status} ${body.slice(0, 200)}`);
    };
    /** The block of the project's version that queries see. */
    const indexedBlock = async (): Promise<number> => {
      const answer = await query(own, served.project, "{ _meta { block { number } } }");
      const { data } = (await answer.json()) as { data?: { _meta: { block: { number: number } } } };
      return data?._meta.block.number ?? -1;
    };
    const workOnce = async (times: Times, number: number): Promise<void> => {
      const text = `{ accounts(first: ${(number % 50) + 1}) { id } }`;
      await timed(times.query, "query", () => query(own, served.project, text));
      await timed(times.request, "request", () => own("/api/v1/secrets"));
      const began = performance.now();
      await ownSink
        .query("update numbers set n = n + 1 where n % 10 = 0")
        .catch((error: unknown) => failures.push(`sink: ${error}`));
      times.sink.push(performance.now() - began);
      await timed(times.validate, "validate", () => validate(own, plain));
      if (number % 4 === 0) {
        await timed(times.deploy, "deploy", () => deploy(own));
        // The quota of versions is not what is measured.
        await own(`/api/v1/subgraphs/ledger/deployments/v${versions}`, { method: "DELETE" });
        const head = await anvil.blockNumber();
        await ledger.grow(1);
        const mined = performance.now();
        await until(async () => (await indexedBlock()) > head);
        times.block.push(performance.now() - mined);
      }
    };

    /** A statement as the hostile tenant, in a connection of its own. */
    const asTenant = async (statement: string): Promise<unknown> => {
      const client = await connect(true);
      try {
        return await client.query(statement);
      } finally {
        await client.end().catch(() => undefined);
      }
    };
    const spinningBundle = async (number: number): Promise<Uint8Array> => {
      const files = await writtenSubgraph({
        name: "Spinning",
        network: "sepolia",
        abi: "[]",
        entities: ["Note"],
        address: `0x${number.toString(16).padStart(40, "0")}`,
        schema: "type Note @entity(immutable: false) { id: ID!, text: String! }",
        mapping: new URL("../../hosting/blocks.as", import.meta.url),
        handlers: "blockHandlers: [{ handler: spin }]",
      });
      return zipBuild(collectBuild({ manifest: `build/${manifestPath}`, files }));
    };
    const stopSpinning = async (): Promise<void> => {
      const ask = askWith(key);
      const versions = Array.from({ length: spinning }, (_, version) => version);
      await Promise.all(
        versions.map((version) =>
          ask(`/api/v1/subgraphs/spinning/deployments/v${version}`, { method: "DELETE" }),
        ),
      );
    };
    // Compiled before, because the tenant would compile on a machine of its own.
    const spinningBundles: Uint8Array[] = [];
    if (!chosen || chosen.includes("handlers"))
      for (let version = 0; version < spinning; version++)
        spinningBundles.push(await spinningBundle(version));
    const slow = await startReceiver();
    slow.judge(() => "hangs");
    ends.push(() => slow.stop());
    const bombs = [overlappingZip(300, 100_000), zipOfZeros(9_000, 10_000)];
    const attacks: Readonly<Record<string, (number: number) => Promise<unknown>>> = {
      checks: (number) => validate(hostile, doubling(number % 2 ? 26 : 8, "WHERE id <> 'a'")),
      requests: () => Promise.all(Array.from({ length: 10 }, () => hostile("/api/v1/subgraphs"))),
      queries: (number) =>
        query(
          hostile,
          "project_hostile",
          `{ ${Array.from({ length: 200 }, (_, index) => `a${number}_${index}: accounts(first: 100) { id balance moves }`).join(" ")} }`,
        ),
      uploads: (number) =>
        hostile(`/api/v1/subgraphs/bomb/deployments/b${number}`, {
          method: "PUT",
          form: deployForm(bombs[number % bombs.length]),
        }),
      pipelines: (number) =>
        hostile(`/api/v1/pipelines/busy-${number % 6}/definition`, {
          method: "PUT",
          body: { text: busy(`busy-${number % 6}`, number), skip_transform_validation: true },
        }),
      previews: () =>
        hostile("/api/v1/pipelines/preview", {
          method: "POST",
          body: {
            definition: {
              sources: { b: { type: "dataset", dataset_name: "base.raw_blocks", version: "1.0.0" } },
              transforms: {},
              sinks: {},
            },
          },
        }),
      logins: (number) =>
        fetch(`${served.address}/api/v1/auth/token`, {
          method: "POST",
          signal: attackOver.signal,
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ code: `wrong-${number}` }),
        }),
      "hosted sinks": (number) =>
        asTenant(
          `set statement_timeout = '5s'; create table if not exists big_${number} as
           select md5(n::text) as text from generate_series(1, 100000) n order by 1; drop table big_${number}`,
        ),
      // One session keeps the queue from being emptied, and the others fill it.
      notifications: (number) =>
        asTenant(
          number % attackers === 0
            ? "set statement_timeout = '10s'; listen x; begin; select pg_sleep(9)"
            : "select pg_notify('x', repeat('a', 7000) || n) from generate_series(1, 2000) n",
        ),
      tasks: () => hostile("/api/v1/pipelines/stored/verify", { method: "POST", body: { sink: "out" } }),
      handlers: async (number) => {
        const version = number % 1_000_000;
        if (version < spinning)
          return hostile(`/api/v1/subgraphs/spinning/deployments/v${version}`, {
            method: "PUT",
            form: deployForm(spinningBundles[version]),
          });
        await sleep(100);
        return [];
      },
      webhooks: (number) =>
        hostile("/api/v1/subgraphs/webhooks", {
          method: "POST",
          body: {
            name: `slow-${number}`,
            subgraph_name: "ledger",
            subgraph_version: "v2",
            entity: "account",
            webhook_url: slow.url,
          },
        }),
    };

    const empty = (): Times => ({ query: [], request: [], sink: [], validate: [], deploy: [], block: [] });
    const all = Object.entries(attacks).filter(([name]) => !chosen || chosen.includes(name));
    const length = (minutes * 60_000) / all.length / rounds / 2;
    const phase = async (times: Times): Promise<void> => {
      const began = performance.now();
      let number = 0;
      do await workOnce(times, number++);
      while (performance.now() - began < length);
    };
    const lines: string[] = [];
    const slowed: string[] = [];
    for (const [name, attack] of all) {
      const [idle, attacked] = [empty(), empty()];
      const statuses = new Map<string, number>();
      for (let round = 0; round < rounds; round++) {
        await phase(idle);
        attackOver = new AbortController();
        const { signal } = attackOver;
        // Each request adds a listener.
        setMaxListeners(0, signal);
        let number = round * 1_000_000;
        const hammering = Array.from({ length: attackers }, async () => {
          while (!signal.aborted) {
            const answers = [await attack(number++).catch((error: unknown) => String(error))].flat();
            for (const answer of answers) {
              const status =
                answer instanceof Response
                  ? String(answer.status)
                  : typeof answer === "string"
                    ? "no answer"
                    : "rows";
              if (answer instanceof Response) await answer.text().catch(() => "");
              if (status === "no answer") await new Promise((resolve) => setTimeout(resolve, 20));
              statuses.set(status, (statuses.get(status) ?? 0) + 1);
            }
          }
        });
        await phase(attacked);
        attackOver.abort();
        await Promise.all(hammering);
        if (name === "handlers") await stopSpinning();
      }
      for (const what of [...(Object.keys(floor) as Work[]), "all"] as const) {
        const [quiet, loud] =
          what === "all"
            ? [Object.values(idle).flat(), Object.values(attacked).flat()]
            : [idle[what], attacked[what]];
        const [before, under] = [at(quiet, 0.95), at(loud, 0.95)];
        const ratio = (under / before).toFixed(1);
        const halves = [at(quiet, 0.5), at(loud, 0.5), before, under];
        lines.push([name, what, ...halves.map((time) => time.toFixed(0)), ratio].join(" | "));
        if (under > 2 * before + (what === "all" ? 0 : floor[what]))
          slowed.push(`${what} under ${name}: ${under.toFixed(0)} ms instead of ${before.toFixed(0)} ms`);
      }
      lines.push(
        `${name} | the attack was answered | ${[...statuses].map(([status, count]) => `${count} × ${status}`).join(", ")}`,
      );
    }
    process.stderr.write(
      `attack | work | p50 idle | attacked | p95 idle | attacked | ratio\n${lines.join("\n")}\n`,
    );
    expect(failures).toEqual([]);
    expect(slowed).toEqual([]);
    expect((await fetch(`${served.address}/ready`)).status).toBe(200);
  },
  (20 + minutes * 3) * 60_000,
);

/** The time below which this part of the work ended. */
function at(times: readonly number[], part: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
