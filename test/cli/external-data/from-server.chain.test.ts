import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { largestFile } from "../../../src/api/datasets-api.js";
import { type Contract, callOf, useAnvil } from "../../support/chain/anvil.js";
import { onEither } from "../../support/database/databases.js";
import { type DoubleServer, startDouble } from "../../support/network/double-server.js";
import { type DatasetServerOptions, startDatasetServer } from "../../support/server/dataset-server.js";
import { startPlatform, type TestPlatform } from "../../support/server/platform-server.js";
import { graphloom, type Ran, workplace } from "../harness.js";
import { moverContract } from "./mover.js";

const anvil = useAnvil();
const { fresh } = onEither();
let mover: Contract;
let last: number;

beforeAll(async () => {
  mover = await anvil().deploy(moverContract.abi, moverContract.bytecode);
  const to = anvil().account(1);
  await anvil().inOneBlock([callOf(mover, "move", [to, 5n]), callOf(mover, "move", [to, 0n])]);
  await anvil().mine(6);
  await anvil().send(mover, "named", ["grüße,\n", -(2n ** 255n), ["0x01020304", "0xffffffff"]]);
  const other = await anvil().deploy(moverContract.abi, moverContract.bytecode);
  await anvil().send(other, "move", [to, 1n]);
  await anvil().mine(2);
  last = await anvil().blockNumber();
});

async function served(options: Partial<DatasetServerOptions> = {}): Promise<TestPlatform> {
  const server = await startDatasetServer(await fresh(), { nodes: { anvil: anvil().url }, ...options });
  onTestFinished(() => server.close());
  return server;
}

const kinds = ["raw-blocks", "raw-logs", "raw-transactions", "decoded-logs"] as const;

function lineOf(kind: (typeof kinds)[number], from: string): string {
  const decoding = kind === "decoded-logs" ? "--abi abi.json" : "";
  const contract = kind === "decoded-logs" ? `--contract-address ${mover.address}` : "";
  return `external-data sync ${kind} --network anvil --to-block ${last} --patience 1 ${decoding} ${contract} ${from}`;
}

/** Reads from the server at an address. */
function fromServer({ address, token }: { readonly address: string; readonly token: string }): string {
  return `--server --api-url ${address} --token ${token}`;
}

function fromNode(): string {
  return `--rpc ${anvil().url}`;
}

function cwdWithAbi(): string {
  const cwd = workplace();
  writeFileSync(join(cwd, "abi.json"), JSON.stringify(moverContract.abi));
  return cwd;
}

/** All files that a sync wrote, by path, without what was proved of them: rows of a server are believed. */
function filesIn(cwd: string): ReadonlyMap<string, string> {
  const folder = join(cwd, "data");
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      // A file that is being written has another name until it is whole.
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".tmp"))
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()
      .map((path) => [path.slice(folder.length), withoutProofs(readFileSync(path, "latin1"))]),
  );
}

function withoutProofs(content: string): string {
  if (!content.startsWith("{")) return content;
  const { proofs: _, ...marker } = JSON.parse(content) as { readonly proofs?: unknown };
  return JSON.stringify(marker);
}

/** What the same command writes when it reads the node. */
async function filesOfNode(kind: (typeof kinds)[number], more = ""): Promise<ReadonlyMap<string, string>> {
  const cwd = cwdWithAbi();
  const { code, err } = await graphloom(cwd, lineOf(kind, `${fromNode()} ${more}`));
  expect(code, err).toBe(0);
  return filesIn(cwd);
}

function sync(cwd: string, kind: (typeof kinds)[number], server: TestPlatform, more = ""): Promise<Ran> {
  return graphloom(cwd, lineOf(kind, `${fromServer(server)} ${more}`));
}

