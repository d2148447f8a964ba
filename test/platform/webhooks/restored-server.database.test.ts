import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import type { HostedStorage } from "../../../src/hosting/engine.js";
import { auditSink, isMended, isSound } from "../../../src/pipelines/audit/audit-sink.js";
import { fedWebhook } from "../../../src/platform/webhooks/feeding.js";
import type { WebhookSender } from "../../../src/platform/webhooks/sender.js";
import type { Store } from "../../../src/runtime/store/store.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { openDeployment } from "../../../src/store/deployments/deployments.js";
import { openStore } from "../../../src/store/entities/open-store.js";
import { openDatabase } from "../../../src/store/open.js";
import type { EntityChange } from "../../../src/subgraph/schema/entity.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { bigInt, block, bool, int, remove, set } from "../../runtime/store/values.js";
import { createDatabase, world } from "../../support/database/databases.js";
import {
  dumpTo,
  type PostgresServer,
  postgresMissing,
  restoreFrom,
  startPostgres,
} from "../../support/database/postgres-server.js";
import { testFolder } from "../../support/folder.js";
import { repairs, verifies } from "../../support/pipelines/audited-pipeline.js";
import { type FollowedEntity, followedEntity } from "../../support/pipelines/followed-entity.js";
import { type Draw, drawFrom } from "../../support/pool/draw.js";
import {
  keep,
  type ReceivedRow,
  startReceiver,
  type WebhookReceiver,
} from "../../support/server/webhook-receiver.js";
import { currentAccounts, sorted } from "./chaos.js";
import { makePlatform, schema, type WebhookPlatform } from "./harness.js";

if (postgresMissing !== undefined) test.skip(postgresMissing, () => undefined);

const accounts = ["a", "b", "c", "d", "e", "f"];

/** A chain whose blocks change accounts. What is indexed of it is in the database. */
class AccountChain {
  readonly #draw: Draw;
  #blocks: readonly { readonly fork: string; readonly changes: readonly EntityChange[] }[] = [];
  #forks = 0;

  constructor(draw: Draw) {
    this.#draw = draw;
  }

