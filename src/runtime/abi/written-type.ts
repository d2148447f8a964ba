import { ParamType } from "ethers/abi";
import type { EthereumValue } from "../values.js";

/** ethers does not know the type `function`. It is parsed as `bytes24` with this name; written types have no names. */
const functionName = "callback";

/**
 * Parses a type. As graph-node, it takes no names and no lists without items, and spaces only inside parentheses, before
 * and after all types, and after commas.
 * @throws Error for another type
 */
export function parseType(type: string): ParamType {
  const dense = type
    .replace(/([(,])[ \t]+/g, "$1")
    .replace(/[ \t]+\)?/g, (spaces) => (spaces.endsWith(")") ? ")" : spaces));
  if (!/^(?:[a-z\d(),]|\[0*[1-9]\d*\]|\[\])+$/.test(dense) || /[)\]][a-z\d]/.test(dense))
    throw new Error("not the form of a type");
  return ParamType.from(dense.replace(/\bfunction\b((?:\[\d*\])*)/g, `bytes24$1 ${functionName}`));
}

/** Gives values of the type `function` their kind. */
export function withFunctions(type: ParamType, value: EthereumValue | undefined): EthereumValue | undefined {
  return value && marked(type, value, false);
}

/** @param inList whether the type belongs to the items of a list of functions */
function marked(type: ParamType, value: EthereumValue, inList: boolean): EthereumValue {
  const isFunction = inList || type.name === functionName;
  if (value.kind === "fixedBytes") return isFunction ? { kind: "function", value: value.value } : value;
  if (value.kind !== "tuple" && value.kind !== "array" && value.kind !== "fixedArray") return value;
  const items = value.value.map((item, index) => {
    const part = type.isArray() ? type.arrayChildren : type.components?.[index];
    return part ? marked(part, item, isFunction) : item;
  });
  return { kind: value.kind, value: items };
}

/** Whether values of a type have no data, such as `()` and `()[3]`. graph-node decodes them without items. */
export function isEmptyType(type: ParamType): boolean {
  if (type.isTuple()) return type.components.every(isEmptyType);
  return type.isArray() && isEmptyType(type.arrayChildren);
}

/** How often graph-node follows an offset or enters a sequence within another. */
const greatestDepth = 16;

/** Whether a value is nested deeper than graph-node decodes. A list counts twice, or once if it is empty. */
export function isTooDeep(value: EthereumValue, depth = 0): boolean {
  switch (value.kind) {
    case "string":
    case "bytes":
      return depth + 1 > greatestDepth;
    case "tuple":
    case "fixedArray":
      return depth + 1 > greatestDepth || value.value.some((item) => isTooDeep(item, depth + 1));
    case "array":
      if (value.value.length === 0) return depth + 1 > greatestDepth;
      return depth + 2 > greatestDepth || value.value.some((item) => isTooDeep(item, depth + 2));
    default:
      return false;
  }
}
