import type { Abi, AbiEvent, AbiFunction, Mutability } from "../../../src/compiler/abi/abi.js";
import { type Parameter, parseSolidityType } from "../../../src/compiler/abi/solidity-type.js";

/** An input, an output or a component of an ABI file. */
export interface JsonParameter {
  readonly name?: string;
  readonly type: string;
  readonly indexed?: boolean;
  readonly components?: readonly JsonParameter[];
}

/** An entry of an ABI file. */
export interface JsonEntry {
  readonly type?: string;
  readonly name?: string;
  readonly inputs?: readonly JsonParameter[];
  readonly outputs?: readonly JsonParameter[];
  readonly stateMutability?: string;
  readonly constant?: boolean;
  readonly payable?: boolean;
}

/** The interface of an ABI file that is known to be valid. */
export function abiOf(json: readonly JsonEntry[]): Abi {
  return {
    events: json.flatMap((entry, index) => (entry.type === "event" ? [event(entry, index)] : [])),
    functions: json.flatMap((entry, index) => (entry.type === "function" ? [fn(entry, index)] : [])),
  };
}

function event({ name = "", inputs = [] }: JsonEntry, index: number): AbiEvent {
  return { kind: "event", name, inputs: inputs.map(parameter), anonymous: false, index, locate };
}

function fn(entry: JsonEntry, index: number): AbiFunction {
  const { name = "", inputs = [], outputs = [] } = entry;
  return {
    kind: "function",
    name,
    inputs: inputs.map(parameter),
    outputs: outputs.map(parameter),
    mutability: mutability(entry),
    index,
    locate,
  };
}

function mutability({ stateMutability, constant, payable }: JsonEntry): Mutability {
  if (stateMutability !== undefined) return stateMutability as Mutability;
  // Compilers before 0.4.16 wrote flags instead, which say less: a function without `constant` gets no call class.
  if (constant !== false) return "view";
  return payable ? "payable" : "nonpayable";
}

function parameter({ name = "", type, indexed = false, components = [] }: JsonParameter): Parameter {
  return { name, type: parseSolidityType(type, components.map(parameter)), indexed };
}

function locate(): never {
  throw new Error("this ABI has no file");
}
