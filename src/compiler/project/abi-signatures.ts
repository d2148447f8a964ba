import { isCallFunction, type RawEntry, type RawParameter } from "./abi-entries.js";

/** `Transfer(indexed address,indexed address,uint256)`: an event's text in a manifest. */
export function eventSignature({ name, inputs = [] }: RawEntry): string {
  return `${name}(${inputs.map(parameterText).join(",")})`;
}

/** An ABI's events as written in a manifest, in order. */
export function eventSignatures(entries: readonly RawEntry[]): readonly string[] {
  return entries.filter(({ type }) => type === "event").map(eventSignature);
}

/** The functions that a call handler can listen to, as written in a manifest, in order. */
export function callSignatures(entries: readonly RawEntry[]): readonly string[] {
  return entries
    .filter((entry) => isCallFunction(entry) && entry.type !== "constructor")
    .map((entry) => {
      // The fallback function has no name.
      const name = entry.name || "<default>";
      return `${name}(${(entry.inputs ?? []).map(parameterText).join(",")})`;
    });
}

/** `balanceOf(address):(uint256)`: the signature that a binding passes to graph-node. */
export function functionSignature({ name, inputs = [], outputs = [] }: RawEntry): string {
  const results = outputs.map(parameterText).join(",");
  return `${name}(${inputs.map(parameterText).join(",")})${results === "" ? "" : `:(${results})`}`;
}

/** Types as in the ABI, except that structs in up to two dimensions are expanded. */
function parameterText({ type, indexed, components = [] }: RawParameter): string {
  const prefix = indexed ? "indexed " : "";
  const dimensions = /^tuple((?:\[\d*\]){0,2})$/.exec(type)?.[1];
  if (dimensions === undefined) return prefix + type;
  return `(${prefix}${components.map(parameterText).join(",")})${dimensions}`;
}
