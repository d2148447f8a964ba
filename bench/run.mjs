// Measures indexing: a local chain with many transfers and no calls, against only fetching the same logs and blocks,
// and how memory grows with the number of blocks. Run: npm run bench:run [-- <transfers>]
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Interface } from "ethers";
import solc from "solc";
import { build, createNodeHost } from "../dist/exports/index.js";
import { createRpcChain } from "../dist/runtime/chain/rpc-chain.js";
import { createRpcClient } from "../dist/runtime/chain/rpc-client.js";
import { run } from "../dist/runtime/run-subgraph.js";
import { MemoryStore } from "../dist/runtime/store/memory-store.js";
import { readRunnable } from "../dist/subgraph/runnable/read-runnable.js";

const transfers = Number(process.argv[2] ?? 50_000);
const perTransaction = 50;
const transactionsPerBlock = 4;
const root = fileURLToPath(new URL("..", import.meta.url));

const source = `
  contract Token {
    event Transfer(address indexed from, address indexed to, uint256 value);
    function many(uint256 times) external {
      for (uint256 i = 0; i < times; i++) emit Transfer(msg.sender, address(uint160(i + 1)), i);
    }
  }
`;

function compileToken() {
  const input = {
    language: "Solidity",
    sources: { "a.sol": { content: source } },
    settings: { outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } } },
  };
  const { Token } = JSON.parse(solc.compile(JSON.stringify(input))).contracts["a.sol"];
  return { abi: Token.abi, bytecode: `0x${Token.evm.bytecode.object}` };
}

async function startAnvil() {
  const ours = createRequire(import.meta.url);
  const name = `@foundry-rs/anvil-${process.platform}-${process.arch === "x64" ? "amd64" : "arm64"}`;
  const binary = createRequire(ours.resolve("@foundry-rs/anvil/package.json")).resolve(`${name}/bin/anvil`);
  const child = spawn(binary, ["--port", "0", "--gas-limit", "1000000000"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let printed = "";
  for await (const piece of child.stdout) {
    printed += piece;
    const found = /Listening on (\S+)/.exec(printed);
    if (found) return { url: `http://${found[1]}`, stop: () => child.kill("SIGKILL") };
  }
  throw new Error("anvil did not start");
}

const world = {
  fetch: (url, request) => fetch(url, request),
  now: () => Date.now(),
  sleep,
  timeout: (milliseconds) => AbortSignal.timeout(milliseconds),
  random: () => Math.random(),
};

async function fill(client, { abi, bytecode }) {
  const [from] = await client.request("eth_accounts", []);
  const transact = (more) => client.request("eth_sendTransaction", [{ from, gas: "0x3000000", ...more }]);
  await client.request("evm_setAutomine", [false]);
  const hash = await transact({ data: bytecode });
  await client.request("anvil_mine", ["0x1"]);
  const { contractAddress: to } = await client.request("eth_getTransactionReceipt", [hash]);
  const data = new Interface(abi).encodeFunctionData("many", [perTransaction]);
  for (let sent = 0; sent < transfers; sent += perTransaction * transactionsPerBlock) {
    for (let one = 0; one < transactionsPerBlock; one++) await transact({ to, data });
    await client.request("anvil_mine", ["0x1"]);
  }
  return to;
}

async function buildSubgraph(abi, address) {
  const config = JSON.stringify({
    version: "1",
    name: "bench",
    abis: { Token: abi },
    instances: [{ abi: "Token", address, startBlock: 0, chain: "mainnet" }],
  });
  const stdin = (async function* () {
    yield Buffer.from(config);
  })();
  const { ok, files } = await build("-", createNodeHost({ cwd: root, stdin }));
  if (!ok) throw new Error("the benchmark's subgraph does not build");
  const own = [...files].filter(([path]) => path.startsWith("build/"));
  return readRunnable({
    manifest: "subgraph.yaml",
    files: new Map(own.map(([path, content]) => [path.slice("build/".length), content])),
  });
}

/** Only what any indexer has to fetch; the seconds it takes. */
async function fetchOnly(chain, address, topics, last) {
  const start = performance.now();
  await chain.logs(0, last, [{ addresses: [address], topics }]);
  for (let block = 0; block <= last; block += 25) {
    const count = Math.min(25, last - block + 1);
    await chain.blocks(Array.from({ length: count }, (_, index) => block + index));
  }
  return (performance.now() - start) / 1000;
}

const token = compileToken();
const anvil = await startAnvil();
try {
  const client = createRpcClient(anvil.url, world);
  const chain = createRpcChain(client);
  const address = (await fill(client, token)).toLowerCase();
  const filled = Number(await client.request("eth_blockNumber", []));
  const built = await buildSubgraph(token.abi, address);
  const topics = built.dataSources[0].eventHandlers.map(({ topic0 }) => topic0);
  // Blocks in which nothing happens: what they leave behind is what a block costs by itself.
  await client.request("anvil_mine", ["0x1388"]);
  const heaps = [];
  const times = [];
  const floors = [];
  for (let round = 0; round < 5; round++) {
    floors.push(await fetchOnly(chain, address, topics, filled));
    const store = new MemoryStore(built.entities);
    const start = performance.now();
    const { progress, failure } = await run(built, chain, store, {
      onProgress: ({ block, handlers }) => {
        if (handlers >= transfers && times.length === round) times.push((performance.now() - start) / 1000);
        if (round > 0 || block < filled + heaps.length * 1000) return;
        globalThis.gc?.();
        heaps.push(Math.round(process.memoryUsage().heapUsed / 1e6));
      },
    });
    if (failure || progress.handlers < transfers) throw new Error(`only ${progress.handlers} handlers ran`);
  }
  const median = (all) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)];
  const rate = transfers / median(times);
  console.log(`${transfers} transfers, seconds: ${times.map((one) => one.toFixed(2)).join(" ")}`);
  console.log(`events per second: ${Math.round(rate)} (wanted: at least 5000)`);
  console.log(`fetching the same and nothing else: ${median(floors).toFixed(2)} s`);
  console.log(`ratio of indexing to fetching: ${(median(times) / median(floors)).toFixed(2)}`);
  console.log(`heap in MB after the transfers, every 1000 empty blocks: ${heaps.join(" ")}`);
} finally {
  anvil.stop();
}
process.exit(0);
