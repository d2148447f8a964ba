import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import type { Database } from "../../../src/platform/database/database.js";
import { migrate } from "../../../src/platform/database/migrate.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { serverDatabase, world } from "../../support/databases.js";
import { drawFrom } from "../../support/pool/draw.js";
import { postgresMissing } from "../../support/postgres-server.js";
import { propertySeed } from "../../support/property-run.js";
import { startReceiver } from "../../support/webhook-receiver.js";
import { Chain, currentAccounts, sorted, unreliable } from "./chaos.js";
import { makePlatform } from "./harness.js";

/** How many changes there are; GRAPHLOOM_WEBHOOK_CHANGES says how many instead. */
const changes = Number(process.env.GRAPHLOOM_WEBHOOK_CHANGES ?? 200);
const kills = 3;
const patience = 120_000 + 120 * changes;

let database: Database | undefined;
afterAll(() => database?.close());

it.skipIf(postgresMissing !== undefined)(
  `a sender that is killed three times tells a bad receiver everything${postgresMissing ? `: ${postgresMissing}` : ""}`,
  async () => {
    const address = await serverDatabase();
    database = await openDatabase(address, world);
    await migrate(database);
    const draw = drawFrom(propertySeed);
    const { hosting, store, create } = await makePlatform(database);
    const [[build, storage] = []] = [...hosting.storages];
    if (build === undefined || !storage) throw new Error("there is a deployment");
    const receiver = await startReceiver();
    receiver.judge(unreliable(draw));
    const chain = new Chain(store, draw, 300);
    await chain.grow(20);
    const retries = { num_retries: 10, retry_interval_seconds: 1, retry_timeout_seconds: 10 };
    await create({ webhook_url: receiver.url, from_start: true, ...retries });

    let child = await start(address, build);
    let killed = 0;
    while (chain.written < changes || killed < kills) {
      await chain.grow(20);
      if (draw.happens(0.05)) await chain.reorganise(1 + draw.below(4));
      if (killed === kills || chain.written < ((killed + 1) * changes) / (kills + 1)) continue;
      const taken = receiver.taken.length;
      await expect.poll(() => receiver.taken.length, { timeout: patience }).toBeGreaterThan(taken + 30);
      await kill(child);
      killed += 1;
      await chain.reorganise(2);
      child = await start(address, build);
    }
    const open = async (): Promise<unknown> => {
      const [row] = await (database as Database).query(
        `select (select count(*) from graphloom.webhook_events where status <> 'delivered') as open,
          (select max(cursor)::bigint from graphloom.webhooks) - (select feed_seq from graphloom.deployments) as ahead`,
      );
      return row;
    };
    await expect.poll(open, { timeout: patience, interval: 200 }).toEqual({ open: "0", ahead: "0" });
    await kill(child);
    await receiver.stop();

    expect(sorted(receiver.table())).toEqual(sorted(await currentAccounts(database, storage)));
    expect([killed, chain.reversals >= kills]).toEqual([kills, true]);
    if (process.env.GRAPHLOOM_WEBHOOK_CHANGES !== undefined)
      console.log(
        `${chain.written} changes, ${chain.reversals} reorganisations, ${receiver.arrived()} deliveries`,
      );
    const ids = new Set(receiver.taken.map(({ id }) => id));
    expect(ids.size).toBeGreaterThan(changes);
    expect(receiver.taken.length).toBeGreaterThan(ids.size);
    expect(receiver.arrived()).toBeGreaterThan(receiver.taken.length * 1.1);
  },
  3 * patience,
);

async function start(address: string, build: string): Promise<ChildProcess> {
  const script = fileURLToPath(new URL("sender-child.mjs", import.meta.url));
  const child = spawn(process.execPath, [script, address, build], { stdio: ["ignore", "pipe", "inherit"] });
  process.once("exit", () => child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) throw new Error("it ended by itself");
  child.kill("SIGKILL");
  await once(child, "close");
}
