import type { RpcClient } from "../../runtime/chain/rpc-client.js";
import { isRevert, RpcError } from "../../runtime/chain/rpc-errors.js";

/** A node of a chain, for what is not in the tables. Questions are of a block by its hash. */
export interface DataNode {
  /**
   * Calls a contract.
   * @returns the answer in hex; `undefined` if the contract refuses or does not answer
   * @throws ChainError if the node does not answer, or no longer knows the block's state
   */
  call(contract: string, data: string, blockHash: string): Promise<string | undefined>;
  /** The native coins of an address, in the smallest unit. @throws ChainError as `call` */
  balance(address: string, blockHash: string): Promise<bigint>;
}

/** Asks a node by JSON-RPC. Questions that are asked together are sent together. */
export function createDataNode(client: RpcClient): DataNode {
  return {
    async call(contract, data, blockHash) {
      try {
        const answer = await client.request(
          "eth_call",
          [{ to: contract, data, gas: "0x4c4b40" }, { blockHash }],
          {
            tells: isRevert,
          },
        );
        return typeof answer === "string" ? answer : undefined;
      } catch (error) {
        if (error instanceof RpcError && isRevert(error)) return undefined;
        throw error;
      }
    },
    async balance(address, blockHash) {
      return BigInt(String(await client.request("eth_getBalance", [address, { blockHash }])));
    },
  };
}
