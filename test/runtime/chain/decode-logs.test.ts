import { expect, it } from "vitest";
import { NonsenseError } from "../../../src/runtime/chain/chain.js";
import { Fields, objectsOf } from "../../../src/runtime/chain/fields.js";
import { decodeLog, decodeLogs } from "../../../src/runtime/chain/rpc/decode-block.js";
import { address, hash, rawLog } from "../../support/chain/raw-chain.js";

const alike = { address: address(1), topics: [hash(1), hash(2)] };

it("the decoder decodes consecutive logs like single logs", () => {
  const logs = [
    rawLog(5, 0, alike),
    rawLog(5, 1, alike),
    rawLog(5, 2, { ...alike, topics: [hash(1)] }),
    rawLog(5, 3, { ...alike, topics: [hash(1), hash(3), hash(4)] }),
    rawLog(5, 4, { ...alike, address: address(0xab).toUpperCase().replace("0X", "0x") }),
    rawLog(6, 0, { address: address(0xab), topics: [] }),
    // The number of one block, and the hash of another.
    rawLog(6, 1, { ...alike, blockHash: hash(5) }),
    rawLog(7, 0, { ...alike, blockHash: hash(5) }),
  ];
  const alone = logs.map((log) => decodeLog(new Fields("eth_getLogs", log)));
  expect(decodeLogs(objectsOf("eth_getLogs", logs))).toEqual(alone);
});

it("consecutive logs share equal strings", () => {
  const [one, other] = decodeLogs(objectsOf("eth_getLogs", [rawLog(5, 0, alike), rawLog(5, 1, alike)]));
  expect(other?.block).toBe(one?.block);
});

it.each([
  { address: "0x1" },
  { topics: [hash(1), "0x2"] },
  { blockHash: null },
  { blockNumber: "five" },
  { transactionHash: hash(1).replace("0x", "1x") },
])("the decoder checks a log after a valid one: %o", (changes) => {
  const logs = [rawLog(5, 0, alike), rawLog(5, 1, { ...alike, ...changes })];
  expect(() => decodeLogs(objectsOf("eth_getLogs", logs))).toThrow(NonsenseError);
});
