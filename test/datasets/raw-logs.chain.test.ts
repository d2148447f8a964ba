import { beforeAll, describe, expect, it } from "vitest";
import { ArchivedChain } from "../../src/datasets/archive/archived-chain.js";
import { checkedClient } from "../../src/datasets/archive/checked-client.js";
import { keptChains } from "../../src/datasets/archive/kept-chains.js";
import { offlineClient } from "../../src/datasets/archive/offline-client.js";
import { openArchive } from "../../src/datasets/archive/open-archive.js";
import { verifyChain } from "../../src/datasets/archive/verify/verify-chain.js";
import { extract } from "../../src/datasets/extract/extract.js";
import type { Extraction } from "../../src/datasets/extract/extraction.js";
import { LogDecoder } from "../../src/datasets/rows/decoded-rows.js";
import type { DatasetRow } from "../../src/datasets/tables/dataset.js";
import type { Chain } from "../../src/runtime/chain/chain.js";
import { finalBlock } from "../../src/runtime/chain/final-block.js";
import { Patience } from "../../src/runtime/chain/rpc/patience.js";
import { createPatientChain } from "../../src/runtime/chain/rpc/patient-chain.js";
import { createRpcClient, type RpcClient } from "../../src/runtime/chain/rpc/rpc-client.js";
import { createRpcChain } from "../../src/runtime/chain/rpc-chain.js";
import { Verification, type VerifyMode } from "../../src/runtime/indexer/logs/verification.js";
import { MemoryArchiveFiles } from "../support/archive/memory-files.js";
import { type Contract, callOf, useAnvil } from "../support/chain/anvil.js";
import { compileContract } from "../support/chain/solidity.js";
import { fastWorld } from "../support/worlds.js";

/** Emits logs with each number of topics, also in the middle of another contract's call. */
const source = `
contract Speaker {
  event Said(uint256 word);
  function say(uint256 word) public { emit Said(word); }
  function mumble(uint256 word) public { assembly { mstore(0, word) log0(0, 32) } }
  function shout(uint256 word) public {
    assembly { mstore(0, word) log1(0, 32, word) log2(0, 0, word, 2) log3(0, 0, word, 2, 3) log4(0, 0, word, 2, 3, 4) }
  }
  function argue(Speaker other, uint256 word) external {
    mumble(word);
    other.mumble(word + 1);
    say(word + 2);
    other.say(word + 3);
    mumble(word + 4);
  }
}`;
const contract = compileContract(source, "Speaker");

const anvil = useAnvil(["--chain-id", "1"]);
let speaker: Contract;
let other: Contract;
/** The last block that is read; those after it make it final. */
let last: number;
/** Rows of all logs up to it, read independently. */
let all: readonly DatasetRow[];

beforeAll(async () => {
  speaker = await anvil().deploy(contract.abi, contract.bytecode);
  other = await anvil().deploy(contract.abi, contract.bytecode);
  for (let word = 10; word < 60; word += 10) {
    await anvil().send(speaker, "mumble", [word]);
    await anvil().mine(40);
    await anvil().send(other, "mumble", [word]);
    await anvil().send(other, "shout", [word]);
    await anvil().mine(40);
    await anvil().inOneBlock([
      callOf(other, "argue", [speaker.address, word]),
      callOf(speaker, "argue", [other.address, word]),
      callOf(speaker, "shout", [word]),
      callOf(other, "mumble", [word]),
    ]);
  }
  last = await anvil().blockNumber();
  await anvil().mine(300);
  all = await byReceipts();
});

/** The rows of contracts' logs. */
const logsOf = (...addresses: readonly string[]): readonly DatasetRow[] =>
  all.filter(({ address }) => addresses.includes(String(address)));

interface Asked {
  readonly method: string;
  readonly parameters: readonly unknown[];
}

/** A client that notes its requests. */
function noting(client: RpcClient, asked: Asked[]): RpcClient {
  return {
    request: (method, parameters, options) => {
      asked.push({ method, parameters });
      return client.request(method, parameters, options);
    },
  };
}

