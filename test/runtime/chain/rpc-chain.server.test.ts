import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Chain, ChainError, NonsenseError, ReorgError } from "../../../src/runtime/chain/chain.js";
import { LogClashError } from "../../../src/runtime/chain/log-order.js";
import { decodeBlock } from "../../../src/runtime/chain/rpc/decode-block.js";
import { createRpcClient } from "../../../src/runtime/chain/rpc/rpc-client.js";
import { createRpcChain, type RpcChainOptions } from "../../../src/runtime/chain/rpc-chain.js";
import {
  type FaultyNode,
  NodeError,
  type RpcCall,
  startFaultyNode,
} from "../../support/chain/faulty-node.js";
import { address, hash, quantity, rawBlock, rawLog, rawTransaction } from "../../support/chain/raw-chain.js";
import { fastWorld } from "../../support/worlds.js";

let node: FaultyNode;
let answer: (call: RpcCall) => unknown;

beforeEach(async () => {
  node = await startFaultyNode((call) => answer(call));
});
afterEach(() => node.stop());

const chain = (options?: RpcChainOptions): Chain =>
  createRpcChain(createRpcClient(node.url, fastWorld()), options);
const asked = (method: string): readonly RpcCall[] =>
  node.exchanges.flat().filter((call) => call.method === method);
/** A block of three transactions, of which the first has its hash in every trace of these tests. */
const block = decodeBlock(
  "",
  rawBlock(5, { transactions: [0, 1, 2].map((index) => rawTransaction(index)) }),
).block;
const traced = (count: number): typeof block => ({
  ...block,
  transactions: new Map([...block.transactions].slice(0, count)),
});

