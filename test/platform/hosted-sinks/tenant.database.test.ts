import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findClusterFaults } from "../../../src/platform/hosted-sinks/cluster-faults.js";
import type { HostedCluster } from "../../../src/platform/hosted-sinks/hosted-cluster.js";
import {
  createHostedDatabase,
  endLongTransactions,
  sizeOfDatabase,
} from "../../../src/platform/hosted-sinks/hosted-database.js";
import { addHostedSink, finishHostedSink } from "../../../src/platform/hosted-sinks/hosted-sink-rows.js";
import { limitSinks } from "../../../src/platform/hosted-sinks/limit-sinks.js";
import { secureSink } from "../../../src/platform/hosted-sinks/secure-sink.js";
import { createProject } from "../../../src/platform/people/projects.js";
import { type Database, SQL, uncheckedSql } from "../../../src/store/database/database.js";
import { openAdministration } from "../../../src/store/open.js";
import { onPostgres, world } from "../../support/database/databases.js";
import {
  type PostgresServer,
  postgresMissing,
  startPostgres,
} from "../../support/database/postgres-server.js";
import { until } from "../../support/until.js";

const megabyte = 1_048_576;
const plenty = 1_000 * megabyte;

describe.skipIf(postgresMissing !== undefined)("the tenant of a hosted sink", () => {
  const databases = onPostgres();
  let postgres: PostgresServer;
  let operator: Database;
  /** The server's own. */
  let own: Database;
  let cluster: HostedCluster;

  const addressOf = (user: string, name: string): string =>
    postgres.address(name).replace("postgres@", `${user}@`);
  const tenant = async (name: string, database = name): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: addressOf(name, database) });
    client.on("error", () => undefined);
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  };
  const operate = (statement: string): Promise<void> => operator.run(uncheckedSql(statement));
  const look = (most = plenty): Promise<readonly string[]> => limitSinks(own, cluster, most);
  const note = async (name: string): Promise<void> => {
    await addHostedSink(own, { project: "one", name }, name);
    await finishHostedSink(own, { project: "one", name }, name);
  };
  const create = async (name: string): Promise<void> => {
    await createHostedDatabase(cluster.database, name);
    await secureSink(cluster, name, { access: "open", limitsFiles: true, roles: [] });
    await note(name);
  };
  /** All that limits a tenant, as PostgreSQL has it. */
  const limitsOf = async (name: string): Promise<unknown> => {
    const [role] = await operator.query(
      SQL`select rolcanlogin, rolinherit, rolconnlimit, rolcreatedb, rolcreaterole, rolsuper, rolreplication,
          (select string_agg(c, ' ' order by c) from pg_db_role_setting s, unnest(setconfig) c
            where setrole = r.oid) as settings,
          (select string_agg(m.member::regrole::text, ' ') from pg_auth_members m where m.roleid = r.oid) as members
        from pg_roles r where rolname = $1::text`,
      [name],
    );
    const [database] = await operator.query(
      SQL`select datdba::regrole as owner, datconnlimit, datacl, (select string_agg(setconfig::text, ' ')
          from pg_db_role_setting where setrole = 0 and setdatabase = d.oid) as settings
        from pg_database d where datname = $1::text`,
      [name],
    );
    return { role, database };
  };

  beforeAll(async () => {
    own = await databases.fresh();
    await createProject(own, { id: "one", name: "one" });
    postgres = await startPostgres();
    operator = await openAdministration(postgres.address("postgres"), world);
    await operate("create role keeper login createrole createdb");
    const database = await openAdministration(addressOf("keeper", "postgres"), world);
    const open = (name: string) => openAdministration(addressOf("keeper", name), world);
    cluster = { database, server: { host: "sinks", port: 5432 }, isShared: false, open };
  });
  afterAll(async () => {
    await cluster?.database.close();
    await operator?.close();
    await postgres?.stop();
  });

  it("has no access to other databases and limited disk space, once the operator runs the server's commands", async () => {
    const faults = await findClusterFaults(cluster);
    expect(faults.map(({ sentence }) => sentence)).toEqual([
      expect.stringContaining("Tenants can connect to databases that are not theirs"),
      expect.stringContaining("cannot limit the disk space"),
    ]);
    for (const statement of faults.flatMap(({ statements }) => statements)) await operate(statement);
    expect(await findClusterFaults(cluster)).toEqual([]);
    await create("sink_a");
    await create("sink_b");
    for (const name of ["postgres", "template1", "sink_b"])
      await expect(tenant("sink_a", name)).rejects.toThrow("permission denied");
  });

  it("has the rights that its sinks need: schemas, tables and temporary tables", async () => {
    const client = await tenant("sink_a");
    await client.query(`create table swaps (id text primary key); insert into swaps values ('1');
      create schema more; create table more.swaps as select * from swaps; create temporary table t as select 1;
      create function more.f() returns int language sql as 'select 1'; create view v as select * from swaps;
      drop schema more cascade; alter schema public rename to mine; alter schema mine rename to public`);
    expect((await client.query("show temp_file_limit")).rows).toEqual([{ temp_file_limit: "1GB" }]);
  });

  it.each([
    "alter database sink_a owner to sink_a",
    "alter database sink_a connection limit 100",
    "alter database sink_a set default_transaction_read_only = off",
    "alter database sink_a reset all",
    "alter database sink_a rename to other",
    "drop database sink_a",
    "create database other",
    "create role other",
    "alter role sink_a createdb",
    "alter role sink_a connection limit 100",
    "alter role sink_a inherit",
    "alter role sink_a rename to other",
    "alter role sink_a set temp_file_limit = -1",
    "alter role sink_a reset temp_file_limit",
    "set temp_file_limit = -1",
    "alter role sink_b set work_mem = '1MB'",
    "grant connect on database sink_a to sink_b",
    "grant sink_a to sink_b",
    "set role keeper",
    "set session authorization keeper",
    "begin; create table x (); prepare transaction 'x'",
    "alter system set work_mem = '1GB'",
    "begin; lock table pg_catalog.pg_authid",
    "create tablespace t location '/tmp'",
    "create publication p for all tables",
    "select pg_create_physical_replication_slot('s')",
    "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'keeper'",
  ])("cannot run: %s", async (statement) => {
    const before = await limitsOf("sink_a");
    const client = await tenant("sink_a");
    // PostgreSQL warns of a grant that it does not make.
    const warned: unknown[] = [];
    client.on("notice", ({ message }) => warned.push(message));
    const failed = await client.query(statement).then(
      () => warned[0],
      (error: Error) => error.message,
    );
    expect(failed).toMatch(/permission denied|must (?:be|have)|no privileges|not allowed|disabled|cannot/);
    expect(await limitsOf("sink_a")).toEqual(before);
  });

  it.each([
    "alter role sink_a set default_transaction_read_only = off",
    "alter role sink_a in database sink_a set default_transaction_read_only = off",
    "alter role sink_a reset default_transaction_read_only",
    "alter role sink_a set idle_in_transaction_session_timeout = 0",
    "alter role sink_a in database sink_a set idle_in_transaction_session_timeout = 0",
    "alter role sink_a in database postgres set statement_timeout = 0",
    "alter role sink_a set statement_timeout = 0",
    "alter role sink_a reset all",
  ])("bypasses a limit only until the next check: %s", async (statement) => {
    const size = (await sizeOfDatabase(cluster.database, "sink_a")) ?? 0;
    for (const most of [plenty, size / 1.5]) {
      await look(most);
      const before = await limitsOf("sink_a");
      const client = await tenant("sink_a");
      await client.query("set default_transaction_read_only = off");
      await client.query(statement);
      expect(await look(most)).toEqual([]);
      expect(await limitsOf("sink_a")).toEqual(before);
    }
    await look();
  });

  it("keeps settings of its own that do not lift a limit", async () => {
    await (await tenant("sink_a")).query("alter role sink_a set search_path = mine");
    await look();
    expect(JSON.stringify(await limitsOf("sink_a"))).toContain("search_path=mine");
    await (await tenant("sink_a")).query("alter role sink_a reset search_path");
  });

  it.each([
    ["a table", "create table big as select repeat(md5(i::text), 30) from generate_series(1, 3000) i"],
    [
      "an unlogged table",
      "create unlogged table big as select repeat(md5(i::text), 30) from generate_series(1, 3000) i",
    ],
    [
      "a temporary table",
      "create temporary table big as select repeat(md5(i::text), 30) from generate_series(1, 3000) i",
    ],
    [
      "a materialized view",
      "create materialized view big as select repeat(md5(i::text), 30) from generate_series(1, 3000) i",
    ],
    [
      "a large object",
      "select lo_from_bytea(0, string_agg(decode(md5(i::text), 'hex'), '')) from generate_series(1, 200000) i",
    ],
    [
      "a table in a schema of its own",
      "create schema s; create table s.big as select repeat(md5(i::text), 30) from generate_series(1, 3000) i",
    ],
  ])("cannot store %s outside of the size of its database", async (_, statement) => {
    const before = (await sizeOfDatabase(cluster.database, "sink_b")) ?? 0;
    const client = await tenant("sink_b");
    await client.query(statement);
    expect(((await sizeOfDatabase(cluster.database, "sink_b")) ?? 0) - before).toBeGreaterThan(2 * megabyte);
    await client.query(
      "drop schema public cascade; create schema public; select lo_unlink(oid) from pg_largeobject_metadata",
    );
    await look();
  });

  it("loses its connections when its database is far too large, with any contents", async () => {
    const inside = await tenant("sink_a");
    await inside.query("listen x; select pg_advisory_lock(1)");
    // An open transaction locks the row of the role, which the look has to change.
    const locking = await tenant("sink_a");
    await locking.query("begin; alter role sink_a set default_transaction_read_only = off");
    await locking.query("alter role sink_a password 'mine'; declare c cursor with hold for select 1");
    expect(await look(1)).toEqual([]);
    for (const client of [inside, locking]) await expect(client.query("select 1")).rejects.toThrow();
    await expect(tenant("sink_a")).rejects.toThrow("is not permitted to log in");
    await look();
    await (await tenant("sink_a")).query("select 1");
  });

  it("cannot use the database of another tenant that gave its role away, as PostgreSQL 14 allows", async () => {
    const before = await limitsOf("sink_a");
    await operate("grant sink_a to sink_b with admin option");
    await expect(tenant("sink_b", "sink_a")).rejects.toThrow("permission denied");
    await look();
    expect(await limitsOf("sink_a")).toEqual(before);
  });

  it("loses connections whose transactions are idle or open for too long, even if it has raised its timeouts", async () => {
    const client = await tenant("sink_a");
    await client.query("set idle_in_transaction_session_timeout = 0; begin; select 1");
    await endLongTransactions(cluster.database, ["sink_a"], { idle: 600_000, open: 600_000 });
    await client.query("select 1");
    await endLongTransactions(cluster.database, ["sink_a"], { idle: 0, open: 600_000 });
    await expect(client.query("select 1")).rejects.toThrow();
    const busy = await tenant("sink_a");
    const slept = busy
      .query("set statement_timeout = 0; begin; select pg_sleep(600)")
      .catch((error) => error);
    const isBusy = async (): Promise<boolean> =>
      (await operator.query(SQL`select 1 from pg_stat_activity where wait_event = 'PgSleep'`)).length > 0;
    await until(isBusy);
    await endLongTransactions(cluster.database, ["sink_a"], { idle: 600_000, open: 0 });
    expect(await slept).toBeInstanceOf(Error);
  });

  it("no longer owns its database after the next check, if it did before, and keeps its tables", async () => {
    await operate("create role sink_old login; create role sink_older login connection limit 3");
    await operate("grant sink_old, sink_older to keeper");
    for (const name of ["sink_old", "sink_older"]) {
      await operate(`create database ${name} owner ${name} connection limit 20`);
      await operate(`revoke all on database ${name} from public`);
      const client = await tenant(name);
      await client.query(`create table swaps (id text); insert into swaps values ('1');
        create function public.lower(name) returns text language sql as 'select 1/0';
        alter database ${name} set default_transaction_read_only = on; alter database ${name} set role = ${name};
        alter database ${name} set search_path = public; alter database ${name} set statement_timeout = 1`);
      await client.end();
      await note(name);
    }
    await operate("revoke execute on function pg_database_size(oid) from public");
    const failure = "cannot be limited: permission denied for function pg_database_size";
    expect(await look()).toContain(`The hosted database sink_old ${failure}`);
    await operate("grant execute on function pg_database_size(oid) to public");
    expect(await look()).toEqual([]);
    for (const name of ["sink_old", "sink_older"]) {
      expect(await limitsOf(name)).toMatchObject({
        role: { rolcanlogin: "t", rolinherit: "f", rolconnlimit: "20", members: "keeper" },
        database: { owner: "keeper", datconnlimit: "-1", settings: null },
      });
      const client = await tenant(name);
      await client.query("insert into swaps values ('2'); create table more (); create schema s");
      expect((await client.query("select count(*)::int as n from swaps")).rows).toEqual([{ n: 2 }]);
      await expect(client.query(`alter database ${name} set work_mem = '1MB'`)).rejects.toThrow(
        "must be owner",
      );
    }
  });
});
