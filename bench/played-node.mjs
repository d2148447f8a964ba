// A node that is played in this process: it answers JSON-RPC about a chain of any length, none of which is kept. What its
// blocks contain is that of `realistic-logs.mjs`, and comes again every 200 blocks, in blocks of other hashes.
import { transactionsOf } from "./realistic-logs.mjs";

const different = 200;
const quantity = (number) => `0x${number.toString(16)}`;
const zeros = (bytes) => `0x${"00".repeat(bytes)}`;
const hashOf = (number) => `0x${"b".repeat(52)}${(number + 1).toString(16).padStart(12, "0")}`;
const blockOfHash = (hash) => Number.parseInt(hash.slice(-12), 16) - 1;
/** Stand for the number and the hash of a block in texts that are prepared. */
const [numberMark, hashMark] = ["<number>", "<hash>"];

const places = ({ hash, index }) => ({
  blockNumber: numberMark,
  blockHash: hashMark,
  transactionHash: hash,
  transactionIndex: quantity(index),
});

const logsOf = (transaction) =>
  transaction.logs.map(({ address, topics, data, logIndex }) => ({
    address,
    topics,
    data,
    ...places(transaction),
    logIndex: quantity(logIndex),
    removed: false,
  }));

const receiptOf = (transaction) => ({
  ...places(transaction),
  cumulativeGasUsed: quantity(100_000 * (transaction.index + 1)),
  gasUsed: "0x186a0",
  contractAddress: null,
  effectiveGasPrice: "0x3b9aca00",
  logs: logsOf(transaction),
  logsBloom: zeros(256),
  status: "0x1",
});

const listed = (transaction) => ({
  ...places(transaction),
  hash: transaction.hash,
  from: transaction.from,
  to: transaction.logs[0].address,
  value: "0x0",
  gas: "0x30d40",
  gasPrice: "0x3b9aca00",
  nonce: "0x1",
  input: `0xa9059cbb${transaction.logs[0].topics[2].slice(2)}${transaction.logs[0].data.slice(2)}`,
});

/** A text, ready to be that of any block. */
const prepare = (value) =>
  JSON.stringify(value)
    .split(hashMark)
    .map((part) => part.split(numberMark));
const fill = (prepared, number) => prepared.map((parts) => parts.join(quantity(number))).join(hashOf(number));

const contents = Array.from({ length: different }, (_, block) => {
  const transactions = transactionsOf(block);
  return {
    receipts: prepare(transactions.map(receiptOf)),
    transactions: prepare(transactions.map(listed)),
    logs: prepare(transactions.flatMap(logsOf)),
    count: transactions.reduce((sum, { logs }) => sum + logs.length, 0),
  };
});
const contentOf = (number) => contents[number % different];

/** Logs of all blocks up to one. */
export function logsUpTo(last) {
  let sum = 0;
  for (let number = 0; number <= last; number++) sum += contentOf(number).count;
  return sum;
}

function blockText(number) {
  const header = JSON.stringify({
    number: quantity(number),
    hash: hashOf(number),
    parentHash: hashOf(number - 1),
    sha3Uncles: zeros(32),
    miner: zeros(20),
    stateRoot: zeros(32),
    transactionsRoot: zeros(32),
    receiptsRoot: zeros(32),
    gasUsed: "0x1c9c380",
    gasLimit: "0x1c9c380",
    timestamp: quantity(1_700_000_000 + 12 * number),
    difficulty: "0x0",
    totalDifficulty: "0x0",
    size: "0x10000",
    baseFeePerGas: "0x3b9aca00",
    // As on chains that leave it out: receipts are then held against their numbers.
    logsBloom: zeros(256),
  });
  return `${header.slice(0, -1)},"transactions":${fill(contentOf(number).transactions, number)}}`;
}

function logsText({ blockHash, fromBlock, toBlock }, last) {
  const [from, to] = blockHash
    ? [blockOfHash(blockHash), blockOfHash(blockHash)]
    : [Number(fromBlock), Math.min(Number(toBlock), last)];
  const texts = [];
  for (let number = from; number <= to; number++)
    texts.push(fill(contentOf(number).logs, number).slice(1, -1));
  return `[${texts.join(",")}]`;
}

function resultText({ method, params: [first] = [] }, last) {
  const tags = { latest: last, finalized: last - 64, safe: last - 64 };
  switch (method) {
    case "eth_chainId":
      return '"0x1"';
    case "eth_blockNumber":
      return JSON.stringify(quantity(last));
    case "eth_getBlockByNumber": {
      const number = tags[first] ?? Number(first);
      return number > last ? "null" : blockText(number);
    }
    case "eth_getBlockReceipts": {
      const number = blockOfHash(first);
      return fill(contentOf(number).receipts, number);
    }
    case "eth_getLogs":
      return logsText(first, last);
    default:
      throw new Error(`the played node does not know ${method}`);
  }
}

/** Logs that an answer may have, as with providers of nodes. */
const mostLogs = 10_000;

function isTooWide({ method, params: [first] = [] }, last) {
  if (method !== "eth_getLogs" || first.blockHash) return false;
  let count = 0;
  for (let number = Number(first.fromBlock); number <= Math.min(Number(first.toBlock), last); number++) {
    count += contentOf(number).count;
    if (count > mostLogs) return true;
  }
  return false;
}

/** The world, in which each address is that of a node with blocks up to `last`. */
export function playedWorld(world, last) {
  const answer = (request) =>
    isTooWide(request, last)
      ? `{"jsonrpc":"2.0","id":${request.id},"error":{"code":-32005,"message":"query returned more than ${mostLogs} results"}}`
      : `{"jsonrpc":"2.0","id":${request.id},"result":${resultText(request, last)}}`;
  return {
    ...world,
    fetch: async (_, { body }) => {
      const asked = JSON.parse(body);
      return new Response(Array.isArray(asked) ? `[${asked.map(answer).join(",")}]` : answer(asked));
    },
  };
}
