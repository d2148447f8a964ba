import {
  type BlockPointer,
  type ContractAnswer,
  type ContractRead,
  MissingStateError,
  ReorgError,
} from "./chain.js";
import { hexAnswer, quantityAnswer } from "./fields.js";
import { decodePointer } from "./rpc/decode-block.js";
import type { RpcClient } from "./rpc/rpc-client.js";
import { isRevert, RpcError, refusesBlockHash, saysGasTooHigh } from "./rpc-errors.js";

/** Number of blocks below the head whose state every node keeps. */
const keptStates = 128;

/**
 * Reads the state as of a block. It identifies the block by its hash, or by its number when the node does not
 * support hashes.
 */
export class BlockState {
  readonly #client: RpcClient;
  #gas: string | undefined;
  #byHash = true;

  /** `gas` is the gas limit of a read; without it, or if the node gives less, the node's own limit applies. */
  constructor(client: RpcClient, gas: bigint | undefined) {
    this.#client = client;
    this.#gas = gas === undefined ? undefined : `0x${gas.toString(16)}`;
  }

  /** An empty answer counts as a revert: the contract or function does not exist. */
  async call(block: BlockPointer, { address, data }: ContractRead): Promise<ContractAnswer> {
    const gas = this.#gas;
    // Nodes read the calldata from "data" or from "input".
    const call = { to: address, data, input: data, ...(gas !== undefined && { gas }) };
    try {
      const answer = hexAnswer("eth_call", await this.#ask("eth_call", call, block));
      return answer === "0x" ? { kind: "reverted" } : { kind: "returned", data: answer };
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      if (gas !== undefined && saysGasTooHigh(error.reason)) {
        // The node's own limit is as much as it gives.
        this.#gas = undefined;
        return this.call(block, { address, data });
      }
      if (isRevert(error)) return { kind: "reverted" };
      throw error;
    }
  }

  async balance(block: BlockPointer, address: string): Promise<bigint> {
    return quantityAnswer("eth_getBalance", await this.#ask("eth_getBalance", address, block));
  }

  async code(block: BlockPointer, address: string): Promise<string> {
    return hexAnswer("eth_getCode", await this.#ask("eth_getCode", address, block));
  }

  /** @throws MissingStateError, also when the node reports that it no longer has the state; ReorgError, ChainError */
  async #ask(method: string, subject: unknown, block: BlockPointer): Promise<unknown> {
    try {
      return await this.#askTwice(method, subject, block);
    } catch (error) {
      if (!(error instanceof MissingStateError)) throw error;
      throw new MissingStateError(missingState(error, block));
    }
  }

  /**
   * Many nodes report an unknown block when they only lack its state. This method requests the state and the block in
   * one exchange, so that the same node of a pool answers both and shows which one it lacks.
   */
  async #askTwice(method: string, subject: unknown, block: BlockPointer): Promise<unknown> {
    try {
      return await this.#askOnce(method, subject, block);
    } catch (error) {
      if (!(error instanceof ReorgError) || error instanceof MissingStateError) throw error;
    }
    const [again, own, head] = await Promise.all([
      settled(this.#askOnce(method, subject, block)),
      this.#blockAt(numberOf(block)),
      this.#blockAt("latest"),
    ]);
    if (again.kind === "answered") return again.value;
    const { error } = again;
    const isOld = own.hash === block.hash && head.number - block.number >= keptStates;
    throw isOld && error instanceof ReorgError ? new MissingStateError(error.message) : error;
  }

  #askOnce(method: string, subject: unknown, block: BlockPointer): Promise<unknown> {
    return this.#byHash ? this.#askByHash(method, subject, block) : this.#askByNumber(method, subject, block);
  }

  async #askByHash(method: string, subject: unknown, block: BlockPointer): Promise<unknown> {
    try {
      return await this.#client.request(method, [subject, { blockHash: block.hash }], {
        tells: (refusal) => refusesBlockHash(refusal) || saysGasTooHigh(refusal.reason),
      });
    } catch (error) {
      if (!(error instanceof RpcError) || isRevert(error) || !refusesBlockHash(error)) throw error;
      if (saysGasTooHigh(error.reason)) throw error;
      const answer = await this.#askByNumber(method, subject, block);
      // The retry by number succeeded, so the node refused the block hash.
      this.#byHash = false;
      return answer;
    }
  }

  async #askByNumber(method: string, subject: unknown, block: BlockPointer): Promise<unknown> {
    const number = numberOf(block);
    const outcome = await settled(
      this.#client.request(method, [subject, number], { tells: ({ reason }) => saysGasTooHigh(reason) }),
    );
    await this.#verify(block, number);
    if (outcome.kind === "failed") throw outcome.error;
    return outcome.value;
  }

  /** Runs after the answer, to be certain that the answer is for this block. */
  async #verify(block: BlockPointer, number: string): Promise<void> {
    if ((await this.#blockAt(number)).hash === block.hash) return;
    throw new ReorgError(`block ${block.number} no longer has the hash ${block.hash}`);
  }

  async #blockAt(tag: string): Promise<BlockPointer> {
    const method = "eth_getBlockByNumber";
    return decodePointer(method, await this.#client.request(method, [tag, false]));
  }
}

const numberOf = ({ number }: BlockPointer): string => `0x${number.toString(16)}`;

function missingState({ message }: Error, { number }: BlockPointer): string {
  return `${message}. The node no longer keeps the state of block ${number}; an archive node does`;
}

type Settled =
  | { readonly kind: "answered"; readonly value: unknown }
  | { readonly kind: "failed"; readonly error: unknown };

async function settled(answer: Promise<unknown>): Promise<Settled> {
  try {
    return { kind: "answered", value: await answer };
  } catch (error) {
    return { kind: "failed", error };
  }
}
