import { id } from "ethers/hash";
import { isRecord } from "../../base/text/json-value.js";
import { ChainError, ReorgError } from "../../runtime/chain/chain.js";
import type { RpcClient } from "../../runtime/chain/rpc/rpc-client.js";
import { isRevert, type Refusal, RpcError, saysPruned } from "../../runtime/chain/rpc-errors.js";

/** A node of a chain, for data that the tables lack. Requests name a block by its hash. */
export interface DataNode {
  /**
   * Calls a contract.
   * @param from the caller; the zero address by default
   * @returns the answer in hex; `undefined` if the contract refuses or does not answer
   * @throws UnknownStateError if the node does not know the block, or no longer has its state
   * @throws ChainError if the node does not answer
   */
  call(contract: string, data: string, blockHash: string, from?: string): Promise<string | undefined>;
  /**
   * Runs code as if it created a contract.
   * @param gas in hex
   * @returns the result in hex; `undefined` if it fails, or if the node refuses
   * @throws ChainError as `call`
   */
  create(code: string, gas: string, blockHash: string): Promise<string | undefined>;
  /** The native coins of an address, in the smallest unit. @throws ChainError as `call` */
  balance(address: string, blockHash: string): Promise<bigint>;
}

/** A node that also answers questions about the chain's current state, for filling tables. */
export interface FillingNode extends DataNode {
  /** The code of a contract now, in hex. @throws ChainError as `call` */
  code(contract: string): Promise<string>;
  /**
   * The contracts that announced new code in a range of blocks.
   * @throws RpcError if the node refuses, as for a range that is too wide; ChainError if it does not answer
   */
  upgraded(from: number, to: number): Promise<readonly string[]>;
}

/** The node does not know a block, which a reorganisation may have replaced, or no longer has its state. */
export class UnknownStateError extends ChainError {
  override readonly name = "UnknownStateError";
}

/** First topics of the events with which proxies, beacon proxies and diamonds announce new code. */
const upgradeTopics = [
  id("Upgraded(address)"),
  id("BeaconUpgraded(address)"),
  id("DiamondCut((address,uint8,bytes4[])[],address,bytes)"),
];

function quantity(number: number): string {
  return `0x${number.toString(16)}`;
}

/** The gas of a call: enough for every honest balance, and too little for an answer of more than 2 MB. */
const gas = "0x4c4b40";

/** Asks a node by JSON-RPC. Simultaneous questions are sent in one batch. */
export function createDataNode(client: RpcClient): FillingNode {
  async function ask(
    method: string,
    parameters: readonly unknown[],
    tells: (refusal: Refusal) => boolean = failedInContract,
  ): Promise<unknown> {
    try {
      return await client.request(method, parameters, { tells });
    } catch (error) {
      if (error instanceof ReorgError) throw new UnknownStateError(error.message, { cause: error });
      throw error;
    }
  }

  return {
    async call(contract, data, blockHash, from) {
      try {
        const call = { to: contract, data, gas, ...(from !== undefined && { from }) };
        const answer = await ask("eth_call", [call, { blockHash }]);
        return typeof answer === "string" ? answer : undefined;
      } catch (error) {
        if (error instanceof RpcError && failedInContract(error)) return undefined;
        throw error;
      }
    },
    async create(code, gas, blockHash) {
      try {
        const answer = await ask(
          "eth_call",
          [{ data: code, gas }, { blockHash }],
          ({ reason }) => !saysPruned(reason),
        );
        return typeof answer === "string" ? answer : undefined;
      } catch (error) {
        if (error instanceof RpcError) return undefined;
        throw error;
      }
    },
    async balance(address, blockHash) {
      return BigInt(String(await ask("eth_getBalance", [address, { blockHash }])));
    },
    async code(contract) {
      return String(await ask("eth_getCode", [contract, "latest"]));
    },
    async upgraded(from, to) {
      const range = { fromBlock: quantity(from), toBlock: quantity(to) };
      const logs = await ask("eth_getLogs", [{ ...range, topics: [upgradeTopics] }], () => true);
      if (!Array.isArray(logs)) return [];
      return [
        ...new Set(logs.map((log: unknown) => (isRecord(log) ? String(log.address).toLowerCase() : ""))),
      ];
    },
  };
}

/** Messages of Geth, Erigon, Nethermind, Besu, Reth and anvil for a contract that used up its gas or broke a rule of the EVM. */
const failures =
  /out ?of ?gas|^evm error|gas limit|invalid opcode|stack (over|under)flow|max(imum)? (call )?depth/i;

function failedInContract(refusal: Refusal): boolean {
  return isRevert(refusal) || failures.test(refusal.reason);
}
