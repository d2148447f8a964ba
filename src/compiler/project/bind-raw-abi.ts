import type { AbiEvent, AbiFunction } from "../abi/abi.js";
import { bindEntries } from "../abi/bind-abi.js";
import type { BoundAbi } from "../abi/bound-abi.js";
import { currentRules, type GraphCliRules } from "../abi/graph-cli-rules.js";
import { type Parameter, parseSolidityType } from "../abi/solidity-type.js";
import { isIdentifier } from "../abi/unbindable.js";
import type { Location } from "../source/source.js";
import {
  callName,
  isCallableFunction,
  isCallFunction,
  type RawEntry,
  type RawParameter,
} from "./abi-entries.js";
import { functionSignature } from "./abi-signatures.js";

/** Why an entry has no binding. graph-cli then generates none for the whole file. */
export interface EntryFault {
  /** Path from the entry to the faulty value. */
  readonly path: readonly (string | number)[];
  readonly entry: RawEntry;
  readonly reason: string;
}

/**
 * The class name of an ABI, also used as the name of its generated file and in `bind()`.
 * @param name its name in the manifest
 */
export function abiClassName(name: string, { cleanNames } = currentRules): string {
  // Other texts cannot name a class, and do not have to name a file.
  if (!cleanNames && /^[\w$]+$/.test(name)) return name;
  return name.replace(/[!@#$%^&*()_+\-=[\]{};':"\\|,.<>/?]+/g, "_");
}

/** The reasons why graph-cli generates no binding for an ABI, at most one per entry. */
export function faultsOf(entries: readonly RawEntry[]): readonly EntryFault[] {
  return entries.flatMap((entry) => faultOf(entry) ?? []);
}

/**
 * The binding of an ABI as graph-cli generates it, even if it does not compile.
 * @param entries entries without faults
 * @param locate returns the location of an entry, for diagnostics
 */
export function bindRawAbi(
  className: string,
  entries: readonly RawEntry[],
  locate: (entry: RawEntry) => Location,
  rules: GraphCliRules = currentRules,
): BoundAbi {
  const callable = entries.filter(isCallableFunction);
  const bindable = {
    events: entries.filter(({ type }) => type === "event").map((entry) => eventOf(entry, locate)),
    callable: callable.map((entry) => functionOf(entry, locate)),
    listenable: entries.filter(isCallFunction).map((entry) => functionOf(entry, locate)),
  };
  const bound = bindEntries(className, bindable, rules);
  const methods = bound.methods.map((method, at) => {
    const entry = callable[at];
    return entry ? { ...method, signature: functionSignature(entry) } : method;
  });
  return { ...bound, methods };
}

function eventOf(entry: RawEntry, locate: (entry: RawEntry) => Location): AbiEvent {
  return {
    kind: "event",
    name: entry.name,
    inputs: eventInputsOf(entry.inputs),
    anonymous: false,
    index: entry.index,
    locate: () => locate(entry),
  };
}

function functionOf(entry: RawEntry, locate: (entry: RawEntry) => Location): AbiFunction {
  return {
    kind: "function",
    name: callName(entry),
    mutability: "nonpayable",
    inputs: parametersOf(entry.inputs),
    outputs: parametersOf(entry.outputs),
    index: entry.index,
    locate: () => locate(entry),
  };
}

function eventInputsOf(list: readonly RawParameter[] = []): readonly Parameter[] {
  return list.map((parameter) => ({ ...parameterOf(parameter), indexed: parameter.indexed }));
}

function parametersOf(list: readonly RawParameter[] = []): readonly Parameter[] {
  return list.map(parameterOf);
}

/** Only event inputs are indexed, even if an ABI marks others. */
function parameterOf({ name, type, components }: RawParameter): Parameter {
  return { name, type: parseSolidityType(type, parametersOf(components)), indexed: false };
}

function faultOf(entry: RawEntry): EntryFault | undefined {
  const isEvent = entry.type === "event";
  if (!isEvent && !isCallableFunction(entry) && !isCallFunction(entry)) return undefined;
  const fault = (path: EntryFault["path"], reason: string): EntryFault => ({ entry, path, reason });
  if (!isIdentifier(isEvent || entry.type === "function" ? entry.name : callName(entry)))
    return fault(["name"], `the name "${entry.name}" is not an identifier`);
  if (isEvent && entry.inputs === undefined) return fault([], "an event needs a list of inputs");
  return (
    parameterFault(entry.inputs, ["inputs"], fault, isEvent) ??
    (isEvent ? undefined : parameterFault(entry.outputs, ["outputs"], fault, false))
  );
}

const convertible =
  /^(?:address|bool|byte|string|tuple|bytes(?:[1-9]|[12]\d|3[0-2])?|u?int(?:8|16|24|32|40|48|56|64|72|80|88|96|104|112|120|128|136|144|152|160|168|176|184|192|200|208|216|224|232|240|248|256))(?:\[\d*\]){0,2}$/;

/** Only the hash of such a value is logged. */
const hashed = /^(?:string|bytes|tuple|.*\[\d*\])$/s;

function parameterFault(
  list: readonly RawParameter[] = [],
  path: readonly (string | number)[],
  fault: (path: EntryFault["path"], reason: string) => EntryFault,
  isOfEvent: boolean,
): EntryFault | undefined {
  for (const [at, { type, indexed, components }] of list.entries()) {
    if (isOfEvent && indexed && hashed.test(type)) continue;
    if (!convertible.test(type))
      return fault([...path, at, "type"], `the type "${type}" has no counterpart in AssemblyScript`);
    if (!type.startsWith("tuple")) continue;
    if (components === undefined) return fault([...path, at], "a struct needs its components");
    const inner = parameterFault(components, [...path, at, "components"], fault, false);
    if (inner) return inner;
  }
  return undefined;
}
