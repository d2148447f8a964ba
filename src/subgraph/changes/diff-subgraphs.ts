import { groupBy } from "../../base/group-by.js";
import { compareSchemas } from "./compare-schemas.js";
import { compareSources } from "./compare-sources.js";
import { type SourceFacts, type SubgraphFacts, storesOf } from "./facts.js";
import type { PublicSchema } from "./public-schema.js";
import type { Finding, Reason } from "./reason.js";
import type { SchemaChange } from "./schema-change.js";

type Named = Pick<SubgraphFacts<unknown>, "name" | "sources">;

/** The effects of a change to a subgraph. */
export interface SubgraphDiff {
  readonly changes: readonly SchemaChange[];
  /** Whether a working query may stop working. */
  readonly isBreaking: boolean;
  /** The entity types with different or additional content, sorted by name. */
  readonly reindex: readonly { readonly entity: string; readonly reasons: readonly Reason[] }[];
  /** What was compared: the handlers' entities, their triggers, or only the schemas. */
  readonly depth: "handlers" | "triggers" | "schema";
}

/** Compares two subgraphs as far as both are known. */
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

/** Sources with renamed entity types under their new names. */
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

/** Whether a finding adds to the changes of the schema. */
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

/**
 * Removes repetition: handlers that several contracts share, and causes found in several ways, appear once.
 */
function distinct(findings: readonly Finding[]): readonly Reason[] {
  const reasons = new Map(findings.map(({ reason }) => [reason.text, reason]));
  return [...reasons.values()].filter(({ text }) => {
    const cause = text.replace(/, which creates .*$/, "");
    return cause === text || !reasons.has(cause);
  });
}

const words: Partial<Record<SchemaChange["kind"], (change: SchemaChange, field: string) => string>> = {
  "type-added": () => "it is new",
  "type-renamed": ({ from }) => `it was renamed from ${from} and is now in a different table`,
  "type-kind": ({ from, to }) => `it is now of kind ${to}, previously ${from}`,
  immutable: () => "it is now immutable and needs a table of a different form",
  mutable: () => "it is now mutable and needs a table of a different form",
  "field-added": (_, field) => `${field} is new`,
  "field-renamed": ({ from }, field) => `${field} was renamed from ${from}`,
  "field-type": ({ from, to }, field) => `${field} is now ${to}, previously ${from}`,
  "field-stored": (_, field) => `${field} is now stored`,
};

/** The effect of a schema change on stored data. Derived fields are not stored. */
function schemaFindings(change: SchemaChange, after: SubgraphFacts<PublicSchema>): readonly Finding[] {
  const [entity = "", field = ""] = change.name.split(".");
  const text = words[change.kind]?.(change, field);
  const type = after.schema.types.get(entity);
  if (text === undefined || type?.kind === "interface" || type?.fields.get(field)?.isDerived) return [];
  return [{ entity, reason: { kind: "schema", text, place: fieldPlace(after, entity, field) } }];
}

/** Where an entity type or one of its fields comes from. A derived field comes from the other type. */
export function fieldPlace(
  facts: SubgraphFacts<PublicSchema>,
  entity: string,
  field: string,
): Reason["place"] {
  const { schema, sources = [] } = facts;
  const type = schema.types.get(entity)?.fields.get(field);
  if (type?.isDerived) return fieldPlace(facts, type.base, "");
  const stores = storesOf(sources, entity);
  const own = stores.map(({ store }) => store.values?.get(field)?.place).find((place) => place);
  const [first] = stores;
  const isParameter = stores.some(({ store }) => store.values?.has(field));
  const any = [...(first?.store.values?.values() ?? [])].find(({ place }) => place)?.place;
  return own ?? (isParameter ? undefined : any) ?? first?.trigger.place;
}

/**
 * Compares the names of the deployed subgraphs, which are part of the query URLs. There is one subgraph per
 * chain, with the chain in its name if there are several.
 */
function compareNames(before: Named, after: Named): readonly SchemaChange[] {
  const known = before.name ?? after.name ?? "<name>";
  const [old, now] = [namesOf(before, known), namesOf(after, known)];
  const [gone, come] = [left(old, now), left(now, old)];
  const renamed = [...gone].flatMap(([chain, from]): readonly SchemaChange[] => {
    const name = come.get(chain);
    return name === undefined
      ? []
      : [{ kind: "subgraph-renamed", name, from, isCertain: true, isBreaking: true }];
  });
  const rest = (names: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>) =>
    [...names].filter(([chain]) => !others.has(chain)).map(([, name]) => name);
  return [
    ...renamed,
    ...rest(gone, come).map((name): SchemaChange => ({ kind: "subgraph-removed", name, isBreaking: true })),
    ...rest(come, gone).map((name): SchemaChange => ({ kind: "subgraph-added", name, isBreaking: false })),
  ];
}

function namesOf({ name, sources = [] }: Named, known: string): ReadonlyMap<string, string> {
  const contracts = sources.filter(({ kind }) => kind === "contract");
  const chains = [...new Set(contracts.map(({ chain }) => chain))];
  const own = name ?? known;
  return new Map(chains.map((chain) => [chain, chains.length > 1 ? `${own}-${chain}` : own]));
}

/** The names that only one side has. */
function left(
  names: ReadonlyMap<string, string>,
  others: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const taken = new Set(others.values());
  return new Map([...names].filter(([, name]) => !taken.has(name)));
}
