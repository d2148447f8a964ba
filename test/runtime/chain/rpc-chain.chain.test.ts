import { concat, encodeRlp, Interface, JsonRpcProvider, toBeArray } from "ethers";
import { beforeAll, describe, expect, it } from "vitest";
import { type Block, type BlockPointer, type Chain, ReorgError } from "../../../src/runtime/chain/chain.js";
import type { RpcClient } from "../../../src/runtime/chain/rpc/rpc-client.js";
import { createRpcChain } from "../../../src/runtime/chain/rpc-chain.js";
import { RpcError } from "../../../src/runtime/chain/rpc-errors.js";
import { type Contract, callOf, type RawReceipt, useAnvil } from "../../support/chain/anvil.js";
import { compileContract } from "../../support/chain/solidity.js";

const SOURCE = `
contract Leaf {
  event Noted(address indexed sender, uint256 indexed value, string text);
  uint256 public value;
  error Odd(uint256 value, string why);

  function note(uint256 next) public payable returns (uint256) {
    value = next;
    emit Noted(msg.sender, next, "noted");
    return next + 1;
  }
  function noteOrFail(uint256 next) external { note(next); require(next != 13, "unlucky"); }
  function noteMany(uint256 count) external { for (uint256 i = 0; i < count; i++) note(i); }

  function words() external pure returns (string memory) { revert("some words"); }
  function custom() external pure returns (uint256) { revert Odd(7, "is odd"); }
  function plain() external pure returns (uint256) { revert(); }
  function panic(uint256 by) external pure returns (uint256) { return 1 / by; }
  function endless() external pure returns (uint256 sum) { while (true) sum++; }
  function invalid() external pure returns (uint256) { assembly { invalid() } }
  function deep() public view returns (uint256) { return this.deep() + 1; }
}

contract Trunk {
  Leaf public leaf;
  constructor(Leaf leaf_) { leaf = leaf_; }

  /// Two equal calls, one that fails and is caught, one that runs the leaf's code here.
  function work(uint256 next) external {
    leaf.note(next);
    leaf.note(next);
    try leaf.noteOrFail(13) {} catch {}
    (bool done, ) = address(leaf).delegatecall(abi.encodeCall(leaf.note, (uint256(uint160(address(leaf))))));
    require(done);
    try this.failing() {} catch {}
  }
  function failing() external { leaf.note(99); revert(); }
}
`;

const anvil = useAnvil();
let leaf: Contract;
let trunk: Contract;
let chain: Chain;

beforeAll(async () => {
  const { abi, bytecode } = compileContract(SOURCE, "Leaf");
  leaf = await anvil().deploy(abi, bytecode);
  const second = compileContract(SOURCE, "Trunk");
  trunk = await anvil().deploy(second.abi, second.bytecode, [leaf.address]);
  chain = anvil().chain();
});

const noted = (): string => leaf.interface.getEvent("Noted")?.topicHash ?? "";
const numberOf = (receipt: RawReceipt): number => Number(receipt.blockNumber);
const pointerOf = (receipt: RawReceipt): BlockPointer => ({
  number: numberOf(receipt),
  hash: receipt.blockHash,
});
const data = (name: string, args: readonly unknown[] = []): string =>
  leaf.interface.encodeFunctionData(name, args);