describe("external-data sync --server", () => {
  it.each(kinds)("writes the same bytes of %s as it does from a node", async (kind) => {
    const server = await served();
    const cwd = cwdWithAbi();
    const more = "--blocks-per-file 8";
    const { code, out, err } = await sync(cwd, kind, server, more);
    expect(code, err).toBe(0);
    expect(out).toMatch(/ in 2 files, .* to the server$/m);
    const files = filesIn(cwd);
    expect(files.size).toBe(3);
    expect(files).toEqual(await filesOfNode(kind, more));
  });

  it("continues where a sync from the node stopped, and vice versa", async () => {
    const server = await served();
    const cwd = cwdWithAbi();
    const more = "--blocks-per-file 2";
    const part = (line: string): string => line.replace(`--to-block ${last}`, "--to-block 4");
    expect((await graphloom(cwd, part(lineOf("raw-logs", `${fromNode()} ${more}`)))).code).toBe(0);
    const { code, out, err } = await sync(cwd, "raw-logs", server);
    expect(code, err).toBe(0);
    expect(out).toContain("2 files of the range already existed\n");
    expect(filesIn(cwd)).toEqual(await filesOfNode("raw-logs", more));
    const again = await graphloom(cwd, lineOf("raw-logs", fromNode()));
    expect(again.out).toContain(": 0 rows in 0 files");
  });

  it("ends when it is interrupted, and continues", async () => {
    const server = await served();
    const cwd = workplace();
    const more = "--blocks-per-file 2";
    const end = new AbortController();
    const line = lineOf("raw-blocks", `${fromServer(server)} ${more}`);
    const watching = setInterval(() => {
      if (existsSync(join(cwd, "data")) && filesIn(cwd).size > 2) end.abort();
    }, 1);
    const cut = await graphloom(cwd, line, { signal: end.signal });
    clearInterval(watching);
    expect(cut.code, cut.err).toBe(130);
    expect(filesIn(cwd).size).toBeLessThan(last + 2);
    expect((await graphloom(cwd, line)).code).toBe(0);
    expect(filesIn(cwd)).toEqual(await filesOfNode("raw-blocks", more));
  });

  it("asks for fewer blocks when the server cannot make a file of so many", async () => {
    const server = await served({ limits: { file: { bytes: 6_000 } } });
    const cwd = workplace();
    const { code, err } = await sync(cwd, "raw-transactions", server);
    expect(code, err).toBe(0);
    expect(err).toMatch(/cannot make one file of blocks 0 to \d+: asking for \d at a time/);
    expect(filesIn(cwd)).toEqual(await filesOfNode("raw-transactions"));
    const least = await served({ limits: { file: { bytes: 10 } } });
    const refused = await sync(workplace(), "raw-transactions", least, "--blocks-per-file 2");
    expect([refused.code, refused.err]).toEqual([3, expect.stringContaining("Ask for fewer blocks.")]);
  });

  it("names the missing key, dataset or node", async () => {
    const server = await served();
    const ask = (more: string) => graphloom(workplace(), lineOf("raw-blocks", more));
    const home = { env: { HOME: workplace() } };
    const { address } = server;
    const without = await graphloom(workplace(), lineOf("raw-blocks", `--server --api-url ${address}`), home);
    expect([without.code, without.err]).toEqual([2, expect.stringContaining("No token for")]);
    const unknown = await ask(fromServer({ address, token: "glk_unknown" }));
    expect([unknown.code, unknown.err]).toEqual([3, expect.stringContaining("Unauthorized (401)")]);
    const both = await ask(`${fromServer(server)} ${fromNode()}`);
    expect([both.code, both.err]).toEqual([2, expect.stringContaining("--rpc is for reading without one")]);
    const other = await graphloom(
      workplace(),
      lineOf("raw-blocks", fromServer(server)).replace("--network anvil", "--network base"),
    );
    expect([other.code, other.err]).toEqual([
      3,
      expect.stringContaining('This server has no node for "base". It has nodes for anvil.'),
    ]);
    const plain = await startPlatform(await fresh());
    onTestFinished(() => plain.close());
    const off = await sync(workplace(), "raw-blocks", plain);
    expect([off.code, off.err]).toEqual([3, expect.stringContaining("graphloom serve --datasets")]);
  });

  it("refuses a server whose node is on a different chain than the server claims", async () => {
    const server = await served({ nodes: { mainnet: anvil().url } });
    const line = lineOf("raw-blocks", fromServer(server)).replace("--network anvil", "--network ethereum");
    const cwd = workplace();
    const { code, err } = await graphloom(cwd, line.replace("--patience 1", "--patience 0"));
    expect([code, err]).toEqual([3, expect.stringContaining("cannot read its nodes of ethereum now")]);
    expect(existsSync(join(cwd, "data"))).toBe(false);
  });
});

