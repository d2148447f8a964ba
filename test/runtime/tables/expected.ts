import { isError, type Result } from "ethers";
import type { Chain, ContractRead } from "../../../src/runtime/chain/chain.js";
import { RpcError } from "../../../src/runtime/chain/rpc-errors.js";
import type { Anvil, Contract, RawLog, RawReceipt } from "../../support/chain/anvil.js";
import { compileContract } from "../../support/chain/solidity.js";
import type { PlainEntity } from "../harness.js";

/** The gas graph-node gives a read; without a limit an endless loop would use up a whole block's. */
const READ_GAS = "0x2faf080";

/** A contract of a Solidity source, deployed. */
export function deployFrom(
  anvil: Anvil,
  source: string,
  name: string,
  args: readonly unknown[] = [],
): Promise<Contract> {
  const { abi, bytecode } = compileContract(source, name);
  return anvil.deploy(abi, bytecode, args);
}

/** The base fields an entity of an event has, as the receipt and the block's header tell them. */
export async function baseOfLog(anvil: Anvil, log: RawLog): Promise<PlainEntity> {
  return { id: idOf(log), ...(await placeOf(anvil, log)), contractId_: log.address };
}

/** The same of a call; `running` is its number among the equal calls. */
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

/** A transaction's log, the first when it is not said which. */
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
 * Asks a contract as of a block, past everything of ours; nothing when the call reverts or its answer is not what
 * the ABI says.
 * @param name of the function, or its signature
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

/** The same of a call that must be answered. */
export async function answered(...asked: Parameters<typeof ask>): Promise<Result> {
  const answer = await ask(...asked);
  if (!answer) throw new Error(`${asked[2]} reverts`);
  return answer;
}

/** A chain, and what is read of it: one list for every time contracts were asked, in that order. */
export interface Watched {
  readonly chain: Chain;
  readonly batches: (readonly BlockRead[])[];
}

/** A read of a contract and the block it was made at. */
export interface BlockRead extends ContractRead {
  readonly block: number;
}

/** A chain that notes what is read of it. */
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

/** The reads of one block in words: who was asked what with which arguments. */
export function readsAt(
  { batches }: Watched,
  block: string,
  contracts: readonly Contract[],
): readonly (readonly unknown[])[] {
  const reads = batches.flat().filter((read) => read.block === Number(block));
  return reads.map((read) => wordsOf(read, contracts));
}

/** A read in words: contract's address, signature of the function, arguments. */
export function wordsOf({ address, data }: ContractRead, contracts: readonly Contract[]): readonly unknown[] {
  for (const contract of contracts) {
    const parsed = contract.interface.parseTransaction({ data });
    if (parsed) return [address, parsed.signature, ...parsed.args.toArray(true)];
  }
  return [address, data];
}

/** Without the fields every entity of an event has. */
export function withoutBase(entity: PlainEntity): PlainEntity {
  const base = new Set(["id", "block_number", "timestamp_", "transactionHash_", "contractId_"]);
  return Object.fromEntries(Object.entries(entity).filter(([name]) => !base.has(name)));
}

/** The entity of an id; it must be there. */
export function byId(entities: readonly PlainEntity[], id: string): PlainEntity {
  const found = entities.find((entity) => entity.id === id);
  if (!found) throw new Error(`There is no entity ${id} among ${entities.length}`);
  return found;
}
