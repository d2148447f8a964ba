import { quote } from "../../base/text/quote.js";
import type { Abi, AbiEvent, AbiFunction } from "../abi/abi.js";
import { bindAbi } from "../abi/bind-abi.js";
import { makeBindable } from "../abi/make-bindable.js";
import { unusableClassNames } from "../abi/reserved-words.js";
import type { Report } from "../diagnostics/report.js";
import type { AbiModel } from "../model/subgraph.js";
import { type AbiNames, nameClasses } from "../names/abi-names.js";
import type { LocatedString } from "../source/source.js";
import type { AbiDeclaration } from "../validate/config.js";
import type { TriggerEntry } from "./find-triggers.js";

export class AbiUsage {
  readonly declaration: AbiDeclaration;
  readonly triggers = new Set<TriggerEntry>();
  /** Called functions, each with a location of a call. */
  readonly called = new Map<AbiFunction, LocatedString>();

  constructor(declaration: AbiDeclaration) {
    this.declaration = declaration;
  }
}

/** An ABI reduced to its used entries, with the binding's names. */
export interface UsedAbi {
  readonly declaration: AbiDeclaration;
  readonly names: AbiNames;
  readonly model: AbiModel;
  /** Indexes (in the whole ABI) of the entries that have a binding. */
  readonly bindable: ReadonlySet<number>;
}

/**
 * Reduces every ABI to its used entries and names their bindings. Triggers without a possible binding are dropped
 * with a warning; called functions without one are errors.
 * @returns by ABI name
 */
export function bindAbis(usages: readonly AbiUsage[], report: Report): ReadonlyMap<string, UsedAbi> {
  const pruned = new Map(usages.map((usage) => [usage, prune(usage)]));
  const names = nameClasses(
    usages.map((usage) => ({
      name: usage.declaration.name.value,
      avoid: classNames(pruned.get(usage) ?? { events: [], functions: [] }),
    })),
  );
  const used = new Map<string, UsedAbi>();
  for (const usage of usages) {
    const { name } = usage.declaration;
    const own = names.get(name.value);
    const abi = pruned.get(usage);
    if (own && abi) used.set(name.value, bindOne(usage, abi, own, report));
  }
  return used;
}

function prune({ declaration: { abi }, triggers, called }: AbiUsage): Abi {
  return {
    events: abi.events.filter((event) => triggers.has(event)),
    functions: abi.functions.filter((fn) => triggers.has(fn) || called.has(fn)),
  };
}

/** Names that a binding's contract class cannot have: reserved words, and the names of its other classes. */
function classNames({ events, functions }: Abi): ReadonlySet<string> {
  const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
  return new Set([
    ...unusableClassNames,
    ...events.map(({ name }) => name),
    ...functions.map(({ name }) => `${capital(name)}Call`),
  ]);
}

function bindOne(usage: AbiUsage, abi: Abi, names: AbiNames, report: Report): UsedAbi {
  const { abi: sound, rejected } = makeBindable(names.className, abi);
  for (const { entry, reason } of rejected) reportRejected(usage, entry, reason, report);
  return {
    declaration: usage.declaration,
    names,
    model: { className: names.className, abi: sound, bound: bindAbi(names.className, sound) },
    bindable: new Set([...sound.events, ...sound.functions].map(({ index }) => index)),
  };
}

function reportRejected(
  usage: AbiUsage,
  entry: AbiEvent | AbiFunction,
  reason: string,
  report: Report,
): void {
  const { name } = usage.declaration;
  const related = [{ at: entry.locate(), text: `the ${entry.kind}` }];
  const asked = entry.kind === "function" ? usage.called.get(entry) : undefined;
  if (asked) {
    const message = `a mapping cannot call function ${quote(entry.name)}`;
    report.error("function-not-callable", asked.at, message, {
      label: "graphloom cannot generate code for it",
      related,
      notes: [reason],
      hint: "call another function",
    });
    return;
  }
  const { kind } = entry;
  const message = `${kind} ${quote(entry.name)} of ${quote(name.value)} is not indexed`;
  report.warning(`${kind}-skipped`, name.at, message, {
    label: `has this ${kind}`,
    related,
    notes: [reason],
  });
}
