import { AbiCoder, FunctionFragment, Interface, type ParamType } from "ethers";
import type { ContractAnswer, ContractRead } from "../../../src/runtime/chain/chain.js";

/** A call of a contract; arguments and results are values as ethers takes them. */
export interface ContractCall {
  readonly address: string;
  /** `balanceOf(address)` */
  readonly signature: string;
  readonly args: readonly unknown[];
}

/** A contract's answer: the values it returns, or nothing when it reverts. */
export type Contracts = (call: ContractCall) => readonly unknown[] | undefined;

/** A read of a chain, decoded: the call it is, and the function that is called. */
export interface DecodedRead {
  readonly call: ContractCall;
  readonly fn: FunctionFragment;
}

const coder = AbiCoder.defaultAbiCoder();

/** The functions of a scenario's ABIs, by the first four bytes of a call. */
export class PlayedFunctions {
  readonly #bySelector = new Map<string, FunctionFragment>();

  /** @param abis in ethers' human readable form; functions of one selector must return the same */
  constructor(abis: Iterable<readonly string[]>) {
    for (const fragment of [...abis].flatMap((abi) => new Interface(abi).fragments)) {
      if (FunctionFragment.isFragment(fragment)) this.#add(fragment);
    }
  }

  /** @throws Error for a function that no ABI has, and for arguments that are not of its types */
  decode({ address, data }: ContractRead): DecodedRead {
    const fn = this.#bySelector.get(data.slice(0, 10));
    if (!fn) throw new Error(`no ABI has a function ${data.slice(0, 10)}`);
    const values = coder.decode(fn.inputs, `0x${data.slice(10)}`);
    const args = fn.inputs.map((type, i) => argumentOf(type, values[i]));
    return { call: { address, signature: fn.format("sighash"), args }, fn };
  }

  #add(fn: FunctionFragment): void {
    const known = this.#bySelector.get(fn.selector);
    if (known && typesOf(known.outputs) !== typesOf(fn.outputs)) {
      throw new Error(`two functions ${fn.format("sighash")} return different types`);
    }
    this.#bySelector.set(fn.selector, fn);
  }
}

/** What a node answers when contracts answer this. */
export function answerOf({ call, fn }: DecodedRead, contracts: Contracts): ContractAnswer {
  const values = contracts(call);
  return values ? { kind: "returned", data: coder.encode(fn.outputs, values) } : { kind: "reverted" };
}

const typesOf = (types: readonly ParamType[]): string => types.map((type) => type.format("sighash")).join();

/** An argument with lists as arrays and addresses in lower case. */
function argumentOf(type: ParamType, value: unknown): unknown {
  if (type.isArray()) return [...(value as unknown[])].map((item) => argumentOf(type.arrayChildren, item));
  if (type.isTuple()) {
    const items = [...(value as unknown[])];
    return type.components.map((part, i) => argumentOf(part, items[i]));
  }
  return type.baseType === "address" ? String(value).toLowerCase() : value;
}
