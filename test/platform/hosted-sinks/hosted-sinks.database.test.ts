import { chmodSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { pipelinesOn } from "../../../src/pipelines/host/create-pipeline-engine.js";
import { findPlaces } from "../../../src/platform/hosted-sinks/find-places.js";
import { type HostedCluster, openHostedCluster } from "../../../src/platform/hosted-sinks/hosted-cluster.js";
import { hostedSinksPart } from "../../../src/platform/management/hosted-sinks/hosted-sinks-part.js";
import { pipelinesPart } from "../../../src/platform/management/pipelines/pipelines-part.js";
import { secretsPart } from "../../../src/platform/management/secrets/secrets-part.js";
import { setSecretUses } from "../../../src/platform/secrets/secrets.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { quoteName } from "../../../src/store/database/quote.js";
import { openDatabase } from "../../../src/store/open.js";
import { graphloom, workplace } from "../../cli/harness.js";
import { useAnvil } from "../../support/chain/anvil.js";
import { deployToken } from "../../support/chain/erc20.js";
import { onPostgres, world } from "../../support/database/databases.js";
import {
  type PostgresServer,
  postgresMissing,
  startPostgres,
} from "../../support/database/postgres-server.js";
import { useFolder } from "../../support/folder.js";
import { startPlatform, type TestPlatform } from "../../support/server/platform-server.js";
import { untilHolds } from "../../support/until.js";

describe.skipIf(postgresMissing !== undefined)("hosted sinks", () => {
  const anvil = useAnvil();
  const folder = useFolder();
  let postgres: PostgresServer;
  /** As the operator. */
  let operator: Database;
  let cluster: HostedCluster;
  const said: string[] = [];
  /** The server's own, in another cluster. */
  let database: Database;
  const databases = onPostgres();
  let server: TestPlatform;
  let port: number;

  beforeAll(async () => {
    port = await freePort();
    // The server may run as another user.
    chmodSync(folder, 0o755);
    const rules = join(folder, "pg_hba.conf");
    writeFileSync(rules, "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n");
    postgres = await startPostgres({
      listen_addresses: "127.0.0.1",
      port: String(port),
      hba_file: rules,
    });
    operator = await openDatabase(`${postgres.address("postgres")}&port=${port}`, world);
    await operator.run(SQL`create role weaver login password 'woven'`);
    await operator.run(SQL`create database weaver owner weaver`);
    database = await databases.fresh();
    const own = { own: database, mayShare: false };
    cluster = await openHostedCluster(addressOf("weaver", "woven", "weaver"), own, world);
    server = await startPlatform(database, {
      parts: [
        secretsPart,
        hostedSinksPart(cluster, { pause: 200, say: (_, text) => said.push(text) }),
        pipelinesPart(pipelinesOn({ verify: "bloom" })),
      ],
      nodes: new Map([["anvil", [anvil().url]]]),
      quotas: { hostedSinks: 3, hostedSinkMegabytes: 16 },
    });
  });
  afterAll(async () => {
    await server?.close();
    await cluster?.database.close();
    await operator?.close();
    await postgres?.stop();
  });

  const addressOf = (user: string, password: string, name: string): string =>
    `postgres://${user}:${password}@127.0.0.1:${port}/${name}`;
  const run = (line: string) =>
    graphloom(workplace(), line, {
      env: { GRAPHLOOM_API_URL: server.url, GRAPHLOOM_TOKEN: server.token },
    });
  const reveal = async (name: string) => (await server.ask(`/secrets/${name}/value`)).json.data.value;
  const namesOf = async (what: "databases" | "roles") =>
    what === "databases"
      ? operator.query(SQL`select datname as name from pg_database where datname like 'graphloom_sink_%'`)
      : operator.query(SQL`select rolname as name from pg_roles where rolname like 'graphloom_sink_%'`);

  it("need rights, which the log and the refusal name", async () => {
    expect(said).toEqual([
      expect.stringContaining(
        'revoke connect, temporary on database "postgres", "template1", "weaver" from public;',
      ),
      expect.stringContaining('grant set on parameter temp_file_limit to "weaver";'),
    ]);
    const { code, err } = await run("hosted-sink create --type postgres");
    const statements = [
      'alter role "weaver" createrole createdb;',
      'revoke connect, temporary on database "weaver" from public;',
      'grant connect on database "weaver" to "weaver";',
    ];
    expect([code, err]).toEqual([3, expect.stringContaining(statements.join(" "))]);
    for (const statement of statements) await operator.run(statement as never);
  });

  it("are databases whose credentials are a secret, and are never shown", async () => {
    const made = await run("hosted-sink create --type postgres --description swaps");
    expect([made.code, made.err]).toEqual([0, ""]);
    const [, name = ""] =
      /^Name {2}(HOSTED_POSTGRES_[A-Z]{8})\nId {4}\1\nType {2}jdbc$/m.exec(made.out) ?? [];
    const { user, password, databaseName, ...rest } = await reveal(name);
    expect(rest).toEqual({ type: "jdbc", protocol: "postgres", host: "127.0.0.1", port });
    expect(made.out).not.toContain(password);
    const client = await connected(addressOf(user, password, databaseName));
    await client.query("create table swaps (id text primary key); insert into swaps values ('a')");
    expect((await client.query("select id from swaps")).rows).toEqual([{ id: "a" }]);
    await expect(connected(addressOf(user, "wrong", databaseName))).rejects.toThrow("password");
    const acts = await database.query(
      SQL`select action, subject from graphloom.audit where subject = $1::text order by id`,
      [name],
    );
    expect(acts[0]).toEqual({ action: "hosted-sink.create", subject: name });
  });

  it("see neither the server's tables nor each other", async () => {
    const sinks = [];
    for (const name of ["ONE", "TWO"]) {
      await run(`hosted-sink create --type postgres --name ${name}`);
      sinks.push(await reveal(name));
    }
    const [one, two] = sinks;
    for (const name of ["weaver", two.databaseName])
      await expect(connected(addressOf(one.user, one.password, name))).rejects.toThrow("permission denied");
    const client = await connected(addressOf(one.user, one.password, one.databaseName));
    await expect(client.query("create role more")).rejects.toThrow("permission denied");
    await expect(client.query("create database more")).rejects.toThrow("permission denied");
  });

  it("are limited in number, and a refusal leaves nothing behind", async () => {
    const { code, err } = await run("hosted-sink create --type postgres --name FOUR");
    expect([code, err]).toEqual([3, expect.stringContaining("at most 3 hosted sinks")]);
    expect(err).toContain("GRAPHLOOM_MOST_HOSTED_SINKS");
    expect([(await namesOf("databases")).length, (await namesOf("roles")).length]).toEqual([3, 3]);
  });

  it("accept the rows of a pipeline until they are too large, and again once they are not", async () => {
    const token = await deployToken(anvil(), { name: "T", symbol: "T", decimals: 18, supply: 10n ** 30n });
    const transfer = () => anvil().send(token, "transfer", [anvil().account(2), 500]);
    await transfer();
    const text = `
name: moved
sources: { transfers: { type: dataset, dataset_name: anvil.erc20_transfers, start_at: earliest } }
sinks: { stored: { type: postgres, from: transfers, table: moved, secret_name: TWO } }
`;
    const applied = await server.ask("/pipelines/moved/definition", { method: "PUT", body: { text } });
    expect(applied.status).toBe(200);
    const { user, password, databaseName } = await reveal("TWO");
    const address = addressOf(user, password, databaseName);
    const owner = await connected(address);
    const rows = async () =>
      (await owner.query("select count(*)::int as n from moved").catch(() => undefined))?.rows[0].n;
    await untilHolds(async () => expect(await rows()).toBe(2));

    await fill(address, 12_000);
    await untilHolds(async () => {
      const client = await connected(address);
      await expect(client.query("create table more ()")).rejects.toThrow("read-only");
    });
    await transfer();
    const stored = async () => (await server.ask("/pipelines/moved/info")).json.data.sinks.stored;
    await untilHolds(async () =>
      expect(await stored()).toMatchObject({
        state: "stalled",
        why: expect.stringMatching(/read-only transaction\. The database is .* larger than it may be/),
      }),
    );
    const cleaner = await connected(address);
    await cleaner.query("set default_transaction_read_only = off");
    expect((await cleaner.query("select count(*)::int as n from moved")).rows).toEqual([{ n: 2 }]);
    await cleaner.query("drop table filler");
    await untilHolds(async () =>
      expect((await (await connected(address)).query("select count(*)::int as n from moved")).rows).toEqual([
        { n: 3 },
      ]),
    );
    await untilHolds(async () => expect(await stored()).toMatchObject({ state: "idle" }));
  });

  it("accept no connections beyond their limit, and none while they are far too large", async () => {
    expect((await server.ask("/pipelines/moved", { method: "DELETE" })).status).toBe(200);
    const { user, password, databaseName } = await reveal("TWO");
    const address = addressOf(user, password, databaseName);
    // Its owner could change the database from here.
    const outside = await connected(addressOf(user, password, "postgres"));
    outside.on("error", () => undefined);
    const clients = await Promise.all(Array.from({ length: 19 }, () => connected(address)));
    await expect(connected(address)).rejects.toThrow("too many connections");
    await Promise.all(clients.map((client) => client.end()));
    await untilHolds(async () => {
      await fill(address, 12_000).catch(() => undefined);
      await expect(connected(address)).rejects.toThrow("is not permitted to log in");
    });
    await untilHolds(() =>
      expect(outside.query(`alter database ${databaseName} connection limit 20`)).rejects.toThrow(),
    );
    await operator.run(SQL`alter database ${quoteName(databaseName)} connection limit 20`);
    const admin = await connected(addressOf("weaver", "woven", databaseName));
    await admin.query("drop table filler");
    await untilHolds(async () => {
      await (await connected(address)).query("create table if not exists again ()");
    });
  });

  it("are deleted with their rows and their secret, unless something uses it", async () => {
    const { databaseName } = await reveal("ONE");
    const kept = await server.ask("/secrets/ONE", { method: "DELETE" });
    expect([kept.status, kept.json.detail]).toEqual([422, expect.stringContaining('the hosted sink "ONE"')]);
    await database.transaction((sql) => setSecretUses(sql, server.project, "the pipeline x", ["ONE"]));
    const used = await run("hosted-sink delete ONE --force");
    expect([used.code, used.err]).toEqual([3, expect.stringContaining("the pipeline x")]);
    expect(await namesOf("databases")).toContainEqual({ name: databaseName });
    await database.transaction((sql) => setSecretUses(sql, server.project, "the pipeline x", []));
    expect(await run("hosted-sink delete ONE --force")).toMatchObject({
      code: 0,
      out: "Deleted the hosted sink ONE.\n",
    });
    expect((await server.ask("/secrets/ONE/value")).status).toBe(404);
    for (const what of ["databases", "roles"] as const)
      expect(await namesOf(what)).not.toContainEqual({ name: databaseName });
    const acts = await database.query(
      SQL`select action from graphloom.audit where subject = 'ONE' and action like 'hosted-sink%' order by id`,
    );
    expect(acts).toEqual([{ action: "hosted-sink.create" }, { action: "hosted-sink.delete" }]);
    expect((await run("hosted-sink delete ONE --force")).err).toContain('There is no hosted sink "ONE"');
  });

  it("leave nothing behind when they fail in the middle", async () => {
    const before = [await namesOf("databases"), await namesOf("roles")];
    await database.run(
      SQL`alter table graphloom.secrets add constraint full_now check (name <> 'LAST') not valid`,
    );
    const failed = await server.ask("/hosted-sinks", {
      method: "POST",
      body: { type: "postgres", name: "LAST" },
    });
    expect(failed.status).toBe(503);
    expect([await namesOf("databases"), await namesOf("roles")]).toEqual(before);
    await database.run(SQL`alter table graphloom.secrets drop constraint full_now`);
    expect((await run("hosted-sink create --type postgres --name LAST")).code).toBe(0);
  });

  it("keep their name after an interruption until they are deleted", async () => {
    await run("hosted-sink delete LAST --force");
    await database.query(
      SQL`insert into graphloom.hosted_sinks (project, name, database) values ($1::text, 'CUT', 'graphloom_sink_cut')`,
      [server.project],
    );
    await operator.run(SQL`create database graphloom_sink_cut owner weaver`);
    const taken = await run("hosted-sink create --type postgres --name CUT");
    expect([taken.code, taken.err]).toEqual([3, expect.stringContaining("graphloom hosted-sink delete CUT")]);
    expect((await run("hosted-sink delete CUT --force")).code).toBe(0);
    expect(await namesOf("databases")).not.toContainEqual({ name: "graphloom_sink_cut" });
    expect((await run("hosted-sink create --type postgres --name CUT")).code).toBe(0);
  });

  describe("the cluster of the server's own database", () => {
    const own = () => openDatabase(addressOf("weaver", "woven", "weaver"), world);
    const allowIdentifier = async (isAllowed: boolean): Promise<void> => {
      const admin = await openDatabase(`${postgres.address("weaver")}&port=${port}`, world);
      const change = isAllowed ? SQL`grant` : SQL`revoke`;
      await admin.run(
        SQL`${change} execute on function pg_control_system() ${isAllowed ? SQL`to` : SQL`from`} public`,
      );
      await admin.close();
    };

    it.each([
      ["127.0.0.1", true],
      ["localhost", true],
      ["localhost", false],
    ])("is recognised at any address: %s, may read its identifier: %s", async (host, isAllowed) => {
      await allowIdentifier(isAllowed);
      const address = addressOf("weaver", "woven", "weaver").replace("127.0.0.1", host);
      const mine = await own();
      await expect(openHostedCluster(address, { own: mine, mayShare: false }, world)).rejects.toMatchObject({
        message: expect.stringContaining("is the PostgreSQL cluster of the server's own database"),
        hint: expect.stringContaining("--hosted-sinks-share-cluster"),
      });
      const shared = await openHostedCluster(address, { own: mine, mayShare: true }, world);
      const other = await openHostedCluster(address, { own: database, mayShare: false }, world);
      expect([shared.isShared, other.isShared]).toEqual([true, false]);
      for (const one of [shared.database, other.database, mine]) await one.close();
      await allowIdentifier(true);
    });

    it("must not hold hosted databases, unless the operator accepts it", async () => {
      const kept = { database, secretKey: new Uint8Array(32).fill(7) };
      await expect(findPlaces(kept, undefined)).rejects.toMatchObject({
        message: expect.stringMatching(
          /has hosted sinks \(\d databases\), but --hosted-sinks does not say where/,
        ),
        hint: expect.stringContaining("--hosted-sinks-share-cluster"),
      });
      const [{ name = "" } = {}] = await namesOf("roles");
      await database.run(SQL`create role ${quoteName(name ?? "")} login`);
      try {
        await expect(findPlaces(kept, cluster)).rejects.toMatchObject({
          message: expect.stringContaining(name ?? ""),
          hint: expect.stringContaining(`alter role ${name} nologin`),
        });
        await findPlaces(kept, { ...cluster, isShared: true });
        await database.run(SQL`alter role ${quoteName(name ?? "")} nologin`);
        expect(await findPlaces(kept, cluster)).toEqual([]);
      } finally {
        await database.run(SQL`drop role ${quoteName(name ?? "")}`);
      }
    });
  });

  it("get their new address in their secrets after a move, and the others are named", async () => {
    const { password, ...before } = await reveal("CUT");
    const moved = { ...cluster, server: { host: "moved.example", port: 5433 } };
    const kept = { database, secretKey: new Uint8Array(32).fill(7) };
    expect(await findPlaces(kept, moved)).toEqual([]);
    expect(await reveal("CUT")).toEqual({ ...before, password, host: "moved.example", port: 5433 });
    const tls = { sslmode: "verify-full", sslrootcert: "system" };
    const encrypted = { ...cluster, server: { ...cluster.server, tls } };
    expect(await findPlaces(kept, encrypted)).toEqual([]);
    expect(await reveal("CUT")).toEqual({ ...before, ...tls, password });
    expect(await findPlaces(kept, cluster)).toEqual([]);
    expect(await reveal("CUT")).toEqual({ ...before, ...tls, password });
    await operator.run(SQL`drop database ${quoteName(before.databaseName)} with (force)`);
    expect(await findPlaces(kept, moved)).toEqual([`${before.databaseName} (CUT)`]);
    expect((await run("hosted-sink delete CUT --force")).code).toBe(0);
  });
});

async function connected(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  client.on("error", () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Adds about a kilobyte for each row. The connection may end meanwhile, but the space stays taken. */
async function fill(connectionString: string, rows: number): Promise<void> {
  const client = await connected(connectionString);
  await client.query("set default_transaction_read_only = off");
  await client.query("create table if not exists filler (x text)");
  await client
    .query(`insert into filler select repeat(md5(i::text), 30) from generate_series(1, ${rows}) i`)
    .catch(() => undefined);
  await client.end();
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
