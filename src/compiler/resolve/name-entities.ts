import { quote } from "../../base/quote.js";
import { canonicalType, isHashedWhenIndexed, type Parameter } from "../abi/solidity-type.js";
import type { Report } from "../diagnostics/report.js";
import type { HandlerTrigger } from "../model/handler.js";
import { type EntityNames, occupiedNames } from "../names/entity-names.js";
import type { UsedAbi } from "./bind-abis.js";
import type { TriggerEntry } from "./find-triggers.js";

/** A trigger with its binding. */
export interface BoundTrigger {
  readonly abi: UsedAbi;
  /** The ABI's own entry. */
  readonly entry: TriggerEntry;
  readonly trigger: HandlerTrigger;
}

/** The name a trigger's entity has when nothing stands against it: `Transfer`, `Transfer1`, `MintCall`. */
export function entityAlias({ trigger }: BoundTrigger): string {
  return trigger.bound.className;
}

/**
 * Names the entity types of all triggers. Those of one name and one parameter list share a type; those whose names
 * meet otherwise get their ABI's name before theirs. The order of `triggers` does not matter.
 */
export function nameTriggerEntities(
  triggers: readonly BoundTrigger[],
  names: EntityNames,
  report: Report,
): ReadonlyMap<BoundTrigger, string> {
  const wishes = groupsThatMeet(triggers).flatMap(wishesOfGroup);
  const sorted = wishes.toSorted(
    (a, b) => compare(a.wanted, b.wanted) || compare(order(a.trigger), order(b.trigger)),
  );
  const typeByWish = new Map<string, string>();
  const named = new Map<BoundTrigger, string>();
  for (const { trigger, wanted } of sorted) {
    const key = `${wanted} ${parameterKey(trigger.entry)}`;
    let name = typeByWish.get(key);
    if (name === undefined) {
      const claimed = names.claim(wanted);
      name = claimed.name;
      typeByWish.set(key, name);
      reportRenaming(trigger, wanted, claimed, report);
    }
    named.set(trigger, name);
  }
  return named;
}

interface Wish {
  readonly trigger: BoundTrigger;
  readonly wanted: string;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function order({ abi, entry }: BoundTrigger): string {
  return `${abi.names.className} ${entry.kind} ${String(entry.index).padStart(9, "0")}`;
}

function reportRenaming(
  trigger: BoundTrigger,
  wanted: string,
  { name, reason }: { readonly name: string; readonly reason?: string },
  report: Report,
): void {
  if (name === entityAlias(trigger)) return;
  const why = reason ? `"${wanted}" ${reason}` : "other ABIs have one of that name with other parameters";
  const { kind } = trigger.entry;
  const message = `${kind} ${quote(trigger.entry.name)} is stored as entity ${quote(name)}`;
  report.note("entity-renamed", trigger.abi.declaration.name.at, message, {
    label: `an ABI with this ${kind}`,
    related: [{ at: trigger.entry.locate(), text: `queried as ${name}` }],
    notes: [why],
  });
}

/** Equal for triggers whose parameters have the same names and types, and are stored the same. */
function parameterKey(entry: TriggerEntry): string {
  const text = ({ name, type, indexed }: Parameter): string =>
    `${name} ${componentNames(type)} ${indexed && isHashedWhenIndexed(type)}`;
  const outputs = entry.kind === "function" ? entry.outputs : [];
  return [entry.kind, ...entry.inputs.map(text), "->", ...outputs.map(text)].join(",");
}

function componentNames(type: Parameter["type"]): string {
  if (type.kind === "array") return `${componentNames(type.of)}[${type.length ?? ""}]`;
  if (type.kind !== "tuple") return canonicalType(type);
  return `(${type.components.map((component) => `${component.name} ${componentNames(component.type)}`).join(",")})`;
}

/** Groups of triggers whose names cannot stand side by side as they are. */
function groupsThatMeet(triggers: readonly BoundTrigger[]): readonly (readonly BoundTrigger[])[] {
  const groupOf = new Map<string, BoundTrigger[]>();
  for (const trigger of triggers) {
    let group: BoundTrigger[] = [trigger];
    for (const occupied of occupiedNames(entityAlias(trigger))) {
      const other = groupOf.get(occupied);
      if (!other || other === group) {
        groupOf.set(occupied, group);
        continue;
      }
      group = mergeGroups(groupOf, other, group);
    }
  }
  return [...new Set(groupOf.values())];
}

function mergeGroups(
  groupOf: Map<string, BoundTrigger[]>,
  into: BoundTrigger[],
  from: BoundTrigger[],
): BoundTrigger[] {
  into.push(...from);
  for (const member of from) {
    for (const occupied of occupiedNames(entityAlias(member))) {
      if (groupOf.get(occupied) === from) groupOf.set(occupied, into);
    }
  }
  return into;
}

function wishesOfGroup(group: readonly BoundTrigger[]): readonly Wish[] {
  const types = new Set(group.map((trigger) => `${entityAlias(trigger)} ${parameterKey(trigger.entry)}`));
  const abis = new Set(group.map(({ abi }) => abi));
  const prefixed = types.size > 1 && abis.size > 1;
  return group.map((trigger) => ({
    trigger,
    wanted: prefixed ? trigger.abi.names.className + entityAlias(trigger) : entityAlias(trigger),
  }));
}