  /** Adds blocks. @param changesAll whether each changes all accounts, or some of them */
  grow(count: number, changesAll = false): void {
    for (let index = 0; index < count; index += 1) {
      const some = accounts.filter(() => changesAll || this.#draw.happens(0.5));
      const changes = some.map((id) => {
        if (!changesAll && this.#draw.happens(0.2)) return remove("Account", id);
        const balance = bigInt(BigInt(this.#draw.below(1_000_000)));
        return set("Account", id, { balance, moves: int(this.#blocks.length), isOpen: bool(true) });
      });
      this.#blocks = [...this.#blocks, { fork: `f${this.#forks}x`, changes }];
    }
  }

  /** Replaces the last blocks, by as many. */
  reorganise(count: number): void {
    this.#blocks = this.#blocks.slice(0, -count);
    this.#forks += 1;
    this.grow(count);
  }

  /** Indexes what the database does not have, from the last block on that it shares with the chain. */
  async index(store: Store): Promise<void> {
    const known = await store.recentBlocks(1_000);
    const own = this.#blocks.map(({ fork }, index) => block(index + 1, fork));
    const common = known.find(({ number, hash }) => own[number - 1]?.hash === hash);
    if (known[0] && known[0].hash !== common?.hash) await store.revert(common);
    for (const at of own.slice(common?.number ?? 0))
      await store.commit(at, { changes: this.#blocks[at.number - 1]?.changes ?? [], dataSources: [] });
  }

  /** The balances that the blocks lead to, by account. */
  balances(): readonly string[] {
    const balances = new Map<string, string>();
    for (const { changes } of this.#blocks)
      for (const change of changes) {
        const balance = change.kind === "set" ? change.entity.get("balance") : undefined;
        if (balance?.kind === "BigInt") balances.set(change.id, String(balance.value));
        else balances.delete(change.id);
      }
    return [...balances].map(([id, balance]) => `${id} ${balance}`).sort();
  }
}

describe.skipIf(postgresMissing !== undefined)(
  "a server whose PostgreSQL returns to an earlier state",
  () => {
    let server: PostgresServer;
    let database: Database;
    let made: WebhookPlatform;
    let storage: HostedStorage;
    let receiver: WebhookReceiver;
    let sender: WebhookSender;
    let flow: FollowedEntity;
    let chain: AccountChain;

    beforeEach(async () => {
      server = await startPostgres();
      await createDatabase(server, "graphloom");
      await createDatabase(server, "rows");
      database = await openDatabase(server.address("graphloom"), world);
      await migrate(database);
      made = await makePlatform(database);
      const [found] = made.hosting.storages.values();
      if (!found) throw new Error("there is a deployment");
      storage = found;
      const { layout, deployment } = storage;
      const table = layout.tables.find(({ type }) => type === "Account");
      if (!table) throw new Error("there are accounts");
      const build = deployment.deployment;
      flow = followedEntity(
        database,
        {
          label: build,
          build,
          deployment: deployment.id,
          isPaused: false,
          network: "mainnet",
          layout,
          table,
        },
        server.address("rows"),
      );
      receiver = await startReceiver();
      sender = made.sender();
      await sender.start();
      const { id } = await made.create({ webhook_url: receiver.url });
      await expect.poll(async () => (await fedWebhook(database, id))?.cursor).toBeTruthy();
      chain = new AccountChain(drawFrom(7));
    });
    afterEach(async () => {
      await sender?.stop();
      await receiver?.stop();
      await database?.close();
      await server?.stop();
    });

    /** What a receiver has that ignores ids which it has seen, and keeps the row with the highest `vid` of each account. */
    function rowsByEvent(): readonly ReceivedRow[] {
      const seen = new Map<string, string>();
      const rows = new Map<string, ReceivedRow>();
      for (const { id, op, data } of receiver.taken) {
        const content = JSON.stringify([op, data]);
        expect(seen.get(id) ?? content, `event ${id} says the same again`).toBe(content);
        if (!seen.has(id)) keep(rows, data);
        seen.set(id, content);
      }
      return sorted(new Map([...rows].filter(([, { block_range: range }]) => range.endsWith(",)"))));
    }

    /** Waits until the receiver has been told everything. */
    async function told(): Promise<void> {
      await expect
        .poll(async () => sorted(receiver.table()))
        .toEqual(sorted(await currentAccounts(database, storage)));
      const waiting = SQL`select 1 from graphloom.webhook_events where status <> 'delivered'`;
      await expect.poll(() => database.query(waiting)).toEqual([]);
    }

    async function writtenRows(): Promise<readonly string[]> {
      const rows = await openDatabase(server.address("rows"), world);
      try {
        const found = await rows.query(SQL`select id, balance from followed.accounts`);
        return found.map(({ id, balance }) => `${id} ${balance}`).sort();
      } finally {
        await rows.close();
      }
    }

    /** Everybody has what the chain has. */
    async function expectEqual(): Promise<void> {
      await told();
      const current = await currentAccounts(database, storage);
      expect([...current.values()].map(({ id, balance }) => `${id} ${balance}`).sort()).toEqual(
        chain.balances(),
      );
      expect(rowsByEvent()).toEqual(sorted(current));
      expect(await writtenRows()).toEqual(chain.balances());
      const found = await auditSink(flow.plan, flow.sink, flow.world, verifies);
      expect([isSound(found), found.isWhole, found.unproved]).toEqual([true, true, []]);
    }

    it("by pg_restore ends with the chain's rows at the receiver and, after adopt, in the sink", async () => {
      chain.grow(8);
      await chain.index(made.store);
      const before = await flow.follow();
      await expectEqual();
      const dump = join(testFolder(), "graphloom.dump");
      dumpTo(server.address("graphloom"), dump);
      chain.grow(3);
      await chain.index(made.store);
      await before.drain();
      chain.reorganise(3);
      chain.grow(2);
      await chain.index(made.store);
      await before.drain();
      await expectEqual();
      await before.end();
      await sender.stop();
      const main = await openDatabase(server.address("postgres"), world);
      await main.run(SQL`drop database graphloom with (force)`);
      await main.close();
      await createDatabase(server, "graphloom");
      restoreFrom(server.address("graphloom"), dump);
      // The chain goes on while the server is down. Its blocks change every account.
      chain.reorganise(2);
      chain.grow(12, true);
      const store = await reopened();
      sender = made.sender();
      await sender.start();
      await chain.index(store);
      await expect(flow.follow()).rejects.toThrow("run: graphloom pipeline adopt");
      const request = { ...repairs, trustsSource: true, adopts: true };
      expect(isMended(await auditSink(flow.plan, flow.sink, flow.world, request))).toBe(true);
      const after = await flow.follow();
      await expectEqual();
      chain.reorganise(1);
      chain.grow(2);
      await chain.index(store);
      await after.drain();
      await expectEqual();
      await after.end();
    });

    it("by a failover to a copy ends with the chain's rows, without adopt and without a restart", async () => {
      chain.grow(8);
      await chain.index(made.store);
      const survivor = await flow.follow();
      await expectEqual();
      const failOver = server.copy();
      chain.grow(3);
      await chain.index(made.store);
      await survivor.drain();
      chain.reorganise(3);
      chain.grow(2);
      await chain.index(made.store);
      await survivor.drain();
      await expectEqual();
      await failOver();
      chain.reorganise(2);
      chain.grow(12, true);
      const store = await reopened();
      await chain.index(store);
      // What it has written last is not there any more, so it reads its position again.
      await expect(survivor.drain()).rejects.toMatchObject({
        isTemporary: true,
        message: expect.stringContaining("has gone back to an earlier state"),
      });
      const after = await flow.follow();
      await expectEqual();
      chain.grow(2);
      await chain.index(store);
      await after.drain();
      await expectEqual();
      await after.end();
    });

    /** The store of a process that starts, once the server answers again. */
    async function reopened(): Promise<Store> {
      await expect
        .poll(() => database.query(SQL`select 1 as one`).catch(() => undefined))
        .toEqual([{ one: "1" }]);
      const { deployment } = storage.deployment;
      const wanted = { deployment, network: "mainnet", schema, startBlock: 0 };
      const entities = readEntitySchema(schema);
      return openStore(database, await openDeployment(database, wanted), {
        entities,
        dataSources: [],
        templates: [],
      });
    }
  },
);
