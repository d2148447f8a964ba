import { groupBy } from "../../../base/group-by.js";
import { present } from "../../../base/invariant.js";
import { pluralOf } from "../../../base/text/plural.js";
import { queryCamelCase } from "../../../base/text/query-names.js";
import { quote } from "../../../base/text/quote.js";
import type { StoredType } from "../../abi/conversions.js";
import type { Report } from "../../diagnostics/report.js";
import type { EntityField, EntityModel, ScalarType } from "../../model/entity-model.js";
import type { ParameterField } from "../../model/handler.js";
import { FieldNames, parameterStem } from "../../names/field-names.js";
import type { LocatedString, Location } from "../../source/source.js";
import type { EntityItem, FieldConfig } from "../../validate/config.js";
import { parameterFields, parameterPlace } from "../parameter-fields.js";
import type { BoundTrigger } from "./name-entities.js";

/** Fields of every triggering entity, first and in this order. */
export const baseFields: readonly (readonly [name: string, type: ScalarType])[] = [
  ["id", "ID"],
  ["block_number", "BigInt"],
  ["timestamp_", "BigInt"],
  ["transactionHash_", "String"],
  ["contractId_", "String"],
];

/** A place in the configuration that creates or changes an entity. */
export interface Creator {
  readonly trigger: string;
  /** The created entity type. */
  readonly type: string;
  /** Whether it adds to the triggering entity rather than creating its own. */
  readonly extendsTrigger: boolean;
  /** The entity's name in the configuration. */
  readonly name: LocatedString;
  readonly item: EntityItem;
  readonly fields: readonly CreatorField[];
}

export interface CreatorField {
  readonly config: FieldConfig;
  readonly stored: StoredType;
  /** Whether the expression is exactly a nullable call result. */
  readonly nullable: boolean;
}

/** The schema, and the resolved names of the configuration. */
export interface ResolvedEntityTypes {
  /** Triggering entities by name, then the others by name. */
  readonly types: readonly EntityModel[];
  /** The parameter fields of a trigger's entity type, with this trigger's values. */
  parameterFieldsOf(trigger: BoundTrigger): readonly ParameterField[];
  /** The names of a type's parameter fields; empty for a type without trigger. */
  parameterNamesOf(type: string): readonly string[];
  /** The resolved name of a field of the configuration; `undefined` if its type is wrong. */
  fieldName(field: CreatorField): string | undefined;
  /** Whether a field of a type is nullable. */
  isNullable(type: string, field: string): boolean;
  /** The field of a created entity that references its trigger; `undefined` for the trigger itself. */
  triggerField(creator: Creator): string | undefined;
}

interface FieldDraft {
  readonly name: string;
  readonly of: EntityField["of"];
  readonly list: boolean;
  nonNull: boolean;
  readonly derivedFrom?: string;
}

/** A field that several creators may write. */
interface Target {
  readonly field: FieldDraft;
  readonly stored: StoredType;
  /** The declaration that determines its type. */
  readonly declared: { readonly text: string; place(): Location };
}

interface TypeDraft {
  readonly name: string;
  readonly isTrigger: boolean;
  readonly names: FieldNames;
  readonly fields: FieldDraft[];
  /** Names of the parameters' fields, in order. */
  readonly parameterNames: readonly string[];
  /** Fields by their name in the ABI or the configuration. */
  readonly byWanted: Map<string, Target>;
  mutable: boolean;
}

/**
 * Resolves all entity types.
 * @param triggers all triggers, each with its type's name
 * @param creators all places in the configuration that write an entity
 */
export function resolveEntityTypes(
  triggers: ReadonlyMap<BoundTrigger, string>,
  creators: readonly Creator[],
  report: Report,
): ResolvedEntityTypes {
  const drafts = new Map<string, TypeDraft>();
  for (const [trigger, name] of triggers) {
    if (!drafts.has(name)) drafts.set(name, triggerDraft(name, trigger, report));
  }
  const creatorsOf = sortedGroups(creators, ({ type }) => type);
  const fieldNames = new Map<CreatorField, string>();
  const triggerFields = new Map<string, string>();
  for (const [type, own] of creatorsOf) {
    const draft = drafts.get(type) ?? ownDraft(type);
    drafts.set(type, draft);
    draft.mutable ||= own.some(({ item }) => item.explicitId);
    if (!draft.isTrigger) addTriggerFields(draft, own, triggerFields, report);
    addWrittenFields(draft, own, fieldNames, report);
    if (draft.isTrigger) addTriggerFields(draft, own, triggerFields, report);
  }
  addDerivedFields(drafts, creatorsOf, triggerFields, report);
  const sorted = [...drafts.values()].sort(
    (a, b) => Number(b.isTrigger) - Number(a.isTrigger) || (a.name < b.name ? -1 : 1),
  );
  const nullables = new Map(sorted.map((draft) => [draft.name, nullablesOf(draft)]));
  return {
    types: sorted.map(({ name, mutable, fields }) => ({ name, immutable: !mutable, fields })),
    parameterFieldsOf: (trigger) => fieldsOfTrigger(trigger, drafts.get(triggers.get(trigger) ?? "")),
    parameterNamesOf: (type) => drafts.get(type)?.parameterNames ?? [],
    fieldName: (field) => fieldNames.get(field),
    isNullable: (type, name) => nullables.get(type)?.has(name) ?? false,
    triggerField: ({ type, trigger }) => triggerFields.get(relationKey(type, trigger)),
  };
}

