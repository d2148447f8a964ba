import { AbiCoder } from "ethers/abi";
import { id } from "ethers/hash";
import type { Log } from "../../runtime/chain/chain.js";
import type { DatasetRow } from "../tables/dataset.js";
import { logPlace } from "./raw-rows.js";

/** First topics of the events. */
export const transferTopics = {
  transfer: id("Transfer(address,address,uint256)"),
  single: id("TransferSingle(address,address,address,uint256,uint256)"),
  batch: id("TransferBatch(address,address,address,uint256[],uint256[])"),
} as const;

/** Characters of an encoded word, without "0x". */
const wordLength = 64;
const coder = AbiCoder.defaultAbiCoder();

/** The row of a log in `erc20_transfers`; `undefined` if it is not a transfer of a fungible token. */
export function erc20Row(log: Log, timestamp: bigint): DatasetRow | undefined {
  const [event, from, to, more] = log.topics;
  const isTransfer = event === transferTopics.transfer && from && to && more === undefined;
  if (!isTransfer || log.data.length !== 2 + wordLength) return undefined;
  return {
    id: transferId(log),
    sender: addressOf(from),
    recipient: addressOf(to),
    amount: `${BigInt(log.data)}`,
    address: log.address,
    ...logPlace(log, timestamp),
  };
}

/** The row of a log in `erc721_transfers`; `undefined` if it is not a transfer of a unique token. */
export function erc721Row(log: Log, timestamp: bigint): DatasetRow | undefined {
  const [event, from, to, token] = log.topics;
  if (event !== transferTopics.transfer || !from || !to || !token) return undefined;
  return {
    id: transferId(log),
    from_address: addressOf(from),
    to_address: addressOf(to),
    token_id: `${BigInt(token)}`,
    address: log.address,
    ...logPlace(log, timestamp),
  };
}

/** The rows of a log in `erc1155_transfers`: one for each token that was moved. */
export function erc1155Rows(log: Log, timestamp: bigint): readonly DatasetRow[] {
  const [event, by, from, to] = log.topics;
  if (!by || !from || !to || log.topics.length !== 4) return [];
  const isBatch = event === transferTopics.batch;
  const moved = isBatch ? batchOf(log.data) : event === transferTopics.single ? singleOf(log.data) : [];
  return moved.flatMap(([token, amount], index) =>
    amount === 0n
      ? []
      : [
          {
            id: `${transferId(log)}${isBatch ? `_${index + 1}` : ""}`,
            operator: addressOf(by),
            from_address: addressOf(from),
            to_address: addressOf(to),
            token_id: `${token}`,
            amount: `${amount}`,
            address: log.address,
            ...logPlace(log, timestamp),
          },
        ],
  );
}

function transferId({ block, logIndex }: Log): string {
  return `token_transfer_${block.hash}_${logIndex}`;
}

/** The address in a topic. Ignores the bytes before it, as Geth does: hand-written code may leave some. */
function addressOf(topic: string): string {
  return `0x${topic.slice(26)}`;
}

function singleOf(data: string): readonly (readonly [bigint, bigint])[] {
  if (data.length !== 2 + 2 * wordLength) return [];
  return [[BigInt(data.slice(0, 2 + wordLength)), BigInt(`0x${data.slice(2 + wordLength)}`)]];
}

/**
 * Data other than two lists of the same length belongs to another event, or to a contract that violates the standard.
 */
function batchOf(data: string): readonly (readonly [bigint, bigint])[] {
  try {
    const [tokens, amounts] = coder.decode(["uint256[]", "uint256[]"], data) as unknown as [
      bigint[],
      bigint[],
    ];
    if (tokens.length !== amounts.length) return [];
    return tokens.map((token, index) => [token, amounts[index] ?? 0n]);
  } catch {
    return [];
  }
}