interface Read {
  readonly rows: readonly DatasetRow[];
  readonly asked: readonly Asked[];
}

interface Reading extends Partial<Extraction> {
  readonly verify?: VerifyMode;
  /** Of the node; as it is by default. */
  readonly answering?: (client: RpcClient) => RpcClient;
}

const patience = (): Patience =>
  new Patience({ limit: 0, pause: async () => undefined, chance: () => 0.5, signal: undefined });

async function rowsOf(
  chain: Chain,
  archive: ArchivedChain | undefined,
  { verify = "bloom", answering: _, ...more }: Reading,
): Promise<readonly DatasetRow[]> {
  const rows: DatasetRow[] = [];
  const what: Extraction = { kind: "raw_logs", from: 0, to: last, addresses: [speaker.address], ...more };
  const verification = new Verification(verify);
  const patient = createPatientChain(chain, patience());
  const { number: newest } = await patient.head();
  for await (const batch of extract({ chain: patient, verification, archive }, what, newest))
    rows.push(...batch.rows);
  return rows;
}

async function read(reading: Reading = {}): Promise<Read> {
  const asked: Asked[] = [];
  const { answering = (client: RpcClient) => client } = reading;
  const client = noting(answering(anvil().client), asked);
  return { rows: await rowsOf(createRpcChain(client), undefined, reading), asked };
}

/** Reads through an archive. */
async function readKept(
  files: MemoryArchiveFiles,
  reading: Reading & { readonly offline?: boolean } = {},
): Promise<Read> {
  const asked: Asked[] = [];
  const { offline, ...rest } = reading;
  const node = noting(anvil().client, asked);
  const opened = await openArchive(files, "mainnet", offline ? undefined : node);
  const client = offline ? offlineClient : checkedClient(node, opened);
  const chain = new ArchivedChain(createRpcChain(client), opened.archive, {
    finalOf: (head) => finalBlock(client, head, "1"),
    to: last,
  });
  const rows = await rowsOf(chain, chain, rest);
  await chain.flush();
  return { rows, asked };
}

// biome-ignore lint/suspicious/noExplicitAny: answers of the node, as they are
type Raw = any;

/** All logs by the receipts of every block. */
async function byReceipts(): Promise<readonly DatasetRow[]> {
  const rows: DatasetRow[] = [];
  for (let number = 0; number <= last; number++) {
    const name = `0x${number.toString(16)}`;
    const block: Raw = await anvil().client.request("eth_getBlockByNumber", [name, false]);
    const receipts = (await anvil().client.request("eth_getBlockReceipts", [name])) as readonly Raw[];
    for (const log of receipts.flatMap(({ logs }) => logs)) {
      rows.push({
        id: `log_${block.hash}_${Number(log.logIndex)}`,
        block_number: BigInt(number),
        block_hash: block.hash,
        block_timestamp: BigInt(block.timestamp),
        transaction_hash: log.transactionHash,
        transaction_index: BigInt(log.transactionIndex),
        log_index: BigInt(log.logIndex),
        address: log.address,
        data: log.data,
        topics: log.topics.join(","),
      });
    }
  }
  return rows;
}

const countOf = (asked: readonly Asked[], wanted: string): number =>
  asked.filter(({ method }) => method === wanted).length;

