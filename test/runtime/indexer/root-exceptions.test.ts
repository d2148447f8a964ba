import { readFileSync } from "node:fs";
import {
  concat,
  encodeRlp,
  getBytes,
  keccak256,
  type RlpStructuredDataish,
  toBeArray,
  toBeHex,
} from "ethers";
import { describe, expect, it } from "vitest";
import { rootExceptions } from "../../../src/chains/root-exceptions.js";
import {
  type Block,
  type Chain,
  type Log,
  type Receipt,
  ReorgError,
} from "../../../src/runtime/chain/chain.js";
import { Bloom } from "../../../src/runtime/chain/proof/bloom.js";
import { trieRoot } from "../../../src/runtime/chain/proof/trie-root.js";
import { decodeBlock, decodeReceipt } from "../../../src/runtime/chain/rpc/decode-block.js";
import { confirmLogs } from "../../../src/runtime/indexer/logs/confirm-logs.js";
import { receiptsByRoot } from "../../../src/runtime/indexer/logs/logs-by-root.js";
import { Verification } from "../../../src/runtime/indexer/logs/verification.js";
import { address, hash, quantity, rawBlock, rawLog, rawTransaction } from "../../support/chain/raw-chain.js";

/** A receipt as JSON-RPC returns it, without what follows from its place in the block. */
interface Returned {
  readonly type?: string;
  readonly transactionHash?: string;
  readonly cumulativeGasUsed?: string;
  readonly depositNonce?: string;
  readonly depositReceiptVersion?: string;
  readonly logs?: readonly (readonly [address: string, topics: readonly string[], data: string])[];
}

const topic = hash(1);
const filter = [{ addresses: [address(1)], topics: [topic] }];
const someLogs = (count: number, data = "0x"): NonNullable<Returned["logs"]> =>
  Array.from({ length: count }, (_, index) => [address(1), [topic, hash(index)], data] as const);

/** Decodes receipts of a block, in order, as a node returns them. */
function receiptsOf(number: number, returned: readonly Returned[]): readonly Receipt[] {
  let logIndex = 0;
  return returned.map(({ logs = [], ...fields }, index) => {
    const transactionHash = fields.transactionHash ?? hash(index, "f");
    const raw = logs.map(([of, topics, data]) =>
      rawLog(number, logIndex++, {
        address: of,
        topics,
        data,
        transactionHash,
        transactionIndex: quantity(index),
      }),
    );
    return decodeReceipt("eth_getBlockReceipts", {
      transactionIndex: quantity(index),
      blockNumber: quantity(number),
      blockHash: hash(number),
      cumulativeGasUsed: quantity(21_000 * (index + 1)),
      gasUsed: quantity(21_000),
      status: "0x1",
      contractAddress: null,
      logsBloom: bloomOf(logs),
      ...fields,
      transactionHash,
      logs: raw,
    });
  });
}

function bloomOf(logs: NonNullable<Returned["logs"]>): string {
  return Bloom.of(logs.map(([of, topics]) => ({ address: of, topics }) as unknown as Log)).hex;
}

/** A receipt in the trie by the published rules: its type, if it counts, and a list of fields. */
function inTrie(receipt: Receipt, more: readonly bigint[] = [], prefix = receipt.type ?? 0): Uint8Array {
  const number = (value: bigint): string => (value === 0n ? "0x" : toBeHex(value));
  const fields: RlpStructuredDataish = [
    number(receipt.status ?? 0n),
    number(receipt.cumulativeGasUsed),
    receipt.logsBloom,
    receipt.logs.map((log) => [log.address, [...log.topics], log.data]),
    ...more.map(number),
  ];
  const list = getBytes(encodeRlp(fields));
  return prefix === 0 ? list : getBytes(concat([toBeArray(prefix), list]));
}

/** A block whose header has this root, with a transaction for each of the first receipts. */
function blockOf(
  number: number,
  transactions: number,
  receiptsRoot: string,
  receipts: readonly Receipt[],
): Block {
  const raw = Array.from({ length: transactions }, (_, index) => rawTransaction(index));
  const { block } = decodeBlock("", rawBlock(number, { transactions: raw, receiptsRoot }));
  return { ...block, logsBloom: Bloom.of(receipts.flatMap(({ logs }) => logs)).hex };
}

/** What a verification by receipts roots makes of a block, and what it says. */
async function prove(
  network: string,
  block: Block,
  returned: readonly Receipt[],
  { known = [], listed = [] }: { readonly known?: readonly Log[]; readonly listed?: readonly Log[] } = {},
): Promise<{ logs: readonly Log[] | undefined; told: readonly string[]; requests: number }> {
  const told: string[] = [];
  let requests = 0;
  const chain = {
    receipts: async () => {
      requests += 1;
      return returned;
    },
    logsOf: async () => listed,
  } as unknown as Chain;
  const notes = { onUnproved: (why: string) => told.push(why) };
  const verification = new Verification("receipts", notes, rootExceptions.get(network));
  const receipts = await receiptsByRoot(chain, block, known, verification);
  expect(verification.proof).toBe(told.length === 0 ? "receipts" : "bloom");
  return { logs: receipts?.flatMap(({ logs }) => logs), told, requests };
}

