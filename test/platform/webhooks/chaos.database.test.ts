import { beforeAll, expect, test } from "vitest";
import type { WebhookSender } from "../../../src/platform/webhooks/sender.js";
import { type Database, DatabaseError, SQL } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { describeDatabase } from "../../support/database/databases.js";
import { drawFrom } from "../../support/pool/draw.js";
import { propertySeed } from "../../support/property/property-run.js";
import { startReceiver } from "../../support/server/webhook-receiver.js";
import { Chain, currentAccounts, sorted, unreliable } from "./chaos.js";
import { makePlatform } from "./harness.js";

/** `npm run campaign:webhooks`. */
const isCampaign = process.env.GRAPHLOOM_WEBHOOK_CHANGES !== undefined;
const wanted = { changes: 400, blockSize: 12, ids: 60, kills: 3 };

describeDatabase("a receiver with random faults", isCampaign, ({ fresh }) => {
  let database: Database;
  beforeAll(async () => {
    database = await fresh();
    await migrate(database);
  });

  test("INV-W1: a receiver ends up with the rows of the tables, despite reorganisations and killed senders", async () => {
    const draw = drawFrom(propertySeed);
    const { platform, store, hosting, create, ask, sender, project } = await makePlatform(database);
    const receiver = await startReceiver();
    // A separate random source: the number of draws here depends on timing, and the chain must stay reproducible.
    receiver.judge(unreliable(drawFrom(propertySeed + 1), 6));
    const chain = new Chain(store, draw, wanted.ids);
    await chain.grow(wanted.blockSize);
    const retries = { num_retries: 10, retry_interval_seconds: 1, retry_timeout_seconds: 10 };
    await create({ webhook_url: receiver.url, from_start: true, ...retries });

    let killed = 0;
    const startMortal = async (): Promise<{ readonly sender: WebhookSender; die(): Promise<void> }> => {
      const { mortal, kill } = mortalDatabase(database);
      const started = sender({ mostPending: 200, batch: 40 }, { ...platform, database: mortal });
      await started.start();
      return {
        sender: started,
        die: () => {
          kill();
          killed += 1;
          return started.stop();
        },
      };
    };
    let running = await startMortal();
    let begun = 0;
    for (let nextKill = 1; chain.written < wanted.changes; ) {
      await chain.grow(wanted.blockSize);
      if (draw.happens(0.12)) await chain.reorganise(1 + draw.below(3));
      if (killed === wanted.kills || chain.written < (nextKill * wanted.changes) / (wanted.kills + 1))
        continue;
      nextKill += 1;
      // Kill it in the middle of its work: it has sent some events, and more are waiting.
      await expect.poll(() => receiver.taken.length).toBeGreaterThan(begun + 20);
      await chain.grow(wanted.blockSize);
      await running.die();
      begun = receiver.taken.length;
      running = await startMortal();
    }
    const open = async (): Promise<string> => {
      const [row] = await database.query(
        SQL`select count(*) filter (where e.status <> 'delivered') || ' ' || (max(w.cursor)::bigint - max(d.feed_seq)) as open
          from graphloom.webhooks w join graphloom.webhook_events e on e.webhook = w.id, graphloom.deployments d
          where w.project = $1::text and d.id = $2::integer`,
        [project, String([...hosting.storages.values()][0]?.deployment.id)],
      );
      return row?.open ?? "";
    };
    await expect.poll(open, { interval: 100 }).toBe("0 0");
    await running.sender.stop();
    await receiver.stop();

    const storage = [...hosting.storages.values()][0];
    if (!storage) throw new Error("there is a deployment");
    const rows = await currentAccounts(database, storage);
    expect(sorted(receiver.table())).toEqual(sorted(rows));
    expect(killed).toBe(wanted.kills);
    expect(chain.reversals, "reorganisations").toBeGreaterThan(2);
    // Some events arrived more than once, each time with the same id.
    const ids = new Set(receiver.taken.map(({ id }) => id));
    expect(receiver.taken.length).toBeGreaterThan(ids.size);
    expect(receiver.arrived()).toBeGreaterThan(receiver.taken.length * 1.1);
    await ask("DELETE", "/subgraphs/webhooks/hook");
  });
});

/** The database of a process that can be killed. Afterwards every call is rejected. */
function mortalDatabase(database: Database): { readonly mortal: Database; kill(): void } {
  let isDead = false;
  const alive = <Result>(ask: () => Promise<Result>): Promise<Result> =>
    isDead ? Promise.reject(new DatabaseError("the process was killed")) : ask();
  return {
    mortal: {
      provider: database.provider,
      query: (statement, parameters) => alive(() => database.query(statement, parameters)),
      run: (script) => alive(() => database.run(script)),
      transaction: (work, options) =>
        alive(() =>
          database.transaction(
            (sql) =>
              work({
                query: (statement, parameters) => alive(() => sql.query(statement, parameters)),
                run: (script) => alive(() => sql.run(script)),
              }),
            options,
          ),
        ),
      listen: (channel, hear) => database.listen(channel, hear),
      close: async () => {},
    },
    kill: () => {
      isDead = true;
    },
  };
}
