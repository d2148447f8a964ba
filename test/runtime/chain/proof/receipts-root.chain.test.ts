import { decodeRlp, getBytes, keccak256, type TransactionLike, Wallet } from "ethers";
import { beforeAll, describe, expect, it } from "vitest";
import type { Block, Receipt } from "../../../../src/runtime/chain/chain.js";
import { headerHash } from "../../../../src/runtime/chain/proof/header-hash.js";
import {
  encodeReceipt,
  haveLogsOf,
  makeUpRoot,
  rawMakeUpRoot,
  uncertainType,
} from "../../../../src/runtime/chain/proof/receipts-root.js";
import { encodeTransaction } from "../../../../src/runtime/chain/proof/transactions-root.js";
import { trieRoot } from "../../../../src/runtime/chain/proof/trie-root.js";
import { type Contract, useAnvil } from "../../../support/chain/anvil.js";
import { drawFrom } from "../../../support/pool/draw.js";
import { deployFactory, tokenOf } from "../../token-subgraph.js";

const anvil = useAnvil();
const wallet = Wallet.fromPhrase("test test test test test test test test test test test junk");
let token: Contract;
beforeAll(async () => {
  const factory = await deployFactory(anvil());
  await anvil().send(factory, "make", [1]);
  token = await tokenOf(anvil(), factory, 0);
});

const fees = { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1n };
const moving = (amount: number): string =>
  token.interface.encodeFunctionData("move", [anvil().account(1), amount]);

/** A transaction of each type that the chain takes. */
function transactionOf(type: number, amount: number): TransactionLike {
  const plain = { type, to: token.address, data: moving(amount), gasLimit: 150_000 };
  if (type === 0) return { ...plain, gasPrice: fees.maxFeePerGas };
  const accessList = [{ address: token.address, storageKeys: [`0x${"00".repeat(32)}`] }];
  if (type === 1) return { ...plain, gasPrice: fees.maxFeePerGas, accessList };
  if (type === 2) return { ...plain, ...fees };
  const signature = wallet.signingKey.sign(`0x${"11".repeat(32)}`);
  const authorization = { chainId: 31_337n, nonce: 99n, address: wallet.address, signature };
  return { ...plain, ...fees, authorizationList: [authorization] };
}

/** Mines transactions of these types in one block. */
async function mine(types: readonly number[]): Promise<{ block: Block; receipts: readonly Receipt[] }> {
  await anvil().setAutomine(false);
  const first = Number(await anvil().rpc<string>("eth_getTransactionCount", wallet.address, "latest"));
  for (const [index, type] of types.entries()) {
    const transaction = { ...transactionOf(type, index), chainId: 31_337, nonce: first + index };
    await anvil().rpc("eth_sendRawTransaction", await wallet.signTransaction(transaction));
  }
  await anvil().mine(1);
  await anvil().setAutomine(true);
  const chain = anvil().chain();
  const block = await chain.block(await anvil().blockNumber());
  const receipts = block && (await chain.receipts?.(block));
  if (!block || !receipts) throw new Error("the block is not there");
  expect(block.transactions.size).toBe(types.length);
  return { block, receipts };
}

describe("the receipts of a block", () => {
  const draw = drawFrom(1);
  it.each([
    ["no transaction", []],
    ...[0, 1, 2, 4].map((type): [string, number[]] => [`one of type ${type}`, [type]]),
    ["one of each type", [0, 1, 2, 4]],
    // The keys of a list's trie are longer from the 128th on.
    ["some of all types", Array.from({ length: 130 }, () => draw.one([0, 1, 2, 4]))],
  ])("receipts match the root that the node has computed: %s", async (_, types) => {
    const { block, receipts } = await mine(types);
    expect(receipts.map(({ type }) => type)).toEqual(types);
    expect(makeUpRoot(receipts, block)).toBe(true);
    const transactions = [...block.transactions.values()];
    const encoded = transactions.map((one) => encodeTransaction(one, "31337") ?? new Uint8Array());
    expect(encoded.map((bytes) => keccak256(bytes))).toEqual(transactions.map(({ hash }) => hash));
    expect(trieRoot(encoded)).toBe(block.transactionsRoot);
    expect(headerHash(block)).toBe(block.hash);
    const raw = receipts.map((receipt) => `0x${Buffer.from(encodeReceipt(receipt)).toString("hex")}`);
    expect(rawMakeUpRoot(raw, block)).toBe(true);
    expect(haveLogsOf(receipts, raw)).toBe(true);
    for (const index of receipts.keys()) {
      const less = receipts.map((receipt, at) => (at === index ? { ...receipt, logs: [] } : receipt));
      expect(haveLogsOf(less, raw)).toBe(false);
      if (index > 3) continue;
      expect(makeUpRoot(less, block)).toBe(false);
      expect(makeUpRoot(receipts.toSpliced(index, 1), block)).toBe(false);
    }
  });

  it("receipts of all earlier blocks match their roots", async () => {
    const chain = anvil().chain();
    for (let number = await anvil().blockNumber(); number > 0; number--) {
      const block = await chain.block(number);
      if (!block) throw new Error(`block ${number} is not there`);
      expect(makeUpRoot((await chain.receipts?.(block)) ?? [], block)).toBe(true);
    }
  });

  it("reports a receipt type as unknown only if its encoding is unknown", async () => {
    const { receipts } = await mine([0, 1, 2, 4]);
    expect(uncertainType(receipts)).toBeUndefined();
    expect(uncertainType(receipts.map((receipt) => ({ ...receipt, type: 0x71 })))).toBe(0x71);
  });
});

describe("the root of a list", () => {
  it("the root of an empty list is the well-known one", () => {
    expect(trieRoot([])).toBe("0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421");
  });

  it("every change of value, order or length changes the root of a list", () => {
    const draw = drawFrom(2);
    for (let run = 0; run < 50; run++) {
      const length = 1 + draw.below(run < 40 ? 20 : 300);
      const values = Array.from({ length }, () =>
        Uint8Array.from({ length: 1 + draw.below(80) }, () => draw.below(256)),
      );
      const root = trieRoot(values);
      const at = draw.below(length);
      const changed = values.map((value, index) => (index === at ? Uint8Array.of(...value, 1) : value));
      expect(trieRoot([...values])).toBe(root);
      expect(trieRoot(changed)).not.toBe(root);
      expect(trieRoot(values.slice(0, -1))).not.toBe(root);
    }
  });
});

describe("the receipt of a deposit of the OP stack", () => {
  const deposit = { nonce: 5n, version: 1n };
  const plain: Receipt = {
    type: 0x7e,
    transactionHash: "0x",
    transactionIndex: 0,
    block: { number: 1, hash: "0x" },
    cumulativeGasUsed: 46_913n,
    gasUsed: 46_913n,
    contractAddress: null,
    logs: [],
    status: 1n,
    root: null,
    logsBloom: `0x${"0".repeat(512)}`,
  };

  it("the receipt of an OP Stack deposit includes its nonce and version if present", () => {
    const fields = (receipt: Receipt): unknown => decodeRlp(getBytes(encodeReceipt(receipt)).slice(1));
    expect(encodeReceipt(plain)[0]).toBe(0x7e);
    expect(fields(plain)).toHaveLength(4);
    expect(fields({ ...plain, deposit })).toEqual(["0x01", "0xb741", plain.logsBloom, [], "0x05", "0x01"]);
  });
});
