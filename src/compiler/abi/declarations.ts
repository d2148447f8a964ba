import type { Abi, AbiEvent, AbiFunction } from "./abi.js";
import { bindAbi } from "./bind-abi.js";
import type { BoundCall, BoundEvent, BoundMethod, BoundParameter } from "./bound-abi.js";
import { escapeReserved } from "./reserved-words.js";

/** A name that must be unique in the file or in the contract class. */
export interface Declaration {
  readonly kind: "class" | "method";
  readonly name: string;
  /** The parameter from which the name is derived; only for struct classes. */
  readonly from?: ParameterPlace;
}

/** The place of a parameter or component within its entry. */
export interface ParameterPlace {
  readonly list: "inputs" | "outputs";
  /** Index in the list, then in the components of each struct. */
  readonly path: readonly number[];
  readonly name: string;
}

/**
 * The declarations of an entry's binding.
 * @param earlier the preceding entries, which determine its overload number
 */
export function declarationsOf(
  className: string,
  entry: AbiEvent | AbiFunction,
  earlier: Abi,
): readonly Declaration[] {
  const name = escapeReserved(entry.name);
  const sameName = <E extends AbiEvent | AbiFunction>(entries: readonly E[]) =>
    entries.filter((other) => escapeReserved(other.name) === name);
  if (entry.kind === "event") {
    const events = [...sameName(earlier.events), entry];
    return eventDeclarations(bindAbi(className, { events, functions: [] }).events.at(-1));
  }
  const functions = [...sameName(earlier.functions), entry];
  const { methods, calls } = bindAbi(className, { events: [], functions });
  return [
    ...methodDeclarations(methods.find(({ fn }) => fn === entry)),
    ...callDeclarations(calls.find(({ fn }) => fn === entry)),
  ];
}

function eventDeclarations(event: BoundEvent | undefined): Declaration[] {
  if (!event) return [];
  return [...classes(event.className, event.paramsClass), ...structs(event.params, "inputs")];
}

function methodDeclarations(method: BoundMethod | undefined): Declaration[] {
  if (!method) return [];
  return [
    { kind: "method", name: method.name },
    { kind: "method", name: method.tryName },
    ...(method.resultClass === undefined ? [] : classes(method.resultClass)),
    ...structs(method.inputs, "inputs"),
    ...structs(method.outputs, "outputs"),
  ];
}

function callDeclarations(call: BoundCall | undefined): Declaration[] {
  if (!call) return [];
  const { className } = call;
  return [
    ...classes(className, `${className}__Inputs`, `${className}__Outputs`),
    ...structs(call.inputs, "inputs"),
    ...structs(call.outputs, "outputs"),
  ];
}

function classes(...names: readonly string[]): Declaration[] {
  return names.map((name) => ({ kind: "class", name }));
}

function structs(
  parameters: readonly BoundParameter[],
  list: "inputs" | "outputs",
  above: readonly number[] = [],
): Declaration[] {
  return parameters.flatMap(({ name, struct }, at) => {
    if (!struct) return [];
    const path = [...above, at];
    const own: Declaration = { kind: "class", name: struct.className, from: { list, path, name } };
    return [own, ...structs(struct.components, list, path)];
  });
}