describe("blocks and transactions", () => {
  it("reads blocks and transactions like an independent client", async () => {
    const receipts = await anvil().inOneBlock([
      callOf(leaf, "note", [1n], { value: 5n }),
      { to: anvil().account(4), value: 3n, from: anvil().account(1) },
      callOf(leaf, "noteOrFail", [13n]),
      { data: compileContract(SOURCE, "Leaf").bytecode },
    ]);
    const number = numberOf(receipts[0] as RawReceipt);
    const provider = new JsonRpcProvider(anvil().url);
    try {
      const wanted = await provider.getBlock(number, true);
      const found = await chain.block(number);
      expect(found).toMatchObject({
        hash: wanted?.hash,
        parentHash: wanted?.parentHash,
        timestamp: BigInt(wanted?.timestamp ?? 0),
        gasUsed: wanted?.gasUsed,
        gasLimit: wanted?.gasLimit,
        baseFeePerGas: wanted?.baseFeePerGas,
        stateRoot: wanted?.stateRoot,
        receiptsRoot: wanted?.receiptsRoot,
        author: wanted?.miner.toLowerCase(),
        nonce: wanted?.nonce,
        extraData: wanted?.extraData,
      });
      expect([...(found?.transactions.keys() ?? [])]).toEqual(
        receipts.map(({ transactionHash }) => transactionHash),
      );
      for (const transaction of wanted?.prefetchedTransactions ?? []) {
        const { yParity, r, s } = transaction.signature;
        expect(found?.transactions.get(transaction.hash)).toEqual({
          hash: transaction.hash,
          index: transaction.index,
          from: transaction.from.toLowerCase(),
          to: transaction.to?.toLowerCase() ?? null,
          value: transaction.value,
          gasLimit: transaction.gasLimit,
          gasPrice: BigInt(receipts[transaction.index]?.effectiveGasPrice ?? 0),
          input: transaction.data,
          nonce: BigInt(transaction.nonce),
          type: transaction.type,
          chainId: "31337",
          maxFeePerGas: transaction.maxFeePerGas,
          maxPriorityFeePerGas: transaction.maxPriorityFeePerGas,
          // As transactions are encoded: one after the other, without leading zeros.
          signature: concat([yParity, r, s].map((part) => encodeRlp(toBeArray(BigInt(part))))),
          accessList: "0xc0",
        });
      }
      expect(await chain.head()).toEqual({ number, hash: wanted?.hash });
      expect(await chain.block(number + 1)).toBeUndefined();
      const several = await chain.blocks([number, number + 1, number - 1]);
      expect(several.map((block) => block?.number)).toEqual([number, undefined, number - 1]);
    } finally {
      provider.destroy();
    }
  });

  it("reads the receipts of transactions", async () => {
    const sent = await anvil().send(leaf, "noteMany", [3n]);
    const failed = await anvil().send(leaf, "noteOrFail", [13n]);
    const found = await chain.receipt(sent.transactionHash);
    expect(found).toMatchObject({
      transactionHash: sent.transactionHash,
      block: pointerOf(sent),
      gasUsed: BigInt(sent.gasUsed),
      status: 1n,
      contractAddress: null,
      root: null,
    });
    expect(found?.logs.map((log) => [log.logIndex, log.data])).toEqual(
      sent.logs.map((log) => [Number(log.logIndex), log.data]),
    );
    expect(await chain.receipt(failed.transactionHash)).toMatchObject({ status: 0n, logs: [] });
    expect(await chain.receipt(`0x${"1".repeat(64)}`)).toBeUndefined();
  });
});

describe("logs", () => {
  it("finds the logs of the receipts by address and topic", async () => {
    const from = (await anvil().blockNumber()) + 1;
    const receipts = [
      await anvil().send(leaf, "noteMany", [5n]),
      ...(await anvil().inOneBlock([callOf(leaf, "note", [1n]), callOf(trunk, "work", [2n])])),
      await anvil().send(leaf, "noteMany", [2n]),
    ];
    const to = await anvil().blockNumber();
    const all = receipts.flatMap((receipt) => receipt.logs);
    const shown = (
      list: readonly { transactionHash: string; data: string; logIndex: number | string }[],
    ): unknown[] => list.map((log) => [log.transactionHash, Number(log.logIndex), log.data]);

    const found = await chain.logs(from, to, [
      { addresses: [leaf.address, trunk.address], topics: [noted()] },
    ]);
    expect(found.length).toBe(5 + 1 + 3 + 2);
    expect(shown(found)).toEqual(shown(all));
    expect(shown(await chain.logs(from, to, [{ addresses: [], topics: [noted()] }]))).toEqual(shown(all));

    const own = await chain.logs(from, to, [{ addresses: [trunk.address], topics: [noted()] }]);
    expect(own.map(({ address }) => address)).toEqual([trunk.address]);
    expect(
      await chain.logs(from, to, [{ addresses: [leaf.address], topics: [`0x${"1".repeat(64)}`] }]),
    ).toEqual([]);
    expect((await chain.logs(from, from, [{ addresses: [], topics: [noted()] }])).length).toBe(5);
  });
});

