import { present } from "../../base/invariant.js";
import { quote } from "../../base/text/quote.js";
import type { Report } from "../diagnostics/report.js";
import type { EntityModel } from "../model/entity-model.js";
import type { Handler, HandlerTrigger, TemplateCreation } from "../model/handler.js";
import { EntityNames, occupiedNames } from "../names/entity-names.js";
import type { CallConfig } from "../validate/config.js";
import type { UsedAbi } from "./bind-abis.js";
import { plainFunctions, type WrittenCall } from "./calls/plan-call.js";
import { type ResolvedCalls, resolveCalls } from "./calls/resolve-calls.js";
import { checkOverwrites, type Meeting } from "./check-overwrites.js";
import { type Creator, type ResolvedEntityTypes, resolveEntityTypes } from "./entities/entity-types.js";
import { type BoundTrigger, nameTriggerEntities } from "./entities/name-entities.js";
import { type PlannedEntity, planEntities } from "./entities/plan-entities.js";
import type { OwnType } from "./entities/read-own-types.js";
import { checkEntityReads } from "./entity-reads.js";
import type { SourceExpression } from "./expression-parser.js";
import { findCall } from "./expression-scope.js";
import type { NamedTemplate } from "./group-templates.js";
import type { Variant } from "./listen.js";
import type { BoundResolution, Resolution } from "./resolution.js";
import { allExpressions, readsReceipt, resolveEnrichment } from "./resolve-enrichment.js";
import { TypeNames } from "./type-names.js";

interface CallReaders {
  readonly calls: readonly CallConfig[];
  readonly expressions: readonly SourceExpression[];
  /** Whether it stores anything, which can depend on a call's success. */
  readonly stores: boolean;
}

export type CallPlans = ReadonlyMap<Variant, readonly WrittenCall[]>;

/** Every handler, and the entity types that handlers write. */
export interface ResolvedHandlers {
  /** All handlers in printing order, except those whose trigger has no binding. */
  readonly byVariant: ReadonlyMap<Variant, Handler>;
  readonly entities: readonly EntityModel[];
  /** The entity types of the user's own mapping. */
  readonly ownTypes: readonly EntityModel[];
}

/** What handlers need to know about the user's own mapping. */
export interface MappingFacts {
  readonly types: readonly OwnType[];
  /** Whether its functions read receipts. */
  readonly readsReceipt: boolean;
}

/** Resolves handlers and entity types together: a type has the fields that any handler writes. */
export function resolveHandlers(
  variants: readonly Variant[],
  templates: readonly NamedTemplate[],
  calls: CallPlans,
  meetings: readonly Meeting[],
  mapping: MappingFacts,
  resolution: BoundResolution,
): ResolvedHandlers {
  const { abis, report } = resolution;
  const triggers = bindTriggers(variants, abis);
  const names = new EntityNames();
  const entityOf = nameTriggerEntities([...new Set(triggers.values())], names, report);
  const typeNames = new TypeNames(entityOf, variants, names, report);
  const drafts = new Map<Variant, Draft>();
  for (const [variant, trigger] of triggers) {
    if (!variant.enrichment) continue;
    const resolved = resolveCalls(calls.get(variant) ?? [], trigger, resolution);
    drafts.set(variant, {
      calls: resolved,
      entities: draftEntities(variant, trigger, resolved, typeNames, resolution),
    });
  }
  checkOverwrites(meetings, (variant) => drafts.get(variant)?.entities ?? [], report);
  const creators = [...drafts.values()].flatMap(({ entities }) => entities.map(({ creator }) => creator));
  const types = resolveEntityTypes(entityOf, creators, report);
  const readable = checkReads(drafts, triggers, entityOf, types, report);
  // After an error, the missing expression may be the one that reads a call.
  if (!report.failed) reportUnreadCalls(readersIn(drafts), report);
  return {
    byVariant: assembleHandlers(triggers, entityOf, readable, types, templates, mapping),
    entities: types.types,
    ownTypes: resolveOwnTypes(mapping.types, types.types, report),
  };
}

function readersIn(drafts: ReadonlyMap<Variant, Draft>): readonly CallReaders[] {
  return [...drafts].map(([{ enrichment }, { calls, entities }]) => ({
    calls: enrichment?.handler.calls ?? [],
    expressions: allExpressions(calls.expressions, entities),
    stores: entities.length > 0,
  }));
}

/** An enrichment before its entity types are resolved. */
interface Draft {
  readonly calls: ResolvedCalls;
  readonly entities: readonly PlannedEntity[];
}

/** Removes expressions that read a field of the triggering entity too early. */
function checkReads(
  drafts: ReadonlyMap<Variant, Draft>,
  triggers: ReadonlyMap<Variant, BoundTrigger>,
  entityOf: ReadonlyMap<BoundTrigger, string>,
  types: ResolvedEntityTypes,
  report: Report,
): ReadonlyMap<Variant, Draft> {
  const byName = new Map(types.types.map((type) => [type.name, type]));
  return new Map(
    [...drafts].map(([variant, { calls, entities }]) => {
      const trigger = present(triggers.get(variant), "an enriched trigger is not bound");
      const type = present(byName.get(entityOf.get(trigger) ?? ""), "a trigger has no entity type");
      return [variant, { calls, entities: checkEntityReads(calls, entities, type, types, report) }];
    }),
  );
}

