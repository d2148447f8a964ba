// A node and a Portal behind a network that is played: each answer takes a while, and arrives no faster than the line allows.
// Runs as a process of its own: node bench/played-services.mjs <address of a node> <last block> [<milliseconds>]
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { createRpcClient } from "../dist/runtime/chain/rpc/rpc-client.js";
import { world } from "./local-chain.mjs";

const [node, last, latency = "50"] = process.argv.slice(2);
/** Bytes in a second. */
const bandwidth = 100e6;
/** Bytes that are sent at once, and blocks in one answer of the Portal. */
const part = 1_000_000;
const most = 20_000;

const selected = (value, fields) =>
  Object.fromEntries(
    Object.entries(value).filter(([name, one]) => fields[name] && one !== undefined && one !== null),
  );

const inNumbers = (raw, names) => ({
  ...raw,
  ...Object.fromEntries(names.filter((name) => raw[name] != null).map((name) => [name, Number(raw[name])])),
});

/** Every block as a Portal writes it, with all its fields. */
async function readChain() {
  const client = createRpcClient(node, world);
  const read = async (number) => {
    const at = `0x${number.toString(16)}`;
    const [raw, logs] = await Promise.all([
      client.request("eth_getBlockByNumber", [at, true]),
      client.request("eth_getLogs", [{ fromBlock: at, toBlock: at }]),
    ]);
    return {
      header: inNumbers(raw, ["number", "timestamp", "size"]),
      transactions: raw.transactions.map((one) => inNumbers(one, ["transactionIndex", "nonce"])),
      logs: logs.map((one) => inNumbers(one, ["transactionIndex", "logIndex"])),
    };
  };
  const blocks = [];
  for (let number = 0; number <= Number(last); number += 50) {
    const count = Math.min(50, Number(last) - number + 1);
    blocks.push(...(await Promise.all(Array.from({ length: count }, (_, index) => read(number + index)))));
  }
  return blocks;
}

const blocks = await readChain();
/** Lines that were made for a question, by the rest of the question. A real Portal has them in columns. */
const known = new Map();

function lineOf(number, { fields, logs: wanted }) {
  const key = JSON.stringify([fields, wanted]);
  const lines = known.get(key) ?? new Map();
  known.set(key, lines);
  const made = lines.get(number);
  if (made !== undefined) return made;
  const { header, transactions, logs } = blocks[number];
  const found = logs.filter((log) =>
    wanted.some(
      ({ address, topic0 }) =>
        (!address || address.includes(log.address)) && (!topic0 || topic0.includes(log.topics[0])),
    ),
  );
  const hashes = new Set(found.map(({ transactionHash }) => transactionHash));
  const own = transactions.filter(({ hash }) => hashes.has(hash));
  const line = `${JSON.stringify({
    header: selected(header, fields.block),
    ...(own.length > 0 && { transactions: own.map((one) => selected(one, fields.transaction)) }),
    ...(found.length > 0 && { logs: found.map((log) => selected(log, fields.log)) }),
  })}\n`;
  lines.set(number, line);
  return line;
}

async function bodyOf(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Sends a text in parts, as fast as the line. */
async function send(response, pieces) {
  let waiting = "";
  const flush = async () => {
    const bytes = Buffer.from(waiting);
    waiting = "";
    const isDone = new Promise((resolve) => response.write(bytes, resolve));
    await Promise.all([isDone, sleep((bytes.length / bandwidth) * 1000)]);
  };
  for (const piece of pieces) {
    waiting += piece;
    if (waiting.length >= part) await flush();
    if (response.destroyed) return;
  }
  if (waiting !== "") await flush();
  response.end();
}

const portal = createServer(async (request, response) => {
  const body = await bodyOf(request);
  await sleep(Number(latency));
  const final = { number: Number(last), hash: blocks.at(-1).header.hash };
  if (request.url.endsWith("/finalized-head")) return response.end(JSON.stringify(final));
  if (request.url.endsWith("/metadata")) return response.end(JSON.stringify({ start_block: 0 }));
  const question = JSON.parse(body.toString());
  const to = Math.min(question.toBlock, final.number, question.fromBlock + most - 1);
  if (to < question.fromBlock) return response.writeHead(204).end();
  const lines = function* () {
    for (let number = question.fromBlock; number <= to; number++) yield lineOf(number, question);
  };
  await send(response, lines());
});

const counts = { node: 0 };
const door = createServer(async (request, response) => {
  const body = await bodyOf(request);
  counts.node += 1;
  const headers = { "content-type": "application/json" };
  const [answer] = await Promise.all([
    fetch(node, { method: "POST", headers, body }),
    sleep(Number(latency)),
  ]);
  await send(response.writeHead(answer.status, headers), [await answer.text()]);
});

for (const server of [portal, door]) await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
process.send({
  portal: `http://127.0.0.1:${portal.address().port}/datasets/played`,
  node: `http://127.0.0.1:${door.address().port}`,
});
process.on("message", () => {
  process.send({ requests: counts.node });
  counts.node = 0;
});
process.on("disconnect", () => process.exit());
