import { beforeAll, describe, expect, it } from "vitest";
import { ArchivedChain } from "../../src/datasets/archive/archived-chain.js";
import { keptChains } from "../../src/datasets/archive/kept-chains.js";
import { openArchive } from "../../src/datasets/archive/open-archive.js";
import { verifyChain } from "../../src/datasets/archive/verify/verify-chain.js";
import { extract } from "../../src/datasets/extract/extract.js";
import type { Extraction } from "../../src/datasets/extract/extraction.js";
import { type Proofs, ProofTally } from "../../src/datasets/extract/proofs.js";
import type { DatasetKind } from "../../src/datasets/tables/dataset.js";
import { ChainError } from "../../src/runtime/chain/chain.js";
import { Patience } from "../../src/runtime/chain/rpc/patience.js";
import { createPatientChain } from "../../src/runtime/chain/rpc/patient-chain.js";
import type { RpcClient } from "../../src/runtime/chain/rpc/rpc-client.js";
import { createRpcChain } from "../../src/runtime/chain/rpc-chain.js";
import { Verification, type VerifyMode } from "../../src/runtime/indexer/logs/verification.js";
import { MemoryArchiveFiles } from "../support/archive/memory-files.js";
import { callOf, useAnvil } from "../support/chain/anvil.js";
import { compileContract } from "../support/chain/solidity.js";

type Json = Readonly<Record<string, unknown>>;
/** Changes the answer to a request. */
type Lie = (method: string, answer: unknown) => unknown;

const contract = compileContract(
  `contract Noisy {
    event Said(address indexed who, uint256 what);
    function say(uint256 what) external { emit Said(msg.sender, what); emit Said(address(this), what); }
  }`,
  "Noisy",
);
const anvil = useAnvil();
/** All answers of the node, which the tests play again. */
const answers = new Map<string, unknown>();
/** A block with a creation, calls and transactions of several types. */
let liedAbout = 0;
let last = 0;

beforeAll(async () => {
  const noisy = await anvil().deploy(contract.abi, contract.bytecode);
  await anvil().send(noisy, "say", [1n]);
  await anvil().setAutomine(false);
  const from = anvil().account(0);
  const to = anvil().account(1);
  const price = "0xb2d05e00";
  const plain = { from, to, value: "0x5", gas: "0x10000" };
  const keys = [{ address: noisy.address, storageKeys: [`0x${"01".repeat(32)}`] }];
  const { data } = callOf(noisy, "say", [7n]);
  for (const transaction of [
    { ...plain, gasPrice: price },
    { ...plain, gasPrice: price, accessList: keys },
    { ...plain, maxFeePerGas: price, maxPriorityFeePerGas: "0x1" },
    { from, data: contract.bytecode, gas: "0x100000", maxFeePerGas: price, maxPriorityFeePerGas: "0x1" },
    { from, to: noisy.address, data, gas: "0x20000", maxFeePerGas: price, maxPriorityFeePerGas: "0x1" },
  ])
    await anvil().client.request("eth_sendTransaction", [transaction]);
  await anvil().mine(1);
  await anvil().setAutomine(true);
  liedAbout = await anvil().blockNumber();
  for (let more = 0; more < 4; more++) await anvil().send(noisy, "say", [2n]);
  last = await anvil().blockNumber();
});

/** A node that lies about some blocks. */
function liar(lie: Lie, isAbout: (number: number) => boolean): RpcClient {
  return {
    request: async (method, parameters) => {
      const key = `${method} ${JSON.stringify(parameters)}`;
      if (!answers.has(key)) answers.set(key, await anvil().client.request(method, parameters));
      const answer = answers.get(key);
      const [first] = Array.isArray(answer) ? answer : [answer];
      const number = Number((first as Json | null)?.blockNumber ?? (first as Json | null)?.number ?? -1);
      return isAbout(number) ? lie(method, answer) : answer;
    },
  };
}

