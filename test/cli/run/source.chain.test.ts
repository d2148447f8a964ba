import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { type Doorkeeper, standBefore } from "../../hosting/doorkeeper.js";
import { useAnvil } from "../../support/chain/anvil.js";
import { blocksOfNode } from "../../support/portal/blocks-of-node.js";
import {
  PlayedPortal,
  type PortalOptions,
  type ServedBlock,
  servePortal,
  startPortal,
} from "../../support/portal/played-portal.js";
import { graphloom, workplace } from "../harness.js";
import { exampleFolder, type Traded, trade } from "./chains.js";

const anvil = useAnvil(["--chain-id", "1"]);
let traded: Traded;
let last: number;
let tip: ServedBlock;
let door: Doorkeeper;
let asked = new Map<string, number>();

beforeAll(async () => {
  traded = await trade(anvil(), 12);
  last = await anvil().blockNumber();
  await anvil().mine(300);
  tip = await blocksOfNode(anvil().client, last + 40);
  door = await standBefore(anvil().url);
  door.tell = ({ method }, result) => {
    asked.set(method, (asked.get(method) ?? 0) + 1);
    return result;
  };
  return () => door.stop();
});

interface SourcedRun {
  readonly code: number;
  readonly out: unknown;
  readonly err: string;
  /** Requests to the node, by method. */
  readonly asked: ReadonlyMap<string, number>;
  readonly portal: PlayedPortal;
}

async function run(cwd: string, options: string, more: Partial<PortalOptions> = {}): Promise<SourcedRun> {
  const { portal, url } = await startPortal(tip, { latency: 1, part: 4_000, ...more });
  asked = new Map();
  const range = `--rpc mainnet=${door.url} --from-block 0 --to-block ${last} --output json`;
  const { code, out, err } = await graphloom(
    cwd,
    `run subgraph.json ${range} ${options.replace("URL", url)}`,
  );
  return { code, out: out === "" ? undefined : JSON.parse(out), err, asked, portal };
}

it.each([
  ["off", "portal"],
  ["bloom", "portal"],
  ["receipts", "portal"],
  ["off", "hypersync"],
  ["bloom", "hypersync"],
  ["receipts", "hypersync"],
] as const)("run --source gives the rows of a run on the node: --verify %s, %s", async (verify, kind) => {
  const cwd = exampleFolder(traded.factory);
  const plain = await run(cwd, `--verify ${verify}`);
  const sourced = await run(cwd, `--verify ${verify} --source ${kind}=URL`, { kind });
  expect(plain.code, plain.err).toBe(0);
  expect(sourced.code, sourced.err).toBe(0);
  expect(sourced.out).toEqual(plain.out);
  expect(sourced.err).toBe(plain.err);
  expect(sourced.portal.asked.length).toBeGreaterThan(0);
  expect(sourced.portal.asked[0]?.logs.some(({ address }) => address?.[0] === traded.factory.address)).toBe(
    true,
  );
});

it("run --source says that headers cannot be proved if the Portal lacks fields, and gives the same rows", async () => {
  const cwd = exampleFolder(traded.factory);
  const plain = await run(cwd, "");
  const unknownFields = ["parentBeaconBlockRoot", "requestsHash"];
  const sourced = await run(cwd, "--source mainnet=portal=URL", { unknownFields });
  expect(sourced.code, sourced.err).toBe(0);
  expect(sourced.out).toEqual(plain.out);
  expect(sourced.err).toContain("it does not return all of their fields");
});

it("run --source reads from the node what a Portal does not serve, and says so", async () => {
  const cwd = exampleFolder(traded.factory);
  const plain = await run(cwd, "");
  const gone = await servePortal(new PlayedPortal({ seed: 3, tip, final: 0 }));
  await gone.stop();
  const { code, out, err } = await run(cwd, `--source portal=${gone.url}`);
  expect(code, err).toBe(0);
  expect(out).toEqual(plain.out);
  expect(err).toMatch(
    /^mainnet: the source portal=http:\/\/127\.0\.0\.1:\d+: the connection was refused \(ECONNREFUSED\)\. Blocks are read from the node/m,
  );
  const refused = await run(cwd, "--source portal=URL", { start: last + 1 });
  expect(refused.out).toEqual(plain.out);
  expect(refused.err).toContain(`it begins at block ${last + 1}. Earlier blocks are read from the node`);
});

it("run --source stops with the reason if a Portal returns other data than the node", async () => {
  const cwd = exampleFolder(traded.factory);
  const alters = { alters: 1, altered: ["the data of a log"] } as const;
  const { code, err } = await run(cwd, "--source portal=URL", alters);
  expect(code).toBe(3);
  expect(err).toContain("returned other logs of block");
  expect(err).toContain("index again without --source");
});

it("run --source --archive records the source, and archive forget removes what it gave", async () => {
  const cwd = exampleFolder(traded.factory);
  const plain = await run(cwd, "");
  const first = await run(cwd, "--source portal=URL --archive kept");
  expect(first.code, first.err).toBe(0);
  expect(first.out).toEqual(plain.out);
  const manifest = (): string => readFileSync(join(cwd, "kept/1/manifest.jsonl"), "utf8");
  expect(manifest()).toMatch(/"kind":"logs".*"source":"portal=http:\/\/127\.0\.0\.1:\d+"/);
  const offline = await graphloom(
    cwd,
    `run subgraph.json --from-block 0 --to-block ${last} --output json --archive kept --offline`,
  );
  expect(offline.code, offline.err).toBe(0);
  expect(JSON.parse(offline.out)).toEqual(plain.out);
  const shown = await graphloom(cwd, "archive forget --source portal --archive kept --dry-run");
  expect(shown.out).toContain("would remove");
  expect(shown.out).toContain("from portal=http://127.0.0.1");
  const other = await graphloom(cwd, "archive forget --source portal=http://other.example --archive kept");
  expect(other.out).toContain("nothing to remove");
  const forgot = await graphloom(cwd, "archive forget --source portal --archive kept");
  expect(forgot.code, forgot.err).toBe(0);
  expect(forgot.out).toMatch(/removed \d+ files with [1-9]\d* segments?/);
  const again = await run(cwd, "--archive kept");
  expect(again.out).toEqual(plain.out);
  expect(again.asked.get("eth_getLogs") ?? 0).toBeGreaterThan(0);
});

it.each([
  ["--source https://portal.example", "pass <chain>=<kind>=<url>"],
  ["--source portal=ftp://portal.example", "must start with http:// or https://"],
  ["--source mainnet=hyper=https://portal.example", "The kinds of sources are portal and hypersync."],
  ["--source sepolia=portal=https://portal.example", 'unknown chain "sepolia"'],
  [
    "--source portal=https://a.example --source mainnet=portal=https://b.example",
    "is given twice for mainnet",
  ],
])("run refuses %s", async (options, message) => {
  const { code, err } = await run(exampleFolder(traded.factory), options);
  expect(code).toBe(2);
  expect(err).toContain(message);
});

it("run refuses --source with --offline", async () => {
  const cwd = workplace({ "c.json": "{}" });
  const { code, err } = await graphloom(
    cwd,
    "run c.json --offline --archive kept --source portal=https://a.example",
  );
  expect(code).toBe(2);
  expect(err).toContain("--source requires a node");
});
