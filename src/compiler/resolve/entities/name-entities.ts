import { groupBy } from "../../../base/group-by.js";
import { quote } from "../../../base/text/quote.js";
import { entryIdentity } from "../../abi/abi.js";
import { canonicalType, isHashedWhenIndexed, type Parameter } from "../../abi/solidity-type.js";
import type { Report } from "../../diagnostics/report.js";
import type { HandlerTrigger } from "../../model/handler.js";
import { type EntityNames, occupiedNames } from "../../names/entity-names.js";
import { parameterStem } from "../../names/field-names.js";
import type { UsedAbi } from "../bind-abis.js";
import type { TriggerEntry } from "../find-triggers.js";

export interface BoundTrigger {
  readonly abi: UsedAbi;
  /** The ABI's own entry. */
  readonly entry: TriggerEntry;
  readonly trigger: HandlerTrigger;
}

/** The preferred name of a trigger's entity: `Transfer`, `Transfer1`, `MintCall`. */
export function entityAlias({ trigger }: BoundTrigger): string {
  const { bound } = trigger;
  return trigger.kind === "event"
    ? (trigger.bound.event.standsFor?.className ?? bound.className)
    : bound.className;
}

/**
 * Names the entity types of all triggers. Triggers with the same name and parameter list share a type. Clashing types
 * get the alphabetically first name of their ABIs as a prefix. Independent of the order of `triggers`.
 */
export function nameTriggerEntities(
  triggers: readonly BoundTrigger[],
  names: EntityNames,
  report: Report,
): ReadonlyMap<BoundTrigger, string> {
  const sorted = groupsThatMeet(triggers.toSorted(byOrder))
    .flatMap(wishesOfGroup)
    .toSorted((a, b) => compare(a.wanted, b.wanted) || compare(rank(a.first), rank(b.first)));
  const named = new Map<BoundTrigger, string>();
  for (const { wanted, first, members, prefixed } of sorted) {
    const claimed = names.claim(wanted);
    for (const member of members) {
      named.set(member, claimed.name);
      if (member === first || prefixed) reportRenaming(member, wanted, claimed, report);
    }
  }
  return named;
}

/** A future entity type, and the triggers that share it. */
interface Wish {
  readonly wanted: string;
  /** By ABI, then in ABI order. */
  readonly members: readonly BoundTrigger[];
  readonly first: BoundTrigger;
  /** Whether its name has an ABI's name as a prefix. */
  readonly prefixed: boolean;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function order({ abi, entry }: BoundTrigger): string {
  return `${abi.names.className} ${entry.kind} ${String(entry.index).padStart(9, "0")}`;
}

function byOrder(a: BoundTrigger, b: BoundTrigger): number {
  return compare(order(a), order(b));
}

/** An event with exactly that name precedes an overload that gets the name from its number. */
function rank(trigger: BoundTrigger): string {
  return `${trigger.entry.name === entityAlias(trigger) ? 0 : 1} ${order(trigger)}`;
}

function reportRenaming(
  trigger: BoundTrigger,
  wanted: string,
  { name, reason }: { readonly name: string; readonly reason?: string },
  report: Report,
): void {
  if (name === entityAlias(trigger)) return;
  const why = reason
    ? `"${wanted}" ${reason}`
    : "other ABIs have one with the same name but different parameters";
  const { kind } = trigger.entry;
  const message = `${kind} ${quote(trigger.entry.name)} is stored as entity ${quote(name)}`;
  report.note("entity-renamed", trigger.abi.declaration.name.at, message, {
    label: `an ABI with this ${kind}`,
    related: [{ at: trigger.entry.locate(), text: `queried as ${name}` }],
    notes: [why],
  });
}

/** Equal for triggers whose parameters have the same fields and types. */
function parameterKey({ entry }: BoundTrigger): string {
  const list = (parameters: readonly Parameter[], unnamed: string): string[] =>
    parameters.map(
      ({ name, type, indexed }, at) =>
        `${parameterStem(name, unnamed + at)} ${typeKey(type)} ${indexed && isHashedWhenIndexed(type)}`,
    );
  const outputs = entry.kind === "function" ? list(entry.outputs, "value") : [];
  return [entry.kind, ...list(entry.inputs, "param"), "->", ...outputs].join(",");
}

function typeKey(type: Parameter["type"]): string {
  if (type.kind === "array") return `${typeKey(type.of)}[${type.length ?? ""}]`;
  if (type.kind !== "tuple") return canonicalType(type);
  const components = type.components.map(
    (component, at) => `${parameterStem(component.name, `value${at}`)} ${typeKey(component.type)}`,
  );
  return `(${components.join(",")})`;
}

/** Groups of triggers whose names clash, or that are the same event. */
function groupsThatMeet(triggers: readonly BoundTrigger[]): readonly (readonly BoundTrigger[])[] {
  const groupOf = new Map<string, BoundTrigger[]>();
  for (const trigger of triggers) {
    let group: BoundTrigger[] = [trigger];
    for (const place of placesOf(trigger)) {
      const other = groupOf.get(place);
      if (!other || other === group) {
        groupOf.set(place, group);
        continue;
      }
      group = mergeGroups(groupOf, other, group);
    }
  }
  return [...new Set(groupOf.values())];
}

/** The names that a trigger blocks for other groups. */
function placesOf(trigger: BoundTrigger): readonly string[] {
  return [...occupiedNames(entityAlias(trigger)), entryKey(trigger)];
}

function mergeGroups(
  groupOf: Map<string, BoundTrigger[]>,
  into: BoundTrigger[],
  from: BoundTrigger[],
): BoundTrigger[] {
  into.push(...from);
  for (const member of from) {
    for (const place of placesOf(member)) {
      if (groupOf.get(place) === from) groupOf.set(place, into);
    }
  }
  return into;
}

function wishesOfGroup(group: readonly BoundTrigger[]): readonly Wish[] {
  const types = typesOfGroup(group.toSorted(byOrder));
  const abis = new Set(group.map(({ abi }) => abi));
  const prefixed = types.length > 1 && abis.size > 1;
  return types.flatMap((members) => {
    const [first] = members;
    if (!first) return [];
    const alias = entityAlias(first);
    return [{ wanted: prefixed ? first.abi.names.className + alias : alias, members, first, prefixed }];
  });
}

/**
 * Triggers for the same event share a type, and so do triggers of different ABIs with the same name and parameters.
 */
function typesOfGroup(group: readonly BoundTrigger[]): readonly (readonly BoundTrigger[])[] {
  const types = new Set<BoundTrigger[]>();
  const byClass = new Map<string, BoundTrigger[]>();
  for (const members of groupBy(group, entryKey).values()) {
    const classes = new Set(members.map(classKey));
    const [type = []] = [...classes].flatMap((key) => {
      const known = byClass.get(key);
      return known && !shareAbi(known, members) ? [known] : [];
    });
    type.push(...members);
    types.add(type);
    for (const key of classes) if (!byClass.has(key)) byClass.set(key, type);
  }
  return [...types];
}

/** Equal for triggers that match the same logs. */
function entryKey(trigger: BoundTrigger): string {
  return `${entryIdentity(trigger.entry)} ${parameterKey(trigger)}`;
}

function classKey(trigger: BoundTrigger): string {
  return `${entityAlias(trigger)} ${parameterKey(trigger)}`;
}

function shareAbi(some: readonly BoundTrigger[], others: readonly BoundTrigger[]): boolean {
  return some.some(({ abi }) => others.some((other) => other.abi === abi));
}
