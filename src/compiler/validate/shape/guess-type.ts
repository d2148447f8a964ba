import type { Abi, AbiEvent, AbiFunction } from "../../abi/abi.js";
import { canonicalType, isHashedWhenIndexed } from "../../abi/solidity-type.js";

/** The certain type of an expression that only reads a value. */
export interface KnownValue {
  /** The type of a field for it. */
  readonly type: string;
  /** The suffix that the expression needs so that its value is stored as that type. */
  readonly suffix: string;
}

const text = ".toHexString()";

/** Values of every event and call. */
const common: Readonly<Record<string, string>> = {
  "block.number": "uint256",
  "block.timestamp": "uint256",
  "block.hash": "bytes32",
  "transaction.hash": "bytes32",
  "transaction.from": "address",
  "transaction.value": "uint256",
  "transaction.gasPrice": "uint256",
  logIndex: "uint256",
  address: "address",
};

/**
 * The type of an expression that reads one parameter, or a value of the block or the transaction.
 * @param signature the handler's key
 * @param abi the instance's ABI
 */
export function knownValue(
  expression: string,
  signature: string,
  abi: Abi | undefined,
): KnownValue | undefined {
  const [, kind = "", path = "", converted] =
    /^\s*(event|call)\.([\w.]+?)(\.toHexString\(\))?\s*$/.exec(expression) ?? [];
  const type = Object.hasOwn(common, path) ? common[path] : parameterType(kind, path, signature, abi);
  if (type === undefined) return undefined;
  if (type !== "address")
    return converted === undefined ? { type, suffix: "" } : { type: "string", suffix: "" };
  return { type, suffix: converted === undefined ? text : "" };
}

/** Entries with the same name may declare a parameter differently. Its type is known only if they agree. */
function parameterType(kind: string, path: string, signature: string, abi?: Abi): string | undefined {
  const [list = "", parameter, ...more] = path.split(".");
  const name = /^\s*(?:(?:event|function)\s+)?([A-Za-z_$][\w$]*)/.exec(signature)?.[1];
  if (!abi || parameter === undefined || more.length > 0) return undefined;
  const entries: readonly (AbiEvent | AbiFunction)[] = kind === "event" ? abi.events : abi.functions;
  const types = entries
    .filter((entry) => entry.name === name)
    .flatMap((entry) => listOf(entry, list))
    .filter((one) => one.name === parameter)
    .map((one) => (one.indexed && isHashedWhenIndexed(one.type) ? "bytes32" : canonicalType(one.type)));
  const [type, ...others] = new Set(types);
  return type !== undefined && others.length === 0 && !type.includes("(") ? type : undefined;
}

function listOf(entry: AbiEvent | AbiFunction, list: string): AbiEvent["inputs"] {
  if (list === (entry.kind === "event" ? "params" : "inputs")) return entry.inputs;
  return entry.kind === "function" && list === "outputs" ? entry.outputs : [];
}