/** Triggers that share a type have the same fields, but different paths to their values. */
function fieldsOfTrigger(
  { trigger, entry }: BoundTrigger,
  draft: TypeDraft | undefined,
): readonly ParameterField[] {
  return parameterFields(trigger, entry).map(({ stored, value }, index) => {
    const field = present(draft?.parameterNames[index], "a shared type lacks a trigger's field");
    return { field, stored, value };
  });
}

function nullablesOf({ fields }: TypeDraft): ReadonlySet<string> {
  return new Set(fields.filter(({ nonNull }) => !nonNull).map(({ name }) => name));
}

function sortedGroups<T>(all: readonly T[], nameOf: (one: T) => string): readonly [string, T[]][] {
  return [...groupBy(all, nameOf)].sort(([a], [b]) => (a < b ? -1 : 1));
}

function relationKey(type: string, trigger: string): string {
  return `${type} ${trigger}`;
}

function triggerDraft(name: string, trigger: BoundTrigger, report: Report): TypeDraft {
  const names = new FieldNames();
  const fields: FieldDraft[] = baseFields.map(([field, scalar]) => {
    names.reserve(field);
    return { name: field, of: { kind: "scalar", name: scalar }, list: false, nonNull: true };
  });
  const byWanted: TypeDraft["byWanted"] = new Map();
  const parameterNames = parameterFields(trigger.trigger, trigger.entry).map((wanted) => {
    const claimed = names.claim(wanted.name);
    const place = (): Location => parameterPlace(wanted.value, trigger.trigger, trigger.entry);
    if (claimed.reason) {
      const { entry, abi } = trigger;
      const of = `${entry.kind} ${quote(entry.name)}`;
      const message = `parameter ${quote(wanted.name)} of ${of} is stored as field ${quote(claimed.name)}`;
      report.note("field-renamed", abi.declaration.name.at, message, {
        label: `an ABI with this parameter`,
        related: [{ at: place(), text: `a parameter of ${entry.kind} ${entry.name}` }],
        notes: [`${quote(wanted.name)} ${claimed.reason}`],
      });
    }
    const field = scalarField(claimed.name, wanted.stored, true);
    fields.push(field);
    const target = { field, stored: wanted.stored, declared: { text: "the parameter", place } };
    byWanted.set(wanted.name, target);
    byWanted.set(claimed.name, target);
    return claimed.name;
  });
  return { name, isTrigger: true, names, fields, parameterNames, byWanted, mutable: false };
}

function ownDraft(name: string): TypeDraft {
  const names = new FieldNames();
  names.reserve("id");
  const id: FieldDraft = { name: "id", of: { kind: "scalar", name: "ID" }, list: false, nonNull: true };
  const parameterNames: readonly string[] = [];
  return { name, isTrigger: false, names, fields: [id], parameterNames, byWanted: new Map(), mutable: false };
}

function scalarField(name: string, { scalar, list }: StoredType, nonNull: boolean): FieldDraft {
  return { name, of: { kind: "scalar", name: scalar }, list, nonNull };
}

/** Adds references from a created entity to its possible triggers. */
function addTriggerFields(
  draft: TypeDraft,
  creators: readonly Creator[],
  triggerFields: Map<string, string>,
  report: Report,
): void {
  const others = creators.filter(({ trigger }) => trigger !== draft.name);
  const triggers = [...new Set(others.map(({ trigger }) => trigger))].sort();
  for (const trigger of triggers) {
    const wanted = queryCamelCase(trigger);
    const { name, reason } = draft.names.claim(wanted);
    const creator = others.find((candidate) => candidate.trigger === trigger);
    if (reason) {
      const message = `the reference from ${draft.name} to ${trigger} is named ${quote(name)}`;
      report.note("field-renamed", creator?.name.at, message, {
        label: `has the field ${name}`,
        notes: [`${quote(wanted)} ${reason}`],
      });
    }
    triggerFields.set(relationKey(draft.name, trigger), name);
    const nonNull = !draft.isTrigger && triggers.length === 1;
    draft.fields.push({ name, of: { kind: "entity", name: trigger }, list: false, nonNull });
  }
}