describe("calls", () => {
  const note = (): string => leaf.interface.getFunction("note")?.selector ?? "";

  /** A client of a node that does not know `trace_block`. */
  function withoutFlatTraces(client: RpcClient): RpcClient {
    return {
      request: async (method, parameters, options) => {
        if (method !== "trace_block") return client.request(method, parameters, options);
        throw new RpcError(method, "the node", { code: -32601, reason: "Method not found", data: undefined });
      },
    };
  }

  it.each([
    "trace_block",
    "debug_traceBlockByHash",
  ])("finds with %s successful calls of every kind in successful transactions", async (method) => {
    const receipts = await anvil().inOneBlock([
      callOf(trunk, "work", [21n]),
      callOf(leaf, "noteOrFail", [13n]),
      callOf(leaf, "note", [22n], { from: anvil().account(2) }),
      callOf(leaf, "noteMany", [1n]),
      { to: leaf.address, data: data("note", [23n]), gas: 22_000 },
    ]);
    expect(receipts.map(({ status }) => Number(status))).toEqual([1, 0, 1, 1, 0]);
    const client = anvil().client;
    const tracing = createRpcChain(method === "trace_block" ? client : withoutFlatTraces(client));
    const block = await blockOf(receipts[0] as RawReceipt);
    const found = await tracing.calls(block, [{ address: leaf.address, selectors: [note()] }]);
    const wanted = (from: string, value: bigint, index: number): object => ({
      from,
      to: leaf.address,
      input: data("note", [value]),
      output: leaf.interface.encodeFunctionResult("note", [value + 1n]),
      transactionHash: receipts[index]?.transactionHash,
      transactionIndex: index,
    });
    expect(found).toEqual([
      wanted(trunk.address, 21n, 0),
      wanted(trunk.address, 21n, 0),
      // The one that is a delegatecall, of the address as a number.
      wanted(trunk.address, BigInt(leaf.address), 0),
      // The one that was undone with the call around it.
      wanted(trunk.address, 99n, 0),
      wanted(anvil().account(2), 22n, 2),
    ]);
    expect(await tracing.calls({ ...block, number: block.number - 1 }, [])).toEqual([]);
  });
});

describe("reads", () => {
  it("reads contracts as of the block with the hash", async () => {
    const first = await anvil().send(leaf, "note", [41n]);
    const second = await anvil().send(leaf, "note", [42n]);
    const read = { address: leaf.address, data: data("value") };
    const values = await Promise.all(
      [first, second].map((receipt) => chain.read(pointerOf(receipt), [read])),
    );
    expect(values.flat()).toEqual([
      { kind: "returned", data: `0x${"29".padStart(64, "0")}` },
      { kind: "returned", data: `0x${"2a".padStart(64, "0")}` },
    ]);
  });

  it("reads that fail in the contract are reverts and do not affect other reads", async () => {
    const block = await chain.head();
    const failing = ["words", "custom", "plain", "invalid"].map((name) => data(name));
    const reads = [data("value"), ...failing, data("panic", [0n]), data("panic", [1n]), "0xffffffff"].map(
      (input) => ({ address: leaf.address, data: input }),
    );
    const answers = await chain.read(block, reads);
    expect(answers.map(({ kind }) => kind)).toEqual([
      "returned",
      ...failing.map(() => "reverted"),
      "reverted",
      "returned",
      "reverted",
    ]);
  });

  it("reads of an address without code are reverts", async () => {
    const block = await chain.head();
    expect(await chain.read(block, [{ address: anvil().account(5), data: data("value") }])).toEqual([
      { kind: "reverted" },
    ]);
  });

  it("reads balance and code as of the block with the hash", async () => {
    const before = await chain.head();
    const account = `0x${"77".repeat(20)}`;
    await anvil().transact({ to: account, value: 12n });
    const after = await chain.head();
    expect(await chain.balance(before, account)).toBe(0n);
    expect(await chain.balance(after, account)).toBe(12n);
    const deployed = await anvil().transact({ data: compileContract(SOURCE, "Leaf").bytecode });
    const address = deployed.contractAddress ?? "";
    expect(await chain.code(after, address)).toBe("0x");
    expect((await chain.code(pointerOf(deployed), address)).length).toBeGreaterThan(100);
  });

  it("reads as of a replaced block throw a ReorgError", async () => {
    const snapshot = await anvil().snapshot();
    const gone = await blockOf(await anvil().send(leaf, "note", [51n]));
    await anvil().revert(snapshot);
    const kept = pointerOf(await anvil().send(leaf, "note", [52n]));
    expect(kept.number).toBe(gone.number);
    const read = { address: leaf.address, data: data("value") };
    await expect(chain.read(gone, [read])).rejects.toThrow(ReorgError);
    await expect(chain.balance(gone, leaf.address)).rejects.toThrow(ReorgError);
    await expect(chain.code(gone, leaf.address)).rejects.toThrow(ReorgError);
    await expect(chain.calls(gone, [{ address: leaf.address, selectors: ["0x00000000"] }])).rejects.toThrow(
      ReorgError,
    );
    const [answer] = await chain.read(kept, [read]);
    const [value] = new Interface(["function value() view returns (uint256)"]).decodeFunctionResult(
      "value",
      answer?.kind === "returned" ? answer.data : "0x",
    );
    expect(value).toBe(52n);
  });
});

/** The block of a receipt, which must be there. */
async function blockOf(receipt: RawReceipt): Promise<Block> {
  const block = await chain.block(pointerOf(receipt).number);
  if (!block) throw new Error("there is no such block");
  return block;
}
