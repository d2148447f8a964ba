import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Interface } from "ethers";
import type { Place } from "./task.js";

/** The tokens of the recorded chain, and the exchange. */
export const contracts = {
  weth: "0x67ba3c4b3ab1f3da4643a330482c2bfdda37df47",
  husd: "0x757170927f90133d3c52c43a4ab9bf19b71d427c",
  loom: "0xc2b04ff7806bb2c33707e396993664c8bc4e2d0e",
  exchange: "0x41b6a08dbb2f52565983cac32b9fbe3c00b8f8b0",
} as const;

/** The first block in which WETH exists. */
export const firstBlock = 8_214_301;

/** An event of the chain. */
export interface Happened {
  readonly address: string;
  readonly block: number;
  readonly logIndex: number;
  readonly transaction: string;
  /** Parameters by name: numbers as BigInt, addresses in lower case. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** What the chain itself says, without graphloom's indexing. */
export interface ChainFacts {
  /** The events of a contract, or of all contracts with such an event. */
  events(abi: string, event: string, to: number, address?: string): Promise<readonly Happened[]>;
  /** What a function answers after a block. */
  read(abi: string, address: string, name: string, args: readonly unknown[], block: number): Promise<unknown>;
  /** The number of the block with a transaction, and the contracts whose logs it has. */
  transaction(
    hash: string,
  ): Promise<{ readonly block: number; readonly logsOf: readonly string[] } | undefined>;
}

/** Asks the node of a task. */
export function chainFacts({ node, root }: Place): ChainFacts {
  const ask = async (method: string, ...params: readonly unknown[]): Promise<unknown> => {
    const answer = await fetch(node, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const { result, error } = (await answer.json()) as {
      readonly result?: unknown;
      readonly error?: unknown;
    };
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  };
  const interfaceOf = (abi: string): Interface =>
    new Interface(readFileSync(join(root, "examples/demo/abis", `${abi}.json`), "utf8"));
  return {
    async events(abi, event, to, address) {
      const known = interfaceOf(abi);
      const topics = [known.getEvent(event)?.topicHash];
      const filter = { fromBlock: hex(firstBlock), toBlock: hex(to), topics, ...(address && { address }) };
      const logs = (await ask("eth_getLogs", filter)) as readonly RawLog[];
      return logs.map((log) => ({
        address: log.address.toLowerCase(),
        block: Number(log.blockNumber),
        logIndex: Number(log.logIndex),
        transaction: log.transactionHash,
        params: Object.fromEntries(
          Object.entries(known.parseLog(log)?.args.toObject() ?? {}).map(([name, value]) => [
            name,
            plain(value),
          ]),
        ),
      }));
    },
    async read(abi, address, name, args, block) {
      const known = interfaceOf(abi);
      const call = { to: address, data: known.encodeFunctionData(name, args) };
      return known.decodeFunctionResult(name, String(await ask("eth_call", call, hex(block))))[0];
    },
    async transaction(hash) {
      const receipt = await ask("eth_getTransactionReceipt", hash);
      if (!receipt) return undefined;
      const { blockNumber, logs } = receipt as {
        readonly blockNumber: string;
        readonly logs: readonly RawLog[];
      };
      return { block: Number(blockNumber), logsOf: logs.map(({ address }) => address.toLowerCase()) };
    },
  };
}

interface RawLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly blockNumber: string;
  readonly logIndex: string;
  readonly transactionHash: string;
}

function hex(number: number): string {
  return `0x${number.toString(16)}`;
}

function plain(value: unknown): unknown {
  return typeof value === "string" && /^0x[\da-f]{40}$/i.test(value) ? value.toLowerCase() : value;
}