describe("the raw logs of one contract", () => {
  it.each<VerifyMode>([
    "off",
    "bloom",
    "receipts",
  ])("match the receipts, including anonymous logs, and are proved by %s", async (verify) => {
    const expected = logsOf(speaker.address);
    expect(new Set(expected.map(({ topics }) => String(topics).split(",").length))).toEqual(
      new Set([1, 2, 3, 4]),
    );
    expect(expected.filter(({ topics }) => topics === "").length).toBe(20);
    expect((await read({ verify })).rows).toEqual(expected);
  });

  it("are requested by contract, with far fewer requests than there are blocks", async () => {
    const { asked } = await read();
    const queries = asked.filter(({ method }) => method === "eth_getLogs");
    for (const { parameters } of queries) {
      expect(parameters).toEqual([expect.objectContaining({ address: [speaker.address] })]);
      expect(parameters[0]).not.toHaveProperty("topics");
    }
    expect(last).toBeGreaterThan(400);
    expect(asked.length).toBeLessThan(last / 8);
    // Only where the answers end is there a doubt to settle.
    expect(countOf(asked, "eth_getBlockReceipts")).toBeLessThan(8);
  });

  it("need receipts only of blocks whose bloom filter admits the contract", async () => {
    const { asked } = await read({ verify: "receipts" });
    const blocks = new Set(logsOf(speaker.address).map((row) => row.block_number));
    // The blocks of the two deployments have transactions and an empty filter, as on chains that leave it out.
    expect(countOf(asked, "eth_getBlockReceipts")).toBe(blocks.size + 2);
  });

  it("are empty for a contract without logs", async () => {
    const { rows, asked } = await read({ addresses: [anvil().account(3)] });
    expect(rows).toEqual([]);
    expect(countOf(asked, "eth_getBlockReceipts")).toBe(0);
  });

  it("include several contracts", async () => {
    const addresses = [speaker.address, other.address];
    expect((await read({ addresses })).rows).toEqual(logsOf(...addresses));
  });

  it.each<VerifyMode>([
    "bloom",
    "receipts",
  ])("are complete although the node truncates its lists: %s", async (verify) => {
    const cut = (client: RpcClient): RpcClient => ({
      request: async (method, parameters, options) => {
        const answer = await client.request(method, parameters, options);
        return method === "eth_getLogs" && Array.isArray(answer) ? answer.slice(0, -1) : answer;
      },
    });
    expect((await read({ verify, answering: cut, span: 100 })).rows).toEqual(logsOf(speaker.address));
  });
});

/** A query for logs that a played node was sent. */
interface Query {
  readonly blocks: number;
  readonly isRefused: boolean;
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly [{ readonly fromBlock: string; readonly toBlock: string }];
}

/** Why a node refuses a query for logs; `undefined` when it does not. */
type Refuse = (blocks: number, logs: number) => string | undefined;

/** A client of a node that answers as anvil does, but refuses some queries for logs, and batches that are too large. */
function strictNode(
  refuse: Refuse,
  largestBatch = Number.POSITIVE_INFINITY,
): { readonly client: RpcClient; readonly queries: Query[]; readonly tooLarge: number[] } {
  const queries: Query[] = [];
  const tooLarge: number[] = [];
  const world = fastWorld();
  const fetch: typeof world.fetch = async (url, request) => {
    const asked = JSON.parse(String(request.body)) as Call | readonly Call[];
    const calls = [asked].flat() as readonly Call[];
    if (calls.length > largestBatch) {
      tooLarge.push(calls.length);
      return new Response("too many requests", { status: 429 });
    }
    const answered = await (await world.fetch(url, request)).json();
    const judged = ([answered].flat() as readonly Raw[]).map((answer) => {
      const call = calls.find(({ id }) => id === answer.id);
      if (call?.method !== "eth_getLogs" || call.params[0].fromBlock === undefined) return answer;
      const blocks = Number(call.params[0].toBlock) - Number(call.params[0].fromBlock) + 1;
      const message = refuse(blocks, answer.result.length);
      queries.push({ blocks, isRefused: message !== undefined });
      return message === undefined ? answer : { id: answer.id, error: { code: -32005, message } };
    });
    return Response.json(Array.isArray(asked) ? judged : judged[0]);
  };
  return { client: createRpcClient(anvil().url, { ...world, fetch }), queries, tooLarge };
}

