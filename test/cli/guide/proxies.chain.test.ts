import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Contract, type RawReceipt, useAnvil } from "../../support/chain/anvil.js";
import { compileContract } from "../../support/chain/solidity.js";
import { graphloom, workplace } from "../harness.js";

const chain = useAnvil();

const vaults = `
contract Vault {
  event Deposited(address indexed owner, uint256 amount);
  function deposit(uint256 amount) external { emit Deposited(msg.sender, amount); }
}
contract VaultV2 {
  event Deposited(address indexed owner, uint256 amount);
  event Withdrawn(address indexed owner, uint256 amount);
  function proxiableUUID() external pure returns (bytes32) {
    return 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;
  }
}
contract Diamond {
  event DiamondCut(uint256 cuts);
  struct Facet { address at; bytes4[] selectors; }
  function facets() external view returns (Facet[] memory found) {
    found = new Facet[](2);
    for (uint256 i = 0; i < 2; i++) found[i] = Facet(address(this), new bytes4[](1));
  }
}
contract Mortal {
  event Lived(uint256 amount);
}`;

/** A contract as OpenZeppelin ships it. */
function shipped(name: string): { abi: never; bytecode: string } {
  const path = createRequire(import.meta.url).resolve(`@openzeppelin/contracts/build/contracts/${name}.json`);
  return JSON.parse(readFileSync(path, "utf8"));
}

/** An artifact as Foundry writes it. */
function artifact(source: string, name: string, abi: unknown): string {
  const metadata = { settings: { compilationTarget: { [source]: name } } };
  return JSON.stringify({ abi, bytecode: { object: "0x6001" }, metadata });
}

/** A contract creation, as in a record. */
interface Creation {
  readonly name: string | null;
  readonly contract: Contract;
  readonly receipt: RawReceipt;
  readonly given: readonly unknown[];
}

/** The record that Foundry writes for a run of a script. */
function broadcast(creations: readonly Creation[], calls: readonly RawReceipt[] = []): string {
  const transactions = creations.map(({ name, contract, receipt, given }) => ({
    hash: receipt.transactionHash,
    transactionType: "CREATE",
    contractName: name,
    contractAddress: contract.address,
    function: null,
    arguments: given.length === 0 ? null : given,
    transaction: {
      from: chain().account(0),
      gas: "0x1",
      value: "0x0",
      input: "0x",
      nonce: "0x0",
      chainId: "0x7a69",
    },
    additionalContracts: [],
    isFixedGasLimit: false,
  }));
  const receipts = [...creations.map(({ receipt }) => receipt), ...calls];
  return JSON.stringify({ transactions, receipts, libraries: [], pending: [], returns: {}, chain: 31337 });
}