describe("blocks", () => {
  it("fetches blocks in the requested order in one exchange, with undefined beyond the head", async () => {
    answer = ({ params }) => (Number(params[0]) > 7 ? null : rawBlock(Number(params[0])));
    const found = await chain().blocks([7, 3, 9, 4]);
    expect(found.map((found) => found?.number)).toEqual([7, 3, undefined, 4]);
    expect(node.exchanges[0]?.map(({ params }) => Number(params[0]))).toEqual([7, 3, 9, 4]);
    expect(await chain().block(8)).toBeUndefined();
  });

  it("decodes every field of a block, with null or zero for optional fields", async () => {
    answer = () => rawBlock(5, { baseFeePerGas: undefined, size: undefined, difficulty: undefined });
    expect(await chain().block(5)).toEqual({
      number: 5,
      hash: hash(5),
      parentHash: hash(4),
      unclesHash: hash(1),
      author: address(1),
      stateRoot: hash(2),
      transactionsRoot: hash(3),
      receiptsRoot: hash(4),
      gasUsed: 21_000n,
      gasLimit: 30_000_000n,
      timestamp: 1_700_000_005n,
      difficulty: 0n,
      totalDifficulty: 0n,
      size: null,
      baseFeePerGas: null,
      transactions: new Map(),
      unprovedHeader: "foreign",
    });
  });

  it.each([12, -32603])("has no block where the chain has a null round, error %s", async (code) => {
    answer = ({ params }) => {
      if (Number(params[0]) === 6) throw new NodeError(code, "requested epoch was a null round (6)");
      return rawBlock(Number(params[0]));
    };
    const found = await chain().blocks([5, 6, 7]);
    expect(found.map((block) => (block === null ? "none" : block?.number))).toEqual([5, "none", 7]);
  });

  it("does not know a block that one node does not know and another calls a null round", async () => {
    for (const first of ["unknown", "null round"]) {
      let asked = 0;
      answer = () => {
        asked += 1;
        if ((asked === 1) === (first === "unknown")) return null;
        throw new NodeError(12, "requested epoch was a null round (6)");
      };
      expect(await chain().block(6), first).toBeUndefined();
      expect(asked).toBe(2);
    }
  });

  it("takes a block without fields that some chains lack, with zeros like graph-node", async () => {
    const { input: _input, nonce: _nonce, gas: _gas, ...rest } = rawTransaction(0);
    const { sha3Uncles: _uncles, ...header } = rawBlock(5, {
      stateRoot: "0x",
      miner: null,
      transactions: [{ ...rest, data: "0xabcd" }],
    });
    answer = () => header;
    const found = await chain().block(5);
    expect(found).toMatchObject({ stateRoot: hash(0), unclesHash: hash(0), author: `0x${"0".repeat(40)}` });
    expect(found?.transactions.get(hash(0, "f"))).toMatchObject({ input: "0xabcd", nonce: 0n, gasLimit: 0n });
  });

  it.each([
    ["stateRoot", { stateRoot: "0x12" }],
    ["miner", { miner: `0x${"z".repeat(40)}` }],
    ["transactions", { transactions: undefined }],
  ])("refuses a block with a malformed %s", async (field, changes) => {
    answer = () => rawBlock(5, changes);
    await expect(chain().block(5)).rejects.toThrow(`"${field}"`);
  });

  it("converts hex strings of blocks to lower case", async () => {
    const upper = `0x${"ABCDEF".repeat(7).slice(0, 40)}`;
    answer = () =>
      rawBlock(5, { miner: upper, transactions: [rawTransaction(0, { input: "0xABCD", to: null })] });
    const found = await chain().block(5);
    expect(found?.author).toBe(upper.toLowerCase());
    expect(found?.transactions.get(hash(0, "f"))).toMatchObject({ input: "0xabcd", to: null, nonce: 5n });
  });

  it("takes gas prices from receipts only when the block does not determine them", async () => {
    const fees = { gasPrice: undefined, maxFeePerGas: quantity(20), maxPriorityFeePerGas: quantity(3) };
    const transactions = [
      rawTransaction(0),
      rawTransaction(1, fees),
      rawTransaction(2, { ...fees, maxFeePerGas: quantity(8) }),
      rawTransaction(3, { gasPrice: null }),
    ];
    answer = ({ method }) =>
      method === "eth_getTransactionReceipt" ? { effectiveGasPrice: "0x2a" } : rawBlock(5, { transactions });
    const found = await chain().block(5);
    expect([...(found?.transactions.values() ?? [])].map(({ gasPrice }) => gasPrice)).toEqual([
      9n,
      10n,
      8n,
      42n,
    ]);
    expect(asked("eth_getTransactionReceipt").map(({ params }) => params[0])).toEqual([hash(3, "f")]);
  });

  it.each([
    ["hash", "0x12", '"hash" is "0x12", not 32 hexadecimal bytes'],
    ["timestamp", 17, '"timestamp" is 17, not a hexadecimal number'],
    ["gasUsed", undefined, '"gasUsed" is missing, not a hexadecimal number'],
    ["number", "0xffffffffffffffffffff", '"number" is "0xffffffffffffffffffff", not a number'],
    ["transactions", "none", '"transactions" is "none", not a list'],
    ["transactions", [hash(1)], `"transactions[0]" is "${hash(1)}", not an object`],
    [
      "transactions",
      [rawTransaction(0), rawTransaction(1, { input: "0xzz" })],
      '"transactions[1].input" is "0xzz", not hexadecimal bytes',
    ],
    ["transactions", [rawTransaction(0, { input: "0x123" })], '"transactions[0].input" is "0x123"'],
  ])("refuses blocks with an invalid %s: %s", async (field, value, text) => {
    answer = () => rawBlock(5, { [field]: value });
    const reading = chain().block(5);
    await expect(reading).rejects.toThrow(ChainError);
    await expect(reading).rejects.toThrow(`eth_getBlockByNumber: invalid answer from the node: ${text}`);
  });

  it("refuses a block with a different number than requested", async () => {
    answer = () => rawBlock(6);
    await expect(chain().block(5)).rejects.toThrow("asked for block 5, got 6");
  });

  it("returns number and hash of the head", async () => {
    answer = ({ params }) => (params[0] === "latest" ? rawBlock(9) : null);
    expect(await chain().head()).toEqual({ number: 9, hash: hash(9) });
  });
});

interface LogParameters {
  readonly fromBlock: string;
  readonly toBlock: string;
  readonly address?: readonly string[];
  readonly topics: readonly [readonly string[]];
}

/** A node with a log per block (or as many as given), that takes only some queries. */
function serveLogs(
  refuse: (blocks: number, logs: number) => void,
  perBlock: (block: number) => number = () => 1,
): void {
  answer = ({ params }) => {
    const [{ fromBlock, toBlock }] = params as [LogParameters];
    const logs: unknown[] = [];
    for (let number = Number(fromBlock); number <= Number(toBlock); number++) {
      for (let index = 0; index < perBlock(number); index++) logs.push(rawLog(number, index));
    }
    refuse(Number(toBlock) - Number(fromBlock) + 1, logs.length);
    return logs;
  };
}

