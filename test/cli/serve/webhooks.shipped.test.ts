import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { afterEach, expect, it } from "vitest";
import { unreliable } from "../../platform/webhooks/chaos.js";
import { Anvil } from "../../support/chain/anvil.js";
import { serverDatabase } from "../../support/database/databases.js";
import { postgresMissing } from "../../support/database/postgres-server.js";
import { testFolder } from "../../support/folder.js";
import { drawFrom } from "../../support/pool/draw.js";
import { propertySeed } from "../../support/property/property-run.js";
import { readExposition, sampleValue } from "../../support/server/exposition.js";
import { startReceiver, type WebhookReceiver } from "../../support/server/webhook-receiver.js";
import { type Balances, balances, byId, type Doomed, Ledger, type Rows } from "./ledger.js";
import { killServed, type Served, startServed } from "./served.js";

/** Number of changes in `npm run campaign:webhooks`; otherwise there is less of everything. */
const asked = process.env.GRAPHLOOM_WEBHOOK_CHANGES;
const wanted =
  asked === undefined
    ? { changes: 60, kills: 1, accounts: 24, block: 6, faults: 2 }
    : { changes: Number(asked), kills: 3, accounts: 300, block: 50, faults: 6 };
/** Longest wait for one result, in milliseconds. */
const patience = 120_000 + 30 * wanted.changes;
/** Both databases in the campaign, otherwise the faster one. */
const others = asked === undefined ? [] : ["PGlite"];
const databases = postgresMissing === undefined ? [...others, "PostgreSQL"] : ["PGlite"];

/** What to end after a test in any case, the last first. */
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

it.each(databases)(
  "a server on %s delivers everything to faulty receivers, despite kills and reorganisations",
  async (provider) => {
    const began = performance.now();
    const say = (text: string): void => {
      if (asked !== undefined) console.log(`${((performance.now() - began) / 1000).toFixed()} s: ${text}`);
    };
    const anvil = await Anvil.start();
    ends.push(() => anvil.stop());
    const ledger = await Ledger.start(anvil, drawFrom(propertySeed), wanted);
    const database = provider === "PGlite" ? {} : { GRAPHLOOM_DATABASE: await serverDatabase() };
    const home = testFolder();
    const start = (): Promise<Served> =>
      startServed(["--data", "data", "--rpc", `sepolia=${anvil.url}`], home, database);
    let served = await start();
    ends.push(() => killServed(served));
    const accounts = await receive(1);
    const moves = await receive(2);
    const arrived = (): number => accounts.arrived() + moves.arrived();

    await served.deploy(await ledger.files());
    await hook(served, "account", accounts);
    await hook(served, "move", moves);
    const share = wanted.changes / (wanted.kills + 1);
    const all: Doomed[] = [];
    for (let killed = 0; killed < wanted.kills; killed++) {
      await ledger.grow(share / 2);
      const doomed = await ledger.doom();
      all.push(doomed);
      await ledger.grow(share / 2);
      // The receiver has the data that will be reverted.
      await became(() => balancesOf(accounts, doomed), balances.doomed);
      // So that there is something left to deliver.
      await ledger.grow(share / 4);
      const before = arrived();
      await became(() => arrived() > before + 5, true);
      const isDead = killed % 2 === 0;
      if (!isDead) {
        await ledger.reorganise();
        await became(() => balancesOf(accounts, doomed).made, undefined);
      }
      await kill(served);
      say(`killed ${isDead ? "before" : "after"} a reorganisation, ${arrived()} deliveries`);
      if (isDead) await ledger.reorganise();
      served = await start();
    }
    await ledger.grow(Math.max(share / 4, wanted.changes - ledger.changes));
    await served.indexed(await anvil.blockNumber());

    const expected = ledger.expected();
    const entities = async (): Promise<typeof expected> => ({
      accounts: await queried(served, "accounts", ["id", "balance", "moves"]),
      moves: await queried(served, "moves", ["id", "account", "balance"]),
    });
    await became(entities, expected, asked === undefined ? 300 : 3_000);
    const tables = (): typeof expected => ({
      accounts: tableOf(accounts, ["id", "balance", "moves"]),
      moves: tableOf(moves, ["id", "account", "balance"]),
    });
    await became(tables, expected);
    await became(() => waiting(served), 0);
    expect(tables()).toEqual(expected);
    expect(all.map((doomed) => balancesOf(accounts, doomed))).toEqual(all.map(() => balances.after));
    expect([await givenUp(served, "account"), await givenUp(served, "move")]).toEqual([[], []]);
    expectTrouble(accounts, ["INSERT", "UPDATE", "DELETE"]);
    expectTrouble(moves, ["INSERT", "DELETE"]);
    say(
      `${ledger.written} changes, ${wanted.kills} kills, ${ledger.orphaned} blocks taken back; ` +
        `${arrived()} deliveries of ${eventsOf(accounts).size + eventsOf(moves).size} events; ` +
        `${expected.accounts.length} accounts and ${expected.moves.length} moves are equal`,
    );
  },
  6 * patience,
);

