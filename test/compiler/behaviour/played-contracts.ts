import { AbiCoder, FunctionFragment, Interface, type ParamType } from "ethers";
import type { ContractAnswer, ContractRead } from "../../../src/runtime/chain/chain.js";

/** A contract call, with arguments and results in ethers' form. */
export interface ContractCall {
  readonly address: string;
  /** `balanceOf(address)` */
  readonly signature: string;
  readonly args: readonly unknown[];
}

/** Answers a call with the values the contract returns, or `undefined` when it reverts. */
export type Contracts = (call: ContractCall) => readonly unknown[] | undefined;

/** A decoded read of a chain: the call and the function it calls. */
export interface DecodedRead {
  readonly call: ContractCall;
  readonly fn: FunctionFragment;
}

const coder = AbiCoder.defaultAbiCoder();

/** The functions of a scenario's ABIs, by the first four bytes of a call. */
export class PlayedFunctions {
  readonly #bySelector = new Map<string, FunctionFragment>();

  /** @param abis in ethers' human-readable form; functions with the same selector must return the same types */
  constructor(abis: Iterable<readonly string[]>) {
    for (const fragment of [...abis].flatMap((abi) => new Interface(abi).fragments)) {
      if (FunctionFragment.isFragment(fragment)) this.#add(fragment);
    }
  }

  /** @throws Error for a function that no ABI contains, and for arguments of the wrong types */
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

/** The node's answer when contracts answer this. */
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
