import type { AbiEvent, AbiFunction } from "./abi.js";
import { isCallable } from "./bind-abi.js";
import {
  arrayDepth,
  canonicalType,
  elementType,
  isHashedWhenIndexed,
  type Parameter,
} from "./solidity-type.js";

type Entry = AbiEvent | AbiFunction;

/** Why an entry has no binding, regardless of other entries; `undefined` if it has one. */
export function unbindable(entry: Entry): string | undefined {
  for (const reason of reasons) {
    const found = reason(entry);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Checks the name first: a name that is not an identifier suggests that the file is not an ABI. */
const reasons: readonly ((entry: Entry) => string | undefined)[] = [
  ({ name }) => (isIdentifier(name) ? undefined : `"${name}" is not an identifier`),
  (entry) => firstOf(parametersOf(entry), unsupportedType),
  (entry) => firstOf(parametersOf(entry), tooDeep),
  (entry) =>
    entry.kind === "function" && isCallable(entry) ? firstOf(entry.outputs, listOfLists) : undefined,
];

/** Whether generated code can use this identifier. */
export function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name);
}

function unsupportedType(parameter: Parameter): string | undefined {
  const { type } = parameter;
  const element = elementType(type);
  if (element.kind === "tuple") return firstOf(element.components, unsupportedType);
  return element.kind === "unsupported"
    ? `${described(parameter)} has no binding in AssemblyScript`
    : undefined;
}

function tooDeep(parameter: Parameter): string | undefined {
  const { type, indexed } = parameter;
  // Only the hash of such a parameter is decoded.
  if (indexed && isHashedWhenIndexed(type)) return undefined;
  if (arrayDepth(type) > 2) return `${described(parameter)} has more than two dimensions`;
  const element = elementType(type);
  return element.kind === "tuple" ? firstOf(element.components, tooDeep) : undefined;
}

// graph-cli's code for it has a syntax error, which breaks the whole file.
function listOfLists({ type }: Parameter): string | undefined {
  if (elementType(type).kind !== "tuple" || arrayDepth(type) < 2) return undefined;
  return "a list of lists of structs cannot be the result of a call";
}

function described({ name, type }: Parameter): string {
  return `the type ${canonicalType(type)}${name === "" ? "" : ` of "${name}"`}`;
}

function parametersOf(entry: Entry): readonly Parameter[] {
  return entry.kind === "event" ? entry.inputs : [...entry.inputs, ...entry.outputs];
}

function firstOf(
  parameters: readonly Parameter[],
  reason: (parameter: Parameter) => string | undefined,
): string | undefined {
  return parameters.map(reason).find((found) => found !== undefined);
}