describe("ranges that are fetched at the same time", () => {
  it.each<[string, Refuse]>([
    [
      "of too many blocks",
      (blocks) => (blocks > 30 ? "block range is too wide: at most 30 blocks" : undefined),
    ],
    ["with too many logs", (_, logs) => (logs > 9 ? "query returned more than 9 results" : undefined)],
  ])("get shorter where the node refuses ranges %s, and then longer again", async (_, refuse) => {
    const { client, queries } = strictNode(refuse);
    const rows = await rowsOf(createRpcChain(client), undefined, { span: 60, parallel: 3 });
    expect(rows).toEqual(logsOf(speaker.address));
    const accepted = queries.filter(({ isRefused }) => !isRefused).map(({ blocks }) => blocks);
    const refused = queries.length - accepted.length;
    expect(refused).toBeGreaterThan(0);
    // All ranges learn from each other, so few queries are wasted.
    expect(refused).toBeLessThan(accepted.length);
    const narrowest = accepted.indexOf(Math.min(...accepted));
    expect(Math.max(...accepted.slice(narrowest))).toBeGreaterThan(10);
  });

  it("are fetched in smaller batches where the node's rate limit refuses large ones", async () => {
    const { client, tooLarge } = strictNode(() => undefined, 10);
    const reading: Reading = { addresses: undefined, span: 60, parallel: 3 };
    expect(await rowsOf(createRpcChain(client), undefined, reading)).toEqual(all);
    expect(tooLarge.length).toBeGreaterThan(0);
    expect(tooLarge.length).toBeLessThan(last / 10);
  });
});

describe("an archive of the raw logs of one contract", () => {
  const decoded = (): Reading => ({
    kind: "decoded_logs",
    decoder: new LogDecoder([{ abi: contract.abi as readonly object[] }]),
  });

  it.each<VerifyMode>(["bloom", "receipts"])("returns them without a node, proved by %s", async (verify) => {
    const files = new MemoryArchiveFiles();
    const first = await readKept(files, { verify });
    const second = await readKept(files, { verify, offline: true });
    expect(first.rows).toEqual(logsOf(speaker.address));
    expect(second.rows).toEqual(first.rows);
    const [chain] = (await keptChains(files)) ?? [];
    const { faults, notes } = chain ? await verifyChain(files, chain) : { faults: ["no chain"], notes: [] };
    expect([faults, notes]).toEqual([[], []]);
  });

  it("returns the decoded logs of each of its events, too", async () => {
    const files = new MemoryArchiveFiles();
    await readKept(files);
    const kept = await readKept(files, { ...decoded(), offline: true });
    expect(kept.rows).toEqual((await read(decoded())).rows);
    expect(kept.rows.length).toBe(10);
  });

  it("requests them if it has the logs of only some events", async () => {
    const files = new MemoryArchiveFiles();
    await readKept(files, decoded());
    await expect(readKept(files, { offline: true })).rejects.toThrow(
      "the archive lacks the answer to eth_getLogs",
    );
    const { rows, asked } = await readKept(files);
    expect(countOf(asked, "eth_getLogs")).toBeGreaterThan(0);
    expect(rows).toEqual(logsOf(speaker.address));
  });

  it("returns them if it was filled with the logs of all contracts, each log once", async () => {
    const files = new MemoryArchiveFiles();
    const everyone: Reading = { addresses: undefined };
    expect((await readKept(files, everyone)).rows).toEqual(all);
    expect((await readKept(files, { offline: true })).rows).toEqual(logsOf(speaker.address));
    expect((await readKept(files, { ...decoded(), offline: true })).rows.length).toBe(10);
    const segments = files.content.size;
    expect((await readKept(files, { ...everyone, offline: true })).rows).toEqual(all);
    expect(files.content.size).toBe(segments);
    const [chain] = (await keptChains(files)) ?? [];
    expect(chain && (await verifyChain(files, chain)).faults).toEqual([]);
  });

  it("does not return them for another contract", async () => {
    const files = new MemoryArchiveFiles();
    await readKept(files);
    const { rows, asked } = await readKept(files, { addresses: [other.address] });
    expect(countOf(asked, "eth_getLogs")).toBeGreaterThan(0);
    expect(rows).toEqual(logsOf(other.address));
  });
});
