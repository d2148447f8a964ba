import type { Abi, AbiEvent, AbiFunction } from "../abi/abi.js";
import { abiTypeText, elementType, type Parameter } from "../abi/solidity-type.js";

/** Emits an ABI file: the entries in their original order, all keys in the usual order. */
export function emitAbiJson({ events, functions }: Abi): string {
  const entries = [...events, ...functions].sort((a, b) => a.index - b.index);
  return `${JSON.stringify(entries.map(entryJson), null, 2)}\n`;
}

function entryJson(entry: AbiEvent | AbiFunction): object {
  if (entry.kind === "event") {
    return {
      type: "event",
      name: entry.name,
      inputs: entry.inputs.map((input) => ({ ...parameterJson(input), indexed: input.indexed })),
      anonymous: entry.anonymous,
    };
  }
  return {
    type: "function",
    name: entry.name,
    inputs: entry.inputs.map(parameterJson),
    outputs: entry.outputs.map(parameterJson),
    stateMutability: entry.mutability,
  };
}

function parameterJson({ name, type }: Parameter): object {
  const element = elementType(type);
  return {
    name,
    type: abiTypeText(type),
    ...(element.kind === "tuple" && { components: element.components.map(parameterJson) }),
  };
}
