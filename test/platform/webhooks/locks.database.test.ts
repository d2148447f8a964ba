import { randomUUID } from "node:crypto";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import type { HostedStorage } from "../../../src/hosting/engine.js";
import type { Caller } from "../../../src/platform/people/access.js";
import { beginWebhook, readerOf } from "../../../src/platform/webhooks/begin.js";
import { changeWebhook } from "../../../src/platform/webhooks/change-webhook.js";
import { collectStart, sourceOf } from "../../../src/platform/webhooks/collect.js";
import { fedWebhook, hasBegun, hold, letGo, owesNothing } from "../../../src/platform/webhooks/feeding.js";
import { removeWebhook } from "../../../src/platform/webhooks/manage-webhooks.js";
import { addEvents, countPending } from "../../../src/platform/webhooks/outbox.js";
import { addWebhook, findWebhook } from "../../../src/platform/webhooks/webhooks.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { type Deployment, findDeployment } from "../../../src/store/deployments/deployments.js";
import { openStore } from "../../../src/store/entities/open-store.js";
import { cursorOf } from "../../../src/store/tables/feed-reader.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { bigInt, block, bool, int, set } from "../../runtime/store/values.js";
import { describeDatabases } from "../../support/database/databases.js";
import { whileWaiting } from "../../support/database/while-waiting.js";
import { hostedStorage } from "../../support/server/hosted-double.js";
import { startReceiver } from "../../support/server/webhook-receiver.js";
import { makePlatform, schema, type WebhookPlatform } from "./harness.js";

const [one, other] = [randomUUID(), randomUUID()];
const url = "https://203.0.113.1/hook";
const account = (id: string) =>
  set("Account", id, { balance: bigInt(1n), moves: int(1), isOpen: bool(true) });