const widths = (): number[] =>
  asked("eth_getLogs").map(({ params }) => {
    const [{ fromBlock, toBlock }] = params as [LogParameters];
    return Number(toBlock) - Number(fromBlock) + 1;
  });
const anyLog = [{ addresses: [], topics: [hash(1)] }];

/** Answers a query for logs with some, and a receipt with others. */
function serveTwins(logs: readonly unknown[], receipt: readonly unknown[] | null): void {
  answer = ({ method }) => {
    if (method !== "eth_getTransactionReceipt") return logs;
    if (!receipt) return null;
    const place = { transactionHash: hash(0, "f"), transactionIndex: "0x0" };
    const block = { blockNumber: quantity(5), blockHash: hash(5) };
    const rest = { cumulativeGasUsed: "0x1", gasUsed: "0x1", contractAddress: null, status: "0x1" };
    return { ...place, ...block, ...rest, logs: receipt, logsBloom: `0x${"0".repeat(512)}` };
  };
}

describe("logs that have the same index in one transaction", () => {
  const log = rawLog(5, 0);
  const other = rawLog(5, 0, { data: "0x01" });

  it("are one if the receipt has one", async () => {
    serveTwins([log, log], [log]);
    expect(await chain().logs(5, 5, anyLog)).toHaveLength(1);
    expect(await chain().logs(1, 9, anyLog)).toHaveLength(1);
  });

  it.each([
    ["different", other],
    ["equal", log],
  ])("end the run with both logs if the receipt has two %s ones", async (_, twin) => {
    serveTwins([log, twin], [log, twin]);
    const why = `block 5 has two logs with index 0 of transaction ${hash(0, "f")}`;
    await expect(chain().logs(1, 9, anyLog)).rejects.toThrow(why);
    await expect(chain().logs(5, 5, anyLog)).rejects.toThrow(LogClashError);
  });

  it("are requested again if the receipt has only one of two different logs, or none", async () => {
    serveTwins([log, other], [log]);
    await expect(chain().logs(5, 5, anyLog)).rejects.toThrow(NonsenseError);
    serveTwins([log, log], null);
    await expect(chain().logs(5, 5, anyLog)).rejects.toThrow(NonsenseError);
  });
});