const logsIn = (receipts: readonly Receipt[]): readonly Log[] => receipts.flatMap(({ logs }) => logs);
const instead = ", so logs are checked against bloom filters instead";

describe("state syncs of Polygon", () => {
  const madhugiri = 80_084_800;
  const syncHash = (number: number): string =>
    keccak256(concat([Buffer.from("matic-bor-receipt-"), toBeHex(number, 8), hash(number)]));
  const notCovered = "the receipts root does not cover logs of state syncs, so they are not verified";

  /** A block with one transaction, and a state sync that its root does not cover. */
  function syncedBlock(number: number): { block: Block; all: readonly Receipt[]; plain: readonly Receipt[] } {
    const all = receiptsOf(number, [
      { type: "0x2", logs: someLogs(2) },
      { transactionHash: syncHash(number), cumulativeGasUsed: "0x0", logs: someLogs(1) },
    ]);
    const plain = all.slice(0, 1);
    return { block: blockOf(number, 1, trieRoot(plain.map((one) => inTrie(one))), plain), all, plain };
  }

  it("are returned before Madhugiri, and reported as unverified", async () => {
    const { block, all } = syncedBlock(madhugiri - 1);
    expect(await prove("matic", block, all)).toMatchObject({ logs: logsIn(all), told: [notCovered] });
  });

  it("are reported as unverified before Madhugiri, also when the node returns none", async () => {
    const { block, plain } = syncedBlock(madhugiri - 1);
    expect(await prove("matic", block, plain)).toMatchObject({ logs: logsIn(plain), told: [notCovered] });
    const later = syncedBlock(madhugiri);
    expect(await prove("matic", later.block, later.plain)).toMatchObject({ told: [] });
  });

  it("keep the logs that the node lists when it returns no receipt of them", async () => {
    const { block, all, plain } = syncedBlock(madhugiri - 1);
    const logs = logsIn(all);
    const told: string[] = [];
    const notes = { onUnproved: (why: string) => told.push(why) };
    const chain = {
      receipts: async () => plain,
      logsOf: async () => logs,
      logs: async () => logs,
    } as unknown as Chain;
    const claim = { filter, found: logs, isDoubtful: false };
    const verification = new Verification("receipts", notes, rootExceptions.get("matic"));
    expect(await confirmLogs(chain, block, claim, verification)).toEqual(logs);
    expect(told).toContain(`logs of state syncs are missing from the receipts${instead}`);
  });

  it("are covered by the root since Madhugiri, where they are transactions of a block", async () => {
    const all = receiptsOf(madhugiri, [
      { type: "0x2", logs: someLogs(1) },
      { type: "0x7f", logs: someLogs(1) },
    ]);
    const block = blockOf(madhugiri, 2, trieRoot(all.map((one) => inTrie(one))), all);
    expect(await prove("matic", block, all)).toMatchObject({ logs: logsIn(all), told: [] });
  });
});

describe("the block's own receipt on Celo", () => {
  const migration = 31_056_500;
  /** A block with one transaction that pays its fee in a token, and a log outside of it. */
  function celoBlock(number: number): { block: Block; all: readonly Receipt[]; plain: readonly Receipt[] } {
    const all = receiptsOf(number, [
      { type: "0x7b", logs: someLogs(1) },
      { type: "0x0", transactionHash: hash(number), cumulativeGasUsed: "0x0", logs: someLogs(2) },
    ]);
    const block = blockOf(number, 1, trieRoot(all.map((one) => inTrie(one))), all);
    return { block, all, plain: all.slice(0, 1) };
  }
  const { block, all, plain } = celoBlock(migration - 1);

  it("is proved with the others when the node returns it", async () => {
    expect(await prove("celo", block, all)).toMatchObject({ logs: logsIn(all), told: [], requests: 1 });
  });

  it("is built from the block's logs when the node omits it, and proved", async () => {
    const listed = logsIn(all);
    expect(await prove("celo", block, plain, { listed })).toMatchObject({
      logs: listed,
      told: [],
      requests: 1,
    });
    // On a chain that is not known for it, the logs that were found tell.
    const unknown = await prove("mainnet", block, plain, { known: listed.slice(1), listed });
    expect(unknown).toMatchObject({ logs: listed, told: [] });
  });

  it("is reported missing when the node lists none of its logs either", async () => {
    const typed = all.map((receipt, index) => ({ ...receipt, type: index === 0 ? 2 : 0 }));
    const own = blockOf(migration - 1, 1, trieRoot(typed.map((one) => inTrie(one))), typed);
    const { logs, told } = await prove("celo", own, typed.slice(0, 1), { listed: logsIn(plain) });
    expect(logs).toBeUndefined();
    expect(told).toEqual([`logs that belong to no transaction are missing from the receipts${instead}`]);
  });

  it("does not exist since the move to a layer 2, so that receipts that do not match are refused", async () => {
    const later = celoBlock(migration);
    const typed = later.plain.map((receipt) => ({ ...receipt, type: 2 }));
    await expect(prove("celo", later.block, typed)).rejects.toThrow(ReorgError);
  });
});