describe("init for a contract behind a proxy", () => {
  let vault: Creation;
  let proxy: Creation;
  let files: Record<string, string>;
  const run = "broadcast/Deploy.s.sol/31337/run-latest.json";

  async function create(
    name: string,
    { abi, bytecode }: { abi: readonly unknown[]; bytecode: string },
    given: readonly unknown[] = [],
  ): Promise<Creation> {
    const contract = await chain().deploy(abi as never, bytecode, given);
    const block = await chain().rpc<{ transactions: string[] }>("eth_getBlockByNumber", "latest", false);
    return { name, contract, receipt: await chain().receipt(block.transactions[0] ?? ""), given };
  }

  /** Runs init. @returns what it wrote; a failure shows its output */
  async function init(
    line: string,
    given: Record<string, string> = files,
  ): Promise<{ err: string; instance: Record<string, unknown>; abi: string }> {
    const cwd = workplace(given);
    const { code, err, out } = await graphloom(cwd, `init ${line} --yes`);
    expect(code, err + out).toBe(0);
    const config = JSON.parse(readFileSync(join(cwd, "subgraph.json"), "utf8"));
    const [instance] = config.instances;
    return { err, instance, abi: config.abis[instance.abi].path };
  }

  beforeAll(async () => {
    await chain().mine(3);
    const compiled = compileContract(vaults, "Vault");
    const { abi, bytecode } = shipped("ERC1967Proxy");
    vault = await create("Vault", compiled);
    proxy = await create("ERC1967Proxy", { abi, bytecode }, [vault.contract.address, "0x"]);
    files = {
      "out/Vault.sol/Vault.json": artifact("src/Vault.sol", "Vault", compiled.abi),
      "out/ERC1967Proxy.sol/ERC1967Proxy.json": artifact("src/Proxy.sol", "ERC1967Proxy", abi),
      [run]: broadcast([vault, proxy]),
    };
  });

  const expected = (): object => ({
    abi: "./out/Vault.sol/Vault.json",
    instance: {
      abi: "Vault",
      address: proxy.contract.address,
      startBlock: Number(proxy.receipt.blockNumber),
      chain: "localhost",
    },
  });

  it.each([
    "Vault",
    "ERC1967Proxy",
  ])("takes the proxy's address and the implementation's ABI from the records, without a node: %s", async (name) => {
    const made = await init(`--contract-name ${name}`);
    expect(made).toMatchObject(expected());
    expect(made.err).toContain("It runs Vault. Using the ABI in out/Vault.sol/Vault.json.");
  });

  it("takes the proxy's address with a node, and says that it is a proxy", async () => {
    const made = await init(`--contract-name Vault --rpc ${chain().url}`);
    expect(made).toMatchObject(expected());
    expect(made.err).toContain(`It is a proxy (EIP-1967) that runs the code of ${vault.contract.address}`);
  });

  it("finds the proxy with a node when the records do not link it to its implementation", async () => {
    const silent = (one: Creation): Creation => ({
      ...one,
      name: one.name === "Vault" ? one.name : "Entrance",
      receipt: { ...one.receipt, logs: [] },
      given: [],
    });
    const made = await init(`--contract-name Vault --rpc ${chain().url}`, {
      ...files,
      [run]: broadcast([vault, proxy].map(silent)),
    });
    expect(made).toMatchObject(expected());
    expect(made.err).toContain(
      `Entrance at ${proxy.contract.address} is a proxy for ${vault.contract.address}`,
    );
    expect(made.err).toContain("Using the proxy's address");
  });

  it("takes the implementation's address if it is given, and names its proxy", async () => {
    const { address } = vault.contract;
    const made = await init(`--contract-name Vault --contract ${address} --rpc ${chain().url}`);
    expect(made.instance).toMatchObject({ address });
    expect(made.err).toContain(`To index them, pass that address: --contract ${proxy.contract.address}`);
  });

  it("follows an upgrade that a different script recorded, or that only the node knows", async () => {
    const snapshot = await chain().snapshot();
    try {
      const compiled = compileContract(vaults, "VaultV2");
      const second = await create("VaultV2", compiled);
      const slot = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
      const word = `0x${"0".repeat(24)}${second.contract.address.slice(2)}`;
      await chain().rpc("anvil_setStorageAt", proxy.contract.address, slot, word);
      const built = { ...files, "out/V2.sol/VaultV2.json": artifact("src/V2.sol", "VaultV2", compiled.abi) };
      const upgrade = {
        ...second.receipt,
        transactionHash: "0x1",
        logs: (proxy.receipt.logs ?? []).map((log) => ({ ...log, topics: [log.topics[0] ?? "", word] })),
      };
      const recorded = {
        ...built,
        "broadcast/Upgrade.s.sol/31337/run-latest.json": broadcast([second], [upgrade]),
      };
      const later = { abi: "./out/V2.sol/VaultV2.json", instance: { address: proxy.contract.address } };
      expect(await init("--contract-name VaultV2", recorded)).toMatchObject(later);
      const unrecorded = {
        ...built,
        "broadcast/Upgrade.s.sol/31337/run-latest.json": broadcast([second]),
      };
      const told = await init(`--contract-name ERC1967Proxy --rpc ${chain().url}`, unrecorded);
      expect(told).toMatchObject(later);
    } finally {
      await chain().revert(snapshot);
    }
  });

  it("names no proxy for an implementation whose proxy is unknown", async () => {
    const compiled = compileContract(vaults, "VaultV2");
    const second = await create("VaultV2", compiled);
    const { address } = second.contract;
    const alone = { "VaultV2.json": JSON.stringify(compiled.abi) };
    const options = `--abi VaultV2.json --network localhost --contract ${address} --rpc ${chain().url}`;
    const made = await init(options, alone);
    expect(made.instance).toMatchObject({ address });
    expect(made.err).toContain("It is built to run behind a proxy (UUPS).");
    const plain = await init(
      options.replace(address, vault.contract.address).replace("VaultV2.json", "Vault.json"),
      { "Vault.json": files["out/Vault.sol/Vault.json"] ?? "" },
    );
    expect(plain.err).not.toMatch(/proxy/i);
  });

  it("asks for the ABI behind a proxy when the implementation's ABI is unknown", async () => {
    const cwd = workplace({ ...files, [run]: broadcast([proxy]) });
    const { code, err } = await graphloom(
      cwd,
      `init --contract-name ERC1967Proxy --rpc ${chain().url} --yes`,
    );
    expect([code, err]).toEqual([2, expect.stringContaining("Pass --abi <file>.")]);
    expect(existsSync(join(cwd, "subgraph.json"))).toBe(false);
  });

  it("notes that a diamond has more than one ABI", async () => {
    const compiled = compileContract(vaults, "Diamond");
    const { contract } = await create("Diamond", compiled);
    const { err } = await init(
      `--abi Diamond.json --network localhost --contract ${contract.address} --rpc ${chain().url}`,
      { "Diamond.json": JSON.stringify(compiled.abi) },
    );
    expect(err).toContain("It is a diamond (ERC-2535) with its code in 2 other contracts.");
  });

  it("accepts a self-destructed contract when its creation block is given", async () => {
    const compiled = compileContract(vaults, "Mortal");
    const { contract, receipt } = await create("Mortal", compiled);
    await chain().mine(2);
    await chain().rpc("anvil_setCode", contract.address, "0x");
    const abi = { "Mortal.json": JSON.stringify(compiled.abi) };
    const options = `--abi Mortal.json --network localhost --contract ${contract.address} --rpc ${chain().url}`;
    const refused = await graphloom(workplace(abi), `init ${options} --yes`);
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining("pass the block of its creation with --start-block"),
    ]);
    const block = Number(receipt.blockNumber);
    const made = await init(`${options} --start-block ${block}`, abi);
    expect(made.instance).toMatchObject({ address: contract.address, startBlock: block });
    expect(made.err).toContain(`no longer exists, but it did in block ${block}`);
  });
});
