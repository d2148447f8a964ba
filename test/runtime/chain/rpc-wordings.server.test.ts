import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Chain, ChainError, ReorgError } from "../../../src/runtime/chain/chain.js";
import { Patience } from "../../../src/runtime/chain/rpc/patience.js";
import { createPatientChain } from "../../../src/runtime/chain/rpc/patient-chain.js";
import { createRpcClient } from "../../../src/runtime/chain/rpc/rpc-client.js";
import { createRpcChain } from "../../../src/runtime/chain/rpc-chain.js";
import {
  type FaultyNode,
  NodeError,
  type RpcCall,
  startFaultyNode,
} from "../../support/chain/faulty-node.js";
import {
  contractFailures,
  gasCaps,
  hashRefusals,
  missingStates,
  passingTroubles,
  unknownBlocks,
} from "../../support/chain/node-wordings.js";
import { address, hash, rawBlock, rawLog } from "../../support/chain/raw-chain.js";
import { fastWorld } from "../../support/worlds.js";

let node: FaultyNode;
let troubles: NodeError[];
let answer: (call: RpcCall) => unknown;

beforeEach(async () => {
  troubles = [];
  node = await startFaultyNode((call) => {
    const trouble = troubles.shift();
    if (trouble) throw trouble;
    return answer(call);
  });
});
afterEach(() => node.stop());

const chain = (patience = 600_000): Chain =>
  createRpcChain(createRpcClient(node.url, fastWorld(), { patience }));
const block = { number: 5, hash: hash(5) };
const read = { address: address(1), data: "0x01020304" };
const anyLog = [{ addresses: [], topics: [hash(1)] }];

describe("a question that names no block is asked again, even if the node says that it has no such data", () => {
  it.each([...missingStates, ...unknownBlocks])("$code $message", async ({ code, message }) => {
    answer = () => "0x1";
    const client = createRpcClient(node.url, fastWorld());
    for (const method of ["eth_chainId", "eth_blockNumber", "net_version"]) {
      troubles = [new NodeError(code, message)];
      expect(await client.request(method, [])).toBe("0x1");
    }
  });
});

describe("temporary errors are retried", () => {
  it.each(passingTroubles)("$code $message", async ({ code, message }) => {
    answer = ({ method }) =>
      ({ eth_call: "0x2a", eth_getLogs: [rawLog(5, 0)], trace_block: [] })[method] ?? rawBlock(5);
    const error = new NodeError(code, message);
    troubles = [error, error];
    expect(await chain().read(block, [read])).toEqual([{ kind: "returned", data: "0x2a" }]);
    troubles = [error, error];
    expect((await chain().block(5))?.hash).toBe(hash(5));
    troubles = [error, error];
    expect(await chain().logs(5, 5, anyLog)).toHaveLength(1);
    troubles = [error, error];
    expect(await chain().head()).toEqual({ number: 5, hash: hash(5) });
    troubles = [error, error];
    expect(await chain().balance(block, address(1)).catch(String)).toContain("invalid answer");
  });

  it("retries a temporary error until patience ends, and reports the node's message", async () => {
    answer = () => {
      throw new NodeError(-32012, "credits are used up");
    };
    const reading = chain(1_000).read(block, [read]);
    await expect(reading).rejects.toThrow(ChainError);
    await expect(reading).rejects.toThrow(
      /attempts in 1 s\. Last problem: error -32012: credits are used up/,
    );
  });
});

describe("a contract read", () => {
  it.each(contractFailures)("is reverted, not repeated, after $code $message", async ({ code, message }) => {
    answer = () => {
      throw new NodeError(code, message);
    };
    expect(await chain().read(block, [read])).toEqual([{ kind: "reverted" }]);
    expect(node.exchanges.length).toBe(1);
  });

  it.each(gasCaps)("takes the gas that a node gives that answers $code $message", async ({
    code,
    message,
  }) => {
    answer = ({ method, params }) => {
      if (method !== "eth_call") return rawBlock(5);
      if ("gas" in (params[0] as object)) throw new NodeError(code, message);
      return "0x2a";
    };
    expect(await chain().read(block, [read, read])).toHaveLength(2);
    expect(await chain().read(block, [read])).toEqual([{ kind: "returned", data: "0x2a" }]);
  });

  it.each(hashRefusals)("names the block by its number after $code $message", async ({ code, message }) => {
    answer = ({ method, params }) => {
      if (method !== "eth_call") return rawBlock(5);
      if (typeof params[1] !== "string") throw new NodeError(code, message);
      return "0x2a";
    };
    expect(await chain().read(block, [read])).toEqual([{ kind: "returned", data: "0x2a" }]);
    expect(node.exchanges.length).toBeLessThan(5);
  });
});

