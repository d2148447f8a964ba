import type { Abi, AbiEvent, AbiFunction } from "./abi.js";
import { type Declaration, declarationsOf, type ParameterPlace } from "./declarations.js";
import { unusableClassNames, unusableMethodNames } from "./reserved-words.js";
import { withSafeParameters } from "./safe-parameters.js";
import type { Parameter, SolidityType } from "./solidity-type.js";
import { unbindable } from "./unbindable.js";

/** A contract interface all of which has a binding, and what had to be left out for that. */
export interface BindableAbi {
  /** Entries that needed no change are the objects that were given. */
  readonly abi: Abi;
  readonly rejected: readonly RejectedEntry[];
}

export interface RejectedEntry {
  /** As it was given. */
  readonly entry: AbiEvent | AbiFunction;
  /** In a user's words: lower case, no full stop. */
  readonly reason: string;
}

/**
 * Changes names of parameters that would break the generated code, and leaves out the entries that no such change
 * can save. Of two entries that clash, the later one is left out.
 * @param className the contract class of the binding
 * @param abi only what is needed, since every entry may be in the way of another
 */
export function makeBindable(className: string, abi: Abi): BindableAbi {
  const events: AbiEvent[] = [];
  const functions: AbiFunction[] = [];
  const rejected: RejectedEntry[] = [];
  const taken = new Map([[key({ kind: "class", name: className }), "the contract"]]);
  const inOrder = [...abi.events, ...abi.functions].sort((a, b) => a.index - b.index);
  for (const entry of inOrder) {
    const outcome = admit(entry, taken, (changed) =>
      declarationsOf(className, changed, { events, functions }),
    );
    if (typeof outcome === "string") rejected.push({ entry, reason: outcome });
    else if (outcome.kind === "event") events.push(outcome);
    else functions.push(outcome);
  }
  return { abi: { events, functions }, rejected };
}

type Entry = AbiEvent | AbiFunction;

/** Who declares what, by `key`. */
type Owners = Map<string, string>;

/** The entry as it can be bound, its names now taken; or the reason why it cannot. */
function admit(
  entry: Entry,
  taken: Owners,
  declare: (entry: Entry) => readonly Declaration[],
): Entry | string {
  const reason = unbindable(entry);
  if (reason !== undefined) return reason;
  let changed = withSafeParameters(entry);
  // Every turn makes a name longer, and the names it could clash with do not change.
  for (;;) {
    const declarations = declare(changed);
    const clash = declarations.find(
      (one, at) => isUnusable(one) || taken.has(key(one)) || repeats(declarations, at),
    );
    if (!clash) {
      for (const declaration of declarations) taken.set(key(declaration), `${entry.kind} ${entry.name}`);
      return changed;
    }
    if (!clash.from) return refusal(clash, taken);
    changed = withSafeParameters(rename(changed, clash.from));
  }
}

function key({ kind, name }: Declaration): string {
  return `${kind} ${name}`;
}

function isUnusable({ kind, name }: Declaration): boolean {
  return (kind === "class" ? unusableClassNames : unusableMethodNames).has(name);
}

function repeats(declarations: readonly Declaration[], at: number): boolean {
  const own = key(declarations[at] as Declaration);
  return declarations.findIndex((one) => key(one) === own) < at;
}

function refusal(clash: Declaration, taken: Owners): string {
  const { kind, name } = clash;
  const owner = taken.get(key(clash));
  if (owner === undefined) return `"${name}" cannot be the name of a ${kind} in AssemblyScript`;
  return `its ${kind} "${name}" is already that of ${owner}`;
}

/** The entry with `_` after the name of one parameter or component. */
function rename(entry: Entry, { list, path, name }: ParameterPlace): Entry {
  const parameters = entry.kind === "event" ? entry.inputs : entry[list];
  return { ...entry, [list]: renameAt(parameters, path, `${name}_`) };
}

function renameAt(
  parameters: readonly Parameter[],
  path: readonly number[],
  name: string,
): readonly Parameter[] {
  const [here, ...below] = path;
  return parameters.map((parameter, at) => {
    if (at !== here) return parameter;
    if (below.length === 0) return { ...parameter, name };
    return { ...parameter, type: renameInside(parameter.type, below, name) };
  });
}

function renameInside(type: SolidityType, path: readonly number[], name: string): SolidityType {
  if (type.kind === "array") return { ...type, of: renameInside(type.of, path, name) };
  if (type.kind !== "tuple") return type;
  return { ...type, components: renameAt(type.components, path, name) };
}
