import { quote } from "../../base/text/quote.js";
import type { Abi, AbiEvent, AbiFunction, Mutability } from "../abi/abi.js";
import { type Parameter, parseSolidityType, type SolidityType } from "../abi/solidity-type.js";
import type { Report } from "../diagnostics/report.js";
import type { LoadedAbi } from "../load/loaded-project.js";
import type { Location } from "../source/source.js";
import type { TreePath } from "../source/tree.js";

/** Limit of nested structs and arrays in a parameter; the compiler's own limit is lower. */
const maxTypeDepth = 64;

type JsonObject = Readonly<Record<string, unknown>>;

interface Entry {
  readonly json: JsonObject;
  readonly index: number;
  locate(path?: TreePath): Location;
  /** Reports the entry, at most once. `problem` follows its description, and `path` leads to the wrong value. */
  refuse(problem: string, path?: TreePath): undefined;
}

/** Kinds of entries that subgraphs do not use. */
const ignored = new Set(["constructor", "fallback", "receive", "error"]);
const identifier = /^[A-Za-z_$][\w$]*$/;

/** Parses the events and functions of an ABI. Reports invalid entries. */
export function parseAbi(loaded: LoadedAbi, report: Report): Abi {
  const events: AbiEvent[] = [];
  const functions: AbiFunction[] = [];
  const untyped: AbiEvent[] = [];
  for (const [index, json] of loaded.entries.entries()) {
    const entry = openEntry(json, index, loaded, report);
    if (!entry) continue;
    const kind = kindOf(entry.json);
    if (kind === "event") {
      const event = readEvent(entry);
      pushIfRead(events, event);
      if (entry.json.type === undefined) pushIfRead(untyped, event);
    } else if (kind === "function") pushIfRead(functions, readFunction(entry));
    else if (typeof kind !== "string") entry.refuse("has a type that is not a string", ["type"]);
    else if (!ignored.has(kind)) entry.refuse(`has the unknown type ${quote(kind)}`, ["type"]);
  }
  reportUntyped(untyped, report);
  return { events, functions };
}

/**
 * The kind of an entry. Early compilers omit the type of functions; only events have `anonymous` or indexed
 * inputs.
 */
function kindOf({ type, anonymous, inputs }: JsonObject): unknown {
  if (type !== undefined) return type;
  const parameters: readonly unknown[] = Array.isArray(inputs) ? inputs : [];
  const isIndexed = (parameter: unknown): boolean =>
    typeof parameter === "object" && parameter !== null && Object.hasOwn(parameter, "indexed");
  return anonymous !== undefined || parameters.some(isIndexed) ? "event" : "function";
}

function reportUntyped([first, ...others]: readonly AbiEvent[], report: Report): void {
  if (!first) return;
  const message = `entry ${first.index + 1} of this ABI has no type: graphloom reads it as an event`;
  report.note("abi-entry-type", first.locate(), message, {
    label: "it has properties that only events have",
    notes: others.length > 0 ? [`the same applies to ${others.length} more`] : [],
    hint: 'add "type": "event"',
  });
}

function pushIfRead<T>(list: T[], entry: T | undefined): void {
  if (entry !== undefined) list.push(entry);
}

function openEntry(json: unknown, index: number, loaded: LoadedAbi, report: Report): Entry | undefined {
  let isRefused = false;
  const locate = (path: TreePath = ["name"]): Location => loaded.locateEntry(index, path);
  const refuse = (problem: string, path: TreePath = []): undefined => {
    if (!isRefused) {
      report.error("abi-entry", locate(path), `entry ${index + 1} of this ABI ${problem}`, {
        label: labelOf(path),
        hint: "copy the ABI from the compiler's output again",
      });
    }
    isRefused = true;
  };
  if (typeof json !== "object" || json === null || Array.isArray(json)) return refuse("is not an object");
  return { json: json as JsonObject, index, locate, refuse };
}

function labelOf(path: TreePath): string {
  const last = path.at(-1);
  if (last === undefined) return "this entry";
  return typeof last === "number" ? "this parameter" : `its ${quote(last)}`;
}

