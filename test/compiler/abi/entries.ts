import type { JsonEntry, JsonParameter } from "./abi-of.js";

/** A parameter: a short string such as `indexed address from` or `uint256[]`, or a struct. */
type Written = string | JsonParameter;

/** An event of an ABI file. */
export function event(name: string, ...inputs: readonly Written[]): JsonEntry {
  return { type: "event", name, inputs: inputs.map(parameter) };
}

/** A function of an ABI file. */
export function fn(
  name: string,
  stateMutability: string,
  inputs: readonly Written[] = [],
  outputs: readonly Written[] = [],
): JsonEntry {
  return {
    type: "function",
    name,
    stateMutability,
    inputs: inputs.map(parameter),
    outputs: outputs.map(parameter),
  };
}

/** A struct, or with `dimensions` such as `[]` a list of them. */
export function struct(name: string, components: readonly Written[], dimensions = ""): JsonParameter {
  return { name, type: `tuple${dimensions}`, components: components.map(parameter) };
}

function parameter(written: Written): JsonParameter {
  if (typeof written !== "string") return written;
  const words = written.split(" ");
  const indexed = words[0] === "indexed";
  const [type = "", name = ""] = indexed ? words.slice(1) : words;
  return indexed ? { name, type, indexed } : { name, type };
}
