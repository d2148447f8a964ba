import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { processName } from "../../../src/base/process-name.js";
import { readPipelines } from "../../../src/platform/pipelines/pipeline-readings.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { openDatabase } from "../../../src/store/open.js";
import { type Contract, useAnvil } from "../../support/chain/anvil.js";
import { deployToken } from "../../support/chain/erc20.js";
import { describeDatabase, serverDatabase, world } from "../../support/database/databases.js";
import { postgresMissing } from "../../support/database/postgres-server.js";
import { type Away, openDoor } from "../../support/server/away.js";
import { startPipelineServer } from "../../support/server/pipeline-server.js";
import type { TestPlatform } from "../../support/server/platform-server.js";
import { untilHolds } from "../../support/until.js";

describeDatabase("pipelines on a server", false, (databases) => {
  const anvil = useAnvil();
  let database: Database;
  let server: TestPlatform;
  let token: Contract;

  beforeAll(async () => {
    token = await deployToken(anvil(), { name: "T", symbol: "T", decimals: 18, supply: 10n ** 30n });
    for (const amount of [5, 500]) await anvil().send(token, "transfer", [anvil().account(2), amount]);
    database = await databases.fresh();
    server = await startPipelineServer(database, { nodes: { anvil: anvil().url } });
  });
  afterAll(() => server.close());

  const definition = (name: string, sink = "{ type: blackhole, from: large }"): string => `
name: ${name}
sources:
  transfers: { type: dataset, dataset_name: anvil.erc20_transfers, start_at: earliest }
transforms:
  large: { sql: "SELECT id, amount FROM transfers WHERE amount > 100", primary_key: id }
sinks:
  stored: ${sink}
`;
  const apply = (name: string, text = definition(name), rest: object = {}) =>
    server.ask(`/pipelines/${name}/definition`, { method: "PUT", body: { text, ...rest } });
  const info = async (name: string) => (await server.ask(`/pipelines/${name}/info`)).json.data;
  const settled = (name: string, expected: object) =>
    untilHolds(async () => expect(await info(name)).toMatchObject(expected));

  /** The id of the process that runs a pipeline, which has its name as an argument. */
  const processOf = (name: string): number => {
    const found = readdirSync("/proc").filter((id) => {
      const words = /^\d+$/.test(id) ? wordsOf(id) : [];
      return (
        words.some((word) => word.includes("pipeline-worker")) &&
        words.some((word) => word.endsWith(`/${name}`))
      );
    });
    expect(found).toHaveLength(1);
    return Number(found[0]);
  };

  it("pipelines are not applied if a subquery reads a file, and the error names its place", async () => {
    for (const job of [false, true]) {
      const text = definition("reads-files")
        .replace("amount > 100", "id IN (SELECT content FROM read_text('/etc/passwd'))")
        .replace("start_at: earliest", "start_at: earliest, end_block: 1")
        .replace("sources:", `job: ${job}\nsources:`);
      const { status, json } = await apply("reads-files", text);
      const forbidden = { code: "sql-forbidden", line: 7, message: expect.stringMatching(/^read_text/) };
      const errors = expect.arrayContaining([expect.objectContaining(forbidden)]);
      expect([job, status, json.errors]).toEqual([job, 400, errors]);
    }
  });

  it("pipelines run until they are paused, and continue", async () => {
    const made = await apply("first");
    expect([made.status, made.json.data?.change]).toEqual([200, "created"]);
    await settled("first", {
      version: 1,
      desired_status: "ACTIVE",
      runtime_status: "RUNNING",
      request: null,
      sinks: { stored: { rows: 2, parked: 0, rows_per_second: expect.any(Number), lag: { transfers: 0 } } },
    });
    await untilHolds(async () =>
      expect(
        (await info("first")).nodes.map(({ name, rows }: Record<string, unknown>) => [name, rows]),
      ).toEqual([
        ["transfers", 3],
        ["large", 2],
        ["stored", undefined],
      ]),
    );
    await untilHolds(async () => {
      const [seen] = await readPipelines(database);
      expect([seen?.starts, (seen?.memory ?? 0) > 20_000_000]).toEqual([1, true]);
    });
    const again = await apply("first");
    expect(again.json.data.change).toBe("unchanged");
    const paused = await server.ask("/pipelines/first/pause", { method: "PUT" });
    expect(paused.status).toBe(200);
    expect(await info("first")).toMatchObject({ desired_status: "PAUSED", runtime_status: "TERMINATED" });
    expect((await server.ask("/pipelines/first")).json).toMatchObject({ name: "first", status: "PAUSED" });
    expect((await readPipelines(database))[0]?.memory).toBeNull();
    await server.ask("/pipelines/first/resume", { method: "PUT" });
    await settled("first", { desired_status: "ACTIVE", runtime_status: "RUNNING" });
    expect((await readPipelines(database))[0]?.starts).toBe(2);
    expect((await server.ask("/pipelines/first", { method: "DELETE" })).status).toBe(200);
    expect((await server.ask("/pipelines/first")).status).toBe(404);
  });

  it("pipelines take only definitions without mistakes, and name each with its place", async () => {
    const text = definition("wrong", "{ type: postgres, from: larger, table: t, secret_name: NOWHERE }");
    const refused = await apply("wrong", text);
    expect(refused.status).toBe(400);
    expect(refused.json.errors).toEqual([
      expect.objectContaining({ code: "unknown-node", line: 8, field: "sinks.stored.from" }),
      expect.objectContaining({ code: "unknown-secret", line: 8, field: "sinks.stored.secret_name" }),
    ]);
    expect((await server.ask("/pipelines/wrong")).status).toBe(404);
  });

  it("pipelines report when and why they end", async () => {
    await server.ask("/secrets", {
      method: "POST",
      body: {
        name: "AWAY",
        value: {
          type: "jdbc",
          protocol: "postgres",
          host: "127.0.0.1",
          port: 1,
          databaseName: "x",
          user: "u",
          password: "p",
        },
      },
    });
    await apply(
      "failing",
      definition("failing", "{ type: postgres, from: large, table: t, secret_name: AWAY }"),
    );
    await settled("failing", { runtime_status: "FAILING", sinks: { stored: { state: "stalled" } } });
    const { why } = (await info("failing")).sinks.stored;
    expect(why).toMatch(/127\.0\.0\.1|refused|connect/i);
    const used = await server.ask("/secrets/AWAY", { method: "DELETE" });
    expect([used.status, used.json.detail]).toEqual([422, expect.stringContaining('the pipeline "failing"')]);
    const logs = await server.ask("/pipelines/failing/logs?logLevels=error");
    expect(logs.json.data.results[0].text).toMatch(/^Sink stored is stalled/);
    for (const wrong of ["cursor=-1", "after=-1", "cursor=1e300", "logLevels=loud"]) {
      const refused = await server.ask(`/pipelines/failing/logs?${wrong}`);
      expect([refused.status, refused.json.errors[0].field], wrong).toEqual([400, wrong.split("=")[0]]);
    }
    expect((await server.ask("/pipelines/failing/logs/error-count")).json.data.error_count).toBeGreaterThan(
      0,
    );
    await server.ask("/pipelines/failing", { method: "DELETE" });
    expect((await server.ask("/secrets/AWAY", { method: "DELETE" })).status).toBe(204);
  });

  it.runIf(existsSync("/proc/self"))(
    "pipelines start again after a pause when their process was killed",
    async () => {
      await apply("killed");
      await settled("killed", { runtime_status: "RUNNING", sinks: { stored: { rows: 2 } } });
      process.kill(processOf("killed"), "SIGKILL");
      await settled("killed", {
        runtime_status: "FAILING",
        error: expect.stringMatching(
          /^Its process was killed, .* It is started again at \d\d:\d\d:\d\d UTC$/,
        ),
      });
      await settled("killed", { runtime_status: "RUNNING", error: null, sinks: { stored: { rows: 2 } } });
      process.kill(processOf("killed"), "SIGKILL");
      await settled("killed", { runtime_status: "FAILING" });
      // A user who has mended the reason need not wait.
      expect((await server.ask("/pipelines/killed/resume", { method: "PUT" })).status).toBe(200);
      await settled("killed", { runtime_status: "RUNNING", error: null });
      await server.ask("/pipelines/killed", { method: "DELETE" });
    },
  );

  it("pipelines complete if they are jobs, and cannot be paused then", async () => {
    const last = await anvil().blockNumber();
    const job = definition("once").replace("start_at: earliest", `start_at: earliest, end_block: ${last}`);
    await apply("once", `job: true${job}`);
    await settled("once", { runtime_status: "COMPLETED", job: true, sinks: { stored: { rows: 2 } } });
    expect((await server.ask("/pipelines/once")).json.status).toBe("SUCCEEDED");
    expect((await server.ask("/pipelines/once/pause", { method: "PUT" })).status).toBe(422);
  });

  it("pipelines end if they use more memory than their size allows, without an effect on others", async () => {
    await apply("modest");
    await settled("modest", { runtime_status: "RUNNING", sinks: { stored: { rows: 2 } } });
    // DuckDB counts no lists, so its own limit does not end this.
    const list = "SELECT id, len(range(140000000 + CAST(block_number AS BIGINT))) AS items";
    const text = definition("hungry").replace("SELECT id, amount", list);
    expect((await apply("hungry", `resource_size: xs${text}`)).json.errors).toBeUndefined();
    await settled("hungry", {
      runtime_status: "TERMINATED",
      error: "It used more than 1024 MB of memory and was stopped. Give it a larger resource_size",
    });
    await anvil().send(token, "transfer", [anvil().account(2), 700]);
    await settled("modest", { runtime_status: "RUNNING", sinks: { stored: { rows: 3 } } });
    for (const name of ["hungry", "modest"]) await server.ask(`/pipelines/${name}`, { method: "DELETE" });
  });

  it("pipelines are refused when their check uses too much memory", async () => {
    // DuckDB computes a constant when it prepares the query.
    const refused = await apply(
      "vast",
      definition("vast").replace("SELECT id", "SELECT id, len(range(280000000)) AS items"),
    );
    expect([refused.status, refused.json.detail]).toEqual([
      422,
      "The definition could not be checked. It used more than 2048 MB of memory and was stopped. Make its queries need less.",
    ]);
  });

  it("pipelines are taken over at once from a server whose process has ended, but not from a running one", async () => {
    const child = spawn("sleep", ["60"]);
    await once(child, "spawn");
    const other = processName(child.pid) ?? null;
    const hold = (name: string): Promise<unknown> =>
      database.query(
        SQL`update graphloom.pipelines set holder = gen_random_uuid(), held_until = now() + interval '1 hour',
          holder_process = $2::text where name = $1::text`,
        [name, other],
      );
    await apply("inherited", definition("inherited"), { status: "INACTIVE" });
    await settled("inherited", { runtime_status: "TERMINATED" });
    await hold("inherited");
    await server.ask("/pipelines/inherited/resume", { method: "PUT" });
    await apply("witness");
    await settled("witness", { runtime_status: "RUNNING" });
    expect(await info("inherited")).toMatchObject({ desired_status: "ACTIVE", runtime_status: "TERMINATED" });
    child.kill("SIGKILL");
    await once(child, "exit");
    // Any change makes servers look at all pipelines.
    await server.ask("/pipelines/witness", { method: "DELETE" });
    await settled("inherited", { runtime_status: "RUNNING" });
    await server.ask("/pipelines/inherited", { method: "DELETE" });
  });

  it("pipelines belong only to their project", async () => {
    await apply("own");
    const key = await server.addKey("Owner", "project_other");
    for (const path of ["", "/info", "/versions", "/logs", "/status", "/state"])
      expect((await server.ask(`/pipelines/own${path}`, { key })).status).toBe(404);
    expect((await server.ask("/pipelines", { key })).json.data).toEqual([]);
    const rows = await database.query(SQL`select project from graphloom.pipelines where name = 'own'`);
    expect(rows).toEqual([{ project: server.project }]);
  });

  describe("in trouble", () => {
    let door: Away;
    let target: Database;
    let healthyRows: number;

    beforeAll(async () => {
      door = await openDoor(`${inject("postgresFolder")}/.s.PGSQL.5432`);
      const address = await serverDatabase();
      target = await openDatabase(address, world);
      await target.run(SQL`create table large (id text primary key, amount numeric);
        create function refuse() returns trigger language plpgsql as
          $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
        create trigger full_disk before insert on large execute function refuse()`);
      const secret = (name: string, user: string) => {
        const [, databaseName] = /\/([^/?]+)\?/.exec(address) ?? [];
        const place = {
          type: "jdbc",
          protocol: "postgres",
          host: "127.0.0.1",
          port: door.port,
          databaseName,
        };
        const body = { name, value: { ...place, user, password: "p" } };
        return server.ask("/secrets", { method: "POST", body });
      };
      await Promise.all([secret("FULL", "postgres"), secret("WRONG", "nobody_here")]);
      const stored = (name: string): string =>
        `{ type: postgres, from: large, table: large, secret_name: ${name} }`;
      const sql = /sql: ".*?"/;
      const texts = {
        healthy: definition("healthy"),
        full: definition("full", stored("FULL")),
        "wrong-login": definition("wrong-login", stored("WRONG")),
        loops: definition("loops").replace(
          /large: .*/,
          'large: { type: script, from: transfers, primary_key: id, schema: { id: string }, script: "function invoke(data) { while (true); }" }',
        ),
        floods: definition("floods", "{ type: print, from: large }")
          .replace(sql, 'sql: "SELECT id, n FROM transfers, range(20000) AS r (n)"')
          .replace("primary_key: id", 'primary_key: "id, n"'),
      };
      const made = await Promise.all(Object.entries(texts).map(([name, text]) => apply(name, text)));
      expect(made.map(({ status, json }) => [status, json.errors])).toEqual(made.map(() => [200, undefined]));
      await settled("healthy", { sinks: { stored: { state: "idle" } } });
      healthyRows = (await info("healthy")).sinks.stored.rows;
    });
    afterAll(async () => {
      await target.close();
      await door.stop();
    });

    it.skipIf(postgresMissing !== undefined)("wait for a sink whose disk is full, and continue", async () => {
      const why = expect.stringContaining("No space left on device");
      await settled("full", { runtime_status: "FAILING", sinks: { stored: { state: "stalled", why } } });
      await target.run(SQL`drop trigger full_disk on large`);
      await settled("full", { runtime_status: "RUNNING", sinks: { stored: { rows: healthyRows } } });
      const [held] = await target.query(SQL`select count(*) as rows from large`);
      expect(held?.rows).toBe(String(healthyRows));
    });

    it.skipIf(postgresMissing !== undefined)("end when a sink refuses their login, and say so", async () => {
      const error = expect.stringContaining('role "nobody_here" does not exist');
      await settled("wrong-login", { runtime_status: "TERMINATED", error });
    });

    it("end when their script runs for too long, and say so", async () => {
      const error = expect.stringContaining("it takes longer than 1 s");
      await settled("loops", { runtime_status: "TERMINATED", error });
    });

    it("continue when they print more than their log keeps, and the log says so", async () => {
      await settled("floods", { runtime_status: "RUNNING", sinks: { stored: { state: "idle" } } });
      const { results } = (await server.ask("/pipelines/floods/logs?logLevels=warn")).json.data;
      expect(results[0]?.text).toMatch(/lines .* dropped, because too many came at once/);
    });

    it("do not affect other pipelines", async () => {
      await anvil().send(token, "transfer", [anvil().account(2), 500n]);
      await settled("healthy", { runtime_status: "RUNNING", sinks: { stored: { rows: healthyRows + 1 } } });
    });
  });
});

/** The command line of a process, which may have ended meanwhile. */
function wordsOf(id: string): readonly string[] {
  try {
    return readFileSync(`/proc/${id}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}
