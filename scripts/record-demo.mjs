// Makes examples/demo/: a chain of made-up people who trade made-up tokens, recorded from anvil, and the ABIs of its contracts.
// The same seed gives the same bytes. Needs a build (npm run build), whose player checks the recording in the end.
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { Interface } from "ethers";
import { gzipSync } from "fflate";
import { createClient, startAnvil } from "./demo/anvil.mjs";
import { amount, createChance } from "./demo/chance.mjs";
import { compileContracts } from "./demo/contracts.mjs";
import { Recorder } from "./demo/recorder.mjs";
import { Trading } from "./demo/trading.mjs";

const seed = 2026;
const network = "sepolia";
const chainId = 11155111;
const firstBlock = 8_214_300;
/** Blocks with trade that are there from the beginning, and those that follow. */
const history = 320;
const live = 700;
/** Among those that follow, the one after which the chain thinks again. */
const forkAt = 40;
const folder = fileURLToPath(new URL("../examples/demo", import.meta.url));

const anvil = await startAnvil([
  ...["--chain-id", String(chainId), "--number", String(firstBlock), "--timestamp", "1760000400"],
  ...["--accounts", "25", "--mnemonic-seed-unsafe", String(seed), "--order", "fifo", "--hardfork", "cancun"],
  ...["--gas-limit", "30000000", "--no-request-size-limit"],
]);
const client = createClient(anvil.url);
const chance = createChance(seed);
const recorder = new Recorder(client);
const compiled = compileContracts();
await client.ask("evm_setAutomine", false);
await client.ask("anvil_setBlockTimestampInterval", 12);
const [owner, ...people] = (await client.ask("eth_accounts")).map((account) => account.toLowerCase());

/** Mines a block of transactions. */
async function block(sendings, how) {
  for (const { from = owner, to, data } of sendings) {
    await client.ask("eth_sendTransaction", { from, to, data, gas: "0x2dc6c0" });
  }
  await client.ask("evm_mine");
  await recorder.record(how);
}

function contractAt(name, address) {
  const abi = new Interface(compiled[name].abi);
  return {
    address: address.toLowerCase(),
    abi,
    call: (fn, args, from) => ({ from, to: address, data: abi.encodeFunctionData(fn, args) }),
  };
}

async function deploy(name, args) {
  const abi = new Interface(compiled[name].abi);
  await block([{ data: compiled[name].bytecode + abi.encodeDeploy(args).slice(2) }]);
  const [receipt] = await client.ask("eth_getBlockReceipts", "latest");
  return { ...contractAt(name, receipt.contractAddress), since: Number(receipt.blockNumber) };
}

async function deployToken(name, symbol, decimals, supply) {
  const token = await deploy("Token", [name, symbol, decimals, BigInt(supply) * 10n ** BigInt(decimals)]);
  return { ...token, decimals };
}

await recorder.record();
const ether = await deployToken("Wrapped Ether", "WETH", 18, 120_000);
const dollar = await deployToken("Harbor Dollar", "HUSD", 6, 40_000_000);
const loom = await deployToken("Loom", "LOOM", 18, 100_000_000);
const exchange = await deploy("Exchange", []);
const opened = [];
for (const [base, quote] of [
  [ether, dollar],
  [loom, ether],
]) {
  await block([exchange.call("open", [base.address, quote.address])]);
  const [{ blockNumber, logs }] = await client.ask("eth_getBlockReceipts", "latest");
  const { args } = exchange.abi.parseLog(logs.at(-1));
  opened.push({ ...contractAt("Market", args.market), since: Number(blockNumber), base, quote });
}
const holders = [owner, ...people, ...opened.map(({ address }) => address)].map((holder) => [holder]);
for (const token of [ether, dollar, loom]) {
  const constant = ["name", "symbol", "decimals", "totalSupply"];
  await recorder.follow(token, token.since, constant, { balanceOf: holders });
}
await recorder.follow(exchange, exchange.since, [], { marketCount: [[]] });
for (const market of opened) {
  const numbers = { baseReserve: [[]], quoteReserve: [[]], totalShares: [[]], price: [[]] };
  const constant = ["base", "quote", "fee", "pair"];
  await recorder.follow(market, market.since, constant, { ...numbers, sharesOf: holders });
}

