// Measures indexing from a source of history: transfers of an ERC-20 token with the balances of all accounts, from a chain
// on this machine into PostgreSQL, through a played network of 50 ms and 100 MB/s. Once from the node alone, and then with a
// played Portal beside it. The rows of both are compared. Ponder then reads the same from the node (PONDER=0 leaves it out).
// Run: npm run bench:history [-- <transfers>]; 100,000 by default. GRAPHLOOM_BENCH_POSTGRES names an empty database; without
// it, this starts a server. ROUNDS is how often the Portal is used, 3.
import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Interface } from "ethers";
import { createRpcClient } from "../dist/runtime/chain/rpc/rpc-client.js";
import { postgresPrograms, startPostgres } from "./disposable-postgres.mjs";
import { installPonder, runPonder } from "./ponder.mjs";
import { measure, median } from "./process.mjs";
import { compileToken, fillWith, mineEmpty, startAnvil, world } from "./transfers.mjs";

const wanted = Number(process.argv[2] ?? 100_000);
const rounds = Number(process.env.ROUNDS ?? 3);
const perTransaction = 5;
const transactionsPerBlock = 4;
const command = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

/** Emits transfers between 50,000 accounts, of which few are in most of them. */
const source = `
  contract Token {
    event Transfer(address indexed from, address indexed to, uint256 value);
    function one(uint256 seed) internal pure returns (address) {
      uint256 random = uint256(keccak256(abi.encode(seed)));
      uint256 most = random % 2 == 0 ? 50 : 50000;
      return address(uint160(1 + (random >> 8) % most));
    }
    function many(uint256 seed, uint256 times) external {
      for (uint256 i = 0; i < times; i++) emit Transfer(one(2 * (seed + i)), one(2 * (seed + i) + 1), 1e15 * (seed + i));
    }
  }
`;

/** @returns the token's address and the last block with transfers */
async function fill(client, token) {
  const form = new Interface(token.abi);
  const address = await fillWith(client, token, wanted, {
    perTransaction,
    transactionsPerBlock,
    dataOf: (seed) => form.encodeFunctionData("many", [seed, perTransaction]),
  });
  const last = Number(await client.request("eth_blockNumber", []));
  // The last blocks are read from the node one by one, since they may still be replaced.
  await mineEmpty(client, 300);
  return { address: address.toLowerCase(), last };
}

/** A subgraph as people write it: a row for each transfer, and the balance of each account. */
function writeSubgraph(folder, abi, address) {
  const files = {
    "package.json": JSON.stringify({ name: "bench", private: true }),
    "abis/Token.json": JSON.stringify(abi),
    "schema.graphql": `
type Transfer @entity(immutable: true) { id: Bytes! from: Bytes! to: Bytes! value: BigInt! block: BigInt! time: BigInt! }
type Account @entity(immutable: false) { id: Bytes! balance: BigInt! }
`,
    "subgraph.yaml": `
specVersion: 1.2.0
schema: { file: ./schema.graphql }
dataSources:
  - kind: ethereum
    name: Token
    network: mainnet
    source: { address: "${address}", abi: Token, startBlock: 0 }
    mapping:
      kind: ethereum/events
      apiVersion: 0.0.9
      language: wasm/assemblyscript
      entities: [Transfer, Account]
      abis: [{ name: Token, file: ./abis/Token.json }]
      eventHandlers: [{ event: "Transfer(indexed address,indexed address,uint256)", handler: handleTransfer }]
      file: ./src/token.ts
`,
    "src/token.ts": `
import { BigInt, Bytes } from "@graphprotocol/graph-ts";
import { Account, Transfer } from "../generated/schema";
import { Transfer as TransferEvent } from "../generated/Token/Token";

function change(id: Bytes, amount: BigInt): void {
  let account = Account.load(id);
  if (account == null) {
    account = new Account(id);
    account.balance = BigInt.zero();
  }
  account.balance = account.balance.plus(amount);
  account.save();
}

export function handleTransfer(event: TransferEvent): void {
  const transfer = new Transfer(event.transaction.hash.concatI32(event.logIndex.toI32()));
  transfer.from = event.params.from;
  transfer.to = event.params.to;
  transfer.value = event.params.value;
  transfer.block = event.block.number;
  transfer.time = event.block.timestamp;
  transfer.save();
  change(event.params.from, event.params.value.neg());
  change(event.params.to, event.params.value);
}
`,
  };
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, text.trimStart());
  }
}

