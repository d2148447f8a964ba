import { expect, it } from "vitest";
import { answerText } from "../../../src/datasets/archive/json-answer.js";
import { keptReceipts } from "../../../src/datasets/archive/kept-receipts.js";
import type { KeptAnswer } from "../../../src/datasets/archive/segments/segments.js";
import { decodeReceipt } from "../../../src/runtime/chain/rpc/decode-block.js";
import { hash, quantity } from "../../support/chain/raw-chain.js";

function answerOf(index: number): KeptAnswer {
  const raw = {
    transactionHash: hash(index, "f"),
    transactionIndex: quantity(index),
    blockNumber: "0x7",
    blockHash: hash(7),
    cumulativeGasUsed: "0x1",
    gasUsed: "0x1",
    contractAddress: null,
    status: "0x1",
    logs: [],
    logsBloom: `0x${"0".repeat(512)}`,
  };
  const question = `receipt ${hash(7)} ${raw.transactionHash}`;
  return { block: 7, hash: hash(7), question, answer: answerText(decodeReceipt("", raw)) };
}

it("a receipt that two processes have kept is counted once", () => {
  const answers = [answerOf(0), answerOf(1), answerOf(0)];
  const [found] = keptReceipts(answers, (answer) => expect.unreachable(answer.question));
  expect(found?.single.map(({ transactionIndex }) => transactionIndex).sort()).toEqual([0, 1]);
});