describe("logs", () => {
  it.each([
    [-32005, "query returned more than 10000 results"],
    [-32000, "block range is too large"],
    [-32602, "exceed maximum block range: 50"],
    [-32005, "limit exceeded"],
    [-32008, "response is too big"],
    [-32000, "whatever a provider may think of"],
  ])("queries logs in parts when the node answers %s %s", async (code, message) => {
    serveLogs((blocks) => {
      if (blocks > 50) throw new NodeError(code, message);
    });
    const logs = await chain().logs(1, 400, anyLog);
    expect(logs.map((log) => log.block.number)).toEqual(Array.from({ length: 400 }, (_, index) => index + 1));
  });

  it("finds the width that a node accepts, and keeps to it", async () => {
    serveLogs((blocks) => {
      if (blocks > 50) throw new NodeError(-32000, "block range is too large");
    });
    const to = chain();
    await to.logs(1, 20_000, anyLog);
    const before = widths().length;
    await to.logs(20_001, 30_000, anyLog);
    // 50 blocks a query, and not one in vain.
    expect(widths().slice(before)).toEqual(Array.from({ length: 200 }, () => 50));
  });

  it("widens the ranges again where there are fewer logs", async () => {
    serveLogs(
      (_, logs) => {
        if (logs > 100) throw new NodeError(-32005, "query returned more than 100 results");
      },
      (number) => (number <= 100 ? 20 : 0),
    );
    const logs = await chain().logs(1, 10_000, anyLog);
    expect(logs.length).toBe(2000);
    expect(Math.max(...widths().slice(-3))).toBeGreaterThan(1000);
    expect(widths().length).toBeLessThan(80);
  });

  it("queries logs in parts when the node is strained or its answer is too large", async () => {
    serveLogs(() => undefined);
    node.rule((calls) => {
      const [{ fromBlock, toBlock }] = calls[0]?.params as [LogParameters];
      return Number(toBlock) - Number(fromBlock) >= 10 ? { kind: "cut-answer" } : undefined;
    });
    expect((await chain().logs(1, 40, anyLog)).length).toBe(40);
  });

  it("reports the node's message when it refuses the logs of a single block", async () => {
    serveLogs(() => {
      throw new NodeError(-32005, "query returned more than 10000 results");
    });
    await expect(chain().logs(1, 4, anyLog)).rejects.toThrow(
      /^eth_getLogs: .* error -32005: query returned more/,
    );
    expect(widths()).toEqual([4, 2, 1]);
  });

  it("does not query logs of blocks that are gone again", async () => {
    serveLogs(() => {
      throw new NodeError(-32000, "unknown block");
    });
    await expect(chain().logs(1, 4, anyLog)).rejects.toThrow(ReorgError);
    expect(widths()).toEqual([4]);
  });

  it("splits many addresses into several queries, and merges the logs in order without duplicates", async () => {
    const owners = Array.from({ length: 5 }, (_, index) => address(index));
    answer = ({ params }) => {
      const [query] = params as [LogParameters];
      const own = (query.address ?? []).map((owner) =>
        rawLog(10 - owners.indexOf(owner), 1, { address: owner }),
      );
      return [...own, rawLog(8, 0)];
    };
    const filter = [
      { addresses: [...owners, address(0)], topics: [hash(1), hash(2)] },
      { addresses: [], topics: [hash(3)] },
      { addresses: [], topics: [] },
    ];
    const logs = await chain({ addressesPerQuery: 2 }).logs(1, 10, filter);
    expect(logs.map((log) => [log.block.number, log.logIndex])).toEqual([
      [6, 1],
      [7, 1],
      [8, 0],
      [8, 1],
      [9, 1],
      [10, 1],
    ]);
    expect(asked("eth_getLogs").map(({ params }) => (params as [LogParameters])[0])).toEqual([
      { fromBlock: "0x1", toBlock: "0xa", topics: [[hash(1), hash(2)]], address: [address(0), address(1)] },
      { fromBlock: "0x1", toBlock: "0xa", topics: [[hash(1), hash(2)]], address: [address(2), address(3)] },
      { fromBlock: "0x1", toBlock: "0xa", topics: [[hash(1), hash(2)]], address: [address(4)] },
      { fromBlock: "0x1", toBlock: "0xa", topics: [[hash(3)]] },
    ]);
  });

  it.each([
    ["topics", ["0x12"], '"[0].topics" is ["0x12"]'],
    ["topics", undefined, '"[0].topics" is missing'],
    ["logIndex", null, '"[0].logIndex" is null, not a number'],
    ["blockHash", null, '"[0].blockHash" is null, not 32 hexadecimal bytes'],
    ["blockNumber", "0x7", "asked for blocks 1 to 2, got a log of block 7"],
  ])("refuses logs with an invalid %s", async (field, value, text) => {
    answer = () => [rawLog(1, 0, { [field]: value })];
    await expect(chain().logs(1, 2, anyLog)).rejects.toThrow(
      `eth_getLogs: invalid answer from the node: ${text}`,
    );
  });

  it("does not query logs when the filter cannot match any", async () => {
    expect(await chain().logs(1, 2, [{ addresses: [address(1)], topics: [] }])).toEqual([]);
    expect(node.exchanges).toEqual([]);
  });
});

