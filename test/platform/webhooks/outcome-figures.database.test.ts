import { randomUUID } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { Durations } from "../../../src/platform/figures/durations.js";
import { day, rangeOf, spanOf } from "../../../src/platform/figures/ranges.js";
import { claimEvents, type Outcome, settleEvents } from "../../../src/platform/webhooks/claims.js";
import {
  measurePending,
  pruneOutcomes,
  readOutcomes,
} from "../../../src/platform/webhooks/outcome-figures.js";
import { defaultLimits } from "../../../src/platform/webhooks/sender-limits.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { describeDatabases } from "../../support/database/databases.js";
import { makePlatform, type WebhookPlatform } from "./harness.js";

describeDatabases("the figures of webhooks", ({ fresh }) => {
  let database: Database;
  let made: WebhookPlatform;
  let webhook: { readonly id: string; readonly project: string };
  beforeEach(async () => {
    database = await fresh();
    await migrate(database);
    made = await makePlatform(database);
    const { id } = await made.create({ webhook_url: "https://receiver.example" });
    webhook = { id, project: made.project };
  });

  const addPending = (count: number) =>
    database.query(
      SQL`insert into graphloom.webhook_events (webhook, id, op, block, entity_key)
        select $1::text, gen_random_uuid(), 'INSERT', 1, n from generate_series(1, $2::integer) n`,
      [webhook.id, String(count)],
    );
  /** Claims events as a server of its own. */
  const claim = async (most: number) => {
    const lease = randomUUID();
    const claimed = { webhook: webhook.id, lease, most, time: 60_000 };
    return { lease, events: await claimEvents(database, claimed, defaultLimits) };
  };
  const settle = (lease: string, outcomes: readonly Outcome[]) =>
    settleEvents(database, { webhook: webhook.id, lease, outcomes }, defaultLimits);
  const ended = (seq: string, status: Outcome["status"], duration: number): Outcome => ({
    seq,
    status,
    duration,
    wait: 0,
    answerStatus: null,
    error: null,
    answerBody: null,
  });
  /** The figures of a range as one, with the time of 95 of 100. */
  const read = async (range = "1h", of = webhook) => {
    const figures = await readOutcomes(database, of, spanOf(rangeOf(range), Date.now()));
    const sum = (name: "delivered" | "retried" | "failed") =>
      figures.reduce((all, figure) => all + figure[name], 0);
    const pending = figures.flatMap((figure) => figure.pending ?? []);
    const longest = Math.max(0, ...figures.map(({ times }) => times.length));
    const times = Array.from({ length: longest }, (_, bucket) =>
      figures.reduce((all, figure) => all + (figure.times[bucket] ?? 0), 0),
    );
    return {
      counts: [sum("delivered"), sum("retried"), sum("failed")],
      ...(pending.length > 0 && { pending: Math.max(...pending) }),
      p95: new Durations(times).within(0.95),
    };
  };

  test("outcome figures count each attempt once, from any of several servers", async () => {
    await addPending(40);
    const [one, other] = [await claim(20), await claim(20)];
    expect([one.events.length, other.events.length]).toEqual([20, 20]);
    await Promise.all([
      settle(
        one.lease,
        one.events.map(({ seq }) => ended(seq, "delivered", 50)),
      ),
      settle(
        other.lease,
        other.events.map(({ seq }, index) =>
          ended(seq, index < 2 ? "pending" : index < 3 ? "failed" : "delivered", 4_000),
        ),
      ),
    ]);
    // A server whose claims expired counts nothing, nor does one that settles twice.
    await settle(
      randomUUID(),
      one.events.map(({ seq }) => ended(seq, "failed", 1)),
    );
    await settle(
      one.lease,
      one.events.map(({ seq }) => ended(seq, "failed", 1)),
    );
    for (const range of ["1h", "24h", "30d"])
      expect([range, await read(range)]).toEqual([range, { counts: [37, 2, 1], p95: 4096 }]);
    const halves = (await readOutcomes(database, webhook, spanOf(rangeOf("30d"), Date.now()))).flatMap(
      ({ times }) => new Durations(times).within(0.5) ?? [],
    );
    expect(Math.min(...halves)).toBe(54);
  });

  test("outcome figures note the most events that waited, from any number of servers", async () => {
    await measurePending(database);
    expect((await read()).pending).toBe(0);
    await addPending(12);
    await Promise.all([measurePending(database), measurePending(database)]);
    const { lease, events } = await claim(5);
    await settle(
      lease,
      events.map(({ seq }) => ended(seq, "delivered", 5)),
    );
    await measurePending(database);
    expect(await read()).toMatchObject({ pending: 12, counts: [5, 0, 0] });
    expect((await read("30d")).pending).toBe(12);
  });

  test("outcome figures do not block the settling of attempts, and are not blocked by it", async () => {
    await addPending(10);
    const { lease, events } = await claim(10);
    let measuring: Promise<void> | undefined;
    await database.transaction(async (sql) => {
      // What settling locks first.
      await sql.query(SQL`select id from graphloom.webhooks for update`);
      measuring = measurePending(database);
      measuring.catch(() => undefined);
      for (let tries = 0; tries < 20; tries++) {
        const waiting = await sql.query(SQL`select pid from pg_locks where not granted`);
        if (waiting.length > 0) break;
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      const outcomes = events.map(({ seq }) => ended(seq, "delivered", 5));
      await settleEvents(sql, { webhook: webhook.id, lease, outcomes }, defaultLimits);
    });
    await measuring;
    expect(await read()).toMatchObject({ counts: [10, 0, 0], pending: expect.any(Number) });
  });

  test("outcome figures are kept for a day by minutes, and for a month by five minutes", async () => {
    await measurePending(database);
    const ages = async () =>
      (
        await database.query(
          SQL`select step, (floor(extract(epoch from now()) / 60) - minute)::integer / 1440 as days
            from graphloom.webhook_figures order by step, minute desc`,
        )
      ).map(({ step, days }) => `${step}: ${days}`);
    for (const days of [2, 30, 32])
      await database.query(
        SQL`insert into graphloom.webhook_figures (webhook, step, minute, pending)
          select webhook, step, minute - $1::integer, 7 from graphloom.webhook_figures
            where minute > extract(epoch from now()) / 60 - 10`,
        [String((days * day) / 60_000)],
      );
    expect(await ages()).toEqual(["1: 0", "1: 2", "1: 30", "1: 32", "5: 0", "5: 2", "5: 30", "5: 32"]);
    await pruneOutcomes(database);
    expect(await ages()).toEqual(["1: 0", "5: 0", "5: 2", "5: 30"]);
  });

  test("outcome figures begin with the hours that older versions counted, spread evenly, without counting any attempt twice", async () => {
    const other = await made.create({ name: "other", webhook_url: "https://receiver.example" });
    const hour = Math.floor(Date.now() / 3_600_000) * 60 - 120;
    const addHours = (of: string, ...hours: readonly (readonly [number, number, number, number])[]) =>
      Promise.all(
        hours.map((values) =>
          database.query(
            SQL`insert into graphloom.webhook_outcomes (webhook, hour, delivered, retried, failed)
              values ($1::text, to_timestamp($2::integer * 60), $3::bigint, $4::bigint, $5::bigint)`,
            [of, ...values.map(String)],
          ),
        ),
      );
    // Twenty minutes into the second hour, the attempts began to be counted in both tables.
    await addHours(webhook.id, [hour - 60, 25, 12, 1], [hour, 50, 0, 3], [hour + 60, 8, 0, 0]);
    await addHours(other.id, [hour, 0, 1, 0]);
    await database.query(
      SQL`insert into graphloom.webhook_figures (webhook, step, minute, delivered, failed, pending, times)
        values ($1::text, 5, $2::integer + 20, 30, 1, 9, '{30}'), ($1::text, 5, $2::integer + 60, 8, 0, 2, '{8}'),
          ($1::text, 1, $2::integer + 20, 30, 1, 9, '{30}')`,
      [webhook.id, String(hour)],
    );
    await rerun("webhook-hours");
    const rows = await database.query(
      SQL`select webhook, step, minute - $1::integer as minute, delivered, retried, failed, pending
        from graphloom.webhook_figures order by webhook <> $2::text, step, minute`,
      [String(hour), webhook.id],
    );
    const lines = rows.map(({ step, minute, delivered, retried, failed, pending }) =>
      [step, minute, delivered, retried, failed, pending ?? "none"].join(" "),
    );
    const early = [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3].map(
      (delivered, index) => `5 ${index * 5 - 60} ${delivered} 1 ${index === 11 ? 1 : 0} none`,
    );
    expect(lines).toEqual([
      "1 20 30 0 1 9",
      ...early,
      "5 0 5 0 0 none",
      "5 5 5 0 1 none",
      "5 10 5 0 0 none",
      "5 15 5 0 1 none",
      "5 20 30 0 1 9",
      "5 60 8 0 0 2",
      ...Array.from({ length: 12 }, (_, index) => `5 ${index * 5} 0 ${index === 11 ? 1 : 0} 0 none`),
    ]);
    await rerun("webhook-hours");
    const [again] = await database.query(
      SQL`select sum(delivered) as all from graphloom.webhook_figures where webhook = $1::text and step = 5`,
      [webhook.id],
    );
    expect(again?.all).toBe("83");
  });

  /** Runs a script again that brought the database up to date. */
  async function rerun(name: string): Promise<void> {
    await database.query(SQL`delete from graphloom.migrations where name = $1::text`, [name]);
    await migrate(database);
  }

  test("outcome figures belong to the webhook's project, and go with the webhook", async () => {
    await addPending(1);
    await measurePending(database);
    expect(await read("1h", { ...webhook, project: "project_other" })).toEqual({ counts: [0, 0, 0] });
    await made.ask("DELETE", "/subgraphs/webhooks/hook");
    expect(await database.query(SQL`select webhook from graphloom.webhook_figures`)).toEqual([]);
    await measurePending(database);
    expect(await database.query(SQL`select webhook from graphloom.webhook_figures`)).toEqual([]);
  });
});
