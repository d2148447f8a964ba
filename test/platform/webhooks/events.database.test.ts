import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { WebhookSender } from "../../../src/platform/webhooks/sender.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import {
  bigInt,
  block,
  bool,
  bytes,
  int,
  list,
  remove,
  set,
  text,
  timestamp,
} from "../../runtime/store/values.js";
import { describeDatabases } from "../../support/database/databases.js";
import { startReceiver, type WebhookReceiver } from "../../support/server/webhook-receiver.js";
import { makePlatform, type WebhookPlatform } from "./harness.js";

const account = (id: string, balance: bigint, moves = 0) =>
  set("Account", id, { balance: bigInt(balance), moves: int(moves), isOpen: bool(true) });

describeDatabases("the events of webhooks", ({ fresh }) => {
  let database: Database;
  beforeAll(async () => {
    database = await fresh();
    await migrate(database);
  });
  let made: WebhookPlatform;
  let receiver: WebhookReceiver;
  let sender: WebhookSender;
  beforeEach(async () => {
    made = await makePlatform(database);
    receiver = await startReceiver();
    sender = made.sender();
    await sender.start();
  });
  afterEach(async () => {
    await sender.stop();
    await receiver.stop();
    await made.ask("DELETE", "/subgraphs/webhooks/hook");
    expect(made.reported).toEqual([]);
  });

  const told = async (count: number) => {
    await expect.poll(() => receiver.taken.length).toBe(count);
    return receiver.taken.map(({ op, data }) => ({ op, ...data }));
  };

  test("events carry the row with all its columns, and the secret in a header", async () => {
    const { id, secret } = await made.create({ webhook_url: receiver.url });
    await made.commit(7, [
      set("Account", "m", {
        balance: bigInt(12345678901234567890n),
        moves: int(3),
        isOpen: bool(true),
        tags: list(text("a,b"), text('"')),
        data: bytes("0x01ff"),
      }),
    ]);
    await told(1);
    const row = {
      id: "m",
      balance: "12345678901234567890",
      moves: 3,
      is_open: true,
      tags: ["a,b", '"'],
      data: "0x01ff",
      vid: String((7n << 32n) + 100n),
      block_range: "[7,)",
    };
    expect(receiver.taken[0]).toEqual({
      op: "INSERT",
      data_source: "pools/1.0.0",
      data: { old: null, new: row },
      webhook_name: "hook",
      webhook_id: id,
      id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
      delivery_info: { max_retries: 10, current_retry: 0 },
      entity: "account",
    });
    expect(secret).toMatch(/^whs_[\dA-HJKMNP-TV-Z]{26}$/);
    expect(receiver.headers[0]).toMatchObject({
      "content-type": "application/json",
      "user-agent": "graphloom/1.2.3",
      "graphloom-webhook-secret": secret,
    });
  });

  test("events are an insertion and an update for a change, and an update for a removal", async () => {
    await made.create({ webhook_url: receiver.url, secret: "mine" });
    await made.commit(1, [account("m", 1n)]);
    await made.commit(4, [account("m", 2n)]);
    await made.commit(9, [remove("Account", "m")]);
    const events = await told(4);
    const shown = (from: number, balance: string, range: string) =>
      expect.objectContaining({
        id: "m",
        balance,
        vid: String((BigInt(from) << 32n) + 100n),
        block_range: range,
      });
    expect(events).toEqual([
      { op: "INSERT", old: null, new: shown(1, "1", "[1,)") },
      { op: "INSERT", old: null, new: shown(4, "2", "[4,)") },
      { op: "UPDATE", old: shown(1, "1", "[1,)"), new: shown(1, "1", "[1,4)") },
      { op: "UPDATE", old: shown(4, "2", "[4,)"), new: shown(4, "2", "[4,9)") },
    ]);
    expect(receiver.headers[0]?.["graphloom-webhook-secret"]).toBe("mine");
    expect(new Set(receiver.taken.map(({ id }) => id)).size).toBe(4);
  });

  test("events are deletions for versions that a reorganisation reverts, and updates for those it restores", async () => {
    await made.commit(1, [account("m", 1n), account("n", 5n)]);
    await made.create({ webhook_url: receiver.url });
    await made.commit(4, [account("m", 2n), account("new", 3n), remove("Account", "n")]);
    await told(4);
    await made.store.revert(block(1));
    const events = (await told(8)).slice(4);
    const shown = (id: string, range: string) => expect.objectContaining({ id, block_range: range });
    const of = (id: string) => events.filter((event) => (event.new ?? event.old)?.id === id);
    expect(of("m")).toEqual([
      { op: "DELETE", old: shown("m", "[4,)"), new: null },
      { op: "UPDATE", old: shown("m", "[1,4)"), new: shown("m", "[1,)") },
    ]);
    expect(of("new")).toEqual([{ op: "DELETE", old: shown("new", "[4,)"), new: null }]);
    expect(of("n")).toEqual([{ op: "UPDATE", old: shown("n", "[1,4)"), new: shown("n", "[1,)") }]);
  });

  test("events of immutable entities are insertions, and deletions when their block is reverted", async () => {
    await made.create({ webhook_url: receiver.url, entity: "transfer" });
    const at = timestamp(1_700_000_000_000_001n);
    await made.commit(1, []);
    await made.commit(3, [
      set("Transfer", "0x0a", { id: bytes("0x0a"), amount: bigInt(1n), at }),
      account("m", 1n),
    ]);
    await told(1);
    await made.store.revert(block(1));
    const row = {
      id: "0x0a",
      amount: "1",
      at: "1700000000000001",
      vid: String((3n << 32n) + 100n),
      block_range: "[3,)",
    };
    expect(await told(2)).toEqual([
      { op: "INSERT", old: null, new: row },
      { op: "DELETE", old: row, new: null },
    ]);
  });

  test("events start with the first later change, or with all current entities if the webhook asks for them", async () => {
    await made.commit(1, [account("a", 1n), account("b", 1n)]);
    await made.commit(2, [account("b", 2n), account("c", 1n)]);
    await made.commit(3, [remove("Account", "c")]);
    await made.create({ webhook_url: receiver.url, name: "all", from_start: true });
    const there = (await told(2)).map(({ op, new: row }) => [op, row?.id, row?.block_range]);
    // Events of different entities arrive in any order.
    expect(there.sort()).toEqual([
      ["INSERT", "a", "[1,)"],
      ["INSERT", "b", "[2,)"],
    ]);
    await made.create({ webhook_url: receiver.url });
    await made.commit(4, [account("a", 4n)]);
    await told(6);
    const names = receiver.taken.slice(2).map((event) => event.webhook_name);
    expect(names.sort()).toEqual(["all", "all", "hook", "hook"]);
    await made.ask("DELETE", "/subgraphs/webhooks/all");
  });

  test("events stop when the webhook is deleted, which also deletes its events and its reader", async () => {
    await made.commit(1, [account("a", 1n)]);
    await made.create({ webhook_url: receiver.url, from_start: true });
    await told(1);
    expect((await made.ask("DELETE", "/subgraphs/webhooks/hook")).status).toBe(200);
    await made.commit(2, [account("a", 2n)]);
    const left = await database.query(
      SQL`select name from graphloom.feed_readers union all select id from graphloom.webhooks union all select webhook from graphloom.webhook_events`,
    );
    expect(left).toEqual([]);
    expect(receiver.taken).toHaveLength(1);
  });
});
