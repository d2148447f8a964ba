import type { ParamType } from "ethers/abi";
import { scalarKind } from "../../runtime/abi/scalar-kind.js";
import type { EthereumValue } from "../../runtime/values.js";
import type { JsonTree } from "../../runtime/wasm/json.js";
import { JsonTestError } from "./json-test.js";

/**
 * The value of a parameter in a test. As in gnd, an integer need not fit its type, only 256 bits.
 * @param where the description of the value, for error messages
 * @throws JsonTestError
 */
export function readValue(type: ParamType, tree: JsonTree, where: string): EthereumValue {
  if (type.isArray()) return readList(type, tree, where);
  if (type.isTuple()) return { kind: "tuple", value: readTuple(type.components, tree, where) };
  const kind = scalarKind(type);
  switch (kind) {
    case "uint":
    case "int":
      return { kind, value: readInteger(tree, kind, where) };
    case "bool":
      if (tree.kind !== "bool") throw wrong(where, "true or false, without quotes");
      return { kind, value: tree.value };
    case "address":
      return { kind, value: readAddress(requireString(tree, where), where) };
    case "string":
      return { kind, value: requireString(tree, where) };
    default: {
      const value = readHex(requireString(tree, where), where);
      const most = kind === "fixedBytes" ? Number(type.baseType.replace(/^\D+/, "")) : Infinity;
      if (value.length / 2 - 1 > most) throw wrong(where, `at most ${most} bytes of hex`);
      return { kind, value } as EthereumValue;
    }
  }
}

function readList(type: ParamType, tree: JsonTree, where: string): EthereumValue {
  const { arrayLength, arrayChildren } = type;
  if (tree.kind !== "array" || !arrayChildren) throw wrong(where, "a list");
  const isFixed = arrayLength !== null && arrayLength !== -1;
  if (isFixed && tree.value.length !== arrayLength) throw wrong(where, `a list of ${arrayLength} items`);
  const value = tree.value.map((item, index) => readValue(arrayChildren, item, `${where}[${index}]`));
  return { kind: isFixed ? "fixedArray" : "array", value };
}

/** The members are in the order of the type. */
function readTuple(
  types: readonly ParamType[] | null,
  tree: JsonTree,
  where: string,
): readonly EthereumValue[] {
  if (tree.kind !== "array" || tree.value.length !== types?.length) {
    throw wrong(where, `a list of ${types?.length ?? 0} values, one for each member of the struct`);
  }
  return types.map((type, index) => readValue(type, tree.value[index] as JsonTree, `${where}[${index}]`));
}

const largest = 2n ** 256n;

function readInteger(tree: JsonTree, kind: "int" | "uint", where: string): bigint {
  // As in gnd, digits may be grouped by underscores.
  const digits = tree.kind === "number" || tree.kind === "string" ? tree.value.replaceAll("_", "") : "";
  const [, sign, rest] = /^(-?)(0x[0-9a-fA-F]+|[0-9]+)$/.exec(digits) ?? [];
  if (rest === undefined || (sign === "-" && kind === "uint")) {
    throw wrong(where, kind === "uint" ? "a whole number that is not negative" : "a whole number");
  }
  const value = BigInt(rest);
  if (value >= largest) throw wrong(where, "a number of at most 256 bits");
  if (tree.kind === "number" && value >= 2n ** 64n) throw wrong(where, "in quotes, because it is so large");
  return kind === "uint" ? value : BigInt.asIntN(256, sign === "-" ? -value : value);
}

function requireString(tree: JsonTree, where: string): string {
  if (tree.kind !== "string") throw wrong(where, "a string");
  return tree.value;
}

/** An address with or without `0x`, in lower case. @throws JsonTestError */
export function readAddress(text: string, where: string): string {
  return readFixedHex(text, 20, where);
}

/** A hash with or without `0x`, in lower case. @throws JsonTestError */
export function readHash(text: string, where: string): string {
  return readFixedHex(text, 32, where);
}

function readFixedHex(text: string, bytes: number, where: string): string {
  const digits = text.replace(/^0x/, "");
  if (digits.length !== bytes * 2 || !/^[0-9a-fA-F]*$/.test(digits)) {
    throw wrong(where, `0x and ${bytes * 2} hex digits`);
  }
  return `0x${digits.toLowerCase()}`;
}

function readHex(text: string, where: string): string {
  const digits = text.replace(/^0x/, "");
  if (digits.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(digits))
    throw wrong(where, "hex digits, two for each byte");
  return `0x${digits.toLowerCase()}`;
}

function wrong(where: string, wanted: string): JsonTestError {
  return new JsonTestError(`${where} must be ${wanted}.`);
}