describe("an unknown block is a ReorgError in every wording", () => {
  it.each(unknownBlocks)("$code $message", async ({ code, message }) => {
    answer = ({ params }) => {
      const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }];
      return [rawLog(Number(fromBlock), 0), rawLog(Number(toBlock), 1)];
    };
    const to = chain();
    troubles = [new NodeError(code, message)];
    await expect(to.logs(1, 400, anyLog)).rejects.toThrow(ReorgError);
    expect(await to.logs(1, 400, anyLog)).toHaveLength(2);
    // The range is as wide as before.
    expect(node.exchanges.length).toBe(2);
    answer = ({ method }) => {
      if (method === "eth_call") throw new NodeError(code, message);
      return rawBlock(5);
    };
    await expect(to.read(block, [read])).rejects.toThrow(ReorgError);
  });

  it.each([
    "eth_getBlockByNumber",
    "eth_call",
    "eth_getLogs",
    "eth_getBalance",
    "eth_getCode",
  ])("throws a ReorgError for a null answer to %s", async (method) => {
    answer = () => null;
    const asking: Record<string, (to: Chain) => Promise<unknown>> = {
      eth_getBlockByNumber: (to) => to.head(),
      eth_call: (to) => to.read(block, [read]),
      eth_getLogs: (to) => to.logs(1, 2, anyLog),
      eth_getBalance: (to) => to.balance(block, address(1)),
      eth_getCode: (to) => to.code(block, address(1)),
    };
    await expect(asking[method]?.(chain())).rejects.toThrow(ReorgError);
  });
});

describe("the missing state of an old block", () => {
  const pause = async (): Promise<void> => undefined;
  const asking = (): Promise<unknown> =>
    createPatientChain(chain(), new Patience({ limit: 60_000, pause, chance: () => 0 })).read(block, [read]);
  /** A node that knows all blocks up to a head, and does not answer calls. */
  const without = (wording: NodeError, head: number): typeof answer => {
    return ({ method, params }) => {
      if (method === "eth_call") throw wording;
      return rawBlock(params[0] === "latest" ? head : Number(params[0]));
    };
  };

  it.each(missingStates)("$code $message: needs another node", async ({ code, message }) => {
    answer = without(new NodeError(code, message), 200);
    const reading = asking();
    await expect(reading).rejects.toThrow(ChainError);
    await expect(reading).rejects.toThrow("no longer keeps the state of block 5; an archive node does");
  });

  it("reads an old state when another node of the pool answers later", async () => {
    let calls = 0;
    const lacking = without(new NodeError(-32000, "header not found"), 200);
    answer = (call) => (call.method === "eth_call" && ++calls > 4 ? "0x2a" : lacking(call));
    expect(await asking()).toEqual([{ kind: "returned", data: "0x2a" }]);
  });

  it("does not report a missing state for a block near the head", async () => {
    answer = without(new NodeError(-32000, "header not found"), 132);
    await expect(asking()).rejects.toThrow(ReorgError);
  });

  it("does not report a missing state for a replaced block", async () => {
    const replaced = without(new NodeError(-32000, "header not found"), 200);
    answer = (call) => (call.params[0] === "0x5" ? rawBlock(5, { hash: hash(6) }) : replaced(call));
    await expect(asking()).rejects.toThrow(ReorgError);
  });
});

describe("permanent errors end the run immediately", () => {
  it.each([
    [-32601, "the method eth_call does not exist/is not available"],
    [-32602, "invalid argument 0: hex string of odd length"],
    [-32000, "unauthorized"],
    [-32001, "Must be authenticated!"],
    [-32000, "invalid API key"],
  ])("%s %s", async (code, message) => {
    answer = () => {
      throw new NodeError(code, message);
    };
    await expect(chain().read(block, [read])).rejects.toThrow(ChainError);
    // By hash and, where the form of the block may be what was refused, by number.
    expect(node.exchanges.length).toBeLessThanOrEqual(3);
  });
});

it("the client treats a revert whose reason resembles a missing block as a revert", async () => {
  answer = () => {
    throw new NodeError(3, "execution reverted: unknown block, try again later");
  };
  expect(await chain().read(block, [read])).toEqual([{ kind: "reverted" }]);
});
