import { expect, it } from "vitest";
import { wrappingRow, wrappingTopics } from "../../src/datasets/extract/rows-of-range.js";
import { erc20Row, erc721Row, erc1155Rows, transferTopics } from "../../src/datasets/rows/transfer-rows.js";
import type { Log } from "../../src/runtime/chain/chain.js";

const [alice, bob, carol] = ["a1", "b2", "c3"].map((byte) => `0x${byte.repeat(20)}`) as [
  string,
  string,
  string,
];
/** Bytes before an address, which contracts written by hand may leave. */
const remains = ["0".repeat(24), "f".repeat(24), `${"0".repeat(23)}1`, `8${"0".repeat(23)}`];

function logOf(topics: readonly (string | undefined)[], data: string): Log {
  return {
    address: carol,
    topics: topics.map(String),
    data,
    block: { number: 1, hash: "0x01" },
    transactionHash: "0x02",
    transactionIndex: 0,
    logIndex: 0,
    removed: false,
  };
}

const word = `0x${"7".padStart(64, "0")}`;

it.each(remains)("the decoder takes an address from the last 20 bytes of a topic, after %s", (dirt) => {
  const [from, to] = [alice, bob].map((one) => `0x${dirt}${one.slice(2)}`);
  const { transfer, single } = transferTopics;
  expect(erc20Row(logOf([transfer, from, to], word), 5n)).toMatchObject({ sender: alice, recipient: bob });
  expect(erc721Row(logOf([transfer, from, to, word], "0x"), 5n)).toMatchObject({
    from_address: alice,
    to_address: bob,
  });
  expect(erc1155Rows(logOf([single, to, from, to], `${word}${word.slice(2)}`), 5n)).toMatchObject([
    { operator: bob, from_address: alice, to_address: bob },
  ]);
  const deposit = logOf([wrappingTopics[0], to], word);
  expect(wrappingRow(deposit, 5n, [deposit])).toMatchObject({ recipient: bob });
});