function readEvent(entry: Entry): AbiEvent | undefined {
  const name = readName(entry, "an event");
  const inputs = readParameters(entry, "inputs", true);
  if (name === undefined || !inputs) return undefined;
  const { index, locate } = entry;
  return { kind: "event", name, inputs, anonymous: entry.json.anonymous === true, index, locate };
}

function readFunction(entry: Entry): AbiFunction | undefined {
  const name = readName(entry, "a function");
  const inputs = readParameters(entry, "inputs", false);
  const outputs = readParameters(entry, "outputs", false);
  const mutability = readMutability(entry);
  if (name === undefined || !inputs || !outputs || !mutability) return undefined;
  const { index, locate } = entry;
  const isSaid = entry.json.stateMutability !== undefined || entry.json.constant !== undefined;
  return {
    kind: "function",
    name,
    inputs,
    outputs,
    mutability,
    ...(!isSaid && { isMutabilityAssumed: true as const }),
    index,
    locate,
  };
}

function readName({ json, refuse }: Entry, what: string): string | undefined {
  const { name } = json;
  if (typeof name !== "string" || name === "") return refuse(`is ${what} without a name`);
  if (!identifier.test(name))
    return refuse(`is ${what} with the name ${quote(name)}, which Solidity does not allow`, ["name"]);
  return name;
}

const mutabilities: readonly unknown[] = ["view", "pure", "nonpayable", "payable"] satisfies Mutability[];

/** Compilers before 0.4.16 emit `constant` and `payable` instead of `stateMutability`. */
function readMutability({ json, refuse }: Entry): Mutability | undefined {
  const { stateMutability } = json;
  if (mutabilities.includes(stateMutability)) return stateMutability as Mutability;
  if (stateMutability !== undefined)
    return refuse('has a "stateMutability" other than view, pure, nonpayable or payable', [
      "stateMutability",
    ]);
  if (json.constant === true) return "view";
  return json.payable === true ? "payable" : "nonpayable";
}

function readParameters(
  entry: Entry,
  list: "inputs" | "outputs",
  isEvent: boolean,
): readonly Parameter[] | undefined {
  const values = entry.json[list] ?? [];
  if (!Array.isArray(values)) return entry.refuse(`has ${quote(list)} that are not a list`, [list]);
  return readAll(entry, values, isEvent, [list]);
}

function readAll(
  entry: Entry,
  values: readonly unknown[],
  isEvent: boolean,
  path: TreePath,
): Parameter[] | undefined {
  // Each level adds the key of a list and an index.
  if ((path.length - 1) / 2 > maxTypeDepth)
    return entry.refuse(`nests structs deeper than ${maxTypeDepth} levels`);
  const parameters: Parameter[] = [];
  for (const [position, value] of values.entries()) {
    const parameter = readParameter(entry, value, isEvent, [...path, position]);
    if (!parameter) return undefined;
    parameters.push(parameter);
  }
  return parameters;
}

function readParameter(
  entry: Entry,
  value: unknown,
  isEvent: boolean,
  path: TreePath,
): Parameter | undefined {
  if (typeof value !== "object" || value === null)
    return entry.refuse("has a parameter that is not an object", path);
  const { name = "", indexed } = value as JsonObject;
  if (typeof name !== "string")
    return entry.refuse("has a parameter whose name is not a string", [...path, "name"]);
  if (name !== "" && !identifier.test(name)) {
    const problem = `has a parameter named ${quote(name)}, which Solidity does not allow`;
    return entry.refuse(problem, [...path, "name"]);
  }
  const type = readType(entry, value as JsonObject, path);
  return type && { name, type, indexed: isEvent && indexed === true };
}

function readType(entry: Entry, value: JsonObject, path: TreePath): SolidityType | undefined {
  const { type, components } = value;
  const place = [...path, "type"];
  if (typeof type !== "string" || type === "") return entry.refuse("has a parameter without a type", path);
  // Checked before parsing, which recurses one level per dimension.
  if (type.split("[").length > maxTypeDepth)
    return entry.refuse(`has an array of more than ${maxTypeDepth - 1} dimensions`, place);
  if (!/^tuple(\[|$)/.test(type)) return parseSolidityType(type);
  if (!Array.isArray(components)) return entry.refuse('has a struct without "components"', path);
  const parts = readAll(entry, components, false, [...path, "components"]);
  return parts && parseSolidityType(type, parts);
}
