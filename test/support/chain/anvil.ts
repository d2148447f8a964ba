import { setTimeout as sleep } from "node:timers/promises";
import { type Fragment, Interface, type InterfaceAbi, type JsonFragment } from "ethers";
import { afterAll, beforeAll } from "vitest";
import type { Chain } from "../../../src/runtime/chain/chain.js";
import { createRpcClient, type RpcClient } from "../../../src/runtime/chain/rpc/rpc-client.js";
import { createRpcChain, type RpcChainOptions } from "../../../src/runtime/chain/rpc-chain.js";
import { realWorld } from "../worlds.js";
import { type AnvilProcess, startAnvilProcess } from "./anvil-process.js";

export type Abi = readonly (JsonFragment | Fragment | string)[];

/** A contract on the chain. */
export interface Contract {
  /** Lower-case hex. */
  readonly address: string;
  readonly interface: Interface;
}

/** A transaction that is still to be sent. */
export interface Sending {
  readonly to?: string;
  readonly data?: string;
  /** Wei. */
  readonly value?: bigint;
  /** One of the accounts; the first one by default. */
  readonly from?: string;
  readonly gas?: number;
}

/** A receipt as the node returns it, with numbers as hex strings. */
export interface RawReceipt {
  readonly transactionHash: string;
  readonly transactionIndex: string;
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly status: string;
  readonly contractAddress: string | null;
  readonly gasUsed: string;
  readonly effectiveGasPrice: string;
  readonly logs: readonly RawLog[];
}

export interface RawLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly blockNumber: string;
  readonly logIndex: string;
  readonly transactionHash: string;
}

/** Seconds between two blocks. */
export const BLOCK_TIME = 12;
/** A dozen of the largest transactions fit into a block. A failing one does not use all of its gas. */
const TRANSACTION_GAS = 12_000_000;

/** A local chain in a separate process. The same calls make the same blocks, down to the hashes. */
export class Anvil {
  readonly url: string;
  readonly client: RpcClient;
  private readonly process: AnvilProcess;
  private known: readonly string[] = [];

  private constructor(process: AnvilProcess) {
    this.url = process.url;
    this.process = process;
    this.client = createRpcClient(process.url, realWorld);
  }

  /** Starts a chain on a free port. It answers once the promise is fulfilled, and ends with this process. */
  static async start(flags: readonly string[] = []): Promise<Anvil> {
    const anvil = new Anvil(await startAnvilProcess(flags));
    await anvil.rpc("anvil_setLoggingEnabled", false);
    await anvil.rpc("anvil_setBlockTimestampInterval", BLOCK_TIME);
    anvil.known = (await anvil.rpc<string[]>("eth_accounts")).map((account) => account.toLowerCase());
    return anvil;
  }

  /** Ends the process and its chain. */
  stop(): Promise<void> {
    return this.process.stop();
  }

  /** Accounts that own 10,000 ether each and need no signature; lower-case hex. */
  get accounts(): readonly string[] {
    return this.known;
  }

  /** The n-th account. */
  account(index: number): string {
    const account = this.known[index];
    if (account === undefined) throw new Error(`There are only ${this.known.length} accounts`);
    return account;
  }

  /** Sends any request to the node. The caller vouches for the type of the result. */
  async rpc<Result = unknown>(method: string, ...parameters: readonly unknown[]): Promise<Result> {
    return (await this.client.request(method, parameters)) as Result;
  }

  /** The chain, as the runtime accesses it. */
  chain(options?: RpcChainOptions): Chain {
    return createRpcChain(this.client, options);
  }

  /** Deploys a contract. */
  async deploy(abi: InterfaceAbi, bytecode: string, args: readonly unknown[] = []): Promise<Contract> {
    const contract = new Interface(abi);
    const code = bytecode.startsWith("0x") ? bytecode : `0x${bytecode}`;
    const receipt = await this.transact({ data: code + contract.encodeDeploy(args).slice(2) });
    if (receipt.status !== "0x1" || receipt.contractAddress === null)
      throw new Error("The deployment failed");
    return { address: receipt.contractAddress.toLowerCase(), interface: contract };
  }