describe("reads", () => {
  const read = { address: address(1), data: "0x01020304" };

  it("sends reads in one batch, with the block hash and graph-node's gas limit", async () => {
    answer = ({ params }) => (params[0] as { data: string }).data;
    const other = { ...read, data: "0xff" };
    expect(await chain().read(block, [read, other])).toEqual([
      { kind: "returned", data: "0x01020304" },
      { kind: "returned", data: "0xff" },
    ]);
    expect(node.exchanges.length).toBe(1);
    expect(asked("eth_call")[0]?.params).toEqual([
      { to: address(1), data: "0x01020304", input: "0x01020304", gas: "0x2faf080" },
      { blockHash: hash(5) },
    ]);
    await chain({ readGas: null }).read(block, [read]);
    expect(asked("eth_call")[2]?.params[0]).toEqual({ to: address(1), data: read.data, input: read.data });
  });

  it.each([
    [3, "execution reverted: STF"],
    [-32000, "execution reverted: STF"],
    [-32000, "out of gas"],
    [-32000, "invalid opcode: INVALID"],
    [-32000, "invalid jump destination"],
    [-32000, "stack underflow (0 <=> 1)"],
    [-32000, "stack limit reached 1024 (1023)"],
    [-32015, "VM execution error."],
    [-32603, "VM Exception while processing transaction: revert"],
    [-32603, "EVM error InvalidFEOpcode"],
  ])("treats a read that fails in the contract as a revert: %s %s", async (code, message) => {
    answer = () => {
      throw new NodeError(code, message);
    };
    expect(await chain().read(block, [read])).toEqual([{ kind: "reverted" }]);
    expect(node.exchanges.length).toBe(1);
  });

  it.each([
    "Reverted 0x",
    "Bad jump destination",
    "Out of stack",
    "Bad instruction fe",
  ])("treats Parity's failure of a read as a revert: %s", async (data) => {
    answer = () => {
      throw new NodeError(-32015, "Transaction failed.", data);
    };
    expect(await chain().read(block, [read])).toEqual([{ kind: "reverted" }]);
  });

  it("treats a read that fails in the node as an error, not a revert", async () => {
    answer = () => {
      throw new NodeError(-32000, "some database is broken");
    };
    await expect(chain().read(block, [read])).rejects.toThrow(/eth_call: .*some database is broken/);
    answer = () => {
      throw new NodeError(-32015, "Transaction failed.", "something else");
    };
    await expect(chain().read(block, [read])).rejects.toThrow(ChainError);
  });

  it.each([
    [3, "STF"],
    [-32015, "Transaction failed."],
  ])("retries reads that graph-node would retry forever: %s %s", async (code, message) => {
    let asked = 0;
    answer = () => {
      if (asked++ < 3) throw new NodeError(code, message);
      return "0x2a";
    };
    expect(await chain().read(block, [read])).toEqual([{ kind: "returned", data: "0x2a" }]);
  });

  it("throws a ReorgError for a read as of a block that is gone", async () => {
    answer = () => {
      throw new NodeError(-32000, "header not found");
    };
    await expect(chain().read(block, [read])).rejects.toThrow(ReorgError);
  });

  it("treats an empty answer to a read as a revert", async () => {
    answer = () => "0x";
    expect(await chain().read(block, [read])).toEqual([{ kind: "reverted" }]);
  });

  it("throws for an invalid answer to a read", async () => {
    answer = () => ({});
    await expect(chain().read(block, [read])).rejects.toThrow(
      "eth_call: invalid answer from the node: the answer is {}, not hexadecimal bytes",
    );
  });

  it("recommends an archive node for a read of a pruned state", async () => {
    answer = () => {
      throw new NodeError(-32000, "missing trie node 1234 (path )");
    };
    await expect(chain().read(block, [read])).rejects.toThrow(
      /missing trie node.*state of block 5; an archive node/,
    );
  });

  it("reads by number when the node accepts no hash, and checks the hash afterwards", async () => {
    let current = hash(5);
    answer = ({ method, params }) => {
      if (method === "eth_getBlockByNumber") return rawBlock(5, { hash: current });
      if (typeof params[1] !== "string")
        throw new NodeError(-32602, "invalid argument 1: cannot unmarshal object");
      if (params[0] === address(9)) return "0x7";
      return "0x2a";
    };
    const to = chain();
    expect(await to.read(block, [read])).toEqual([{ kind: "returned", data: "0x2a" }]);
    expect(await to.balance(block, address(9))).toBe(7n);
    expect(await to.code(block, address(8))).toBe("0x2a");
    const methods = node.exchanges.map((calls) => calls.map(({ method }) => method).join());
    expect(methods).toEqual([
      "eth_call",
      "eth_call",
      "eth_getBlockByNumber",
      "eth_getBalance",
      "eth_getBlockByNumber",
      "eth_getCode",
      "eth_getBlockByNumber",
    ]);
    current = hash(55);
    await expect(to.read(block, [read])).rejects.toThrow(ReorgError);
  });
});

