import type { StoredType } from "../abi/conversions.js";
import type { Report } from "../diagnostics/report.js";
import type { EntityField, EntityType, Scalar } from "../model/entity-type.js";
import type { ParameterField } from "../model/handler.js";
import { FieldNames } from "../names/field-names.js";
import { pluralOf } from "../names/plural.js";
import { queryCamelCase } from "../names/query-names.js";
import type { EntityItem, FieldConfig } from "../validate/config.js";
import { entryText } from "./find-entry.js";
import type { BoundTrigger } from "./name-entities.js";
import { parameterFields } from "./parameter-fields.js";

/** Fields every triggering entity has, first and in this order. */
const baseFields: readonly (readonly [name: string, type: Scalar])[] = [
  ["id", "ID"],
  ["block_number", "BigInt"],
  ["timestamp_", "BigInt"],
  ["transactionHash_", "String"],
  ["contractId_", "String"],
];

/** One place of the configuration that creates or changes an entity. */
export interface Creator {
  /** The entity type of the trigger. */
  readonly trigger: string;
  /** The entity type created. */
  readonly type: string;
  /** Whether it adds to the triggering entity itself instead of creating one. */
  readonly extendsTrigger: boolean;
  readonly item: EntityItem;
  readonly fields: readonly CreatorField[];
}

export interface CreatorField {
  readonly config: FieldConfig;
  readonly stored: StoredType;
  /** Whether the expression is exactly a call result that can be null. */
  readonly nullable: boolean;
}

/** The schema, and what the names in the configuration became. */
export interface ResolvedEntityTypes {
  /** Triggering entities by name, then the others by name. */
  readonly types: readonly EntityType[];
  /** The parameter fields of a triggering entity type. */
  parameterFieldsOf(type: string): readonly ParameterField[];
  /** What a field that the configuration writes is called. */
  fieldName(field: CreatorField): string;
  /** Whether a field of a type is a nullable text. */
  isNullableText(type: string, field: string): boolean;
  /** The field of a created entity that refers to its trigger; `undefined` for the trigger itself. */
  triggerField(creator: Creator): string | undefined;
}

interface FieldDraft {
  readonly name: string;
  readonly of: EntityField["of"];
  readonly list: boolean;
  nonNull: boolean;
  readonly derivedFrom?: string;
}

interface TypeDraft {
  readonly name: string;
  readonly isTrigger: boolean;
  readonly names: FieldNames;
  readonly fields: FieldDraft[];
  readonly parameters: readonly ParameterField[];
  /** Fields by the name the ABI or the configuration gives them. */
  readonly byWanted: Map<string, { readonly field: FieldDraft; readonly stored: StoredType }>;
  mutable: boolean;
}

/**
 * Works out all entity types.
 * @param triggers every trigger with its type's name
 * @param creators every place of the configuration that writes an entity
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
  const creatorsOf = groupBy(creators, ({ type }) => type);
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
  return {
    types: sorted.map(({ name, mutable, fields }) => ({ name, immutable: !mutable, fields })),
    parameterFieldsOf: (type) => drafts.get(type)?.parameters ?? [],
    fieldName: (field) => fieldNames.get(field) ?? field.config.name.value,
    isNullableText: (type, name) => {
      const field = drafts.get(type)?.fields.find((candidate) => candidate.name === name);
      return field !== undefined && !field.nonNull && !field.list && field.of.name === "String";
    },
    triggerField: ({ type, trigger }) => triggerFields.get(relationKey(type, trigger)),
  };
}

function groupBy(creators: readonly Creator[], key: (creator: Creator) => string): [string, Creator[]][] {
  const groups = new Map<string, Creator[]>();
  for (const creator of creators) {
    const group = groups.get(key(creator));
    if (group) group.push(creator);
    else groups.set(key(creator), [creator]);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
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
  const parameters = parameterFields(trigger.trigger, trigger.entry).map((wanted): ParameterField => {
    const claimed = names.claim(wanted.name);
    if (claimed.reason) {
      report.note(
        "field-renamed",
        trigger.abi.declaration.name.at,
        `parameter "${wanted.name}" of ${entryText(trigger.entry)} is the field ${claimed.name}: "${wanted.name}" ${claimed.reason}`,
      );
    }
    const field = scalarField(claimed.name, wanted.stored, true);
    fields.push(field);
    byWanted.set(wanted.name, { field, stored: wanted.stored });
    byWanted.set(claimed.name, { field, stored: wanted.stored });
    return { field: claimed.name, stored: wanted.stored, value: wanted.value };
  });
  return { name, isTrigger: true, names, fields, parameters, byWanted, mutable: false };
}

function ownDraft(name: string): TypeDraft {
  const names = new FieldNames();
  names.reserve("id");
  const id: FieldDraft = { name: "id", of: { kind: "scalar", name: "ID" }, list: false, nonNull: true };
  return { name, isTrigger: false, names, fields: [id], parameters: [], byWanted: new Map(), mutable: false };
}

function scalarField(name: string, { scalar, list }: StoredType, nonNull: boolean): FieldDraft {
  return { name, of: { kind: "scalar", name: scalar }, list, nonNull };
}

/** The references from a created entity to whatever triggered its creation. */
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
      report.note(
        "field-renamed",
        creator?.item.at,
        `${draft.name}'s reference to its ${trigger} is the field ${name}: "${wanted}" ${reason}`,
      );
    }
    triggerFields.set(relationKey(draft.name, trigger), name);
    const nonNull = !draft.isTrigger && triggers.length === 1;
    draft.fields.push({ name, of: { kind: "entity", name: trigger }, list: false, nonNull });
  }
}

