import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { addSnapshot, listSnapshots } from "../../../src/platform/pipelines/snapshot-rows.js";
import { addVersion } from "../../../src/platform/subgraphs/versions.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { openDatabase } from "../../../src/store/open.js";
import { bigInt, set } from "../../runtime/store/values.js";
import { type Contract, useAnvil } from "../../support/chain/anvil.js";
import { deployToken } from "../../support/chain/erc20.js";
import { onPostgres, serverDatabase, world } from "../../support/database/databases.js";
import { postgresMissing } from "../../support/database/postgres-server.js";
import { indexedSubgraph } from "../../support/pipelines/indexed-subgraph.js";
import { startPipelineServer } from "../../support/server/pipeline-server.js";
import type { TestPlatform } from "../../support/server/platform-server.js";
import { untilHolds } from "../../support/until.js";

describe.skipIf(postgresMissing !== undefined)("snapshots of pipelines", () => {
  const anvil = useAnvil();
  const databases = onPostgres();
  const closing: (() => unknown)[] = [];
  /** Rows that the webhook got, with their operations. */
  const received: { readonly id: string; readonly operation: string }[] = [];
  /** Whether the webhook answers nothing. */
  let holds = false;
  let database: Database;
  let users: Database;
  let server: TestPlatform;
  let token: Contract;
  let hook: string;

  beforeAll(async () => {
    token = await deployToken(anvil(), { name: "T", symbol: "T", decimals: 18, supply: 10n ** 30n });
    await transfer(2);
    database = await databases.fresh();
    const address = await serverDatabase();
    users = await openDatabase(address, world);
    const socket = `${inject("postgresFolder")}/.s.PGSQL.5432`;
    const relay = createServer((client) => {
      const upstream = connect(socket);
      client.pipe(upstream).pipe(client);
      for (const end of [client, upstream])
        end.on("error", () => [client, upstream].map((one) => one.destroy()));
    });
    const receiver = createHttpServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        const body = JSON.parse(Buffer.concat(parts).toString());
        if (holds) return;
        for (const { op: operation, row } of body) received.push({ id: row.id, operation });
        response.end();
      });
    });
    await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    server = await startPipelineServer(database, {
      nodes: { anvil: anvil().url },
      times: { snapshotLook: 100 },
      // A process that waits for a receiver has three seconds to stop, not ten.
      world: { ...world, timeout: (wait) => world.timeout(wait === 10_000 ? 3_000 : wait) },
    });
    closing.push(
      () => server.close(),
      () => users.close(),
      () => relay.close(),
      () => receiver.close(),
    );
    const { pathname } = new URL(address);
    await server.ask("/secrets", {
      method: "POST",
      body: {
        name: "DB",
        value: {
          type: "jdbc",
          protocol: "postgres",
          host: "127.0.0.1",
          user: "postgres",
          password: "p",
          port: (relay.address() as AddressInfo).port,
          databaseName: pathname.slice(1),
        },
      },
    });
  });
  afterAll(async () => {
    for (const close of closing) await close();
  });

  const transfer = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index++)
      await anvil().send(token, "transfer", [anvil().account(2), 500]);
  };
  const definition = (name: string, more = ""): string => `
name: ${name}
sources:
  transfers: { type: dataset, dataset_name: anvil.erc20_transfers, start_at: earliest }
sinks:
  stored: { type: postgres, from: transfers, table: ${name}, secret_name: DB }
  hook: { type: webhook, from: transfers, url: "${hook}${name}", batch_flush_interval: 50ms }
${more}`;
  const apply = (name: string, text = definition(name), rest: object = {}) =>
    server.ask(`/pipelines/${name}/definition`, { method: "PUT", body: { text, ...rest } });
  const restart = (name: string, from_snapshot: string) =>
    server.ask(`/pipelines/${name}/status`, {
      method: "PUT",
      body: { status: "ACTIVE", restart: true, from_snapshot },
    });
  const info = async (name: string) => (await server.ask(`/pipelines/${name}/info`)).json.data;
  const snapshots = async (name: string) => (await server.ask(`/pipelines/${name}/snapshots`)).json.data;
  const logOf = async (name: string): Promise<readonly string[]> =>
    (await server.ask(`/pipelines/${name}/logs?direction=asc`)).json.data.results.map(
      ({ text }: { readonly text: string }) => text,
    );
  const idsIn = async (table: string): Promise<readonly string[]> =>
    (await users.query(SQL`select id from ${tableOf(table)} order by id`)).map(({ id }) => id ?? "");
  const tableOf = (name: string) => (name === "first" ? SQL`public.first` : SQL`public.changed`);
  /** Waits until both sinks have all blocks of the chain. */
  const caughtUp = (name: string) =>
    untilHolds(async () => {
      const last = await anvil().blockNumber();
      expect((await info(name)).sinks).toMatchObject({
        stored: { blocks: { transfers: last } },
        hook: { blocks: { transfers: last } },
      });
    });
  /** Rows that the ledger of the table counts. */
  const counted = async (name: string): Promise<number> => {
    const [row] = await users.query(
      SQL`select coalesce(sum(rows), 0) as rows, count(*) filter (where crosses) as wrong from (
        select rows, first <= lag(last) over (order by first) as crosses from graphloom_flows.ledger
        where sink = 'stored' and flow like '%/' || $1::text) l`,
      [name],
    );
    expect(row?.wrong).toBe("0");
    return Number(row?.rows);
  };

  it("INV-P12: restore sinks, which then write later rows again", async () => {
    await apply("first");
    await caughtUp("first");
    const taken = await server.ask("/pipelines/first/snapshots", { method: "POST" });
    expect(taken.json.data).toMatchObject({ cause: "request", version: 1 });
    await transfer(3);
    await caughtUp("first");
    const before = await idsIn("first");
    received.length = 0;
    expect((await restart("first", taken.json.data.id)).status).toBe(200);
    await untilHolds(async () => expect((await info("first")).runtime_status).toBe("RUNNING"));
    await untilHolds(async () => expect(new Set(received.map(({ id }) => id)).size).toBe(before.length));
    await caughtUp("first");
    expect(await idsIn("first")).toEqual(before);
    expect(await counted("first")).toBe(before.length);
    const log = await logOf("first");
    for (const sink of ["stored", "hook"])
      expect(log.join("\n")).toMatch(
        new RegExp(
          `Sink ${sink} goes back from block \\d+ to block \\d+ of transfers: rows from there on are`,
        ),
      );
    expect((await snapshots("first")).map(({ cause }: { cause: string }) => cause)).toEqual([
      "change",
      "request",
    ]);
  });

  it("are taken every four hours while a pipeline runs", async () => {
    const scheduled = async () =>
      (await snapshots("first")).filter(({ cause }: { cause: string }) => cause === "schedule").length;
    /** Moves all that happened to the pipeline into the past. */
    const pass = async (minutes: number): Promise<void> => {
      const interval = [String(minutes)];
      await database.query(
        SQL`update graphloom.pipelines set updated_at = updated_at - $1::int * interval '1 minute'`,
        interval,
      );
      await database.query(
        SQL`update graphloom.pipeline_snapshots set created_at = created_at - $1::int * interval '1 minute'`,
        interval,
      );
    };
    await pass(239);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await scheduled()).toBe(0);
    await pass(2);
    await untilHolds(async () => expect(await scheduled()).toBe(1));
    await pass(239);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await scheduled()).toBe(1);
    await pass(2);
    await untilHolds(async () => expect(await scheduled()).toBe(2));
    await server.ask("/pipelines/first/pause", { method: "PUT" });
    await pass(500);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await scheduled()).toBe(2);
  });

  it("keep the last ten, and the one that a pipeline is about to start with", async () => {
    const named = { project: server.project, name: "first" };
    // The last test paused it. A running pipeline forgets which snapshot it was to begin with.
    await untilHolds(async () => expect((await info("first")).runtime_status).toBe("TERMINATED"));
    const [oldest] = (await listSnapshots(database, named)).slice(-1);
    await database.query(SQL`update graphloom.pipelines set begins = $1::text where name = 'first'`, [
      oldest?.id ?? "",
    ]);
    const added: (string | undefined)[] = [];
    for (let count = 0; count < 12; count += 1)
      added.push(await addSnapshot(database, named, { version: 1, cause: "request", content: "{}" }));
    const left = (await listSnapshots(database, named)).map(({ id }) => id);
    expect(left).toEqual([...added.slice(-10).reverse(), oldest?.id]);
    await database.query(SQL`update graphloom.pipelines set begins = 'continue' where name = 'first'`);
    await addSnapshot(database, named, { version: 1, cause: "request", content: "{}" });
    expect(await listSnapshots(database, named)).toHaveLength(10);
    await server.ask("/pipelines/first/resume", { method: "PUT" });
    await untilHolds(async () =>
      expect(await info("first")).toMatchObject({ runtime_status: "RUNNING", request: null }),
    );
  });

  it("let a pipeline restart from the beginning, without a snapshot, over existing rows", async () => {
    const before = await idsIn("first");
    received.length = 0;
    await restart("first", "none");
    await untilHolds(async () =>
      expect(new Set(received.filter(({ operation }) => operation !== "d").map(({ id }) => id))).toEqual(
        new Set(before),
      ),
    );
    await caughtUp("first");
    expect(await idsIn("first")).toEqual(before);
    expect(await counted("first")).toBe(before.length);
    expect((await logOf("first")).join("\n")).toContain("Sink stored starts over");
  });

  it("are restored in another definition for equal sinks, and refused for a changed sink", async () => {
    await apply("changed");
    await caughtUp("changed");
    const { id } = (await server.ask("/pipelines/changed/snapshots", { method: "POST" })).json.data;
    await transfer(1);
    await caughtUp("changed");
    const more = definition(
      "changed",
      "  other: { type: postgres, from: transfers, table: other, secret_name: DB }",
    );
    expect((await apply("changed", more, { from_snapshot: id })).json.data.change).toBe("updated");
    await untilHolds(async () =>
      expect((await logOf("changed")).join("\n")).toMatch(/Sink other is not in the snapshot/),
    );
    await caughtUp("changed");
    expect(await counted("changed")).toBe((await idsIn("changed")).length);
    const unknown = await restart("changed", "snapshot_of_nobody");
    expect([unknown.status, unknown.json.errors[0].field]).toEqual([400, "from_snapshot"]);
    await database.query(
      SQL`update graphloom.pipeline_snapshots set content = '{"format": 99}' where id = $1::text`,
      [id],
    );
    await restart("changed", id);
    await untilHolds(async () =>
      expect(await info("changed")).toMatchObject({
        runtime_status: "TERMINATED",
        error: expect.stringMatching(/another form/),
      }),
    );
    await restart("changed", "last");
    await untilHolds(async () => expect((await info("changed")).runtime_status).toBe("RUNNING"));
    await server.ask("/pipelines/changed/pause", { method: "PUT" });
    expect((await snapshots("changed"))[0]).toMatchObject({ cause: "pause", version: 2 });
  });

  interface Task {
    readonly id: string;
    readonly state: string;
    readonly error: string | null;
    readonly result: { readonly agrees: boolean; readonly sinks: readonly Record<string, unknown>[] };
  }
  /** Asks for a task, and waits for its end. */
  const perform = async (path: string, body: object): Promise<Task> => {
    const [, name] = path.split("/");
    const begun = await server.ask(`/pipelines${path}`, { method: "POST", body });
    expect([begun.status, begun.json.data?.state]).toEqual([200, "running"]);
    return untilHolds(async () => {
      const { data } = (await server.ask(`/pipelines/${name}/tasks/${begun.json.data.id}`)).json;
      expect(data.state).not.toBe("running");
      return data as Task;
    });
  };

  it("of entities are restored until a sink has continued, and refused after a reorganisation", async () => {
    const subgraph = await indexedSubgraph(database, "type Account @entity { id: ID!, balance: BigInt! }");
    await addVersion(database, {
      project: server.project,
      name: "accounts",
      version: "1.0.0",
      deployment: subgraph.build,
      network: "anvil",
      description: null,
      engine: "embedded",
      bundle: new Uint8Array(),
    });
    const account = (name: string, balance: bigint) =>
      subgraph.commit([set("Account", name, { balance: bigInt(balance) })]);
    await account("kept", 1n);
    await account("replaced", 2n);
    await apply(
      "entities",
      `
name: entities
sources: { accounts: { type: subgraph_entity, name: Account, start_at: earliest, subgraphs: [{ name: accounts, version: 1.0.0 }] } }
sinks: { stored: { type: postgres, from: accounts, table: entities, secret_name: DB } }
`,
    );
    const holds = (...rows: readonly string[]) =>
      untilHolds(async () => {
        const found = await users.query(
          SQL`select id || ' ' || balance as row from public.entities order by id`,
        );
        expect(found.map(({ row }) => row)).toEqual(rows);
      });
    /** Restarts it once nothing else is under way. */
    const restarted = (from: string) =>
      untilHolds(async () => expect((await restart("entities", from)).status).toBe(200));
    await holds("kept 1", "replaced 2");
    const { id } = (await server.ask("/pipelines/entities/snapshots", { method: "POST" })).json.data;
    await restarted(id);
    await untilHolds(async () => expect((await info("entities")).runtime_status).toBe("RUNNING"));
    await subgraph.undo(1);
    await account("kept", 3n);
    await holds("kept 3");

    await restarted(id);
    await untilHolds(async () =>
      expect(await info("entities")).toMatchObject({
        runtime_status: "TERMINATED",
        error: expect.stringMatching(
          /sink stored has gone on: changes of the entity that accounts reads are kept only/,
        ),
      }),
    );
    await holds("kept 3");
    await restarted("last");
    await account("later", 4n);
    await holds("kept 3", "later 4");
    await users.query(SQL`delete from public.entities where id = 'kept'`);
    await restarted("none");
    await holds("kept 3", "later 4");
    await server.ask("/pipelines/entities", { method: "DELETE" });
  });

  it("compare a pipeline's sinks, and repair them or send rows again only while the pipeline is not running", async () => {
    const last = await anvil().blockNumber();
    await users.run(SQL`create table narrow (id text primary key, amount numeric check (amount <> 500))`);
    await apply(
      "kept",
      `
name: kept
job: true
sources:
  transfers: { type: dataset, dataset_name: anvil.erc20_transfers, start_at: earliest, end_block: ${last} }
transforms:
  some: { sql: "SELECT id, amount FROM transfers", primary_key: id }
sinks:
  stored: { type: postgres, from: transfers, table: kept, secret_name: DB }
  narrow: { type: postgres, from: some, table: narrow, secret_name: DB, on_error: park }
  hook: { type: webhook, from: transfers, url: "${hook}kept", batch_flush_interval: 50ms }
`,
    );
    await untilHolds(async () => expect((await info("kept")).runtime_status).toBe("COMPLETED"));
    const sound = await perform("/kept/verify", { sink: "stored" });
    expect(sound).toMatchObject({ state: "done", error: null, result: { agrees: true } });

    const ids = async () => (await users.query(SQL`select id from kept order by id`)).map(({ id }) => id);
    const before = await ids();
    await users.query(SQL`delete from kept where id = $1::text`, [before[0] ?? ""]);
    const found = await perform("/kept/verify", { sink: "stored" });
    expect(found.result).toMatchObject({
      agrees: false,
      sinks: [{ sink: "stored", rows: { counts: { missing: 1 }, first: [{ kind: "missing" }] } }],
    });
    const mending = server.ask("/pipelines/kept/repair", { method: "POST", body: { sink: "stored" } });
    const { id } = (await mending).json.data;
    for (const [path, method, body] of [
      ["/pipelines/kept/repair", "POST", { sink: "stored" }],
      ["/pipelines/kept/size", "PUT", { resource_size: "m" }],
      ["/pipelines/kept", "DELETE", undefined],
    ] as const)
      expect([path, (await server.ask(path, { method, ...(body && { body }) })).status]).toEqual([path, 409]);
    await untilHolds(async () =>
      expect((await server.ask(`/pipelines/kept/tasks/${id}`)).json.data).toMatchObject({
        state: "done",
        result: { agrees: true },
      }),
    );
    expect(await ids()).toEqual(before);

    received.length = 0;
    const range = { sink: "hook", from_block: 0, to_block: last };
    const counted = await perform("/kept/replay", { ...range, count_only: true });
    expect([counted.result, received]).toEqual([
      { kind: "replay", rows: before.length, overtaken: 0, sent: false },
      [],
    ]);
    expect((await perform("/kept/replay", range)).result).toMatchObject({ sent: true });
    await untilHolds(async () => expect(received.map(({ id: one }) => one).sort()).toEqual(before));

    holds = true;
    const { id: sending } = (await server.ask("/pipelines/kept/replay", { method: "POST", body: range })).json
      .data;
    const task = async () => (await server.ask(`/pipelines/kept/tasks/${sending}`)).json.data;
    const said = `hook: sends rows again, up to row ${before.length} of ${before.length}`;
    await untilHolds(async () => expect((await task()).progress).toBe(said));
    const cancel = () => server.ask(`/pipelines/kept/tasks/${sending}/cancel`, { method: "PUT" });
    expect((await cancel()).json.data).toMatchObject({ state: "running", cancelled_at: expect.any(String) });
    await untilHolds(async () =>
      expect(await task()).toMatchObject({ state: "cancelled", error: null, progress: said }),
    );
    holds = false;
    expect((await cancel()).status).toBe(422);
    // Nobody holds the sinks any more.
    expect((await perform("/kept/repair", { sink: "stored" })).state).toBe("done");

    const isRunning = await server.ask("/pipelines/first/repair", {
      method: "POST",
      body: { sink: "stored" },
    });
    expect([isRunning.status, isRunning.json.detail]).toEqual([
      422,
      expect.stringContaining("graphloom pipeline pause first"),
    ]);
    const nowhere = await server.ask("/pipelines/kept/verify", { method: "POST", body: { sink: "other" } });
    expect([nowhere.status, nowhere.json.errors[0].message]).toEqual([
      400,
      "must be one of stored, narrow, hook",
    ]);
  });

  it("list parked rows, drop them, and write them once they fit", async () => {
    const parked = async () => (await server.ask("/pipelines/kept/parked")).json.data;
    const before = (await parked()).find(({ sink }: { sink: string }) => sink === "narrow");
    expect(before.total).toBeGreaterThan(1);
    expect(before.first[0]).toMatchObject({ operation: "i", reason: expect.stringContaining("narrow") });
    const refused = await perform("/kept/parked/retry", { sink: "narrow", key: before.first[0].key });
    expect(refused.result.sinks).toEqual([expect.objectContaining({ sink: "narrow", done: 0, total: 1 })]);
    const wrong = await perform("/kept/parked/drop", { sink: "narrow", key: { amount: "500" } });
    expect([wrong.state, wrong.error]).toEqual(["failed", expect.stringContaining("The key is id")]);
    const dropped = await perform("/kept/parked/drop", { sink: "narrow", key: before.first[0].key });
    expect(dropped.result.sinks).toEqual([expect.objectContaining({ done: 1 })]);
    await users.run(SQL`alter table narrow drop constraint narrow_amount_check`);
    const written = await perform("/kept/parked/retry", {});
    expect(written.result.sinks).toEqual([expect.objectContaining({ done: before.total - 1, total: 0 })]);
    const [row] = await users.query(SQL`select count(*) from narrow where amount = 500`);
    expect(row?.count).toBe(String(before.total - 1));
    const deeds = await database.query(
      SQL`select action from graphloom.audit where subject = 'kept' and action ~ 'retry|drop|verify|repair|replay|cancel'
        order by id`,
    );
    expect(deeds.map(({ action }) => action?.replace("pipeline.", ""))).toEqual([
      "verify",
      "verify",
      "repair",
      "replay",
      "replay",
      "replay",
      "cancel-task",
      "repair",
      "retry",
      "drop",
      "drop",
      "retry",
    ]);
  });

  it("say before a change whether sinks continue or restart, and then do so", async () => {
    const varied = (sql: string, source = "transfers", more = ""): string => `
name: varied
sources:
  ${source}: { type: dataset, dataset_name: anvil.erc20_transfers, start_at: earliest }
transforms:
  chosen: { sql: "${sql}", primary_key: id }
sinks:
  stored: { type: postgres, from: chosen, table: varied, secret_name: DB }
${more}`;
    const compared = async (text: string) =>
      (await server.ask("/pipelines/varied/compare", { method: "POST", body: { text } })).json.data.sinks;
    const atHead = (source: string) =>
      untilHolds(async () => {
        const blocks = { [source]: await anvil().blockNumber() };
        expect(await info("varied")).toMatchObject({
          runtime_status: "RUNNING",
          sinks: { stored: { blocks } },
        });
      });
    const amounts = async () =>
      (await users.query(SQL`select distinct amount from varied order by amount`)).map(
        ({ amount }) => amount,
      );
    const first = varied(
      "SELECT id, amount FROM transfers",
      "transfers",
      "  spare: { type: blackhole, from: chosen }",
    );
    expect(await compared(first)).toEqual([]);
    await apply("varied", first);
    await atHead("transfers");

    const doubled = varied("SELECT id, amount * 2 AS amount FROM transfers");
    const stored = { sink: "stored", type: "postgres", otherwise: null };
    expect(await compared(doubled)).toMatchObject([
      {
        ...stored,
        change: "continues",
        reasons: ["the query of chosen"],
        reset: expect.stringMatching(/are deleted/),
      },
      { sink: "spare", change: "gone" },
    ]);
    const before = await amounts();
    await apply("varied", doubled);
    await untilHolds(async () =>
      expect((await logOf("varied")).join("\n")).toContain(
        "no longer computed as before: the query of chosen",
      ),
    );
    await transfer(1);
    await atHead("transfers");
    expect(new Set(await amounts())).toEqual(new Set(["1000", ...before]));

    const moved = varied("SELECT id, amount * 2 AS amount FROM moved", "moved");
    expect(await compared(moved)).toMatchObject([
      { ...stored, change: "resets", reasons: ["the name of source moved, which was transfers"] },
    ]);
    await apply("varied", moved);
    await untilHolds(async () =>
      expect(await info("varied")).toMatchObject({
        runtime_status: "TERMINATED",
        error: expect.stringMatching(
          /^Sink stored cannot go on\..*Apply the definition with --reset to start over/,
        ),
      }),
    );
    expect(new Set(await amounts())).toEqual(new Set(["1000", ...before]));
    expect((await apply("varied", moved)).json.data.change).toBe("unchanged");
    expect((await apply("varied", moved, { on_change: "settle" })).json.data.change).toBe("updated");
    await untilHolds(async () =>
      expect((await logOf("varied")).join("\n")).toContain("Sink stored starts over"),
    );
    await atHead("moved");
    expect(await amounts()).not.toContain("500");
    expect(await compared(moved)).toMatchObject([{ change: "same" }]);
  });
});