describe("receipts of OP Stack deposits", () => {
  it("are proved for a real block between Regolith and Canyon, whose root leaves out their nonces", async () => {
    const { receiptsRoot, receipts } = JSON.parse(
      readFileSync(new URL("./regolith-block.json", import.meta.url), "utf8"),
    ) as { receiptsRoot: string; receipts: readonly Returned[] };
    const all = receiptsOf(9, receipts);
    const block = blockOf(9, all.length, receiptsRoot, all);
    expect(await prove("optimism", block, all)).toMatchObject({ logs: logsIn(all), told: [] });
  });

  const canyon = receiptsOf(9, [
    { type: "0x7e", depositNonce: "0x3d3bbf", depositReceiptVersion: "0x1" },
    { type: "0x2", logs: someLogs(2) },
  ]);
  const [deposit, other] = canyon as [Receipt, Receipt];
  const root = trieRoot([inTrie(deposit, [0x3d3bbfn, 1n]), inTrie(other)]);
  const block = blockOf(9, 2, root, canyon);

  it("are proved since Canyon with their nonces and versions", async () => {
    expect(await prove("optimism", block, canyon)).toMatchObject({ logs: logsIn(canyon), told: [] });
    const { deposit: _, ...bare } = deposit;
    const first = blockOf(9, 2, trieRoot([inTrie(deposit, [0n, 1n]), inTrie(other)]), canyon);
    const zero = { ...bare, deposit: { nonce: 0n, version: 1n } };
    expect(await prove("base", first, [zero, other])).toMatchObject({ told: [] });
  });

  it("are reported as impossible to prove when the node omits nonce and version", async () => {
    const { deposit: _, ...bare } = deposit;
    const { logs, told, requests } = await prove("optimism", block, [bare, other]);
    expect(logs).toBeUndefined();
    expect(told).toEqual([
      `the encoding of receipts of type 0x7e is uncertain and the node does not support debug_getRawReceipts${instead}`,
    ]);
    expect(requests).toBe(1);
  });

  it("are refused when a log is missing", async () => {
    const less = [deposit, { ...other, logs: other.logs.slice(1) }];
    await expect(prove("optimism", block, less)).rejects.toThrow(ReorgError);
  });
});

describe("receipts of other chains' own types", () => {
  it("are proved on Arbitrum, without their type for blocks before Nitro", async () => {
    const types = ["0x6a", "0x69", "0x64", "0x65", "0x66", "0x68", "0x2"];
    const all = receiptsOf(
      9,
      types.map((type) => ({ type, logs: someLogs(1) })),
    );
    const block = blockOf(9, all.length, trieRoot(all.map((one) => inTrie(one))), all);
    expect(await prove("arbitrum-one", block, all)).toMatchObject({ logs: logsIn(all), told: [] });
    const classic = receiptsOf(9, [{ type: "0x78", logs: someLogs(1) }]);
    const old = blockOf(9, 1, trieRoot(classic.map((one) => inTrie(one, [], 0))), classic);
    expect(await prove("arbitrum-one", old, classic)).toMatchObject({ logs: logsIn(classic), told: [] });
  });

  it("are refused on Arbitrum when a log is missing, since their encoding is certain", async () => {
    const all = receiptsOf(9, [{ type: "0x6a" }, { type: "0x69", logs: someLogs(2) }]);
    const block = blockOf(9, 2, trieRoot(all.map((one) => inTrie(one))), all);
    const less = all.map((receipt) => ({ ...receipt, logs: receipt.logs.slice(1) }));
    await expect(prove("arbitrum-one", block, less)).rejects.toThrow(ReorgError);
  });

  it("are proved for Scroll's messages from layer 1, which have the type of a deposit", async () => {
    const all = receiptsOf(9, [{ type: "0x7e" }, { type: "0x0", logs: someLogs(1) }]);
    const block = blockOf(9, 2, trieRoot(all.map((one) => inTrie(one))), all);
    expect(await prove("scroll", block, all)).toMatchObject({ logs: logsIn(all), told: [] });
  });

  it("are reported as impossible to prove on ZKsync, whose headers have no root", async () => {
    const all = receiptsOf(9, [{ type: "0xff" }, { type: "0x71", logs: someLogs(1) }]);
    const { logs, told } = await prove("zksync-era", blockOf(9, 2, `0x${"0".repeat(64)}`, all), all);
    expect([logs, told]).toEqual([undefined, [`block headers have no receipts root${instead}`]]);
  });

  it("are reported as impossible to prove on a chain that computes roots in its own way, after one request", async () => {
    const all = receiptsOf(9, [{ type: "0x2", logs: someLogs(1) }]);
    const block = blockOf(9, 1, hash(77), all);
    expect(await prove("kaia", block, all)).toEqual({
      logs: undefined,
      told: [`the chain does not compute receipts roots in Ethereum's way${instead}`],
      requests: 1,
    });
    await expect(prove("mainnet", block, all)).rejects.toThrow(ReorgError);
  });
});