interface Read {
  readonly rows: string;
  readonly proofs: Proofs;
  /** What it says it believes. */
  readonly said: readonly string[];
}

interface Reading extends Partial<Extraction> {
  readonly files?: MemoryArchiveFiles;
  readonly mode?: VerifyMode;
  readonly isAbout?: (number: number) => boolean;
  readonly chainId?: string;
}

async function read(
  kind: DatasetKind,
  lie: Lie,
  {
    mode = "bloom",
    isAbout = (number) => number === liedAbout,
    chainId = "31337",
    files,
    ...more
  }: Reading = {},
): Promise<Read> {
  const said: string[] = [];
  const patience = new Patience({ limit: 0, pause: async () => undefined, chance: () => 0.5 });
  const verification = new Verification(mode, { onUnproved: (why) => said.push(why) }, undefined, chainId);
  const client = liar(lie, isAbout);
  const archive =
    files &&
    new ArchivedChain(createRpcChain(client), (await openArchive(files, "anvil", client)).archive, {
      finalOf: async (head) => head,
    });
  const chain = createPatientChain(archive ?? createRpcChain(client), patience);
  const tally = new ProofTally();
  const rows: unknown[] = [];
  await chain.head();
  const source = { chain, verification, ...(archive && { archive }) };
  for await (const batch of extract(source, { kind, from: 0, to: last, ...more }, last)) {
    rows.push(...batch.rows);
    tally.add(batch.proofs);
  }
  await archive?.flush();
  const text = JSON.stringify(rows, (_, one: unknown) => (typeof one === "bigint" ? `${one}n` : one));
  return { rows: text, proofs: tally.proofs, said };
}

const honest: Lie = (_, answer) => answer;

/** The value of a field, changed in its last digit. */
function changed(value: unknown): unknown {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 1;
  if (value === null) return `0x${"12".repeat(20)}`;
  if (typeof value === "string") return `${value.slice(0, -1)}${value.endsWith("1") ? "2" : "1"}`;
  if (Array.isArray(value))
    return value.length === 0 ? [{ address: `0x${"12".repeat(20)}`, storageKeys: [] }] : value.slice(1);
  return value;
}

const changes: Readonly<Record<string, (entry: Json, field: string) => Json>> = {
  changes: (entry, field) => ({ ...entry, [field]: changed(entry[field]) }),
  "leaves out": (entry, field) => {
    const { [field]: _, ...rest } = entry;
    return rest;
  },
};

/** Where a field is in the answers of a node. */
const places: Readonly<Record<string, (change: (entry: Json) => Json, at: number) => Lie>> = {
  header: (change) => (method, answer) =>
    method === "eth_getBlockByNumber" ? change(answer as Json) : answer,
  transaction: (change, at) => (method, answer) => {
    const block = answer as Json & { readonly transactions?: readonly unknown[] };
    if (method !== "eth_getBlockByNumber" || typeof block.transactions?.[0] !== "object") return answer;
    return { ...block, transactions: (block.transactions as readonly Json[]).map(only(at, change)) };
  },
  receipt: (change, at) => (method, answer) => {
    if (method === "eth_getBlockReceipts") return (answer as readonly Json[]).map(only(at, change));
    const isOne = method === "eth_getTransactionReceipt";
    return isOne && Number((answer as Json).transactionIndex) === at ? change(answer as Json) : answer;
  },
  log: (change) => (method, answer) => {
    const inReceipt = (receipt: Json): Json => ({
      ...receipt,
      logs: (receipt.logs as readonly Json[]).map(change),
    });
    if (method === "eth_getLogs") return (answer as readonly Json[]).map(change);
    if (method === "eth_getBlockReceipts") return (answer as readonly Json[]).map(inReceipt);
    return method === "eth_getTransactionReceipt" ? inReceipt(answer as Json) : answer;
  },
};

