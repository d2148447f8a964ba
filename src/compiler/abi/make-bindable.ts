import type { Abi, AbiEvent, AbiFunction } from "./abi.js";
import { type Declaration, declarationsOf, type ParameterPlace } from "./declarations.js";
import { escapeReserved, unusableClassNames, unusableMethodNames } from "./reserved-words.js";
import { withSafeParameters } from "./safe-parameters.js";
import type { Parameter, SolidityType } from "./solidity-type.js";
import { standIn } from "./stand-in.js";
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
 * can save. Of two functions that clash, the later one is left out; an event gets another name, see `standIn`.
 * @param className the contract class of the binding
 * @param abi only what is needed, since every entry may be in the way of another
 */
export function makeBindable(className: string, abi: Abi): BindableAbi {
  const rejected: RejectedEntry[] = [];
  const taken = new Map([[key({ kind: "class", name: className }), "the contract"]]);
  const functions: AbiFunction[] = [];
  // Before the events, which can give way.
  for (const fn of abi.functions) {
    const outcome = admit(fn, taken, (changed) =>
      declarationsOf(className, changed, { events: [], functions }),
    );
    if (typeof outcome === "string") rejected.push({ entry: fn, reason: outcome });
    else functions.push(outcome);
  }
  const events: AbiEvent[] = [];
  const declare = (changed: AbiEvent) => declarationsOf(className, changed, { events, functions });
  const names = new EventNames(abi.events);
  for (const event of abi.events) {
    const reason = unbindable(event);
    if (reason === undefined) events.push(admitEvent(event, names, taken, declare));
    else rejected.push({ entry: event, reason });
  }
  return { abi: { events, functions }, rejected };
}

type Entry = AbiEvent | AbiFunction;

/** Who declares what, by `key`. */
type Owners = Map<string, string>;

/** The entry as it can be bound, its names now taken; or the reason why it cannot. */
function admit<Own extends Entry>(
  entry: Own,
  taken: Owners,
  declare: (entry: Own) => readonly Declaration[],
): Own | string {
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

/** The event as it can be bound, under another name where its own does not do. */
function admitEvent(
  event: AbiEvent,
  names: EventNames,
  taken: Owners,
  declare: (event: AbiEvent) => readonly Declaration[],
): AbiEvent {
  const className = names.classOf(event);
  const own = admit(event, taken, declare);
  if (typeof own !== "string") return own;
  const safe = withSafeParameters(event);
  for (;;) {
    const outcome = admit(standIn(safe, className, names.another(className)), taken, declare);
    if (typeof outcome !== "string") return outcome;
  }
}

/** The names that events have, and those that are left for them. */
class EventNames {
  readonly #taken: Set<string>;
  readonly #overloads = new Map<string, number>();

  constructor(events: readonly AbiEvent[]) {
    this.#taken = new Set(events.map(({ name }) => name));
  }

  /** The class the peer would give the event, were there nothing but events that can be bound; asked once for each. */
  classOf({ name }: AbiEvent): string {
    const safe = escapeReserved(name);
    const before = this.#overloads.get(safe) ?? 0;
    this.#overloads.set(safe, before + 1);
    return before === 0 ? safe : `${safe}${before}`;
  }

  /** A name that no event has: `E1Event`, `E1Event2`. */
  another(className: string): string {
    for (let count = 1; ; count++) {
      const name = `${className}Event${count === 1 ? "" : count}`;
      if (this.#taken.has(name)) continue;
      this.#taken.add(name);
      return name;
    }
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
function rename<Own extends Entry>(entry: Own, place: ParameterPlace): Own;
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