const [dollars, looms] = opened;
const trading = new Trading(chance, recorder, people, [
  { ...dollars, contract: dollars, price: 3_480, size: 900 },
  { ...looms, contract: looms, price: 0.00042, size: 0.3 },
]);
const given = [
  { token: ether, middle: 14 },
  { token: dollar, middle: 30_000 },
  { token: loom, middle: 90_000 },
];
const setup = [...trading.endowments(given), ...trading.approvals()];
for (let at = 0; at < setup.length; at += 9) await block(setup.slice(at, at + 9));
for (const [market, base, quote] of [
  [dollars, 900, 900 * 3_480],
  [looms, 2_400_000, 2_400_000 * 0.00042],
]) {
  await block([
    market.base.call("approve", [market.address, (1n << 256n) - 1n]),
    market.quote.call("approve", [market.address, (1n << 256n) - 1n]),
    market.call("deposit", [amount(base, market.base.decimals), amount(quote, market.quote.decimals, 6)]),
  ]);
}
for (let at = 0; at < history; at++) await block(trading.next(1.7));
const known = recorder.count;
for (let at = 0; at < forkAt; at++) await block(trading.next(1.2));
const snapshot = await client.ask("evm_snapshot");
const answers = recorder.remember();
for (let at = 0; at < 2; at++) await block(trading.next(2));
if (!(await client.ask("evm_revert", snapshot))) throw new Error("The chain does not go back");
recorder.recall(answers);
for (let at = 0; at < 3; at++) await block(trading.next(2), { waits: at < 2 });
for (let at = forkAt + 5; at < live; at++) await block(trading.next(1.2));

const lines = recorder.lines({ recording: 1, network, chainId, history: known, interval: 1_000 });
const text = `${lines.join("\n")}\n`;
await check(text);
anvil.stop();
mkdirSync(`${folder}/abis`, { recursive: true });
const bytes = gzipSync(new TextEncoder().encode(text), { level: 9, mtime: "2026-01-01" });
writeFileSync(`${folder}/recording.jsonl.gz`, bytes);
for (const name of Object.keys(compiled))
  writeFileSync(`${folder}/abis/${name}.json`, `${JSON.stringify(compiled[name].abi, null, 2)}\n`);
console.log(recorder.size, { known, bytes: bytes.length, text: text.length });
for (const [name, { address, since }] of Object.entries({ ether, dollar, loom, exchange, dollars, looms }))
  console.log(name, address, since);

/** Plays the recording to its end, and compares it with the chain. */
async function check(text) {
  const { readRecording } = await import("../dist/runtime/recording/recording.js");
  const { RecordedChain } = await import("../dist/runtime/recording/recorded-chain.js");
  const { answerRecorded } = await import("../dist/runtime/recording/recorded-node.js");
  let now = 0;
  const chain = new RecordedChain(readRecording(text), () => now);
  now = 1e12;
  const same = async (method, ...params) => {
    const request = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const played = JSON.parse(answerRecorded(chain, request)).result;
    const real = JSON.parse(JSON.stringify(await client.ask(method, ...params), bare));
    if (!isDeepStrictEqual(played, real))
      throw new Error(`${method} ${params}: ${JSON.stringify(played)}\nis not ${JSON.stringify(real)}`);
    return real;
  };
  const bare = (name, value) =>
    ["r", "s", "v", "yParity", "blockTimestamp"].includes(name) ? undefined : value;
  const last = Number(await same("eth_blockNumber"));
  for (let number = firstBlock; number <= last; number++) {
    const { hash } = await same("eth_getBlockByNumber", `0x${number.toString(16)}`, true);
    await same("eth_getBlockReceipts", `0x${number.toString(16)}`);
    await same("eth_getLogs", { blockHash: hash });
  }
  await same("eth_getCode", dollars.address, "latest");
  await same("eth_call", { to: looms.address, data: looms.abi.encodeFunctionData("price") }, "latest");
  const data = ether.abi.encodeFunctionData("balanceOf", [people[3]]);
  for (let number = firstBlock + 60; number <= last; number += 25)
    await same("eth_call", { to: ether.address, data }, `0x${number.toString(16)}`);
}
