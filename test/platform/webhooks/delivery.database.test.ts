import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { WebhookSender } from "../../../src/platform/webhooks/sender.js";
import type { SenderLimits } from "../../../src/platform/webhooks/sender-limits.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { bigInt, bool, int, set } from "../../runtime/store/values.js";
import { describeDatabase } from "../../support/database/databases.js";
import { startReceiver, type WebhookReceiver } from "../../support/server/webhook-receiver.js";
import { makePlatform, pagesOf, type WebhookPlatform } from "./harness.js";

const account = (id: string, balance: bigint) =>
  set("Account", id, { balance: bigInt(balance), moves: int(0), isOpen: bool(true) });
const accounts = (count: number, balance = 1n) =>
  Array.from({ length: count }, (_, index) => account(`a${index}`, balance));

const isCampaign = process.env.GRAPHLOOM_WEBHOOK_CHANGES !== undefined;

describeDatabase("the delivery of webhooks", isCampaign, ({ fresh }) => {
  let database: Database;
  beforeAll(async () => {
    database = await fresh();
    await migrate(database);
  });
  let made: WebhookPlatform;
  let receiver: WebhookReceiver;
  const senders: WebhookSender[] = [];
  const names = new Set<string>();
  beforeEach(async () => {
    made = await makePlatform(database);
    receiver = await startReceiver();
  });
  afterEach(async () => {
    for (const sender of senders.splice(0)) await sender.stop();
    await receiver.stop();
    for (const name of names) await made.ask("DELETE", `/subgraphs/webhooks/${name}`);
    names.clear();
    expect(made.reported).toEqual([]);
  });

  const begin = async (limits: Partial<SenderLimits> = {}) => {
    const sender = made.sender(limits);
    senders.push(sender);
    await sender.start();
    return sender;
  };
  const create = (body: Readonly<Record<string, unknown>>) => {
    names.add(String(body.name ?? "hook"));
    return made.create({ retry_interval_seconds: 1, ...body });
  };
  const deliveries = async (name = "hook", query = "") =>
    (await made.ask("GET", `/extensions/webhooks/${name}/deliveries${query}`, { role: "Viewer" })).body.data;
  const state = async (name = "hook") => (await made.ask("GET", `/extensions/webhooks/${name}`)).body.data;

  test("the delivery retries an event as often as its webhook allows, then drops it without delaying later ones", async () => {
    const attempts: number[] = [];
    receiver.judge(({ data, delivery_info }) => {
      if (data.new?.id !== "bad") return undefined;
      attempts.push(delivery_info.current_retry);
      expect(delivery_info.max_retries).toBe(3);
      return 503;
    });
    await create({ webhook_url: receiver.url, num_retries: 3 });
    await made.commit(1, [account("bad", 1n), account("good", 1n)]);
    await begin();
    await expect.poll(async () => (await deliveries("hook", "?status=failed")).length).toBe(1);
    expect(attempts).toEqual([0, 1, 2, 3]);
    expect(receiver.taken.map(({ data }) => data.new?.id)).toEqual(["good"]);
    expect((await deliveries("hook", "?status=failed"))[0]).toMatchObject({
      op: "INSERT",
      entity: "account",
      entity_id: "bad",
      block: 1,
      status: "failed",
      attempts: 4,
      max_retries: 3,
      response_status: 503,
      error: "the receiver answered with status 503",
      next_attempt_at: null,
    });
  });

  test("the delivery shows the contents of an event and the receiver's answer, and sends all failed events again", async () => {
    receiver.judge(({ data }) => (data.new?.id === "bad" ? 503 : undefined));
    await create({ webhook_url: receiver.url, num_retries: 1, secret: 'whs_"mine"' });
    await made.commit(1, [account("bad", 1n), account("good", 1n)]);
    await begin();
    await expect.poll(async () => (await deliveries("hook", "?status=failed")).length).toBe(1);
    const [failed] = await deliveries("hook", "?status=failed");
    const whole = (await made.ask("GET", `/extensions/webhooks/hook/deliveries/${failed.id}`)).body.data;
    expect(whole).toMatchObject({ id: failed.id, old: null, new: { id: "bad", balance: "1" } });
    // A receiver that repeats the secret does not reveal it to those who may only look.
    expect(whole.response_body).toBe('refused with "…"');

    receiver.judge(() => undefined);
    expect((await made.ask("POST", "/extensions/webhooks/hook/redeliver-failed")).body).toEqual({
      data: { events: 1 },
    });
    await expect.poll(() => receiver.table().has("bad")).toBe(true);
    await expect.poll(async () => (await deliveries("hook", "?status=delivered")).length).toBe(2);
    const page = await pagesOf(made);
    const list = await page("/dashboard/pools/1.0.0/webhooks");
    expect(list).toContain("2 delivered, 1 failed and retried, 1 failed for good");
    // The rows of the chart's table: the time, and the attempts by how they ended.
    const chart = await page("/dashboard/pools/1.0.0/webhooks/hook?range=24h");
    expect(chart).toContain("2 of 4 attempts failed, 1 of them for good");
    const [, table = ""] = chart.split('aria-label="Figures"');
    const [body = ""] = table.split("</table>");
    const rows = [...body.matchAll(/<tr><td>.*?<\/tr>/gs)].map(([row]) =>
      [...row.matchAll(/<td class="number">([\d,]*)/g)].slice(0, 3).map(([, text]) => Number(text)),
    );
    const sums = rows.reduce((all, row) => all.map((sum, index) => sum + (row[index] ?? 0)), [0, 0, 0]);
    expect(sums).toEqual([2, 1, 1]);
    expect((await made.ask("POST", "/extensions/webhooks/hook/redeliver-failed")).body.data).toEqual({
      events: 0,
    });
  });

  test("the delivery changes the URL and the secret, and tries the new ones at once", async () => {
    receiver.judge(() => 503);
    await create({ webhook_url: receiver.url, retry_interval_seconds: 3_600, secret: "first" });
    await made.commit(1, accounts(12));
    await begin({ downAfter: 3 });
    await expect.poll(async () => (await state()).status).toBe("RECEIVER_DOWN");
    const url = `${receiver.url}/new`;
    const patch = (body: object) => made.ask("PATCH", "/extensions/webhooks/hook", { body });
    expect((await patch({ webhook_url: "ftp://example.com" })).body.errors).toEqual([
      { field: "webhook_url", message: expect.stringContaining("starts with http://") },
    ]);
    receiver.judge(() => undefined);
    expect((await patch({ webhook_url: url, secret: "second", num_retries: 2 })).body.data).toMatchObject({
      status: "ACTIVE",
      failures_in_a_row: 0,
      num_retries: 2,
      retry_interval_seconds: 3_600,
      webhook_url: url,
    });
    await made.ask("POST", "/extensions/webhooks/hook/redeliver-failed");
    await made.commit(2, [account("new", 1n)]);
    await expect.poll(() => receiver.table().has("new")).toBe(true);
    const sent = receiver.headers.map((one, at) =>
      [receiver.paths[at], one["graphloom-webhook-secret"]].join(" "),
    );
    expect(new Set(sent)).toEqual(new Set(["/hook first", "/hook/new second"]));
  });

  test("INV-W3: the delivery sends an event again on request, with the same id", async () => {
    await create({ webhook_url: receiver.url });
    await made.commit(1, [account("a", 1n)]);
    await begin();
    await expect.poll(async () => (await deliveries())[0]?.status).toBe("delivered");
    const [{ id }] = await deliveries();
    expect((await made.ask("POST", `/extensions/webhooks/deliveries/${id}/redeliver`)).body).toEqual({
      data: { id, status: "pending" },
    });
    await expect.poll(() => receiver.taken.map((event) => event.id)).toEqual([id, id]);
    await expect.poll(async () => (await deliveries())[0]?.status).toBe("delivered");
  });

  test("INV-W2: the delivery keeps the order of the events of each entity when attempts fail", async () => {
    let count = 0;
    receiver.judge(() => (count++ % 3 === 1 ? "lies" : count % 4 === 0 ? "fails" : undefined));
    await create({ webhook_url: receiver.url });
    for (let number = 1; number <= 6; number++) await made.commit(number, accounts(5, BigInt(number)));
    await begin();
    await expect
      .poll(async () => (await deliveries("hook", "?status=delivered&page_size=200")).length)
      .toBe(55);
    for (let index = 0; index < 5; index++) {
      const seen = receiver.taken.flatMap(({ id, data }) =>
        (data.new ?? data.old)?.id === `a${index}` ? [id] : [],
      );
      const once = seen.filter((id, at) => id !== seen[at - 1]);
      expect(new Set(once).size, "what came again came before what follows").toBe(once.length);
      expect(once).toHaveLength(11);
    }
  });

  test("the delivery pauses for a receiver that is down, and does not hold up the others", async () => {
    const down = await startReceiver();
    down.judge(() => 500);
    await create({ webhook_url: down.url, name: "down" });
    await create({ webhook_url: receiver.url });
    await made.commit(1, accounts(40));
    // Retries wait so long that no event reaches its last attempt.
    await begin({ downAfter: 5, longestRest: 300, longestWait: 60_000, mostOfWebhook: 4 });
    await expect.poll(() => receiver.taken.length).toBe(40);
    await expect.poll(async () => (await state("down")).status).toBe("RECEIVER_DOWN");
    expect((await state()).status).toBe("ACTIVE");
    const before = down.arrived();
    await expect.poll(() => down.arrived()).toBeGreaterThan(before + 2);
    // Never more than allowed at once, however many events are waiting.
    expect(down.mostOpen()).toBeLessThanOrEqual(4);
    const pending = await deliveries("down", "?status=pending&page_size=200");
    expect(pending.length).toBe(40);
    down.judge(() => undefined);
    await expect.poll(() => down.taken.length).toBe(40);
    await expect.poll(async () => (await state("down")).failures_in_a_row).toBe(0);
    for (const sender of senders.splice(0)) await sender.stop();
    await down.stop();
  });

  test("the delivery bounds the attempts to a receiver that hangs, which does not hold up the others", async () => {
    const slow = await startReceiver();
    slow.judge(() => "hangs");
    await create({ webhook_url: slow.url, name: "slow" });
    await create({ webhook_url: receiver.url });
    await made.commit(1, accounts(40));
    await begin({ mostOfWebhook: 3, mostAtOnce: 6, second: 1_000 });
    await expect.poll(() => receiver.taken.length).toBe(40);
    await expect.poll(() => slow.open()).toBe(3);
    for (const sender of senders.splice(0)) await sender.stop();
    expect(slow.mostOpen()).toBe(3);
    // Attempts cut off by the stop do not count, and their events can be sent again at once.
    const pending = await deliveries("slow", "?page_size=200");
    expect(
      new Set(
        pending.map(({ attempts, status }: { attempts: number; status: string }) => `${attempts} ${status}`),
      ),
    ).toEqual(new Set(["0 pending"]));
    await slow.stop();
  });

  test("the delivery bounds the attempts of all webhooks of a project", async () => {
    const slow = await startReceiver();
    slow.judge(() => "hangs");
    for (const name of ["slow-1", "slow-2", "slow-3"]) await create({ webhook_url: slow.url, name });
    await made.commit(1, accounts(40));
    await begin({ mostOfWebhook: 3, mostOfProject: 4, second: 1_000 });
    await expect.poll(() => slow.open()).toBe(4);
    for (const sender of senders.splice(0)) await sender.stop();
    expect(slow.mostOpen()).toBe(4);
    await slow.stop();
  });

  test("the delivery continues beside attempts that hang while the receiver answers others", async () => {
    const isHanging = (id: string | undefined): boolean => Number(id?.slice(1)) % 4 === 0;
    receiver.judge(({ data }) => (isHanging(data.new?.id) ? "hangs" : undefined));
    await create({ webhook_url: receiver.url });
    await made.commit(1, accounts(40));
    await begin({ mostOfWebhook: 4, mostHanging: 9, slow: 50, second: 1_000 });
    // All 30 events that do not hang arrive. The 10 that hang stay open.
    await expect.poll(() => [receiver.taken.length, receiver.open()]).toEqual([30, 10]);
    expect((await state()).status).toBe("ACTIVE");
  });

  test("the delivery bounds the attempts that hang", async () => {
    receiver.judge(({ data }) => (Number(data.new?.id.slice(1)) % 2 === 0 ? "hangs" : undefined));
    await create({ webhook_url: receiver.url });
    await made.commit(1, accounts(40));
    await begin({ mostOfWebhook: 2, mostHanging: 3, slow: 50, second: 1_000 });
    await expect.poll(() => receiver.open()).toBe(5);
    const [waiting] = await database.query(
      SQL`select count(*) as events from graphloom.webhook_events where status = 'pending' and lease is null`,
    );
    expect(Number(waiting?.events)).toBeGreaterThan(0);
    expect(receiver.mostOpen()).toBeLessThanOrEqual(5);
  });

  test("the delivery does not report a receiver as down if it accepts events while other attempts hang", async () => {
    receiver.judge(({ data }) => (Number(data.new?.id.slice(1)) < 10 ? "hangs" : undefined));
    await create({ webhook_url: receiver.url, retry_timeout_seconds: 20, retry_interval_seconds: 300 });
    await made.commit(1, accounts(16));
    await begin({ downAfter: 5, mostOfWebhook: 16, second: 100, longestWait: 600_000 });
    const failed = async () =>
      (
        await database.query(
          SQL`select 1 from graphloom.webhook_events where attempts = 1 and status = 'pending'`,
        )
      ).length;
    await expect.poll(failed).toBe(10);
    expect((await state()).status).toBe("ACTIVE");
    expect((await state()).failures_in_a_row).toBe(0);
  });

  test("the delivery sends nothing while a webhook is paused", async () => {
    await create({ webhook_url: receiver.url });
    expect((await made.ask("PUT", "/extensions/webhooks/hook/pause")).body.data.status).toBe("PAUSED");
    await made.commit(1, accounts(3));
    await begin();
    await expect.poll(async () => (await deliveries()).length).toBe(3);
    expect(receiver.arrived()).toBe(0);
    expect((await made.ask("PUT", "/extensions/webhooks/hook/resume")).body.data.status).toBe("ACTIVE");
    await expect.poll(() => receiver.taken.length).toBe(3);
  });

  test("INV-W4: the delivery shares the work among several servers and sends nothing twice", async () => {
    await create({ webhook_url: receiver.url });
    await begin({ batch: 7 });
    await begin({ batch: 5 });
    for (let number = 1; number <= 5; number++) await made.commit(number, accounts(10, BigInt(number)));
    await expect
      .poll(async () => (await deliveries("hook", "?status=delivered&page_size=200")).length)
      .toBe(90);
    expect(new Set(receiver.taken.map(({ id }) => id)).size).toBe(90);
    expect(receiver.taken).toHaveLength(90);
  });

  test("the delivery creates a bounded number of events while the receiver takes none", async () => {
    receiver.judge(() => "hangs");
    await create({ webhook_url: receiver.url });
    for (let number = 1; number <= 8; number++) await made.commit(number, accounts(10, BigInt(number)));
    await begin({ batch: 10, mostPending: 30 });
    const count = async () => (await deliveries("hook", "?page_size=200")).length;
    await expect.poll(count).toBeGreaterThanOrEqual(30);
    // Ten changes make at most twenty events.
    expect(await count()).toBeLessThan(50);
  });

  test("the delivery reports why a receiver is unreachable, without the keys in its address", async () => {
    await create({
      webhook_url: "http://user:password@127.0.0.1:1/verysecretpath?key=123456",
      num_retries: 0,
    });
    await made.commit(1, [account("a", 1n)]);
    await begin();
    await expect.poll(async () => (await deliveries())[0]?.status).toBe("failed");
    expect((await deliveries())[0]).toMatchObject({
      response_status: null,
      error: "the connection was refused (ECONNREFUSED)",
    });
  });

  test("the delivery refuses private addresses when other machines can reach the server", async () => {
    await create({ webhook_url: receiver.url, num_retries: 0 });
    await made.commit(1, [account("a", 1n)]);
    const settings = { ...made.platform.settings, isLoopback: false };
    const sender = made.sender({}, { ...made.platform, settings });
    senders.push(sender);
    await sender.start();
    await expect.poll(async () => (await deliveries())[0]?.status).toBe("failed");
    expect((await deliveries())[0].error).toBe("127.0.0.1 is a private address");
    expect(receiver.arrived()).toBe(0);
    // The operator can have an alarm for it.
    expect(made.reported.splice(0)).toEqual([
      `A webhook may not connect to 127.0.0.1 port ${new URL(receiver.url).port}: Error: 127.0.0.1 is a private address`,
    ]);
  });
});
