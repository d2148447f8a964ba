import { describe, expect, it } from "vitest";
import { RecordedChain } from "../../../src/runtime/recording/recorded-chain.js";
import { answerRecorded } from "../../../src/runtime/recording/recorded-node.js";
import { RecordingError, readRecording } from "../../../src/runtime/recording/recording.js";
import { address, hash } from "../../support/chain/raw-chain.js";

const token = address(7);
const supply = "0x18160ddd";
const balance = "0x70a08231";
const one = `0x${"1".padStart(64, "0")}`;
const two = `0x${"2".padStart(64, "0")}`;
const zero = `0x${"0".repeat(64)}`;
const transfer = { address: token, topics: [hash(0xaa), hash(1)], data: "0x01" };

/** Blocks 5 and 6 are there at once; 7 comes, then 8 on another branch that begins after 6. */
const lines = [
  {
    recording: 1,
    network: "sepolia",
    chainId: 11155111,
    history: 2,
    interval: 1000,
    block: { gasLimit: "0x10", uncles: [] },
    transaction: { value: "0x0", type: "0x2" },
    receipt: { status: "0x1", gasUsed: "0x5" },
    contracts: { [token]: { code: "0x60", since: 6, functions: { [supply]: one, [balance]: zero } } },
  },
  { hash: hash(5), fields: { number: "0x5", parentHash: hash(4), timestamp: "0x1" } },
  {
    hash: hash(6),
    fields: { timestamp: "0x2" },
    transactions: [
      {
        hash: hash(61),
        fields: { from: address(1), to: token, gasPrice: "0x9" },
        receipt: {},
        logs: [transfer, transfer],
      },
      { hash: hash(62), fields: { from: address(2), gasPrice: "0x8" }, receipt: { gasUsed: "0x7" } },
    ],
  },
  { hash: hash(7), fields: { timestamp: "0x3" }, calls: { [token]: { [supply]: two } } },
  {
    hash: hash(71),
    parent: hash(6),
    waits: true,
    fields: { timestamp: "0x3" },
    transactions: [
      { hash: hash(63), fields: { from: address(1), gasPrice: "0x9" }, receipt: {}, logs: [transfer] },
    ],
  },
  { hash: hash(8), fields: { timestamp: "0x4" } },
];
const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");

/** A node that plays the recording, and a way to let time pass. */
function played() {
  let now = 50_000;
  const chain = new RecordedChain(readRecording(text), () => now);
  const post = (body: unknown) => JSON.parse(answerRecorded(chain, JSON.stringify(body)));
  return {
    chain,
    post,
    wait: (milliseconds: number) => {
      now += milliseconds;
    },
    ask: (method: string, ...params: unknown[]) => {
      const { result, error } = post({ jsonrpc: "2.0", id: 1, method, params });
      return error ?? result;
    },
  };
}