/** The fields that the configuration writes: matches existing ones, and adds new ones sorted by name. */
function addWrittenFields(
  draft: TypeDraft,
  creators: readonly Creator[],
  fieldNames: Map<CreatorField, string>,
  report: Report,
): void {
  const written = creators.flatMap((creator) => creator.fields);
  for (const [wanted, fields] of sortedGroups(written, ({ config }) => config.name.value)) {
    const first = fields[0] as CreatorField;
    const known = draft.byWanted.get(wanted) ?? parameterTarget(draft, wanted);
    const target = known ?? newTarget(draft, wanted, first, report);
    for (const field of fields) {
      if (!conflicts(draft, target, field, report)) fieldNames.set(field, target.field.name);
    }
    draft.byWanted.set(wanted, target);
    if (fields.some(({ nullable }) => nullable)) target.field.nonNull = false;
  }
  // A creator that adds to the trigger's own entity leaves its parameters unchanged.
  const settings = creators
    .filter(({ extendsTrigger }) => !extendsTrigger)
    .map(({ fields }) => new Set(fields.map((field) => fieldNames.get(field))));
  for (const { field } of new Set(draft.byWanted.values())) {
    if (!settings.every((names) => names.has(field.name))) field.nonNull = false;
  }
}

/** The field of a parameter that the configuration names as the ABI does, including underscores. */
function parameterTarget({ isTrigger, byWanted }: TypeDraft, wanted: string): Target | undefined {
  return isTrigger ? byWanted.get(parameterStem(wanted, wanted)) : undefined;
}

function newTarget(draft: TypeDraft, wanted: string, first: CreatorField, report: Report): Target {
  const declared = { text: "first declared here", place: () => first.config.type.at };
  return { field: newField(draft, wanted, first, report), stored: first.stored, declared };
}

function newField(
  draft: TypeDraft,
  wanted: string,
  { config, stored }: CreatorField,
  report: Report,
): FieldDraft {
  const { name, reason } = draft.names.claim(wanted);
  if (reason && wanted === "id") {
    report.warning(
      "id-is-reserved",
      config.name.at,
      `field "id" of ${draft.name} is renamed to ${quote(name)}`,
      {
        label: "every entity already has an id",
        hint: 'to choose the id, write the entity as a list of items with "id" and "explicit_id"',
      },
    );
  } else if (reason) {
    const message = `field ${quote(wanted)} of ${draft.name} is renamed to ${quote(name)}`;
    report.note("field-renamed", config.name.at, message, {
      label: `queried as ${name}`,
      notes: [`${quote(wanted)} ${reason}`],
    });
  }
  // Additions to a triggering entity are missing if the enrichment aborts, so they are nullable.
  const field = scalarField(name, stored, !draft.isTrigger);
  draft.fields.push(field);
  return field;
}

/** Reports a field whose type conflicts with an earlier one; returns whether it does. */
function conflicts(
  draft: TypeDraft,
  { stored: wanted, declared }: Target,
  { config, stored }: CreatorField,
  report: Report,
): boolean {
  if (stored.scalar === wanted.scalar && stored.list === wanted.list) return false;
  report.error("field-type-conflict", config.type.at, `${draft.name}.${config.name.value} has two types`, {
    label: `stored as ${typeText(stored)}`,
    related: [{ at: declared.place(), text: `${declared.text}: ${typeText(wanted)}` }],
    notes: ["an entity is one GraphQL type, so a field has one type in all handlers"],
    hint: "use one type for the field, or give it a different name",
  });
  return true;
}

/** The GraphQL text of a stored type. */
function typeText({ scalar, list }: StoredType): string {
  return list ? `[${scalar}!]` : scalar;
}

/** Adds lists of the created entities, derived, to triggering entities. */
function addDerivedFields(
  drafts: ReadonlyMap<string, TypeDraft>,
  creatorsOf: readonly (readonly [string, readonly Creator[]])[],
  triggerFields: ReadonlyMap<string, string>,
  report: Report,
): void {
  for (const [type, creators] of creatorsOf) {
    for (const trigger of [...new Set(creators.map((creator) => creator.trigger))].sort()) {
      const derivedFrom = triggerFields.get(relationKey(type, trigger));
      const owner = drafts.get(trigger);
      if (derivedFrom === undefined || !owner) continue;
      const wanted = queryCamelCase(pluralOf(type));
      const { name, reason } = owner.names.claim(wanted);
      if (reason) {
        const creator = creators.find((candidate) => candidate.trigger === trigger);
        report.note(
          "field-renamed",
          creator?.name.at,
          `the list of ${type} on ${trigger} is named ${quote(name)}`,
          {
            label: `listed in ${trigger}.${name}`,
            notes: [`${quote(wanted)} ${reason}`],
          },
        );
      }
      owner.fields.push({ name, of: { kind: "entity", name: type }, list: true, nonNull: true, derivedFrom });
    }
  }
}