describe("calls", () => {
  const filter = [{ address: address(1), selectors: ["0x01020304"] }];

  it("names the tracing methods that a node without traces lacks", async () => {
    answer = () => {
      throw new NodeError(-32601, "the method does not exist/is not available");
    };
    await expect(chain().calls(block, filter)).rejects.toThrow(
      /but the node supports neither trace_block nor debug_traceBlockByHash with callTracer$/,
    );
  });

  it.each([
    [-32601, "the method trace_block does not exist/is not available"],
    [-32600, "Unsupported method: trace_block. See available methods"],
    [-32052, "trace_block is not available on this plan"],
    [-32000, "method trace_block is not whitelisted"],
  ])("finds calls by the tracing method that the node supports, and detects it once: %s %s", async (code, message) => {
    answer = ({ method }) => {
      if (method === "trace_block") throw new NodeError(code, message);
      return [{ txHash: hash(0, "f"), result: frame({}) }];
    };
    const to = chain();
    expect((await to.calls(traced(1), filter)).length).toBe(1);
    await to.calls(traced(1), filter);
    expect(node.exchanges.flat().map(({ method }) => method)).toEqual([
      "trace_block",
      "debug_traceBlockByHash",
      "debug_traceBlockByHash",
    ]);
  });

  it("treats a failed trace as an error of the node, not as a missing method", async () => {
    answer = () => {
      throw new NodeError(-32000, "tracing failed");
    };
    await expect(chain().calls(block, filter)).rejects.toThrow(/trace_block: .*tracing failed/);
  });

  it("throws a ReorgError for traces of a different block", async () => {
    answer = () => [flat([], { blockHash: hash(99) })];
    await expect(chain().calls(block, filter)).rejects.toThrow(ReorgError);
  });

  it("finds calls of all functions when none is named, but no transfers", async () => {
    const inputs = ["0x01020304", "0x0908070605", "0x", "0x010203"];
    answer = () => [
      flat([], { subtraces: inputs.length, action: action({ to: address(9) }) }),
      ...inputs.map((input, at) => flat([at], { action: action({ input }) })),
      flat([], { transactionPosition: 1, transactionHash: hash(1, "f"), action: action({ to: address(9) }) }),
      flat([], { transactionPosition: 2, transactionHash: hash(2, "f"), action: action({ to: address(9) }) }),
    ];
    const calls = await chain().calls(block, [...filter, { address: address(1), selectors: [] }]);
    expect(calls.map(({ input }) => input)).toEqual(["0x01020304", "0x0908070605"]);
  });

  it("omits failed calls, failed transactions and unwanted kinds in flat traces", async () => {
    answer = () => [
      { ...flat([], {}), type: "reward", transactionPosition: null },
      flat([], {}),
      flat([0], { error: "Reverted", result: null }),
      flat([0, 0], { action: action({ input: "0x01020304cc" }) }),
      flat([0, 0, 0], { error: "Out of gas", result: null }),
      flat([1], { action: action({ input: "0x01020304aa" }) }),
      flat([2], { action: action({ callType: "delegatecall" }) }),
      flat([3], { action: action({ callType: "staticcall" }) }),
      flat([4], { type: "create", action: { from: address(1), init: "0x", value: "0x0" } }),
      flat([5], { action: action({ input: "0x0102030405" }) }),
      flat([6], { action: action({ input: "0x09020304" }) }),
      flat([7], { action: action({ to: address(7) }) }),
      flat([], { transactionPosition: 1, transactionHash: hash(1, "f"), error: "Out of gas" }),
      flat([0], { transactionPosition: 1, transactionHash: hash(1, "f") }),
      flat([], {
        transactionPosition: 2,
        transactionHash: hash(2, "f"),
        action: action({ input: "0x01020304ff" }),
      }),
    ];
    const calls = await chain({ callKinds: ["call"] }).calls(block, filter);
    expect(calls.map(({ transactionIndex, input }) => [transactionIndex, input])).toEqual([
      [0, "0x01020304"],
      // It went well, and was undone with the call around it only.
      [0, "0x01020304cc"],
      [0, "0x01020304aa"],
      [0, "0x0102030405"],
      [2, "0x01020304ff"],
    ]);
    expect(calls[4]).toEqual({
      from: address(2),
      to: address(1),
      input: "0x01020304ff",
      output: "0x0f",
      transactionHash: hash(2, "f"),
      transactionIndex: 2,
    });
  });

  it("omits failed calls, failed transactions and unwanted kinds in trace trees", async () => {
    const trees = [
      frame({
        calls: [
          frame({ error: "execution reverted", calls: [frame({ input: "0x01020304ee" })] }),
          frame({ type: "DELEGATECALL", input: "0x01020304dd", calls: [frame({ input: "0x01020304aa" })] }),
          frame({ type: "STATICCALL" }),
          frame({ type: "CREATE", to: address(3), calls: [frame({ input: "0x01020304bb" })] }),
          frame({ to: address(7) }),
          frame({ input: "0x", output: undefined }),
        ],
      }),
      frame({ error: "out of gas", calls: [frame({})] }),
      frame({ input: "0x01020304ff", output: undefined }),
    ];
    answer = ({ method }) => {
      if (method === "trace_block") throw new NodeError(-32601, "Method not found");
      if (method === "eth_getBlockByHash")
        return { transactions: [hash(0, "f"), hash(1, "f"), hash(2, "f")] };
      // As older nodes have it: without hashes of transactions.
      return trees.map((result) => ({ result }));
    };
    const calls = await chain({ callKinds: ["call"] }).calls(block, filter);
    expect(calls.map(({ transactionIndex, input }) => [transactionIndex, input])).toEqual([
      [0, "0x01020304"],
      [0, "0x01020304ee"],
      [0, "0x01020304aa"],
      [0, "0x01020304bb"],
      [2, "0x01020304ff"],
    ]);
    expect(calls[4]).toMatchObject({ output: "0x", transactionHash: hash(2, "f") });
  });

  it("finds calls of all kinds, as graph-node does", async () => {
    answer = () => [flat([], { action: action({ callType: "delegatecall" }) })];
    expect((await chain().calls(traced(1), filter)).length).toBe(1);
  });

  it.each([
    ["nothing of a block with transactions", () => []],
    ["null", () => null],
    ["traces of only one of two transactions", () => [flat([], {})]],
  ])("throws a ReorgError for traces that do not fit the block: %s", async (_, traces) => {
    answer = traces;
    await expect(chain().calls(traced(2), filter)).rejects.toThrow(ReorgError);
    answer = ({ method }) => {
      if (method === "trace_block") throw new NodeError(-32601, "Method not found");
      return traces()?.map(() => ({ result: frame({}) })) ?? null;
    };
    await expect(chain().calls(traced(2), filter)).rejects.toThrow(ReorgError);
  });

  it("repeats an incomplete trace request, and accepts a stable answer", async () => {
    let asked = 0;
    const root = flat([], { subtraces: 2 });
    const inner = [flat([0], { subtraces: 0 }), flat([1], { subtraces: 0 })];
    answer = () => (asked++ < 2 ? [root, ...inner.slice(0, asked - 1)] : [root, ...inner]);
    expect((await chain().calls(traced(1), filter)).length).toBe(3);
    expect(asked).toBe(3);
    answer = () => [root, ...inner.slice(1)];
    expect((await chain().calls(traced(1), filter)).length).toBe(2);
  });

  it("requests no traces of a block without transactions", async () => {
    expect(await chain().calls(traced(0), filter)).toEqual([]);
    expect(node.exchanges).toEqual([]);
  });

  it("refuses invalid traces", async () => {
    answer = () => [flat([], {}), flat([], { action: action({ to: "0x1" }) })];
    await expect(chain().calls(traced(1), filter)).rejects.toThrow(
      'trace_block: invalid answer from the node: "[1].action.to" is "0x1", not 20 hexadecimal bytes',
    );
  });
});

it("the client returns undefined for a missing receipt, and refuses an invalid one", async () => {
  answer = () => null;
  expect(await chain().receipt(hash(1))).toBeUndefined();
  answer = () => ({ transactionHash: hash(1), logs: 3 });
  await expect(chain().receipt(hash(1))).rejects.toThrow(
    /eth_getTransactionReceipt: invalid answer from the node/,
  );
});

function action(changes: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return {
    callType: "call",
    from: address(2),
    to: address(1),
    input: "0x01020304",
    value: "0x0",
    ...changes,
  };
}

function flat(
  traceAddress: readonly number[],
  changes: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return {
    type: "call",
    action: action({}),
    result: { output: "0x0f", gasUsed: "0x1" },
    traceAddress,
    blockHash: hash(5),
    blockNumber: 5,
    transactionHash: hash(0, "f"),
    transactionPosition: 0,
    ...changes,
  };
}

function frame(changes: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return {
    type: "CALL",
    from: address(2),
    to: address(1),
    input: "0x01020304",
    output: "0x0f",
    ...changes,
  };
}
