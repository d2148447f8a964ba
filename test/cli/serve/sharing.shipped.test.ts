import { afterEach, expect, it } from "vitest";
import { manifestPath } from "../../../src/subgraph/build.js";
import { collectBuild } from "../../../src/subgraph/collect-build.js";
import { zipBuild } from "../../../src/subgraph/zip-build.js";
import { Anvil } from "../../support/chain/anvil.js";
import { serverDatabase } from "../../support/database/databases.js";
import { postgresMissing } from "../../support/database/postgres-server.js";
import { testFolder } from "../../support/folder.js";
import { drawFrom } from "../../support/pool/draw.js";
import { propertySeed } from "../../support/property/property-run.js";
import { readExposition, type Sample } from "../../support/server/exposition.js";
import { deployForm } from "../../support/server/platform-server.js";
import { startReceiver } from "../../support/server/webhook-receiver.js";
import { until } from "../../support/until.js";
import { byId, Ledger, type Rows } from "./ledger.js";
import { killServed, type Served, startServed } from "./served.js";

/**
 * In `npm run campaign:hangs`, one server hangs while the other continues, and resumes a minute later. Otherwise it is
 * killed, which frees its leases at once.
 */
const isCampaign = process.env.GRAPHLOOM_HANGS !== undefined;
const count = 4;
const fields = {
  accounts: ["id", "balance", "moves"],
  moves: ["id", "account", "balance"],
} as const;

/** What to end after a test in any case, the last first. */
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

it.skipIf(postgresMissing !== undefined)(
  `a server takes over the deployments of one that ${isCampaign ? "hangs" : "is killed"}`,
  async () => {
    const anvil = await Anvil.start();
    ends.push(() => anvil.stop());
    const ledger = await Ledger.start(anvil, drawFrom(propertySeed), { accounts: 20, block: 5 });
    const home = testFolder();
    const environment = { GRAPHLOOM_DATABASE: await serverDatabase() };
    const start = async (): Promise<Served> => {
      const served = await startServed(
        ["--data", "data", "--rpc", `sepolia=${anvil.url}`],
        home,
        environment,
      );
      ends.push(() => killServed(served));
      return served;
    };
    const one = await start();
    const other = await start();
    const files = await ledger.files();
    // The first server to see a new deployment takes it.
    for (let number = 0; number < count; number++) await deploy(number % 2 ? one : other, files, number);
    await until(async () => (await indexedBy(one)) > 0 && (await indexedBy(other)) > 0);
    const receiver = await startReceiver();
    ends.push(() => receiver.stop());
    await hook(one, receiver.url);
    await ledger.grow(40);
    const doomed = await ledger.doom();
    await ledger.grow(20);
    await allIndexed(one, await anvil.blockNumber());

    const stoppedAt = performance.now();
    other.child.kill(isCampaign ? "SIGSTOP" : "SIGKILL");
    await ledger.reorganise();
    await ledger.grow(40);
    await allIndexed(one, await anvil.blockNumber());
    const seconds = (performance.now() - stoppedAt) / 1000;
    await until(async () => (await indexedBy(one)) === count);
    if (isCampaign) {
      console.log(`the other went on after ${seconds.toFixed(1)} s`);
      expect(seconds).toBeLessThan(30);
      other.child.kill("SIGCONT");
      await ledger.grow(40);
      await until(async () => (await indexedBy(one)) === 2 && (await indexedBy(other)) === 2);
      console.log(`each had its half after ${((performance.now() - stoppedAt) / 1000).toFixed(1)} s`);
      await ledger.grow(40);
      await allIndexed(other, await anvil.blockNumber());
    }

    const { accounts, moves } = ledger.expected();
    for (let number = 0; number < count; number++) {
      expect(await queried(one, number, "accounts")).toEqual(accounts);
      expect(await queried(one, number, "moves")).toEqual(moves);
    }
    const told = (): Rows =>
      byId(
        [...receiver.table().values()].map((row) =>
          Object.fromEntries(fields.accounts.map((field) => [field, row[field]])),
        ),
      );
    await until(
      () => told().length === accounts.length && JSON.stringify(told()) === JSON.stringify(accounts),
    );
    expect(receiver.table().has(doomed.made)).toBe(false);
    expect((await metrics(one)).filter(isUnhealthy)).toEqual([]);
  },
  600_000,
);

function isUnhealthy({ name, labels, value }: Sample): boolean {
  return name === "graphloom_deployments" && labels.health !== "healthy" && value > 0;
}

async function metrics(served: Served): Promise<readonly Sample[]> {
  return readExposition(await (await served.ask("/metrics")).text());
}

/** Number of deployments that a server has threads for. */
async function indexedBy(served: Served): Promise<number> {
  const all = await metrics(served);
  return all.filter(({ name }) => name === "graphloom_deployment_handlers_per_second").length;
}

/** Waits until all deployments have a block. */
async function allIndexed(served: Served, block: number): Promise<void> {
  await until(async () => {
    const heads = (await metrics(served)).filter(({ name }) => name === "graphloom_deployment_head_block");
    return heads.length === count && heads.every(({ value }) => value >= block);
  });
}

async function deploy(
  served: Served,
  files: ReadonlyMap<string, string | Uint8Array>,
  number: number,
): Promise<void> {
  const path = `build/${manifestPath}`;
  // A different hash for each.
  const own = new Map([...files, [path, `${String(files.get(path))}\ndescription: number ${number}\n`]]);
  const body = deployForm(zipBuild(collectBuild({ manifest: path, files: own })));
  const to = `/api/v1/subgraphs/ledger${number}/deployments/1.0.0`;
  const answer = await served.ask(to, { method: "PUT", body });
  expect([answer.status, await answer.text()]).toEqual([201, expect.anything()]);
}

/** Creates a webhook for the accounts of the first subgraph. */
async function hook(served: Served, url: string): Promise<void> {
  const body = JSON.stringify({
    name: "accounts",
    subgraph_name: "ledger0",
    subgraph_version: "1.0.0",
    entity: "account",
    webhook_url: url,
    from_start: true,
    num_retries: 10,
    retry_interval_seconds: 1,
    retry_timeout_seconds: 5,
  });
  const headers = { "content-type": "application/json" };
  const answer = await served.ask("/api/v1/subgraphs/webhooks", { method: "POST", headers, body });
  expect([answer.status, await answer.text()]).toEqual([200, expect.anything()]);
}

/** All entities of a type, as a query returns them. */
async function queried(served: Served, number: number, entity: keyof typeof fields): Promise<Rows> {
  const query = `{ ${entity}(first: 1000, orderBy: id) { ${fields[entity].join(" ")} } }`;
  const answer = await served.ask(`/subgraphs/name/ledger${number}/1.0.0`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query }),
  });
  const { data }: { readonly data?: Readonly<Record<string, Rows>> } = JSON.parse(await answer.text());
  return byId(data?.[entity] ?? []);
}
