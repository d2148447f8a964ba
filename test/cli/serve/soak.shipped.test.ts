import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, type TestContext } from "vitest";
import { collectBuild } from "../../../src/subgraph/collect-build.js";
import { zipBuild } from "../../../src/subgraph/zip-build.js";
import { Anvil } from "../../support/chain/anvil.js";
import { createDatabase } from "../../support/database/databases.js";
import { postgresMissing, startPostgres } from "../../support/database/postgres-server.js";
import { drawFrom } from "../../support/pool/draw.js";
import { propertySeed } from "../../support/property/property-run.js";
import { deployForm } from "../../support/server/platform-server.js";
import { startReceiver } from "../../support/server/webhook-receiver.js";
import { Ledger } from "./ledger.js";
import { type Served, startServed } from "./served.js";
import { rowsIn, type SoakedDatabase, type SoakSample, takeSample } from "./soak-samples.js";

/** Duration in `npm run campaign:soak`; otherwise a few seconds, to check that the campaign itself works. */
const minutes = process.env.GRAPHLOOM_SOAK_MINUTES;
const wanted =
  minutes === undefined
    ? { seconds: 6, deployments: 2, sample: 2, reorganise: 2, block: 2, accounts: 20 }
    : { seconds: Number(minutes) * 60, deployments: 10, sample: 30, reorganise: 60, block: 3, accounts: 300 };
/** Blocks per second; a higher rate lets one hour stand for several. */
const pace = Number(process.env.GRAPHLOOM_SOAK_PACE ?? 1);
/** Where the samples go, in the campaign. */
const out = process.env.GRAPHLOOM_SOAK_OUT ?? "bench";
const all = (process.env.GRAPHLOOM_SOAK_DATABASES ?? "PGlite,PostgreSQL").split(",");
const databases =
  minutes === undefined
    ? ["PGlite"]
    : all.filter((name) => name === "PGlite" || postgresMissing === undefined);

const megabyte = 1 << 20;

