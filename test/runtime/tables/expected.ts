import { isError, type Result } from "ethers";
import type { Chain, ContractRead } from "../../../src/runtime/chain/chain.js";
import { RpcError } from "../../../src/runtime/chain/rpc-errors.js";
import type { Anvil, Contract, RawLog, RawReceipt } from "../../support/chain/anvil.js";
import { compileContract } from "../../support/chain/solidity.js";
import type { PlainEntity } from "../harness.js";

/** graph-node's gas limit of a call. Without it, an endless loop would use the gas of a whole block. */
const READ_GAS = "0x2faf080";

/** Deploys a contract of a Solidity source. */
export function deployFrom(
  anvil: Anvil,
  source: string,
  name: string,
  args: readonly unknown[] = [],
): Promise<Contract> {
  const { abi, bytecode } = compileContract(source, name);
  return anvil.deploy(abi, bytecode, args);
}

/** The base fields of an event's entity, from the receipt and the block header. */
export async function baseOfLog(anvil: Anvil, log: RawLog): Promise<PlainEntity> {
  return { id: idOf(log), ...(await placeOf(anvil, log)), contractId_: log.address };
}

/** The base fields of a call's entity. `running` is its number among equal calls. */
export async function baseOfCall(
  anvil: Anvil,
  receipt: RawReceipt,
  called: Contract,
  running = 0,
): Promise<PlainEntity> {
  const id = `${receipt.transactionHash}-${running}`;
  return { id, ...(await placeOf(anvil, receipt)), contractId_: called.address };
}

async function placeOf(
  anvil: Anvil,
  { blockNumber, transactionHash }: RawLog | RawReceipt,
): Promise<PlainEntity> {
  const block = await anvil.rpc<{ timestamp: string }>("eth_getBlockByNumber", blockNumber, false);
  return {
    block_number: BigInt(blockNumber),
    timestamp_: BigInt(block.timestamp),
    transactionHash_: transactionHash,
  };
}

/** The id of an event's entity: transaction hash and log index. */
export function idOf({ transactionHash, logIndex }: RawLog): string {
  return `${transactionHash}-${Number(logIndex)}`;
}

/** A log of a transaction, by default the first. */
export function logOf({ logs, status }: RawReceipt, index = 0): RawLog {
  const log = logs[index];
  if (!log) throw new Error(`There is no log ${index}; the transaction's status is ${status}`);
  return log;
}

/** The parameters of a log as ethers reads them. */
export function paramsOf(contract: Contract, { topics, data }: RawLog): Result {
  const parsed = contract.interface.parseLog({ topics, data });
  if (!parsed) throw new Error(`${topics[0]} is no event of the contract`);
  return parsed.args;
}

/**
 * Calls a contract as of a block, bypassing graphloom. Undefined when the call reverts or its answer does not match the
 * ABI.
 * @param name the name or signature of the function
 */
export async function ask(
  anvil: Anvil,
  contract: Contract,
  name: string,
  args: readonly unknown[],
  block: string,
): Promise<Result | undefined> {
  const data = contract.interface.encodeFunctionData(name, args);
  const call = { to: contract.address, data, gas: READ_GAS };
  try {
    const answer = await anvil.rpc<string>("eth_call", call, block);
    return answer === "0x" ? undefined : contract.interface.decodeFunctionResult(name, answer);
  } catch (error) {
    if (error instanceof RpcError || isError(error, "BAD_DATA")) return undefined;
    throw error;
  }
}

/** The same for a call that must succeed. */
export async function answered(...asked: Parameters<typeof ask>): Promise<Result> {
  const answer = await ask(...asked);
  if (!answer) throw new Error(`${asked[2]} reverts`);
  return answer;
}

/** A chain and its recorded reads: one list per batch of contract calls, in order. */
export interface Watched {
  readonly chain: Chain;
  readonly batches: (readonly BlockRead[])[];
}

/** A contract call and its block. */
export interface BlockRead extends ContractRead {
  readonly block: number;
}

/** Wraps a chain to record its reads. */
export function watch(anvil: Anvil): Watched {
  const chain = anvil.chain();
  const batches: (readonly BlockRead[])[] = [];
  return {
    batches,
    chain: {
      ...chain,
      read: (block, reads) => {
        batches.push(reads.map((read) => ({ ...read, block: block.number })));
        return chain.read(block, reads);
      },
    },
  };
}

/** The reads of one block: address, signature and arguments of each call. */
export function readsAt(
  { batches }: Watched,
  block: string,
  contracts: readonly Contract[],
): readonly (readonly unknown[])[] {
  const reads = batches.flat().filter((read) => read.block === Number(block));
  return reads.map((read) => wordsOf(read, contracts));
}

/** A read as a list: address, signature, arguments. */
export function wordsOf({ address, data }: ContractRead, contracts: readonly Contract[]): readonly unknown[] {
  for (const contract of contracts) {
    const parsed = contract.interface.parseTransaction({ data });
    if (parsed) return [address, parsed.signature, ...parsed.args.toArray(true)];
  }
  return [address, data];
}

/** An entity without the base fields of events. */
export function withoutBase(entity: PlainEntity): PlainEntity {
  const base = new Set(["id", "block_number", "timestamp_", "transactionHash_", "contractId_"]);
  return Object.fromEntries(Object.entries(entity).filter(([name]) => !base.has(name)));
}

/** The entity with an id, which must exist. */
export function byId(entities: readonly PlainEntity[], id: string): PlainEntity {
  const found = entities.find((entity) => entity.id === id);
  if (!found) throw new Error(`There is no entity ${id} among ${entities.length}`);
  return found;
}
