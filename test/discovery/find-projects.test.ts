import { describe, expect, it } from "vitest";
import { findProjects } from "../../src/discovery/find-projects.js";
import { config } from "../cli/harness.js";
import { event } from "../compiler/abi/entries.js";
import { memoryHost } from "../support/compiler/memory-host.js";

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

async function found(
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<object> {
  const { configs, contracts, deployments } = await findProjects(memoryHost(files), env);
  const shown = contracts.map(({ name, tool, path }) => `${name}, ${tool}: ${path}`);
  return { configs: configs.map(({ path }) => path), contracts: shown, deployments };
}

it("the search finds nothing in an empty folder", async () => {
  expect(await found({ "package.json": "{}", "README.md": "[abi]" })).toEqual({
    configs: [],
    contracts: [],
    deployments: [],
  });
});

const profiles = `[profile.default]
out = "built"
broadcast = "records"
[profile.ci]
out = "built-ci"
[profile."prod"]
broadcast = "records-prod"
[profile.away]
out = "/tmp/built"
`;

it.each<[string, string, string, string, Readonly<Record<string, string>>?]>([
  ["the default profile", profiles, "built", "records"],
  ["an empty name of a profile", profiles, "built", "records", { FOUNDRY_PROFILE: "" }],
  ["a profile, which inherits the rest", profiles, "built-ci", "records", { FOUNDRY_PROFILE: "ci" }],
  ["a profile in quotes", profiles, "built", "records-prod", { FOUNDRY_PROFILE: "prod" }],
  ["a profile elsewhere on the machine", profiles, "built", "records", { FOUNDRY_PROFILE: "away" }],
  ["a profile that is not there", profiles, "built", "records", { FOUNDRY_PROFILE: "toString" }],
  ["a profile without a file", "", "out", "broadcast", { FOUNDRY_PROFILE: "ci" }],
  [
    "folders that the environment names",
    profiles,
    "env-out",
    "env-records",
    { FOUNDRY_PROFILE: "ci", FOUNDRY_OUT: "./env-out/", FOUNDRY_BROADCAST: "env-records" },
  ],
  ["the usual ones", "", "out", "broadcast"],
  [
    "others",
    '[profile.default]\nsrc = "src"\nout = "./artifacts-forge/" # built\nbroadcast = \'records\'\n',
    "artifacts-forge",
    "records",
  ],
  ["those of another profile", '[profile.ci]\nout = "ci"\nbroadcast = "ci"\n', "out", "broadcast"],
  [
    "those of another section",
    '[profile.default]\nsrc = "src"\n\n[profile.default.fuzz]\nout = "x"\n',
    "out",
    "broadcast",
  ],
])("the search reads Foundry's folders from foundry.toml: %s", async (_, toml, out, broadcast, env) => {
  const run = {
    transactions: [
      { hash: "0x1", transactionType: "CREATE", contractName: "Vault", contractAddress: address },
    ],
    receipts: [{ transactionHash: "0x1", blockNumber: "0x10", contractAddress: address }],
  };
  const { contracts, deployments } = (await found(
    {
      "foundry.toml": toml,
      [`${out}/Vault.sol/Vault.json`]: forged("src/Vault.sol", "Vault"),
      [`${broadcast}/Deploy.s.sol/11155111/run-latest.json`]: JSON.stringify(run),
    },
    env,
  )) as { contracts: unknown; deployments: unknown };
  expect(contracts).toEqual([`Vault, Foundry: ${out}/Vault.sol/Vault.json`]);
  expect(deployments).toMatchObject([{ contract: "Vault", address, startBlock: 16 }]);
});

it("the search finds Foundry's artifacts of the project's own sources and their deployments", async () => {
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

it("the search finds Hardhat's artifacts and the deployments of hardhat-deploy", async () => {
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
      {
        contract: "Vault",
        address,
        network: "base",
        startBlock: 7,
        path: "deployments/live/Vault.json",
        abiPath: "deployments/live/Vault.json",
      },
      {
        contract: "Vault",
        address,
        network: "localhost",
        path: "deployments/localhost/Vault.json",
        abiPath: "deployments/localhost/Vault.json",
      },
    ],
  });
});

describe("a record of hardhat-deploy", () => {
  const other = `0x${"12".repeat(20)}`;

  async function blockOf(receipt: object): Promise<unknown> {
    const files = { "deployments/base/Vault.json": JSON.stringify({ address, abi, receipt }) };
    const { deployments } = await findProjects(memoryHost(files));
    return deployments.map(({ startBlock }) => startBlock);
  }

  it.each([
    ["its creation, in any case", { contractAddress: address.toLowerCase(), blockNumber: 7 }, 7],
    ["its creation by a factory", { contractAddress: null, blockNumber: "0x7", status: 1 }, 7],
    ["the creation of another contract", { contractAddress: other, blockNumber: 7 }, undefined],
    ["a failed transaction", { contractAddress: address, blockNumber: 7, status: 0 }, undefined],
  ])("has the start block only from the receipt of its own creation: %s", async (_, receipt, block) => {
    expect(await blockOf(receipt)).toEqual([block]);
  });

  it("is on the chain that its version 2 notes", async () => {
    const files = {
      "deployments/live/.chain": '{"chainId":"8453","genesisHash":"0x12"}',
      "deployments/live/Vault.json": JSON.stringify({ address, abi }),
      "deployments/odd/.chain": "[",
      "deployments/odd/Vault.json": JSON.stringify({ address, abi }),
    };
    const { deployments } = await findProjects(memoryHost(files));
    expect(deployments.map(({ network }) => network)).toEqual(["base", "odd"]);
  });
});

