import { encodeRlp, keccak256, toBeArray } from "ethers";
import { expect, it } from "vitest";
import { blockRows, blocksOfRows } from "../../src/datasets/archive/blocks-table.js";
import { blockRow } from "../../src/datasets/rows/raw-rows.js";
import type { Block, Withdrawal } from "../../src/runtime/chain/chain.js";
import { wrongWithdrawals } from "../../src/runtime/chain/proof/block-proof.js";
import { withdrawalsOf, withdrawalsText } from "../../src/runtime/chain/proof/withdrawals-text.js";
import { decodeBlock } from "../../src/runtime/chain/rpc/decode-block.js";
import { madeBlock } from "../support/archive/made-chain.js";

const address = `0x${"b9".repeat(20)}`;
const one: Withdrawal = { index: 2n ** 63n, validatorIndex: 300n, address, amount: 17_500_000n };
/** The root of an empty trie. */
const noneRoot = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421";

/** The root of a trie with this withdrawal alone, by the rules of Ethereum. */
function rootOf({ index, validatorIndex, amount }: Withdrawal): string {
  const value = encodeRlp([toBeArray(index), toBeArray(validatorIndex), address, toBeArray(amount)]);
  // Its key is the RLP of 0, in a leaf with an even path.
  return keccak256(encodeRlp(["0x2080", value]));
}

function blockWith(withdrawals: readonly Withdrawal[] | undefined, withdrawalsRoot: string): Block {
  return { ...madeBlock(5), withdrawalsRoot, ...(withdrawals && { withdrawals }) };
}

it("withdrawals are compared with the root in the header", () => {
  expect(wrongWithdrawals(blockWith([one], rootOf(one)), true)).toBeUndefined();
  expect(wrongWithdrawals(blockWith([], noneRoot), true)).toBeUndefined();
  for (const wrong of [[], [one, one], [{ ...one, amount: 1n }], [{ ...one, index: 0n }]])
    expect(wrongWithdrawals(blockWith(wrong, rootOf(one)), true)).toMatch(
      /^block 5 has the withdrawals root/,
    );
});

it("withdrawals are not expected on rollups, which have another root in the same place", () => {
  expect(wrongWithdrawals(blockWith([], rootOf(one)), false)).toBeUndefined();
  expect(wrongWithdrawals(blockWith([one], noneRoot), false)).toBeDefined();
  expect(wrongWithdrawals(blockWith(undefined, rootOf(one)), true)).toBeUndefined();
});

it("withdrawals are a list in JSON with exact numbers, which an archive reads again", () => {
  const text = withdrawalsText([one, { ...one, index: 0n }]);
  expect(text).toContain('{"index":9223372036854775808,"validator_index":300,');
  expect(JSON.parse(text)[1]).toEqual({ index: 0, validator_index: 300, address, amount: 17_500_000 });
  expect(withdrawalsOf(text)).toEqual([one, { ...one, index: 0n }]);
  expect(withdrawalsOf("[]")).toEqual([]);
});

it("withdrawals are restored from an archive, and are unknown in one of an earlier version", () => {
  const block = blockWith([one], rootOf(one));
  const { blocks, transactions } = blockRows([block]);
  expect(blocksOfRows(blocks, transactions)).toMatchObject([{ number: 5, withdrawals: [one] }]);
  // What the root contradicts is not kept.
  const lie = blockRows([blockWith([{ ...one, amount: 1n }], rootOf(one))]);
  expect(blocksOfRows(lie.blocks, lie.transactions)[0]).not.toHaveProperty("withdrawals");
  const { withdrawals: _, ...former } = blocks;
  const [read] = blocksOfRows(former, transactions);
  expect(read).not.toHaveProperty("withdrawals");
});

it("withdrawals are read from the node's block, and are unknown if they are missing or malformed", () => {
  const raw = {
    number: "0x5",
    gasUsed: "0x0",
    gasLimit: "0x1",
    timestamp: "0x1",
    transactions: [],
    hash: `0x${"1".repeat(64)}`,
    parentHash: `0x${"2".repeat(64)}`,
    size: "0x1",
    blobGasUsed: "0x20000",
    excessBlobGas: "0x0",
  };
  const given = { index: "0x1", validatorIndex: "0x2", address, amount: "0x3" };
  const rowOf = (more: object): unknown => {
    const row = blockRow(decodeBlock("eth_getBlockByNumber", { ...raw, ...more }).block);
    return [row.withdrawals, row.blob_gas_used, row.excess_blob_gas];
  };
  const text = `[{"index":1,"validator_index":2,"address":"${address}","amount":3}]`;
  expect(rowOf({ withdrawals: [given] })).toEqual([text, 131_072n, 0n]);
  expect(rowOf({ withdrawals: [], withdrawalsRoot: noneRoot })).toEqual(["[]", 131_072n, 0n]);
  expect(rowOf({ withdrawals: [], withdrawalsRoot: rootOf(one) })).toEqual([null, 131_072n, 0n]);
  expect(rowOf({ withdrawalsRoot: noneRoot })).toEqual(["[]", 131_072n, 0n]);
  for (const withdrawals of [undefined, null, "0x", [{ ...given, amount: "3" }], [null]])
    expect(rowOf({ withdrawals })).toEqual([null, 131_072n, 0n]);
});