function draftEntities(
  variant: Variant,
  trigger: BoundTrigger,
  { known }: ResolvedCalls,
  typeNames: TypeNames,
  resolution: Resolution,
): readonly PlannedEntity[] {
  const scope = {
    trigger: trigger.trigger,
    functions: plainFunctions(trigger.abi.declaration),
    calls: known,
    callsMade: known.length,
    hasResult: false,
  };
  const context = {
    trigger: typeNames.ofTrigger(trigger),
    typeOf: (name: string) => typeNames.ofName(name, trigger),
    scope,
  };
  return planEntities(variant.enrichment?.handler.entities ?? [], context, resolution);
}

/** Assigns every variant its binding. Leaves out variants without one, which were already reported. */
function bindTriggers(
  variants: readonly Variant[],
  abis: ReadonlyMap<string, UsedAbi>,
): ReadonlyMap<Variant, BoundTrigger> {
  const byEntry = new Map<Variant["entry"], BoundTrigger>();
  const bound = new Map<Variant, BoundTrigger>();
  for (const variant of variants) {
    const { entry, declaration } = variant;
    const abi = present(abis.get(declaration.name.value), "a listened-to ABI is not bound");
    if (!abi.bindable.has(entry.index)) continue;
    const known = byEntry.get(entry) ?? { abi, entry, trigger: bindTrigger(abi, entry) };
    byEntry.set(entry, known);
    bound.set(variant, known);
  }
  return bound;
}

function bindTrigger({ model }: UsedAbi, entry: Variant["entry"]): HandlerTrigger {
  const isEntry = (other: { readonly index: number }): boolean => other.index === entry.index;
  if (entry.kind === "event") {
    const bound = model.bound.events.find(({ event }) => isEntry(event));
    return { kind: "event", bound: present(bound, "a bindable event has no binding") };
  }
  const bound = model.bound.calls.find(({ fn }) => isEntry(fn));
  return { kind: "call", bound: present(bound, "a bindable function has no call class") };
}

function assembleHandlers(
  triggers: ReadonlyMap<Variant, BoundTrigger>,
  entityOf: ReadonlyMap<BoundTrigger, string>,
  drafts: ReadonlyMap<Variant, Draft>,
  types: ResolvedEntityTypes,
  templates: readonly NamedTemplate[],
  mapping: MappingFacts,
): ReadonlyMap<Variant, Handler> {
  const triggerTypes = new Set(entityOf.values());
  const rivals = idRivals(
    [...drafts.values()].flatMap(({ entities }) => entities.map(({ creator }) => creator)),
  );
  const names = new HandlerNames();
  const handlers = new Map<Variant, Handler>();
  for (const [variant, trigger] of printingOrder(triggers)) {
    const entity = present(entityOf.get(trigger), "a trigger has no entity");
    const draft = drafts.get(variant);
    const own = variant.enrichment?.handler.handler;
    const isStoring = !own || (draft && draft.calls.expressions.length + draft.entities.length > 0);
    const enrichment =
      draft &&
      isStoring &&
      variant.enrichment &&
      resolveEnrichment(variant.enrichment.enrich, draft.calls, draft.entities, types, triggerTypes);
    handlers.set(variant, {
      name: names.claim(trigger, variant.ordinal),
      trigger: trigger.trigger,
      entity,
      idRivals: [entity, ...(rivals.get(entity) ?? [])],
      fields: types.parameterFieldsOf(trigger),
      creates: creationsOf(trigger, templates),
      readsReceipt:
        (draft !== undefined && readsReceipt(draft.calls, draft.entities)) ||
        (own !== undefined && mapping.readsReceipt),
      ...(enrichment && { enrichment }),
      ...(own && { own }),
    });
  }
  return handlers;
}

/**
 * For every trigger type, the other trigger types that create enrichment entities of the same type with ids
 * that may clash.
 */
function idRivals(creators: readonly Creator[]): ReadonlyMap<string, readonly string[]> {
  const triggersOf = new Map<string, Set<string>>();
  for (const { type, trigger, item, extendsTrigger } of creators) {
    if (extendsTrigger || item.explicitId) continue;
    triggersOf.set(type, (triggersOf.get(type) ?? new Set<string>()).add(trigger));
  }
  const rivals = new Map<string, Set<string>>();
  for (const triggers of triggersOf.values()) {
    for (const trigger of triggers) {
      const others = rivals.get(trigger) ?? new Set<string>();
      rivals.set(trigger, others);
      for (const other of triggers) if (other !== trigger) others.add(other);
    }
  }
  return new Map([...rivals].map(([trigger, others]) => [trigger, [...others].sort()]));
}