/** A server's answer with a file. */
interface FileAnswer {
  readonly bytes: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** Stands before a server, and changes its files. @param askOther changes what the server is asked for */
async function lyingServer(
  server: TestPlatform,
  change: (answer: FileAnswer) => FileAnswer,
  askOther: (query: URLSearchParams) => void = () => undefined,
): Promise<DoubleServer> {
  const double = await startDouble(async ({ path, query, headers }) => {
    const isFile = path.endsWith("/file");
    if (isFile) askOther(query);
    const answer = await fetch(`${server.address}${path}?${query}`, {
      headers: { authorization: headers.authorization ?? "" },
    });
    const given = {
      bytes: new Uint8Array(await answer.arrayBuffer()),
      headers: Object.fromEntries([...answer.headers].filter(([name]) => name.startsWith("graphloom-"))),
    };
    const told = isFile ? change(given) : given;
    return { status: answer.status, body: told.bytes, headers: told.headers };
  });
  onTestFinished(() => double.stop());
  return double;
}

describe("a server that gives wrong answers", () => {
  const truth = (answer: FileAnswer): FileAnswer => answer;
  let server: TestPlatform;

  beforeAll(async () => {
    server = await startDatasetServer(await fresh(), { nodes: { anvil: anvil().url } });
  });
  afterAll(() => server.close());

  it.each<[string, (answer: FileAnswer) => FileAnswer, ((query: URLSearchParams) => void)?]>([
    ["is not a whole Parquet file", ({ bytes, headers }) => ({ bytes: bytes.subarray(0, -1), headers })],
    ["is not a whole Parquet file", ({ headers }) => ({ bytes: Buffer.from("<html>"), headers })],
    ["is not of blocks 0-", truth, (query) => query.set("to_block", "4")],
    ["has logs of another contract", truth, (query) => query.delete("contract_address")],
    [
      "another chain now",
      ({ bytes, headers }) => ({ bytes, headers: { ...headers, "graphloom-chain-id": "1" } }),
    ],
    [
      "another chain now",
      ({ bytes, headers }) => ({ bytes, headers: { ...headers, "graphloom-first-block": "0x00" } }),
    ],
    [
      "does not say the day",
      ({ bytes, headers }) => ({ bytes, headers: { ...headers, "graphloom-day": "../../.." } }),
    ],
    [
      "has rows of another day",
      ({ bytes, headers }) => ({ bytes, headers: { ...headers, "graphloom-day": "1999-01-01" } }),
    ],
    [
      "the answer is longer than 64 MiB",
      ({ headers }) => ({ bytes: new Uint8Array(largestFile + 1), headers }),
    ],
  ])("leaves no file: %s", async (why, change, askOther) => {
    const liar = await lyingServer(server, change, askOther);
    const cwd = cwdWithAbi();
    const line = lineOf("decoded-logs", fromServer({ address: liar.url, token: server.token }));
    const { code, err } = await graphloom(cwd, `${line} --blocks-per-file 16`);
    expect([code, err]).toEqual([3, expect.stringContaining(why)]);
    expect([...filesIn(cwd).keys()].filter((path) => !path.endsWith("graphloom.json"))).toEqual([]);
  });

  it("is asked again after a cut connection", async () => {
    const liar = await lyingServer(server, truth);
    liar.fail({ kind: "cut" }, { kind: "cut" });
    const cwd = workplace();
    const line = lineOf("raw-blocks", fromServer({ address: liar.url, token: server.token }));
    const { code, err } = await graphloom(cwd, line);
    expect(code, err).toBe(0);
    expect(filesIn(cwd)).toEqual(await filesOfNode("raw-blocks"));
  });
});
