import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { useAnvil } from "../../support/chain/anvil.js";
import { NodeError, startFaultyNode } from "../../support/chain/faulty-node.js";
import { compileContract } from "../../support/chain/solidity.js";
import { graphloom, type Ran, workplace } from "../harness.js";

const chain = useAnvil();

const source = `contract Vault {
  event Opened(address owner);
  constructor() { emit Opened(msg.sender); }
}`;

describe("the start block of a contract on a node", () => {
  let address: string;
  let created: number;
  let abi: string;

  beforeAll(async () => {
    await chain().mine(3);
    const compiled = compileContract(source, "Vault");
    address = (await chain().deploy([...compiled.abi], compiled.bytecode)).address;
    created = await chain().blockNumber();
    await chain().mine(3);
    abi = JSON.stringify(compiled.abi);
  });

  /** Runs init. @returns what it wrote as the start block as well */
  async function init(
    options: string,
    files: Readonly<Record<string, string>> = {},
    node = chain().url,
  ): Promise<Ran & { readonly startBlock: number | undefined }> {
    const cwd = workplace({ "Vault.json": abi, ...files });
    const ran = await graphloom(cwd, `init made.json ${options} --rpc ${node} --yes`);
    const made = join(cwd, "made.json");
    const startBlock = existsSync(made)
      ? JSON.parse(readFileSync(made, "utf8")).instances[0].startBlock
      : undefined;
    return { ...ran, startBlock };
  }

  it("is refused from the option exactly when the contract existed in the block before", async () => {
    const head = await chain().blockNumber();
    for (let block = 0; block <= head + 2; block++) {
      const line = `--abi Vault.json --contract ${address} --network localhost --start-block ${block}`;
      const { code, startBlock, err } = await init(line);
      expect([block, code, startBlock], err).toEqual(
        block <= created ? [block, 0, block] : [block, 1, undefined],
      );
      if (block <= created) continue;
      expect(err).toContain(`The contract already existed before block ${block}`);
      expect(err).toContain(`Nothing was written. Pass --start-block ${created}, or omit the option.`);
    }
  });

  /** The records of each tool, with a block that may be wrong. */
  const records: readonly (readonly [string, (block: number) => Readonly<Record<string, string>>])[] = [
    [
      "Foundry",
      (block) => ({
        "broadcast/Deploy.s.sol/31337/run-latest.json": JSON.stringify({
          transactions: [
            { hash: "0x1", transactionType: "CREATE", contractName: "Vault", contractAddress: address },
          ],
          receipts: [
            { transactionHash: "0x1", blockNumber: `0x${block.toString(16)}`, contractAddress: address },
          ],
        }),
      }),
    ],
    [
      "hardhat-deploy",
      (block) => ({
        "deployments/localhost/Vault.json": JSON.stringify({
          address,
          abi: JSON.parse(abi),
          receipt: { blockNumber: block, contractAddress: address },
        }),
      }),
    ],
    [
      "Hardhat Ignition",
      (block) => ({
        "ignition/deployments/chain-31337/deployed_addresses.json": JSON.stringify({
          "Vaults#Vault": address,
        }),
        "ignition/deployments/chain-31337/journal.jsonl": JSON.stringify({
          type: "TRANSACTION_CONFIRM",
          receipt: { blockNumber: block, contractAddress: address, logs: [], status: "SUCCESS" },
        }),
      }),
    ],
  ];

  it.each(
    records,
  )("is the block of the contract's creation, even if the record says otherwise: %s", async (_, record) => {
    const head = await chain().blockNumber();
    for (let block = 0; block <= head + 2; block++) {
      const { code, startBlock, err } = await init("--contract-name Vault", record(block));
      expect([block, code, startBlock], err).toEqual([block, 0, created]);
      const isLate = err.includes("is wrong: the contract already existed before block");
      expect([block, isLate]).toEqual([block, block > created]);
    }
  });

  it("is never too late, even if the node has no old states", async () => {
    const head = await chain().blockNumber();
    const [, record] = records[0] ?? [];
    let oldest = 0;
    const node = await startFaultyNode(({ method, params }) => {
      if (method === "eth_chainId") return "0x7a69";
      if (method === "eth_blockNumber") return `0x${head.toString(16)}`;
      if (method === "eth_getStorageAt") return `0x${"0".repeat(64)}`;
      if (method !== "eth_getCode") throw new NodeError(3, "execution reverted");
      const block = params[1] === "latest" ? head : Number(params[1]);
      if (block < oldest) throw new NodeError(-32000, "missing trie node");
      return block < created ? "0x" : "0x6001";
    });
    onTestFinished(() => node.stop());
    for (oldest = 0; oldest <= head; oldest++)
      for (let block = 1; block <= head; block++) {
        const { code, startBlock, err } = await init("--contract-name Vault", record?.(block), node.url);
        const isTold = block - 1 >= oldest;
        const found = created - 1 >= oldest ? created : undefined;
        const written = isTold ? (found ?? (block <= created ? block : undefined)) : block;
        expect([oldest, block, startBlock], err).toEqual([oldest, block, written]);
        expect([block, code]).toEqual([block, written === undefined ? 2 : 0]);
        expect(err.includes(`The node cannot confirm block ${block} as the start block`)).toBe(!isTold);
      }
  });
});