/** The fields the configuration writes: known ones are met, new ones are added in order of their names. */
function addWrittenFields(
  draft: TypeDraft,
  creators: readonly Creator[],
  fieldNames: Map<CreatorField, string>,
  report: Report,
): void {
  const written = creators.flatMap((creator) => creator.fields);
  const byName = new Map<string, CreatorField[]>();
  for (const field of written) {
    const name = field.config.name.value;
    byName.set(name, [...(byName.get(name) ?? []), field]);
  }
  for (const [wanted, fields] of [...byName].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const first = fields[0] as CreatorField;
    const known = draft.byWanted.get(wanted);
    const target = known ?? { field: newField(draft, wanted, first, report), stored: first.stored };
    for (const field of fields) {
      reportConflict(draft, target.stored, field, known ? undefined : first, report);
      fieldNames.set(field, target.field.name);
    }
    draft.byWanted.set(wanted, target);
    if (fields.some(({ nullable }) => nullable)) target.field.nonNull = false;
  }
  for (const { field } of new Set(draft.byWanted.values())) {
    if (!isAlwaysSet(field, creators, fieldNames)) field.nonNull = false;
  }
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
      `the field id of ${draft.name} is the entity's own id; this one is called ${name}`,
      {
        hint: 'use the array form with "id" and "explicit_id": true to choose the id',
      },
    );
  } else if (reason) {
    report.note(
      "field-renamed",
      config.name.at,
      `field "${wanted}" of ${draft.name} is called ${name}: "${wanted}" ${reason}`,
    );
  }
  // What is added to a triggering entity is missing whenever the enrichment aborts.
  const field = scalarField(name, stored, !draft.isTrigger);
  draft.fields.push(field);
  return field;
}

function reportConflict(
  draft: TypeDraft,
  wanted: StoredType,
  { config, stored }: CreatorField,
  first: CreatorField | undefined,
  report: Report,
): void {
  if (stored.assembly === wanted.assembly) return;
  const elsewhere = first
    ? ` and as ${first.config.type.value}`
    : `, but the parameter is stored as ${wanted.scalar}`;
  report.error(
    "field-type-conflict",
    config.type.at,
    `${draft.name}.${config.name.value} is declared as ${config.type.value}${elsewhere}`,
    {
      related: first ? [{ at: first.config.type.at, text: "first declared here" }] : [],
      hint: "give the field one type in all handlers, or another name",
    },
  );
}

/** Whether every creator of a new entity sets a field; the trigger's own handler sets all parameters. */
function isAlwaysSet(
  field: FieldDraft,
  creators: readonly Creator[],
  fieldNames: ReadonlyMap<CreatorField, string>,
): boolean {
  const sets = (creator: Creator): boolean =>
    creator.fields.some((own) => fieldNames.get(own) === field.name);
  return creators.every((creator) => creator.extendsTrigger || sets(creator));
}

/** The lists on a triggering entity of what it created. */
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
          creator?.item.at,
          `the list of ${type} on ${trigger} is the field ${name}: "${wanted}" ${reason}`,
        );
      }
      owner.fields.push({ name, of: { kind: "entity", name: type }, list: true, nonNull: true, derivedFrom });
    }
  }
}
