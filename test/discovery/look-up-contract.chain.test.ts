import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { beforeAll, describe, expect, it } from "vitest";
import {
  askChain,
  type ContractLook,
  lookUpContract,
  lookUpCreation,
} from "../../src/discovery/look-up-contract.js";
import { useAnvil } from "../support/chain/anvil.js";
import { compileContract } from "../support/chain/solidity.js";

const chain = useAnvil();

/** A contract as OpenZeppelin ships it. */
function shipped(name: string): { abi: never; bytecode: string } {
  const path = createRequire(import.meta.url).resolve(`@openzeppelin/contracts/build/contracts/${name}.json`);
  return JSON.parse(readFileSync(path, "utf8"));
}

/** Proxies by older standards, for which OpenZeppelin has no contract any more. */
const proxiable = `
contract Proxiable {
  constructor(address target) {
    assembly { sstore(0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7, target) }
  }
}
contract Zeppelin {
  constructor(address target) {
    assembly { sstore(0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3, target) }
  }
}
contract Odd {
  constructor() {
    assembly { sstore(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc, 0x1234567890123456789012345678901234567890123456789012345678901234) }
    assembly { sstore(0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50, address()) }
  }
}`;

describe("the look-up of an address", () => {
  let token: string;

  async function deploy(name: string, args: readonly unknown[]): Promise<string> {
    const { abi, bytecode } = shipped(name);
    return (await chain().deploy(abi, bytecode, args)).address;
  }

  /** Deploys the code of a clone, as factories do. */
  async function deployCode(code: string): Promise<string> {
    const size = (code.length / 2).toString(16).padStart(4, "0");
    const receipt = await chain().transact({ data: `0x61${size}80600a3d393df3${code}` });
    return receipt.contractAddress ?? "";
  }

  async function deploySource(name: string, args: readonly unknown[]): Promise<string> {
    const { abi, bytecode } = compileContract(proxiable, name);
    return (await chain().deploy([...abi], bytecode, args)).address;
  }

  function look(address: string): Promise<ContractLook> {
    return lookUpContract(chain().client, address.toLowerCase());
  }

  beforeAll(async () => {
    await chain().mine(5);
    token = await deploy("ERC20PresetFixedSupply", ["Token", "TKN", 1000, chain().account(0)]);
    await chain().mine(20);
  });

  it("finds only the creation block of a plain contract", async () => {
    const block = Number((await askFor(token)).blockNumber);
    expect(await look(token)).toEqual({ kind: "contract", proxy: undefined, nature: undefined });
    expect(await lookUpCreation(chain().client, token)).toEqual({ kind: "found", block });
  });

  /** The receipt that created a contract, found by reading every block. */
  async function askFor(address: string): Promise<{ blockNumber: string }> {
    const head = await chain().blockNumber();
    for (let number = 0; number <= head; number++) {
      const block = await chain().rpc<{ transactions: string[] }>(
        "eth_getBlockByNumber",
        `0x${number.toString(16)}`,
        false,
      );
      for (const hash of block.transactions) {
        const receipt = await chain().receipt(hash);
        if (receipt.contractAddress?.toLowerCase() === address) return receipt;
      }
    }
    throw new Error("nothing created it");
  }

  it("finds that there is no contract", async () => {
    expect(await look(`0x${"12".repeat(20)}`)).toEqual({ kind: "empty" });
    expect(await look(chain().account(0))).toEqual({ kind: "empty" });
  });

  it("finds the implementation of every kind of proxy", async () => {
    const beacon = await deploy("UpgradeableBeacon", [token]);
    const short = `0x${"0".repeat(8)}${token.slice(10)}`;
    const made: Record<string, string> = {
      "EIP-1967": await deploy("ERC1967Proxy", [token, "0x"]),
      "EIP-1967 beacon": await deploy("BeaconProxy", [beacon, "0x"]),
      "EIP-1822": await deploySource("Proxiable", [token]),
      ZeppelinOS: await deploySource("Zeppelin", [token]),
      "EIP-1167": await deployCode(`363d3d373d3d3d363d73${token.slice(2)}5af43d82803e903d91602b57fd5bf3`),
      "with PUSH0": await deployCode(`365f5f375f5f365f73${token.slice(2)}5af43d5f5f3e5f3d91602a57fd5bf3`),
      shortened: await deployCode(`363d3d373d3d3d363d6f${short.slice(10)}5af43d82803e903d91602757fd5bf3`),
    };
    const kinds = await Promise.all(
      Object.entries(made).map(async ([name, address]) => [name, await look(address)]),
    );
    const proxy = (kind: string, implementation = token): object => ({
      kind: "contract",
      proxy: { kind, implementation },
    });
    expect(Object.fromEntries(kinds)).toMatchObject({
      "EIP-1967": proxy("EIP-1967"),
      "EIP-1967 beacon": proxy("EIP-1967 beacon"),
      "EIP-1822": proxy("EIP-1822"),
      ZeppelinOS: proxy("ZeppelinOS"),
      "EIP-1167": proxy("EIP-1167"),
      "with PUSH0": proxy("EIP-1167"),
      shortened: proxy("EIP-1167", short),
    });
  });

  it("follows clones of clones and proxies of clones, but stops at a cycle", async () => {
    const clone = async (target: string): Promise<string> =>
      deployCode(`363d3d373d3d3d363d73${target.slice(2)}5af43d82803e903d91602b57fd5bf3`);
    const twice = await clone(await clone(token));
    expect(await look(twice)).toMatchObject({ proxy: { kind: "EIP-1167", implementation: token } });
    const proxied = await deploy("ERC1967Proxy", [twice, "0x"]);
    expect(await look(proxied)).toMatchObject({ proxy: { kind: "EIP-1967", implementation: token } });
    const self = await clone(`0x${"77".repeat(20)}`);
    await chain().rpc(
      "anvil_setCode",
      self,
      `0x363d3d373d3d3d363d73${self.slice(2)}5af43d82803e903d91602b57fd5bf3`,
    );
    expect(await look(self)).toMatchObject({
      proxy: { kind: "EIP-1167", implementation: self.toLowerCase() },
    });
  });

  it("finds no proxy when the slots hold other values", async () => {
    expect(await look(await deploySource("Odd", []))).toMatchObject({ proxy: undefined });
  });

  it("finds the chain", async () => {
    expect(await askChain(chain().client)).toEqual({ chainId: "31337", network: undefined });
  });
});