function only(at: number, change: (entry: Json) => Json): (entry: Json, index: number) => Json {
  return (entry, index) => (index === at ? change(entry) : entry);
}

/** What no hash covers and nothing else repeats. */
const believed = ["size", "totalDifficulty"];
/** What nodes of some chains do not have, so that its column is empty. */
const optional = ["effectiveGasPrice", ...believed];

/** The fields of an answer of each kind, as the node gives them. */
async function fieldsOf(place: string): Promise<readonly string[]> {
  const at = `0x${liedAbout.toString(16)}`;
  const block = (await anvil().client.request("eth_getBlockByNumber", [at, true])) as Json;
  const receipts = (await anvil().client.request("eth_getBlockReceipts", [at])) as readonly Json[];
  const entries: Readonly<Record<string, readonly Json[]>> = {
    header: [block],
    transaction: block.transactions as readonly Json[],
    receipt: receipts,
    log: receipts.flatMap(({ logs }) => logs as readonly Json[]),
  };
  const all = new Set((entries[place] ?? []).flatMap((entry) => Object.keys(entry)));
  for (const nested of ["transactions", "uncles", "logs"]) all.delete(nested);
  return [...all];
}

const kinds = ["raw_blocks", "raw_transactions", "raw_logs"] as const;

describe.each(Object.keys(places))("a node that lies about one field of a %s", (place) => {
  it.each(Object.keys(changes))("INV-D4: does not get a value that it %s into a file", async (how) => {
    const allowed = how === "changes" ? believed : optional;
    const passed: string[] = [];
    let refused = 0;
    for (const kind of kinds) {
      const range = { from: liedAbout, to: liedAbout };
      const { rows: truth } = await read(kind, honest, range);
      // A transaction with an access list, and the creation of a contract.
      const offsets = place === "transaction" || place === "receipt" ? [1, 3] : [0];
      for (const field of await fieldsOf(place))
        for (const offset of offsets) {
          const lie = places[place]?.((entry) => changes[how]?.(entry, field) ?? entry, offset) ?? honest;
          const rows = await read(kind, lie, range).then((found) => found.rows, String);
          if (rows.includes(`block ${liedAbout}`) || rows.includes("invalid answer")) refused += 1;
          else if (rows !== truth && !allowed.includes(field))
            passed.push(`${kind}: ${field} of ${offset}: ${rows}`);
        }
    }
    expect(passed).toEqual([]);
    expect(refused).toBeGreaterThan(0);
  });
});

const ofBlocks =
  (change: (block: Json) => Json): Lie =>
  (method, answer) =>
    method === "eth_getBlockByNumber" ? change(answer as Json) : answer;
const ofTransactions = (change: (transaction: Json) => Json): Lie =>
  ofBlocks((block) => ({
    ...block,
    transactions: (block.transactions as readonly unknown[]).map((one) =>
      typeof one === "object" ? change(one as Json) : one,
    ),
  }));
const ofReceipts =
  (change: (receipt: Json) => Json): Lie =>
  (method, answer) =>
    method === "eth_getBlockReceipts" ? (answer as readonly Json[]).map(change) : answer;
const ofLogs = (change: (log: Json) => Json): Lie =>
  ofReceipts((receipt) => ({ ...receipt, logs: (receipt.logs as readonly Json[]).map(change) }));

const value = ofTransactions((one) => ({ ...one, value: "0x1234" }));
const offline: Lie = (method, answer) => {
  if (method === "eth_chainId" || method === "eth_getBlockByNumber") return answer;
  throw new ChainError(`${method} was asked for, although the archive has the answer`);
};
const everywhere = (number: number): boolean => number >= 0;