/** Starts a receiver that mishandles one of three deliveries. */
async function receive(seed: number): Promise<WebhookReceiver> {
  const receiver = await startReceiver();
  ends.push(() => receiver.stop());
  receiver.judge(unreliable(drawFrom(propertySeed + seed), wanted.faults));
  return receiver;
}

/** Creates a webhook for an entity. No delivery is given up, since retries outnumber the failures of a receiver. */
async function hook(served: Served, entity: string, { url }: WebhookReceiver): Promise<void> {
  const body = JSON.stringify({
    name: entity,
    subgraph_name: "demo",
    subgraph_version: "1.0.0",
    entity,
    webhook_url: url,
    from_start: true,
    num_retries: 10,
    retry_interval_seconds: 1,
    retry_timeout_seconds: 1,
  });
  const headers = { "content-type": "application/json" };
  const answer = await served.ask("/api/v1/subgraphs/webhooks", { method: "POST", headers, body });
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining(entity)]);
}

/** Kills a running server. */
async function kill({ child, ended }: Served): Promise<void> {
  child.kill("SIGKILL");
  expect(await ended).toBe("SIGKILL");
}

/** Waits until an answer equals the expected one, and reports the difference after the longest wait. */
async function became(ask: () => unknown, wished: unknown, interval = 100): Promise<void> {
  const end = performance.now() + patience;
  while (performance.now() < end && !isDeepStrictEqual(await ask(), wished)) await sleep(interval);
  expect(await ask()).toEqual(wished);
}

/** A receiver's balances of the accounts that a doomed block has made, changed or ended. */
function balancesOf(receiver: WebhookReceiver, { made, changed, ended }: Doomed): Readonly<Balances> {
  const table = receiver.table();
  const of = (id: string): unknown => table.get(id)?.balance;
  return { made: of(made), changed: of(changed), ended: of(ended) };
}

/** All entities of a type, as queries return them. */
async function queried(served: Served, entity: string, fields: readonly string[]): Promise<Rows> {
  const rows: Rows[number][] = [];
  for (let last = ""; ; last = String(rows.at(-1)?.id)) {
    const page = `${entity}(first: 1000, orderBy: id, where: { id_gt: "${last}" })`;
    const data = await served.query(`{ ${page} { ${fields.join(" ")} } }`);
    const found = data[entity] as Rows;
    rows.push(...found);
    if (found.length < 1000) return byId(rows);
  }
}

/** The same from the table that a receiver keeps. */
function tableOf(receiver: WebhookReceiver, fields: readonly string[]): Rows {
  const rows = [...receiver.table().values()];
  return byId(rows.map((row) => Object.fromEntries(fields.map((field) => [field, row[field]]))));
}

/** How many events are still to be delivered. */
async function waiting(served: Served): Promise<number | undefined> {
  const metrics = await served.ask("/metrics");
  return sampleValue(readExposition(await metrics.text()), "graphloom_webhook_outbox_events");
}

/** The deliveries of a webhook that are no longer retried. */
async function givenUp(served: Served, name: string): Promise<unknown> {
  const answer = await served.ask(`/api/v1/extensions/webhooks/${name}/deliveries?status=failed`);
  return (JSON.parse(await answer.text()) as { readonly data: unknown }).data;
}

/** The events that a receiver accepted, by id; repeated ones must be equal. */
function eventsOf(receiver: WebhookReceiver): ReadonlyMap<string, string> {
  const events = new Map<string, string>();
  for (const { id, op, data } of receiver.taken) {
    const text = JSON.stringify([op, data]);
    expect(events.get(id) ?? text).toBe(text);
    events.set(id, text);
  }
  return events;
}

/** Expects that a receiver's faults made a difference, and that it received all these operations. */
function expectTrouble(receiver: WebhookReceiver, ops: readonly string[]): void {
  expect(receiver.taken.length).toBeGreaterThan(eventsOf(receiver).size);
  expect(receiver.arrived()).toBeGreaterThan(receiver.taken.length * 1.1);
  expect(new Set(receiver.taken.map(({ op }) => op))).toEqual(new Set(ops));
}
