// What the measurements of indexing have in common: a local chain with many transfers, and a subgraph that keeps them.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Interface } from "ethers";
import solc from "solc";
import { build, createNodeHost } from "../dist/exports/index.js";
import { readRunnable } from "../dist/subgraph/runnable/read-runnable.js";

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

/** A contract that emits transfers. */
export function compileToken() {
  const input = {
    language: "Solidity",
    sources: { "a.sol": { content: source } },
    settings: { outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } } },
  };
  const { Token } = JSON.parse(solc.compile(JSON.stringify(input))).contracts["a.sol"];
  return { abi: Token.abi, bytecode: `0x${Token.evm.bytecode.object}` };
}

/** Starts a local chain. */
export async function startAnvil() {
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

/** The real world. */
export const world = {
  fetch: (url, request) => fetch(url, request),
  now: () => Date.now(),
  sleep,
  timeout: (milliseconds) => AbortSignal.timeout(milliseconds),
  random: () => Math.random(),
};

/** Deploys a token and has it emit so many transfers, 200 in a block; its address. */
export async function fill(client, { abi, bytecode }, transfers) {
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

/** The subgraph that keeps every transfer of a token. */
export async function buildSubgraph(abi, address) {
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