describe("a node that plays a recording", () => {
  it("serves the history at once, then one block after another, and a new branch as a whole", () => {
    const { ask, wait } = played();
    const heads: string[] = [];
    for (let step = 0; step < 8; step++) {
      heads.push(ask("eth_getBlockByNumber", "latest", false).hash);
      wait(500);
    }
    expect(heads).toEqual([6, 6, 7, 7, 7, 7, 8, 8].map((number) => hash(number)));
    expect(ask("eth_getBlockByNumber", "0x7", false).hash).toBe(hash(71));
    wait(1e9);
    expect(ask("eth_blockNumber")).toBe("0x8");
  });

  it("finds a replaced block by its hash, but no future block", () => {
    const { ask, wait } = played();
    expect(ask("eth_getBlockByHash", hash(7), false)).toBe(null);
    wait(3000);
    expect(ask("eth_getBlockByHash", hash(7), false)).toMatchObject({ number: "0x7", parentHash: hash(6) });
    expect(ask("eth_getBlockByNumber", "0x9", false)).toBe(null);
    expect(ask("eth_getBlockByNumber", "earliest", false).number).toBe("0x5");
  });

  it("fills in the data that the lines omit", () => {
    const { ask } = played();
    const place = { blockHash: hash(6), blockNumber: "0x6" };
    expect(ask("eth_getBlockByNumber", "0x6", true)).toMatchObject({
      number: "0x6",
      parentHash: hash(5),
      gasLimit: "0x10",
      gasUsed: "0xc",
      uncles: [],
      transactions: [
        { ...place, hash: hash(61), transactionIndex: "0x0", value: "0x0", type: "0x2" },
        { ...place, hash: hash(62), transactionIndex: "0x1" },
      ],
    });
    expect(ask("eth_getTransactionReceipt", hash(62))).toMatchObject({
      ...place,
      transactionIndex: "0x1",
      from: address(2),
      to: null,
      gasUsed: "0x7",
      cumulativeGasUsed: "0xc",
      effectiveGasPrice: "0x8",
      status: "0x1",
      logs: [],
    });
    expect(ask("eth_getTransactionByHash", hash(61)).to).toBe(token);
    expect(ask("eth_getTransactionReceipt", hash(99))).toBe(null);
  });

  it("finds the receipts of a block by its number and by its hash", () => {
    const { ask, wait } = played();
    expect(ask("eth_getBlockReceipts", "0x6")).toHaveLength(2);
    wait(3000);
    const { hash: own } = ask("eth_getBlockByNumber", "0x7", false);
    expect(own).toBe(hash(71));
    expect(ask("eth_getBlockReceipts", own)).toEqual(ask("eth_getBlockReceipts", "0x7"));
    expect(ask("eth_getBlockReceipts", own)).not.toBe(null);
    expect(ask("eth_getBlockReceipts", hash(99))).toBe(null);
  });

  it("finds logs by range, block, address and topics", () => {
    const { ask, wait } = played();
    const found = (filter: object): string[] =>
      ask("eth_getLogs", filter).map((log: { logIndex: string }) => log.logIndex);
    expect(found({ fromBlock: "0x5", toBlock: "0x6" })).toEqual(["0x0", "0x1"]);
    expect(found({ blockHash: hash(6), address: [token.toUpperCase().replace("0X", "0x")] })).toHaveLength(2);
    expect(found({ blockHash: hash(6), address: address(8) })).toEqual([]);
    expect(found({ blockHash: hash(6), topics: [null, [hash(1), hash(2)]] })).toHaveLength(2);
    expect(found({ blockHash: hash(6), topics: [hash(0xaa), hash(2)] })).toEqual([]);
    expect(found({ blockHash: hash(6), topics: [[], [], hash(2)] })).toEqual([]);
    wait(3000);
    expect(found({ fromBlock: "0x7", toBlock: "0x8" })).toEqual(["0x0"]);
    expect(ask("eth_getLogs", { blockHash: hash(9) })).toMatchObject({ message: "header not found" });
  });

  it("answers calls as of a block of a branch, and reverts for unknown functions", () => {
    const { ask, wait } = played();
    wait(3000);
    const call = (data: string, block: unknown) => ask("eth_call", { to: token, data }, block);
    expect(call(supply, "0x6")).toBe(one);
    expect(call(supply, { blockHash: hash(7) })).toBe(two);
    expect(call(supply, { blockHash: hash(8) })).toBe(one);
    expect(call(`${balance}${"0".repeat(64)}`, "latest")).toBe(zero);
    expect(call("0x12345678", "latest")).toMatchObject({ message: "execution reverted" });
    expect(call(supply, "0x5")).toBe("0x");
    expect(ask("eth_getCode", token, "latest")).toBe("0x60");
    expect(ask("eth_getCode", address(9), "latest")).toBe("0x");
  });

  it("answers batches, and refuses unknown requests with a message", () => {
    const { post, chain } = played();
    const request = (id: number, method: unknown, params: unknown = []) => ({
      jsonrpc: "2.0",
      id,
      method,
      params,
    });
    expect(post([request(1, "eth_chainId"), request(2, "trace_block", ["0x5"])])).toEqual([
      { jsonrpc: "2.0", id: 1, result: "0xaa36a7" },
      {
        jsonrpc: "2.0",
        id: 2,
        error: { code: -32601, message: "method trace_block is not available: the chain is a recording" },
      },
    ]);
    const codes = [
      5,
      request(1, 5),
      request(1, "constructor"),
      request(1, "eth_getBlockByNumber", ["nonsense"]),
      request(1, "eth_call", [5]),
      request(1, "eth_getLogs", []),
    ].map((body) => post(body).error.code);
    expect(codes).toEqual([-32600, -32600, -32601, -32602, -32602, -32602]);
    expect(JSON.parse(answerRecorded(chain, "{")).error.code).toBe(-32700);
  });
});

describe("a recording", () => {
  it.each([
    ["nothing", "", "Line 1 of the recording is not a JSON object"],
    ["another version", '{"recording":2}', 'Line 1 of the recording does not contain "recording": 1'],
    ["no blocks", JSON.stringify(lines[0]), 'Line 1 of the recording has no "history" between 1 and 0'],
    ["a line that is cut", text.slice(0, -5), "Line 6 of the recording is not a JSON object"],
  ])("reports a faulty recording: %s", (_, wrong, message) => {
    expect(() => readRecording(wrong)).toThrow(new RecordingError(message));
  });

  it("reports an unknown parent", () => {
    const odd = text.replace(`"parent":"${hash(6)}"`, `"parent":"${hash(99)}"`);
    expect(() => new RecordedChain(readRecording(odd), () => 0)).toThrow("Line 5 of the recording names");
  });
});
