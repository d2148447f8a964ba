import { InternalError, present } from "../../../base/invariant.js";
import type { BoundParameter } from "../../abi/bound-abi.js";
import {
  arrayDepth,
  elementType,
  fitsI32,
  isHashedWhenIndexed,
  type SolidityType,
} from "../../abi/solidity-type.js";
import type { Doc } from "./layout.js";
import { call } from "./syntax.js";

/** Suffixes of the conversions for a type, a list, and a list of lists. */
const dimensions = ["", "Array", "Matrix"] as const;

/** The expression that reads a parameter from an `ethereum.Value`, such as `this[0].toAddress()`. */
export function decode(value: string, { type, indexed, struct }: BoundParameter): Doc {
  if (indexed && isHashedWhenIndexed(type)) return `${value}.toBytes()`;
  const read = `${value}.to${readerName(type)}`;
  if (!struct) return `${read}()`;
  if (type.kind === "tuple")
    return call({ kind: "generic", name: "changetype", argument: struct.className }, [`${read}()`]);
  return call({ kind: "generic", name: read, argument: struct.className }, []);
}

/** The same for an output of a call, for which graph-cli forgets the class of a list of lists of structs. */
export function decodeOutput(value: string, output: BoundParameter): Doc {
  const isMatrix = output.struct !== undefined && arrayDepth(output.type) === 2;
  return isMatrix ? `${value}.toTupleMatrix<>()` : decode(value, output);
}

/** The expression that converts a variable to an `ethereum.Value`. */
export function encode(variable: string, type: SolidityType): Doc {
  const element = elementType(type);
  if (type.kind === "int" && fitsI32(type) && !type.signed) {
    return call("ethereum.Value.fromUnsignedBigInt", [call("BigInt.fromI32", [variable])]);
  }
  return call(`ethereum.Value.from${encoder(element)}${dimension(type)}`, [variable]);
}

/** The part after `to` in the name of `ethereum.Value`'s reader for a type: `AddressArray`, `BigInt`. */
export function readerName(type: SolidityType): string {
  return decoder(elementType(type)) + dimension(type);
}

function dimension(type: SolidityType): string {
  return present(dimensions[arrayDepth(type)], "a list has more than two dimensions");
}

function decoder(type: SolidityType): string {
  switch (type.kind) {
    case "address":
      return "Address";
    case "bool":
      return "Boolean";
    case "bytes":
    case "fixedBytes":
      return "Bytes";
    case "int":
      return fitsI32(type) ? "I32" : "BigInt";
    case "string":
      return "String";
    case "tuple":
      return "Tuple";
    default:
      throw new InternalError(`no reader for a value of kind ${type.kind}`);
  }
}

/**
 * The part after `from` in the name of the writer for a single value: the same as the reader's, except where
 * graph-node needs the signedness or size.
 */
export function encoder(type: SolidityType): string {
  if (type.kind === "fixedBytes") return "FixedBytes";
  if (type.kind === "int" && !fitsI32(type)) return type.signed ? "SignedBigInt" : "UnsignedBigInt";
  return decoder(type);
}
