import type { Abi, AbiEvent, AbiFunction } from "./abi.js";
import { type Declaration, declarationsOf, type ParameterPlace } from "./declarations.js";
import { parameterNames } from "./parameter-names.js";
import { escapeReserved, unusableClassNames, unusableMethodNames } from "./reserved-words.js";
import { withSafeParameters } from "./safe-parameters.js";
import type { Parameter, SolidityType } from "./solidity-type.js";
import { unbindable } from "./unbindable.js";

/** A contract interface all of whose entries have a binding, and the entries that were dropped. */
export interface BindableAbi {
  /** Unchanged entries are the original objects. */
  readonly abi: Abi;
  readonly rejected: readonly RejectedEntry[];
}

export interface RejectedEntry {
  readonly entry: AbiEvent | AbiFunction;
  /** The reason, lower case, without a final period. */
  readonly reason: string;
}

/**
 * Renames parameters that would break the generated code, and drops entries that renaming cannot repair. Of two
 * functions that clash, the later one is dropped. An event that clashes gets a stand-in name, see `standIn`.
 * @param className the contract class of the binding
 * @param abi only the entries in use, because unused ones could clash with them
 */
export function makeBindable(className: string, abi: Abi): BindableAbi {
  const rejected: RejectedEntry[] = [];
  const taken = new Map([[key({ kind: "class", name: className }), "the contract"]]);
  const functions: AbiFunction[] = [];
  // Functions first, because a clashing event can be renamed.
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

/** The owners of declarations, by `key`. */
type Owners = Map<string, string>;

/** Returns the entry with safe names, and takes its declarations; or the reason why it has no binding. */
function admit<Own extends Entry>(
  entry: Own,
  taken: Owners,
  declare: (entry: Own) => readonly Declaration[],
): Own | string {
  const reason = unbindable(entry);
  if (reason !== undefined) return reason;
  let changed = withSafeParameters(entry);
  // Terminates: every iteration lengthens a name, and the names it could clash with are fixed.
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

/** The event with safe names, and with a stand-in name if its own cannot be used. */
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

/** Tracks which event names are taken. */
class EventNames {
  readonly #taken: Set<string>;
  readonly #overloads = new Map<string, number>();

  constructor(events: readonly AbiEvent[]) {
    this.#taken = new Set(events.map(({ name }) => name));
  }

  /** The class name that graph-cli would give the event among all bindable events. Call it once per event. */
  classOf({ name }: AbiEvent): string {
    const safe = escapeReserved(name);
    const before = this.#overloads.get(safe) ?? 0;
    this.#overloads.set(safe, before + 1);
    return before === 0 ? safe : `${safe}${before}`;
  }

  /** A free event name: `E1Event`, `E1Event2`. */
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
  return `its ${kind} name "${name}" is already taken by ${owner}`;
}

/** The entry with `_` appended to the name of one parameter or component. */
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

/**
 * Replaces an event by an anonymous one with a different name. A binding names classes after events, but an event's
 * name also determines its topic 0. For the anonymous event, the manifest states topic 0, which becomes the first
 * indexed parameter.
 * @param event its parameters' names must work in its binding
 * @param className the class name that the original name would yield
 */
function standIn(event: AbiEvent, className: string, name: string): AbiEvent {
  const names = parameterNames(
    event.inputs.map((input) => input.name),
    "param",
  );
  const inputs = event.inputs.map((input, at): Parameter => ({ ...input, name: names[at] ?? input.name }));
  const topic: Parameter = {
    name: freeName("topic0", new Set(names)),
    type: { kind: "fixedBytes", size: 32 },
    indexed: true,
  };
  return { ...event, name, inputs: [topic, ...inputs], anonymous: true, standsFor: { event, className } };
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  return taken.has(wanted) ? freeName(`${wanted}_`, taken) : wanted;
}
