import { groupBy } from "../../base/group-by.js";
import { compareNames } from "./compare-names.js";
import { compareSchemas } from "./compare-schemas.js";
import { compareSources } from "./compare-sources.js";
import { type SourceFacts, type SubgraphFacts, storesOf } from "./facts.js";
import type { PublicSchema } from "./public-schema.js";
import type { Finding, Reason } from "./reason.js";
import type { SchemaChange } from "./schema-change.js";

/** What a change does to a subgraph. */
export interface SubgraphDiff {
  readonly changes: readonly SchemaChange[];
  /** Whether a query that worked may not work any more. */
  readonly isBreaking: boolean;
  /** The entity types that hold something else than before, or something more, in the order of their names. */
  readonly reindex: readonly { readonly entity: string; readonly reasons: readonly Reason[] }[];
  /** What was compared: what handlers store, what makes them run, or the schemas alone. */
  readonly depth: "handlers" | "triggers" | "schema";
}

/** Compares two subgraphs, as far as both are known. */
export function diffSubgraphs(
  before: SubgraphFacts<PublicSchema>,
  after: SubgraphFacts<PublicSchema>,
): SubgraphDiff {
  const areSourcesKnown = before.sources !== undefined && after.sources !== undefined;
  const names = areSourcesKnown ? compareNames(before, after) : [];
  const changes = [...names, ...compareSchemas(before, after)];
  const found = areSourcesKnown ? compareSources(underNewNames(before.sources, changes), after.sources) : [];
  const told = changes.flatMap((change) => schemaFindings(change, after));
  const all = [...told, ...found.filter((finding) => isFurther(finding, changes, after.schema))];
  const reindex = [...groupBy(all, ({ entity }) => entity)]
    .map(([entity, findings]) => ({ entity, reasons: distinct(findings) }))
    .sort((a, b) => (a.entity < b.entity ? -1 : 1));
  const isDetailed = [before, after].every(({ sources }) =>
    sources?.every(({ mapping }) => mapping === undefined),
  );
  return {
    changes,
    isBreaking: changes.some((change) => change.isBreaking),
    reindex,
    depth: isDetailed ? "handlers" : areSourcesKnown ? "triggers" : "schema",
  };
}

/** Sources with the entity types that were renamed by their names of now. */
function underNewNames(
  sources: readonly SourceFacts[],
  changes: readonly SchemaChange[],
): readonly SourceFacts[] {
  const names = new Map(
    changes.flatMap(({ kind, name, from, isCertain }) =>
      kind === "type-renamed" && isCertain && from !== undefined ? [[from, name] as const] : [],
    ),
  );
  if (names.size === 0) return sources;
  return sources.map((source) => ({
    ...source,
    triggers: source.triggers.map((trigger) => ({
      ...trigger,
      stores: trigger.stores.map((store) => ({ ...store, entity: names.get(store.entity) ?? store.entity })),
    })),
  }));
}

/** Whether a finding says more than the changes of the schema do. */
function isFurther(
  { entity, reason: { field } }: Finding,
  changes: readonly SchemaChange[],
  { types }: PublicSchema,
): boolean {
  const type = types.get(entity);
  const isTold = (kind: SchemaChange["kind"], name: string): boolean =>
    changes.some((change) => change.kind === kind && change.name === name);
  if (!type || type.kind === "interface" || isTold("type-added", entity)) return false;
  if (field === undefined || field === "id" || field.includes(".")) return true;
  const name = `${entity}.${field}`;
  return type.fields.has(field) && !isTold("field-added", name) && !isTold("field-renamed", name);
}

/** Handlers that several contracts share are told once, and so is a cause that comes on several ways. */
function distinct(findings: readonly Finding[]): readonly Reason[] {
  const reasons = new Map(findings.map(({ reason }) => [reason.text, reason]));
  return [...reasons.values()].filter(({ text }) => {
    const cause = text.replace(/, which creates .*$/, "");
    return cause === text || !reasons.has(cause);
  });
}

const words: Partial<Record<SchemaChange["kind"], (change: SchemaChange, field: string) => string>> = {
  "type-added": () => "it is new",
  "type-renamed": ({ from }) => `it was ${from}, and lies in another table now`,
  "type-kind": ({ from, to }) => `it is of kind ${to}, before ${from}`,
  immutable: () => "it is immutable now, and lies in a table of another form",
  mutable: () => "it may change now, and lies in a table of another form",
  "field-added": (_, field) => `${field} is new`,
  "field-renamed": ({ from }, field) => `${field} was ${from}`,
  "field-type": ({ from, to }, field) => `${field} is ${to}, before ${from}`,
  "field-stored": (_, field) => `${field} is stored now`,
};

/** What a change of the schema means for what is stored; a derived field is not stored. */
function schemaFindings(change: SchemaChange, after: SubgraphFacts<PublicSchema>): readonly Finding[] {
  const [entity = "", field = ""] = change.name.split(".");
  const text = words[change.kind]?.(change, field);
  const type = after.schema.types.get(entity);
  if (text === undefined || type?.kind === "interface" || type?.fields.get(field)?.isDerived) return [];
  return [{ entity, reason: { kind: "schema", text, place: placeOf(after, entity, field) } }];
}

/** Where an entity type, or a field of it, comes from; what is derived comes from the other type. */
export function placeOf(facts: SubgraphFacts<PublicSchema>, entity: string, field: string): Reason["place"] {
  const { schema, sources = [] } = facts;
  const type = schema.types.get(entity)?.fields.get(field);
  if (type?.isDerived) return placeOf(facts, type.base, "");
  const stores = storesOf(sources, entity);
  const own = stores.map(({ store }) => store.values?.get(field)?.place).find((place) => place);
  const [first] = stores;
  const isParameter = stores.some(({ store }) => store.values?.has(field));
  const any = [...(first?.store.values?.values() ?? [])].find(({ place }) => place)?.place;
  return own ?? (isParameter ? undefined : any) ?? first?.trigger.place;
}