function sql(address, query) {
  return execFileSync(join(postgresPrograms, "psql"), [address, "-qAtc", query], { encoding: "utf8" }).trim();
}

/** Numbers of rows, and digests of all of them with their versions. */
function contents(address) {
  const digests = ["transfer", "account"].map((table) => {
    const schema = sql(
      address,
      `select table_schema from information_schema.tables where table_name = '${table}'`,
    );
    return sql(
      address,
      `select count(*), md5(string_agg(row::text, '' order by vid)) from (select * from ${schema}.${table}) row`,
    );
  });
  return digests.join(" ");
}

if (postgresPrograms === undefined) throw new Error("this needs the programs of PostgreSQL");
const folder = mkdtempSync(join(tmpdir(), "graphloom-bench-history-"));
const anvil = await startAnvil();
const postgres = process.env.GRAPHLOOM_BENCH_POSTGRES
  ? { address: process.env.GRAPHLOOM_BENCH_POSTGRES, stop: async () => undefined }
  : await startPostgres();
try {
  const client = createRpcClient(anvil.url, world);
  const token = await compileToken(source);
  const { address, last } = await fill(client, token);
  console.log(`${wanted} transfers in ${last} blocks, load ${loadavg()[0].toFixed(1)}`);
  writeSubgraph(folder, token.abi, address);
  const services = fork(fileURLToPath(new URL("played-services.mjs", import.meta.url)), [
    anvil.url,
    String(last),
  ]);
  const [{ portal, node }] = await once(services, "message");
  const run = async (more) => {
    sql(
      postgres.address,
      "set client_min_messages = warning; drop schema if exists graphloom cascade; drop schema if exists sgd1 cascade",
    );
    const words = [command, "run", "subgraph.yaml", "--rpc", `mainnet=${node}`];
    const range = ["--from-block", "0", "--to-block", String(last), "--database", postgres.address];
    const measured = await measure(folder, [...words, ...range, ...more], {});
    services.send("count");
    const [{ requests }] = await once(services, "message");
    return { ...measured, requests, contents: contents(postgres.address) };
  };
  const told = ({ seconds, cpu, megabytes, requests }) =>
    `${seconds.toFixed(1)} s (${cpu.toFixed(1)} s of CPU, ${Math.round(megabytes)} MB), ${Math.round(wanted / seconds)} events/s, ${requests} requests to the node`;
  // What is compiled and loaded once is not measured.
  await run(["--source", `portal=${portal}`]);
  const alone = await run([]);
  console.log(`from the node alone: ${told(alone)}`);
  const sourced = [];
  for (let round = 0; round < rounds; round++) {
    const one = await run(["--source", `portal=${portal}`]);
    if (one.contents !== alone.contents)
      throw new Error(`other rows: ${one.contents} instead of ${alone.contents}`);
    console.log(`with the Portal: ${told(one)}`);
    sourced.push(one.seconds);
  }
  const seconds = median(sourced);
  console.log(`rows and versions are equal: ${alone.contents}`);
  console.log(`events per second with the Portal: ${Math.round(wanted / seconds)} (wanted: at least 10000)`);
  console.log(`ratio to the node alone: ${(alone.seconds / seconds).toFixed(1)} (wanted: at least 15)`);
  const missing = process.env.PONDER === "0" ? "as asked" : installPonder();
  if (missing) console.log(`Ponder was left out: ${missing}`);
  else {
    const chain = { url: node, address, abi: token.abi, last, keepsBalances: true };
    const peer = await runPonder(chain, wanted, postgres.address);
    console.log(
      `Ponder from the node: ${peer.whole.toFixed(1)} s (${peer.wholeCpu.toFixed(1)} s of CPU, ${peer.megabytes} MB), ${Math.round(wanted / peer.whole)} events/s`,
    );
    const fromNode = (peer.whole / alone.seconds).toFixed(1);
    console.log(
      `times as fast as Ponder: ${fromNode} from the node, ${(peer.whole / seconds).toFixed(1)} with the Portal`,
    );
  }
  services.disconnect();
} finally {
  anvil.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
