import { DeterministicError } from "../../errors.js";
import { parseInteger } from "../../numbers/big-int.js";
import { integerFault, invalidDigit, misfit } from "../../numbers/parse-faults.js";
import type { Heap } from "../heap.js";
import { parseJsonTree } from "../json.js";
import { writeJson, writeYaml } from "../tree-in-heap.js";
import { TypeId } from "../type-id.js";
import type { HostFunctions } from "../webassembly.js";
import { parseYamlTree } from "../yaml.js";
import type { HostSession } from "./session.js";

const greatestSize = 10_000_000;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Host functions for JSON and YAML. */
export function textFunctions(session: HostSession): HostFunctions {
  return {
    "json.fromBytes": (bytes = 0) =>
      writeJson(session.heap, parseJsonTree(read(session.heap, bytes, "JSON"))),
    "json.try_fromBytes": (bytes = 0) => {
      const { heap } = session;
      const value = attempt(() => parseJsonTree(read(heap, bytes, "JSON")));
      const result = value === undefined ? undefined : writeJson(heap, value);
      return writeResult(heap, result, TypeId.WrappedJsonValue, TypeId.ResultJson);
    },
    "json.toI64": (text = 0) =>
      machineInteger(session.heap.readString(text), /^[+-]?\d+$/, BigInt.asIntN, "i64"),
    "json.toU64": (text = 0) =>
      machineInteger(session.heap.readString(text), /^\+?\d+$/, BigInt.asUintN, "u64"),
    "json.toF64": (text = 0) => float(session.heap.readString(text)),
    "json.toBigInt": (text = 0) =>
      session.heap.bigInt(
        parseInteger(
          session.heap.readString(text),
          (given, fault) => `JSON \`${given}\` is not a decimal string: ${fault}`,
        ),
      ),
    "yaml.fromBytes": (bytes = 0) =>
      writeYaml(session.heap, parseYamlTree(read(session.heap, bytes, "YAML"))),
    "yaml.try_fromBytes": (bytes = 0) => {
      const { heap } = session;
      const value = attempt(() => parseYamlTree(read(heap, bytes, "YAML")));
      const result = value === undefined ? undefined : writeYaml(heap, value);
      return writeResult(heap, result, TypeId.WrappedYaml, TypeId.ResultYaml);
    },
  };
}

function read(heap: Heap, at: number, format: string): string {
  const bytes = heap.readBytes(at);
  if (bytes.length > greatestSize) {
    throw new DeterministicError(`${format} size exceeds max size of ${greatestSize}`);
  }
  try {
    return utf8.decode(bytes);
  } catch {
    throw new DeterministicError(`the ${format} is not valid UTF-8`);
  }
}

/** `undefined` when the task fails because of the text. */
function attempt<T>(task: () => T): T | undefined {
  try {
    return task();
  } catch (error) {
    if (error instanceof DeterministicError) return undefined;
    throw error;
  }
}

/** Writes a `Result`: the value, or `true` as the error. */
function writeResult(heap: Heap, value: number | undefined, wrapped: number, result: number): number {
  if (value === undefined) return heap.struct(result, [0, heap.wrappedBool(true)]);
  return heap.struct(result, [heap.struct(wrapped, [value]), 0]);
}

function machineInteger(
  text: string,
  grammar: RegExp,
  cut: (bits: number, value: bigint) => bigint,
  type: string,
): bigint {
  const value = grammar.test(text) ? BigInt(text.replace(/^\+/, "")) : undefined;
  if (value === undefined || cut(64, value) !== value) {
    const fault = value === undefined ? unreadable(text) : misfit(value < 0n);
    throw new DeterministicError(`JSON \`${text}\` cannot be parsed as ${type}: ${fault}`);
  }
  return value;
}

/** A sign is not a digit if the type has no sign. */
const unreadable = (text: string): string => integerFault(text) ?? invalidDigit;

function float(text: string): number {
  const [, sign = "", word = ""] = /^([+-]?)(inf|infinity|nan)$/i.exec(text) ?? [];
  const factor = sign === "-" ? -1 : 1;
  if (word !== "") return word.toLowerCase() === "nan" ? Number.NaN : factor * Number.POSITIVE_INFINITY;
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) {
    const fault = text === "" ? "cannot parse float from empty string" : "invalid float literal";
    throw new DeterministicError(`JSON \`${text}\` cannot be parsed as f64: ${fault}`);
  }
  return Number(text);
}