/** By ABI, then in ABI order, then in order of appearance. */
function printingOrder(triggers: ReadonlyMap<Variant, BoundTrigger>): readonly [Variant, BoundTrigger][] {
  const padded = (number: number): string => String(number).padStart(9, "0");
  const rank = ({ ordinal }: Variant, { abi, entry }: BoundTrigger): string =>
    `${abi.names.className} ${entry.kind} ${padded(entry.index)} ${padded(ordinal)}`;
  return [...triggers]
    .map((pair) => ({ pair, rank: rank(...pair) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ pair }) => pair);
}

function creationsOf(
  { entry, trigger }: BoundTrigger,
  templates: readonly NamedTemplate[],
): readonly TemplateCreation[] {
  if (trigger.kind === "call") return [];
  return templates.flatMap(({ name, origins }) =>
    origins
      .filter(({ creation }) => creation.event === entry)
      .map(({ creation }) => ({
        template: name,
        parameter: present(
          trigger.bound.params[trigger.bound.firstOwn + creation.position],
          "a creation event lost a parameter",
        ).name,
      })),
  );
}

/**
 * Names of handlers: the ABI, the trigger, whether it enriches, and a number from the second enrichment on. A name
 * without enrichment does not depend on other handlers.
 */
class HandlerNames {
  readonly #taken = new Set<string>();

  claim({ abi, trigger }: BoundTrigger, ordinal: number): string {
    const { className } = trigger.bound;
    const capitalised = className.charAt(0).toUpperCase() + className.slice(1);
    const base = `handle${abi.names.className}${capitalised}${ordinal > 0 ? "Enriched" : ""}`;
    for (let number = Math.max(ordinal, 1); ; number++) {
      const name = number === 1 ? base : `${base}${number}`;
      if (this.#taken.has(name)) continue;
      this.#taken.add(name);
      return name;
    }
  }
}

/** Warns about useless calls: no expression reads their results, and nothing depends on their success. */
function reportUnreadCalls(enrichments: readonly CallReaders[], report: Report): void {
  const places = new Set<number>();
  for (const { ref } of enrichments.flatMap(unreadCalls)) {
    // With YAML aliases, the same enrichment occurs several times.
    if (places.has(ref.at.start)) continue;
    places.add(ref.at.start);
    report.warning("call-unread", ref.at, `nothing reads the result of call ${quote(ref.value)}`, {
      label: "a wasted call on every run",
      hint: `store calls.${ref.value} in a field of an entity, or remove the call`,
    });
  }
}

function unreadCalls({ calls, expressions, stores }: CallReaders): readonly CallConfig[] {
  const refs = calls.map(({ ref }) => ({ ref: ref.value }));
  const dependencies = new Set(calls.flatMap(({ dependsOn }) => dependsOn.map(({ value }) => value)));
  const read = new Map<string, Set<SourceExpression["source"]>>();
  for (const { parsed, source } of expressions) {
    for (const [root, use] of parsed.paths.map(({ names }) => names)) {
      if (root?.name !== "calls") continue;
      // An expression that passes on all calls may read any of them.
      if (!use) return [];
      const ref = findCall(use.name, refs)?.ref ?? "";
      read.set(ref, (read.get(ref) ?? new Set()).add(source));
    }
  }
  return calls.filter((call) => {
    const { ref, required, pre, post } = call;
    const decides = required || pre !== undefined || post !== undefined || dependencies.has(ref.value);
    const readers = [...(read.get(ref.value) ?? [])].filter((source) => source !== pre && source !== post);
    return readers.length === 0 && !(stores && decides);
  });
}

/**
 * Looks up the references of the user's own entity types, and checks their names.
 * @param generated all other types
 * @returns the models, by name
 */
function resolveOwnTypes(
  own: readonly OwnType[],
  generated: readonly EntityModel[],
  report: Report,
): readonly EntityModel[] {
  const owners = new Map(
    generated.flatMap(({ name }) => occupiedNames(name).map((occupied) => [occupied, name] as const)),
  );
  const known = new Set([...generated, ...own.map(({ entity }) => entity)].map(({ name }) => name));
  for (const { entity, at, references } of own) {
    const taken = occupiedNames(entity.name).find((occupied) => owners.has(occupied));
    const owner = taken === undefined ? undefined : owners.get(taken);
    if (owner !== undefined) {
      const what =
        owner === entity.name ? "is already an entity" : `would share a table or a query with ${owner}`;
      report.error("mapping-schema", at, `the type ${quote(entity.name)} ${what}`, {
        notes: ["every event has an entity type of its name"],
        hint: "give it another name",
      });
    }
    for (const occupied of occupiedNames(entity.name)) owners.set(occupied, entity.name);
    for (const { value, at: place } of references) {
      if (!known.has(value)) report.error("mapping-schema", place, `there is no type ${quote(value)}`);
    }
  }
  return own.map(({ entity }) => entity).sort((a, b) => (a.name < b.name ? -1 : 1));
}