it.concurrent.for(databases)(
  "a server on %s does not grow under deployments, reorganisations, webhooks and queries",
  { timeout: (wanted.seconds + 900) * 1000 },
  async (provider, { onTestFinished }) => {
    const anvil = await Anvil.start();
    onTestFinished(() => anvil.stop());
    const ledger = await Ledger.start(anvil, drawFrom(propertySeed), wanted);
    const home = mkdtempSync(join(tmpdir(), "graphloom-soak-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const { address, ...database } = await databaseFor(provider, home, onTestFinished);
    const environment = address === undefined ? {} : { GRAPHLOOM_DATABASE: address };
    const served = await startServed(["--data", "data", "--rpc", `sepolia=${anvil.url}`], home, environment);
    onTestFinished(async () => {
      served.child.kill("SIGKILL");
      await served.ended;
    });
    const receiver = await startReceiver();
    onTestFinished(() => receiver.stop());
    const files = await ledger.files();
    for (let number = 0; number < wanted.deployments; number++)
      await deploy(served, files, number, receiver.url);

    if (minutes !== undefined) rmSync(join(out, `soak-${provider}.jsonl`), { force: true });
    const soaked = { ...database, ...(address !== undefined && { address }) };
    const samples = await soak(served, ledger, soaked, (sample) => {
      // Received events do not matter here, and would be kept.
      (receiver.taken as unknown[]).length = 0;
      (receiver.headers as unknown[]).length = 0;
      note(provider, sample);
    });
    served.child.kill("SIGTERM");
    await served.ended;
    const rows = await rowsIn(address ?? join(home, "data", "database"));
    if (minutes !== undefined) writeFileSync(join(out, `soak-${provider}-rows.jsonl`), JSON.stringify(rows));
    expectLevel(samples, rows, provider === "PGlite" ? 200 * megabyte : 1_100 * megabyte);
  },
);

/** The folder with the files of the database, and its address. */
async function databaseFor(
  provider: string,
  home: string,
  onTestFinished: TestContext["onTestFinished"],
): Promise<SoakedDatabase> {
  if (provider === "PGlite") return { folder: join(home, "data", "database", "postgres") };
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  await createDatabase(server, "soak");
  return { folder: join(server.folder, "data"), address: server.address("soak") };
}

async function deploy(
  served: Served,
  files: ReadonlyMap<string, string | Uint8Array>,
  number: number,
  url: string,
): Promise<void> {
  const path = "build/subgraph.yaml";
  // A different hash for each.
  const own = new Map([...files, [path, `${String(files.get(path))}\ndescription: number ${number}\n`]]);
  const body = deployForm(zipBuild(collectBuild({ manifest: path, files: own })));
  const answer = await served.ask(`/api/v1/subgraphs/soak${number}/deployments/1.0.0`, {
    method: "PUT",
    body,
  });
  expect([answer.status, await answer.text()]).toEqual([201, expect.anything()]);
  for (const entity of ["account", "move"]) {
    const hook = JSON.stringify({
      name: `${entity}-${number}`,
      subgraph_name: `soak${number}`,
      subgraph_version: "1.0.0",
      entity,
      webhook_url: url,
      num_retries: 3,
      retry_interval_seconds: 1,
      retry_timeout_seconds: 10,
    });
    const headers = { "content-type": "application/json" };
    const made = await served.ask("/api/v1/subgraphs/webhooks", { method: "POST", headers, body: hook });
    expect([made.status, await made.text()]).toEqual([200, expect.anything()]);
  }
}

/** Mines blocks, sends a query each second, and samples the server repeatedly. */
async function soak(
  served: Served,
  ledger: Ledger,
  database: SoakedDatabase,
  tell: (sample: SoakSample) => void,
): Promise<readonly SoakSample[]> {
  const samples: SoakSample[] = [];
  const began = performance.now();
  const passed = (): number => (performance.now() - began) / 1000;
  let times: number[] = [];
  let [nextSample, nextTurn, isDoomed] = [wanted.sample, wanted.reorganise / 2, false];
  for (let round = 1; passed() < wanted.seconds; round++) {
    for (let block = 0; block < pace; block++) await ledger.grow(1);
    if (passed() >= nextTurn) {
      await (isDoomed ? ledger.reorganise() : ledger.doom());
      isDoomed = !isDoomed;
      // A few blocks are reverted each time.
      nextTurn += isDoomed ? 4 : wanted.reorganise;
    }
    times.push(await ask(served, round % wanted.deployments));
    if (passed() >= nextSample) {
      samples.push(await takeSample(served, database, passed(), times));
      for (const sample of samples.slice(-1)) tell(sample);
      times = [];
      nextSample += wanted.sample;
    }
    await sleep(Math.max(0, round * 1000 - passed() * 1000));
  }
  return samples;
}

/** @returns milliseconds */
async function ask(served: Served, number: number): Promise<number> {
  const query = "{ accounts(first: 20, orderBy: moves, orderDirection: desc) { id balance moves } }";
  const headers = { "content-type": "application/json" };
  const began = performance.now();
  const body = JSON.stringify({ query });
  const answer = await served.ask(`/subgraphs/name/soak${number}/1.0.0`, { method: "POST", headers, body });
  await answer.text();
  return performance.now() - began;
}

function note(provider: string, sample: SoakSample): void {
  if (minutes === undefined) return;
  mkdirSync(out, { recursive: true });
  appendFileSync(join(out, `soak-${provider}.jsonl`), `${JSON.stringify(sample)}\n`);
}

/** @param mostLog bytes */
function expectLevel(
  samples: readonly SoakSample[],
  rows: Readonly<Record<string, number>>,
  mostLog: number,
): void {
  const [first, second] = [samples.slice(0, samples.length / 2), samples.slice(samples.length / 2)];
  const most = (some: readonly SoakSample[], of: keyof SoakSample): number =>
    Math.max(...some.map((sample) => Number(sample[of])));
  expect(samples.at(-1)?.block).toBeGreaterThan(0);
  expect(samples.at(-1)?.delivered).toBeGreaterThan(0);
  expect(most(second, "log")).toBeLessThan(mostLog);
  // The server keeps a thousand delivered events per webhook, and as many blocks per deployment.
  const kept = 2 * wanted.deployments * 3_000;
  for (const [name, count] of Object.entries(rows)) expect([name, count < kept]).toEqual([name, true]);
  if (minutes !== undefined) {
    expect(most(second, "resident") / most(first, "resident")).toBeLessThan(1.1);
  }
}