describe.each(["off", "bloom", "receipts"] as const)("with --verify %s", (mode) => {
  it.each<[string, DatasetKind, Lie, RegExp]>([
    [
      "a header",
      "raw_blocks",
      ofBlocks((one) => ({ ...one, gasUsed: "0x1" })),
      /^eth_getBlockByNumber: the header of block/,
    ],
    ["the time of a block", "raw_logs", ofBlocks((one) => ({ ...one, timestamp: "0x1" })), /header of block/],
    [
      "a transaction",
      "raw_transactions",
      value,
      /^eth_getBlockByNumber: transaction 0 of block .* its fields make/,
    ],
    [
      "left out transactions",
      "raw_blocks",
      ofBlocks((one) => ({ ...one, transactions: [] })),
      /transactions root/,
    ],
    [
      "the gas of receipts",
      "raw_transactions",
      ofReceipts((one) => ({ ...one, gasUsed: "0x1" })),
      /^eth_getBlockReceipts: .* block/,
    ],
    [
      "the data of logs",
      "raw_logs",
      ofLogs((one) => ({ ...one, data: `0x${"01".repeat(32)}` })),
      /^eth_getBlockReceipts: the receipts of block .* do not match the receipts root/,
    ],
  ])("refuses a node that lies about %s in %s, and names the block and the method", async (_, kind, lie, why) => {
    await expect(read(kind, lie, { mode })).rejects.toThrow(why);
  });

  it("an honest chain is proved completely, without a remark", async () => {
    for (const kind of kinds) expect((await read(kind, honest, { mode })).said).toEqual([]);
    const { proofs } = await read("raw_transactions", honest, { mode });
    expect(proofs).toEqual({ proved: ["header", "transactions", "receipts"], believed: {} });
  });
});

it.each([
  ["a header", "raw_blocks", ofBlocks((one) => ({ ...one, timestamp: "0x1" }))],
  ["a transaction", "raw_transactions", value],
  ["the gas of receipts", "raw_transactions", ofReceipts((one) => ({ ...one, gasUsed: "0x1" }))],
  ["the data of logs", "raw_logs", ofLogs((one) => ({ ...one, data: "0x01" }))],
] as const)("external-data sync keeps the better answer of another node of a pool, if one lies about %s", async (_, kind, lie) => {
  const asked = new Set<string>();
  const once: Lie = (method, answer) => {
    if (asked.has(method)) return answer;
    asked.add(method);
    return lie(method, answer);
  };
  const files = new MemoryArchiveFiles();
  const { rows } = await read(kind, honest);
  expect((await read(kind, once, { files })).rows).toBe(rows);
  // The answer that was refused is not kept: the archive has what it needs to prove itself.
  for (const kept of (await keptChains(files)) ?? []) {
    const { faults, notRecomputed, recomputed } = await verifyChain(files, kept);
    expect({ faults, notRecomputed }).toEqual({ faults: [], notRecomputed: [] });
    expect(recomputed).toContainEqual({ what: "transactions root", count: last + 1 });
  }
  expect((await read(kind, offline, { files, isAbout: everywhere })).rows).toBe(rows);
});

describe("a node that returns a bloom filter of its own with headers that are right in all else", () => {
  const bloomOf = (digit: string): Lie =>
    ofBlocks((block) => ({ ...block, logsBloom: `0x${digit.repeat(512)}` }));
  const wrong: Lie = ofBlocks((block) => ({ ...block, logsBloom: changed(block.logsBloom) }));
  const ofFilled: Lie = (method, answer) =>
    ((answer as Json | null)?.transactions as readonly unknown[] | undefined)?.length
      ? bloomOf("f")(method, answer)
      : answer;

  it.each<[string, Lie, (number: number) => boolean]>([
    ["zeros in a block", bloomOf("0"), (number) => number === liedAbout],
    ["ones in a block", bloomOf("f"), (number) => number === liedAbout],
    ["other bits in a block", wrong, (number) => number === liedAbout],
    ["ones in blocks with transactions", ofFilled, everywhere],
    ["other bits in every second block", wrong, (number) => number % 2 === 0],
  ])("does not need its filter to prove them: %s", async (_, lie, isAbout) => {
    for (const kind of [...kinds, "erc20_transfers"] as const) {
      const truth = await read(kind, honest);
      const { rows, proofs } = await read(kind, lie, { isAbout });
      expect(rows, kind).toBe(truth.rows);
      expect(proofs.proved, kind).toContain("header");
    }
  });
});