describe("a deployment of Hardhat Ignition", () => {
  const folder = "ignition/deployments/chain-8453";
  const at = (digits: string): string => `0x${digits.repeat(20)}`;
  const word = (one: string): string => `0x${"0".repeat(24)}${one.slice(2)}`;

  /** A line of a journal: a transaction that was mined. */
  function confirmed(contractAddress: string, blockNumber: number, logs: readonly object[] = []): string {
    const receipt = { blockHash: "0x1", blockNumber, contractAddress, logs, status: "SUCCESS" };
    return JSON.stringify({ type: "TRANSACTION_CONFIRM", futureId: "a#b", networkInteractionId: 1, receipt });
  }

  it("is found with its ABI, its block and the implementations of its proxies", async () => {
    const upgraded = {
      address: at("bb"),
      topics: ["0xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b", word(at("aa"))],
    };
    const files = {
      [`${folder}/deployed_addresses.json`]: JSON.stringify({
        "Vaults#Vault": at("aa"),
        "Vaults#ERC1967Proxy": at("bb"),
        "Vaults#Main": at("cc"),
        "Gone#Other": at("dd"),
      }),
      [`${folder}/artifacts/Vaults#Vault.json`]: hardened("contracts/Vault.sol", "Vault"),
      [`${folder}/artifacts/Vaults#ERC1967Proxy.json`]: hardened("@openzeppelin/x.sol", "ERC1967Proxy"),
      [`${folder}/artifacts/Vaults#Main.json`]: hardened("contracts/Pool.sol", "Pool"),
      [`${folder}/journal.jsonl`]: [
        '{"chainId":8453,"type":"DEPLOYMENT_INITIALIZE"}',
        confirmed(at("aa"), 7),
        "no JSON",
        confirmed(at("bb"), 8, [upgraded]),
        confirmed(at("cc"), 9),
        confirmed(at("cc"), 12).replace("SUCCESS", "FAILURE"),
      ].join("\n"),
    };
    const path = `${folder}/deployed_addresses.json`;
    const where = { network: "base", path };
    expect(await found(files)).toEqual({
      configs: [],
      contracts: [
        `Vault, Hardhat Ignition: ${folder}/artifacts/Vaults#Vault.json`,
        `ERC1967Proxy, Hardhat Ignition: ${folder}/artifacts/Vaults#ERC1967Proxy.json`,
        `Pool, Hardhat Ignition: ${folder}/artifacts/Vaults#Main.json`,
      ],
      deployments: [
        {
          ...where,
          contract: "Vault",
          address: at("aa"),
          startBlock: 7,
          abiPath: `${folder}/artifacts/Vaults#Vault.json`,
        },
        {
          ...where,
          contract: "ERC1967Proxy",
          address: at("bb"),
          startBlock: 8,
          implementation: at("aa"),
        },
        {
          ...where,
          contract: "Pool",
          address: at("cc"),
          startBlock: 9,
          abiPath: `${folder}/artifacts/Vaults#Main.json`,
        },
        { ...where, contract: "Other", address: at("dd") },
      ],
    });
  });

  it("is the implementation when a module names it and its proxy at one address", async () => {
    const named = "ignition/deployments/live";
    const files = {
      [`${named}/deployed_addresses.json`]: JSON.stringify({
        "Proxies#TransparentUpgradeableProxy": at("bb"),
        "Vaults#Vault": at("bb"),
      }),
      [`${named}/artifacts/Proxies#TransparentUpgradeableProxy.json`]: hardened(
        "@openzeppelin/x.sol",
        "TransparentUpgradeableProxy",
      ),
      [`${named}/artifacts/Vaults#Vault.json`]: hardened("contracts/Vault.sol", "Vault"),
      [`${named}/journal.jsonl`]: `{"chainId":1,"type":"DEPLOYMENT_INITIALIZE"}\n${confirmed(at("bb"), 8)}`,
    };
    expect(await found(files)).toMatchObject({
      deployments: [{ contract: "Vault", address: at("bb"), network: "mainnet", startBlock: 8 }],
    });
  });

  it("is ignored when its files are malicious", async () => {
    const evil = "ignition/deployments/chain-1";
    const files = {
      [`${evil}/deployed_addresses.json`]: JSON.stringify({
        "../../../a#Vault": at("aa"),
        "a#\u001b[2J": at("bb"),
        "a#Vault": "0x12",
      }),
      "ignition/a#Vault.json": hardened("contracts/Vault.sol", "Vault"),
      "ignition/deployments/chain-2/deployed_addresses.json": "[".repeat(10_000),
    };
    const all = await findProjects(memoryHost(files));
    expect(all.contracts).toEqual([]);
    expect(all.deployments.map(({ contract, address: where }) => [contract, where])).toEqual([
      ["Vault", at("aa")],
    ]);
  });
});

it("the search finds libraries as a last resort, loose ABIs, and configurations of every format", async () => {
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

it("the search ignores malicious files", async () => {
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