describeDatabases("a webhook that two servers work on at once", ({ fresh }) => {
  let database: Database;
  let made: WebhookPlatform;
  let deployment: Deployment;
  let storage: HostedStorage;
  let caller: Caller;
  const hook = { id: "hook_1", entity: "account" };

  beforeEach(async () => {
    database = await fresh();
    made = await makePlatform(database);
    const [[id = "", kept] = []] = made.hosting.storages;
    deployment = (await findDeployment(database, id)) as Deployment;
    storage = kept as HostedStorage;
    const { project } = made;
    caller = { kind: "key", id: "key", name: "key", project, role: "Owner" };
    await addWebhook(database, {
      ...hook,
      project,
      name: "hook",
      subgraph: "pools",
      version: "1.0.0",
      url,
      secret: new Uint8Array(),
      retries: 1,
      retryInterval: 1,
      timeout: 1,
      owesStart: true,
      holder: one,
    });
  });

  const readers = async () =>
    (await database.query(SQL`select name from graphloom.feed_readers order by name`)).map(
      ({ name }) => name,
    );
  const storeIn = (held: Database) =>
    openStore(held, deployment, { entities: readEntitySchema(schema), dataSources: [], templates: [] });
  const write = (held: Database, number: number) =>
    storeIn(held).commit(block(number), { changes: [account(`a${number}`)], dataSources: [] });

  test("a webhook continues at the position at which the first server started it", async () => {
    await whileWaiting(
      database,
      async (held) => {
        await beginWebhook(held, hostedStorage(held, deployment), hook, one);
        await write(held, 1);
      },
      () => beginWebhook(database, storage, hook, other),
    );
    const { cursor = "" } = (await fedWebhook(database, hook.id)) ?? {};
    expect(cursor).toBe(cursorOf("0"));
    expect(await storage.feed(readerOf(hook.id), ["account"]).changes(cursor, 9)).toHaveLength(1);
  });

  test("a webhook leaves no reader behind if it is deleted while it begins", async () => {
    const late = withFeed(storage, {
      start: async (start) => {
        await removeWebhook(made.platform, caller, "hook");
        return start();
      },
    });
    await beginWebhook(database, late, hook, one);
    expect(await readers()).toEqual([]);
  });

  test("a webhook leaves no reader behind if it begins while it is deleted", async () => {
    let begun: Promise<void> | undefined;
    const late = withFeed(storage, {
      end: async (end) => {
        await end();
        begun ??= beginWebhook(database, storage, hook, one);
        await begun;
      },
    });
    made.hosting.storages.set(deployment.deployment, late);
    await removeWebhook(made.platform, caller, "hook");
    expect(begun).toBeDefined();
    expect(await readers()).toEqual([]);
  });

  test("a webhook gets no rows of an initial load that another server has finished", async () => {
    await write(database, 1);
    await beginWebhook(database, storage, hook, one);
    const found = await fedWebhook(database, hook.id);
    if (!found) throw new Error("the webhook is missing");
    const waits = { op: "INSERT", block: 0, entityKey: 1n, old: null, new: {} } as const;
    await addEvents(database, hook.id, [{ ...waits, id: randomUUID() }]);
    const held = { holder: one, time: 0 };
    await hold(database, hook.id, held);
    await collectStart(sourceOf(database, storage, found, { mostPending: 1, batch: 10 }), held, async () => {
      expect(await hold(database, hook.id, { holder: other, time: 60_000 })).toBe(true);
      await owesNothing(database, hook.id, other);
      await letGo(database, hook.id, other);
      await database.query(SQL`delete from graphloom.webhook_events`);
      return true;
    });
    expect(await countPending(database, hook.id)).toBe(0);
  });

  test("a webhook sends events that it claims after a change to the new address", async () => {
    const [before, after] = [await startReceiver(), await startReceiver()];
    onTestFinished(async () => {
      await before.stop();
      await after.stop();
    });
    await made.create({ name: "changing", webhook_url: before.url });
    await made.commit(1, [account("m")]);
    let isChanged = false;
    const query: Database["query"] = async (statement, ...given) => {
      const rows = await database.query(statement, ...given);
      if (isChanged || rows.length === 0 || !statement.includes("from graphloom.webhooks w")) return rows;
      if (!statement.includes("rests_until")) return rows;
      isChanged = true;
      const change = { url: after.url, secret: "another secret" };
      await changeWebhook(made.platform, caller, "changing", change);
      return rows;
    };
    const sender = made.sender({}, { ...made.platform, database: { ...within(database), query } });
    await sender.start();
    await expect.poll(() => before.taken.length + after.taken.length).toBe(1);
    await sender.stop();
    expect(after.taken).toHaveLength(1);
  });

  test("INV-W5: a webhook never sends a new secret to the old address", async () => {
    await hasBegun(database, hook.id, one, cursorOf("0"));
    const late = whileWaiting(
      database,
      (held) =>
        changeWebhook({ ...made.platform, database: held }, caller, "hook", {
          url: "https://203.0.113.2/hook",
          secret: "a new secret",
        }),
      () => changeWebhook(made.platform, caller, "hook", { url }),
    );
    await expect(late).rejects.toMatchObject({ type: "bad-request" });
    expect((await findWebhook(database, made.project, "hook"))?.url).toBe("https://203.0.113.2/hook");
  });
});

/** The same database as a plain object, whose methods can be replaced. */
function within(database: Database): Database {
  return {
    provider: database.provider,
    query: (...given) => database.query(...given),
    run: (script) => database.run(script),
    transaction: (...given) => database.transaction(...given),
    listen: (...given) => database.listen(...given),
    close: () => database.close(),
  };
}

/** A storage whose feeds do something else at some of their calls. */
function withFeed(
  storage: HostedStorage,
  {
    start = (own) => own(),
    end = (own) => own(),
  }: {
    readonly start?: (own: () => Promise<string>) => Promise<string>;
    readonly end?: (own: () => Promise<void>) => Promise<void>;
  },
): HostedStorage {
  return {
    ...storage,
    feed(reader, tables) {
      const own = storage.feed(reader, tables);
      return {
        cursor: () => own.cursor(),
        latest: () => own.latest(),
        start: () => start(() => own.start()),
        begin: () => own.begin(),
        changes: (after, limit) => own.changes(after, limit),
        keep: (cursor, sql) => own.keep(cursor, sql),
        end: () => end(() => own.end()),
      };
    },
  };
}
