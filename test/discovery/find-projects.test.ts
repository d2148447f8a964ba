import { expect, it } from "vitest";
import { findProjects } from "../../src/discovery/find-projects.js";
import { config } from "../cli/harness.js";
import { event } from "../compiler/abi/entries.js";
import { memoryHost } from "../support/memory-host.js";

const abi = [event("Transfer", "address from", "address to", "uint256 value")];
const address = `0x${"aB".repeat(20)}`;

/** An artifact as Foundry writes it. */
function forged(source: string, name: string, code = "0x6001"): string {
  const metadata = { settings: { compilationTarget: { [source]: name } } };
  return JSON.stringify({ abi, bytecode: { object: code }, metadata });
}

/** An artifact as Hardhat writes it. */
function hardened(sourceName: string, contractName: string): string {
  return JSON.stringify({ _format: "hh-sol-artifact-1", contractName, sourceName, abi, bytecode: "0x6001" });
}

async function found(files: Readonly<Record<string, string>>): Promise<object> {
  const { configs, contracts, deployments } = await findProjects(memoryHost(files));
  const shown = contracts.map(({ name, tool, path }) => `${name}, ${tool}: ${path}`);
  return { configs: configs.map(({ path }) => path), contracts: shown, deployments };
}

it("finds nothing in a folder with nothing", async () => {
  expect(await found({ "package.json": "{}", "README.md": "[abi]" })).toEqual({
    configs: [],
    contracts: [],
    deployments: [],
  });
});

it("finds what Foundry built of the project's own sources, interfaces last, and where it was deployed", async () => {
  const run = {
    transactions: [
      { hash: "0x1", transactionType: "CREATE", contractName: "Vault", contractAddress: address },
      { hash: "0x2", transactionType: "CALL", contractName: "Vault", contractAddress: address },
      { hash: "0x3", transactionType: "CREATE2", contractName: null, contractAddress: address },
    ],
    receipts: [{ transactionHash: "0x1", blockNumber: "0x10" }],
  };
  const files = {
    "out/Vault.sol/Vault.json": forged("src/Vault.sol", "Vault"),
    "out/IVault.sol/AVault.json": forged("src/IVault.sol", "AVault", "0x"),
    "out/ERC20.sol/ERC20.json": forged("lib/openzeppelin/ERC20.sol", "ERC20"),
    "out/Vault.t.sol/VaultTest.json": forged("test/Vault.t.sol", "VaultTest"),
    "out/build-info/1.json": forged("src/Vault.sol", "Vault"),
    "broadcast/Deploy.s.sol/11155111/run-latest.json": JSON.stringify(run),
    "broadcast/Deploy.s.sol/11155111/run-1.json": JSON.stringify(run),
  };
  expect(await found(files)).toEqual({
    configs: [],
    contracts: ["Vault, Foundry: out/Vault.sol/Vault.json", "AVault, Foundry: out/IVault.sol/AVault.json"],
    deployments: [
      {
        contract: "Vault",
        address,
        network: "sepolia",
        startBlock: 16,
        path: "broadcast/Deploy.s.sol/11155111/run-latest.json",
      },
    ],
  });
});

it("finds what Hardhat built, and what hardhat-deploy deployed under one name and with one ABI", async () => {
  const deployed = (blockNumber: unknown): string =>
    JSON.stringify({ address, abi, receipt: { blockNumber } });
  const files = {
    "artifacts/contracts/Vault.sol/Vault.json": hardened("contracts/Vault.sol", "Vault"),
    "artifacts/contracts/Vault.sol/Vault.dbg.json": '{"_format":"hh-sol-dbg-1"}',
    "artifacts/@openzeppelin/contracts/ERC20.sol/ERC20.json": hardened("@openzeppelin/ERC20.sol", "ERC20"),
    "deployments/live/.chainId": "8453",
    "deployments/live/Vault.json": deployed(7),
    "deployments/live/Vault_Proxy.json": deployed(5),
    "deployments/live/Vault_Implementation.json": deployed(6),
    "deployments/live/solcInputs/1.json": "{}",
    "deployments/localhost/Vault.json": deployed("seven"),
  };
  expect(await found(files)).toEqual({
    configs: [],
    contracts: [
      "Vault, Hardhat: artifacts/contracts/Vault.sol/Vault.json",
      "Vault, hardhat-deploy: deployments/live/Vault.json",
      "Vault, hardhat-deploy: deployments/localhost/Vault.json",
    ],
    deployments: [
      { contract: "Vault", address, network: "base", startBlock: 7, path: "deployments/live/Vault.json" },
      { contract: "Vault", address, network: "localhost", path: "deployments/localhost/Vault.json" },
    ],
  });
});

it("finds libraries where there is nothing else, ABIs that lie about, and configurations of all formats", async () => {
  const files = {
    "out/ERC20.sol/ERC20.json": forged("lib/openzeppelin/ERC20.sol", "ERC20"),
    "abis/Pool.abi.json": JSON.stringify(abi),
    "Token.json": JSON.stringify(abi),
    "subgraph.json": config(),
    "config/pools.yaml": "version: '1'\nabis: {}\ninstances: []\n",
    "subgraph.yaml": "specVersion: 1.0.0\ndataSources: []\n",
    "broken.json": '{ "abis": { "instances": ',
  };
  expect(await found(files)).toEqual({
    configs: ["subgraph.json", "config/pools.yaml"],
    contracts: ["Pool, an ABI: abis/Pool.abi.json", "Token, an ABI: Token.json"],
    deployments: [],
  });
  expect(await found({ "out/ERC20.sol/ERC20.json": files["out/ERC20.sol/ERC20.json"] })).toMatchObject({
    contracts: ["ERC20, Foundry: out/ERC20.sol/ERC20.json"],
  });
});

it("takes nothing of files that are made to harm", async () => {
  const evil = { contractName: "\u001b[2J", sourceName: "contracts/a.sol", abi, bytecode: "0x1" };
  const record = { address: "0x12", abi, receipt: { blockNumber: -1 } };
  const files = {
    "artifacts/contracts/Good.sol/Good.json": JSON.stringify(evil),
    "artifacts/contracts/List.sol/List.json": "[".repeat(10_000),
    "deployments/live/Vault.json": JSON.stringify(record),
    "deployments/\u001b[2J/Vault.json": JSON.stringify({ ...record, address }),
  };
  const all = await found(files);
  expect(all).toMatchObject({
    contracts: [
      "Good, Hardhat: artifacts/contracts/Good.sol/Good.json",
      "Vault, hardhat-deploy: deployments/\u001b[2J/Vault.json",
    ],
    deployments: [{ address, network: "localhost" }],
  });
});