it("external-data sync refuses transactions that a node lies about in every block", async () => {
  await expect(read("raw_transactions", value, { isAbout: everywhere })).rejects.toThrow(/its fields make/);
});

it("external-data sync refuses headers of Ethereum that do not have their hash in any block", async () => {
  const lie = ofBlocks((block) => ({ ...block, extraData: "0x01" }));
  await expect(read("raw_blocks", lie, { isAbout: everywhere, chainId: "1" })).rejects.toThrow(
    /header of block/,
  );
});

describe("a chain with its own form is believed, with one remark:", () => {
  it.each<[string, DatasetKind, Lie, Proofs["believed"]]>([
    [
      "headers",
      "raw_blocks",
      ofBlocks((block) => ({ ...block, extraData: "0x01" })),
      { header: expect.stringContaining("not hashed like Ethereum's") },
    ],
    [
      "transactions that are encoded in another way",
      "raw_blocks",
      ofTransactions((one) => ({ ...one, value: "0x1234" })),
      { transactions: expect.stringContaining("does not compute transactions roots") },
    ],
    [
      "types of transactions",
      "raw_transactions",
      (method, answer) =>
        ofReceipts((one) => ({ ...one, type: "0x71" }))(
          method,
          ofTransactions((one) => ({ ...one, type: "0x71" }))(method, answer),
        ),
      {
        transactions: expect.stringContaining("type 0x71"),
        receipts: expect.stringContaining("type 0x71"),
      },
    ],
    [
      "transactions without a signature",
      "raw_transactions",
      ofTransactions(({ r, s, ...one }) => one),
      { transactions: expect.stringContaining("without a signature") },
    ],
    [
      "receipts roots",
      "raw_logs",
      ofReceipts((one) => ({ ...one, cumulativeGasUsed: "0x0" })),
      { receipts: expect.stringContaining("does not compute receipts roots") },
    ],
    [
      "gas",
      "raw_transactions",
      ofReceipts((one) => ({ ...one, gasUsed: "0x0" })),
      { receipts: expect.stringContaining("gas") },
    ],
    [
      "contracts",
      "raw_transactions",
      ofReceipts((one) => ({ ...one, contractAddress: `0x${"12".repeat(20)}` })),
      { receipts: expect.stringContaining("repeat") },
    ],
  ])("%s", async (_, kind, lie, believed) => {
    const { rows, said, proofs } = await read(kind, lie, { isAbout: everywhere, chainId: "100" });
    expect(rows).not.toBe("[]");
    expect(said).toHaveLength(Object.keys(believed).length);
    expect(proofs.believed).toEqual(believed);
  });

  it("a node that lies about a single block is refused if others show Ethereum's form", async () => {
    for (const lie of [value, ofReceipts((one) => ({ ...one, cumulativeGasUsed: "0x0" }))])
      await expect(read("raw_transactions", lie, { chainId: "100" })).rejects.toThrow(/block/);
  });
});

it("external-data sync proves transactions of accounts without keys, as anvil mines them", async () => {
  const from = `0x${"77".repeat(20)}`;
  await anvil().client.request("anvil_setBalance", [from, "0xde0b6b3a7640000"]);
  await anvil().client.request("anvil_impersonateAccount", [from]);
  await anvil().client.request("eth_sendTransaction", [{ from, to: anvil().account(1), value: "0x5" }]);
  const to = await anvil().blockNumber();
  const { proofs } = await read("raw_transactions", honest, { from: to, to });
  expect(proofs.believed).toEqual({});
});
