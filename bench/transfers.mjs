// What the measurements of indexing have in common: a local chain with many transfers, and a subgraph that keeps them.
import { fileURLToPath } from "node:url";
import { Interface } from "ethers";
import { build, createNodeHost } from "../dist/exports/index.js";
import { readRunnable } from "../dist/subgraph/runnable/read-runnable.js";

export { startAnvil, world } from "./local-chain.mjs";

const perTransaction = 50;
const transactionsPerBlock = 4;
const root = fileURLToPath(new URL("..", import.meta.url));

const usualSource = `
  contract Token {
    event Transfer(address indexed from, address indexed to, uint256 value);
    function many(uint256 times) external {
      for (uint256 i = 0; i < times; i++) emit Transfer(msg.sender, address(uint160(i + 1)), i);
    }
    function balanceOf(address owner) external view returns (uint256) {
      return uint256(uint160(owner)) + block.number;
    }
  }
`;

/** A contract that emits transfers. @param source that of another contract named Token */
export async function compileToken(source = usualSource) {
  // Large, and only who compiles needs it.
  const { default: solc } = await import("solc");
  const input = {
    language: "Solidity",
    sources: { "a.sol": { content: source } },
    settings: { outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } } },
  };
  const { Token } = JSON.parse(solc.compile(JSON.stringify(input))).contracts["a.sol"];
  return { abi: Token.abi, bytecode: `0x${Token.evm.bytecode.object}` };
}

/** Deploys a token and has it emit so many transfers, 200 in a block; its address. */
export function fill(client, token, transfers) {
  const data = new Interface(token.abi).encodeFunctionData("many", [perTransaction]);
  return fillWith(client, token, transfers, { perTransaction, transactionsPerBlock, dataOf: () => data });
}

/**
 * Deploys a token and calls it until there are so many transfers; its address.
 * @param calls how many transfers a call makes, and its data by the number of transfers before it
 */
export async function fillWith(
  client,
  { bytecode },
  transfers,
  { perTransaction, transactionsPerBlock, dataOf },
) {
  const [from] = await client.request("eth_accounts", []);
  const transact = (more) => client.request("eth_sendTransaction", [{ from, gas: "0x3000000", ...more }]);
  await client.request("evm_setAutomine", [false]);
  const hash = await transact({ data: bytecode });
  await client.request("anvil_mine", ["0x1"]);
  const { contractAddress: to } = await client.request("eth_getTransactionReceipt", [hash]);
  for (let sent = 0; sent < transfers; sent += perTransaction * transactionsPerBlock) {
    for (let one = 0; one < transactionsPerBlock; one++)
      await transact({ to, data: dataOf(sent + one * perTransaction) });
    await client.request("anvil_mine", ["0x1"]);
  }
  return to;
}

/**
 * Mines blocks in which nothing happens, a few at a time: a request that is not answered in time is sent again, and
 * would be mined again.
 * @throws Error when that takes longer than a minute
 */
export async function mineEmpty(client, blocks) {
  const start = performance.now();
  for (let mined = 0; mined < blocks; mined += 100) {
    if (performance.now() - start > 60_000)
      throw new Error(`anvil mined only ${mined} of ${blocks} blocks in a minute`);
    await client.request("anvil_mine", [`0x${Math.min(100, blocks - mined).toString(16)}`]);
  }
}

/** For each transfer, a call of the contract and an entity with what it returned. */
const enrichment = {
  handlers: {
    "Transfer(address,address,uint256)": {
      calls: { balance: { name: "balanceOf", params: "event.params.to", required: true } },
      entities: {
        Balance: { "owner address": "event.params.to.toHexString()", "balance uint256": "calls.balance" },
      },
    },
  },
};

/** The subgraph that keeps every transfer of a token. @param calls whether each handler makes a call */
export async function buildSubgraph(abi, address, { calls = false } = {}) {
  const config = JSON.stringify({
    version: "1",
    name: "bench",
    abis: { Token: abi },
    instances: [
      { abi: "Token", address, startBlock: 0, chain: "mainnet", ...(calls && { enrich: enrichment }) },
    ],
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