  /** Calls a function in a transaction, which may fail: see the receipt's status. */
  send(
    contract: Contract,
    name: string,
    args: readonly unknown[] = [],
    sending: Sending = {},
  ): Promise<RawReceipt> {
    return this.transact(callOf(contract, name, args, sending));
  }

  /** Sends a transaction and waits until it is in a block. */
  async transact(sending: Sending): Promise<RawReceipt> {
    return this.receipt(await this.submit(sending));
  }

  /** Reads a function's first result, by default as of the newest block. */
  async view(
    contract: Contract,
    name: string,
    args: readonly unknown[] = [],
    block?: number,
  ): Promise<unknown> {
    const data = contract.interface.encodeFunctionData(name, args);
    const at = block === undefined ? "latest" : `0x${block.toString(16)}`;
    const answer = await this.rpc<string>("eth_call", { to: contract.address, data }, at);
    return contract.interface.decodeFunctionResult(name, answer)[0];
  }

  /** Mines transactions in one block, in the order given. */
  async inOneBlock(sendings: readonly Sending[]): Promise<readonly RawReceipt[]> {
    await this.setAutomine(false);
    try {
      const hashes: string[] = [];
      for (const sending of sendings) hashes.push(await this.submit(sending));
      await this.mine(1);
      return await Promise.all(hashes.map((hash) => this.receipt(hash)));
    } finally {
      await this.setAutomine(true);
    }
  }

  /** Whether every transaction immediately gets its own block. */
  async setAutomine(on: boolean): Promise<void> {
    await this.rpc("evm_setAutomine", on);
  }

  /** Mines blocks. The first includes the pending transactions. */
  async mine(blocks: number): Promise<void> {
    await this.rpc("anvil_mine", `0x${blocks.toString(16)}`);
  }

  /** The number of the newest block. */
  async blockNumber(): Promise<number> {
    return Number(await this.rpc<string>("eth_blockNumber"));
  }

  /** Takes a snapshot of the chain. */
  snapshot(): Promise<string> {
    return this.rpc<string>("evm_snapshot");
  }

  /** Returns to a snapshot, which can be used only once. */
  async revert(snapshot: string): Promise<void> {
    if ((await this.rpc<boolean>("evm_revert", snapshot)) !== true)
      throw new Error("The snapshot does not exist");
  }

  /** Adds a transaction to the pending ones. @returns its hash */
  submit({ from, to, data, value, gas }: Sending): Promise<string> {
    return this.rpc<string>("eth_sendTransaction", {
      from: from ?? this.account(0),
      to,
      data,
      value: `0x${(value ?? 0n).toString(16)}`,
      gas: `0x${(gas ?? TRANSACTION_GAS).toString(16)}`,
    });
  }

  /** The receipt of a sent transaction; automatic mining takes a moment. */
  async receipt(hash: string): Promise<RawReceipt> {
    for (let attempt = 0; attempt < 5_000; attempt++) {
      const receipt = await this.rpc<RawReceipt | null>("eth_getTransactionReceipt", hash);
      if (receipt) return receipt;
      await sleep(1);
    }
    throw new Error(`Transaction ${hash} is in no block`);
  }
}

/** The transaction that calls a function. */
export function callOf(
  contract: Contract,
  name: string,
  args: readonly unknown[] = [],
  sending: Sending = {},
): Sending {
  return { ...sending, to: contract.address, data: contract.interface.encodeFunctionData(name, args) };
}

/**
 * A chain for all tests of a file or of a `describe`: started before the first, ended after the last, even if one
 * fails. Call it where tests are declared, and call the returned function only inside tests and hooks.
 */
export function useAnvil(flags: readonly string[] = []): () => Anvil {
  let anvil: Anvil | undefined;
  beforeAll(async () => {
    anvil = await Anvil.start(flags);
  });
  afterAll(() => anvil?.stop());
  return () => {
    if (!anvil) throw new Error("The chain has not been started yet");
    return anvil;
  };
}
