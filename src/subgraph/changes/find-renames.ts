import { type SourceFacts, type SubgraphFacts, storesOf } from "./facts.js";
import type { PublicField, PublicSchema, PublicType } from "./public-schema.js";

/** A removed thing and an added thing that may be the same thing renamed. */
export interface Rename {
  readonly from: string;
  readonly to: string;
  /** Whether exactly the same handlers store both. */
  readonly isCertain: boolean;
}

type Facts = SubgraphFacts<PublicSchema>;

/**
 * Finds renamed types: pairs of the same shape with no other candidate. A rename is certain if the same handlers
 * store the same content in both; the same shape alone is not enough, because events often look alike.
 */
export function findTypeRenames(before: Facts, after: Facts): readonly Rename[] {
  const removed = [...before.schema.types.values()].filter(({ name }) => !after.schema.types.has(name));
  const added = [...after.schema.types.values()].filter(({ name }) => !before.schema.types.has(name));
  return uniquePairs(
    removed,
    added,
    (one, other) => shapeOf(one) === shapeOf(other),
    (one, other) =>
      isSameEvidence(typeEvidence(before.sources, one.name), typeEvidence(after.sources, other.name)),
  );
}

/**
 * Finds renamed fields: pairs of the same type with no other candidate.
 * @param renamed renamed types, by old name
 */
export function findFieldRenames(
  [before, after]: readonly [Facts, Facts],
  [one, other]: readonly [PublicType, PublicType],
  renamed: ReadonlyMap<string, string>,
): readonly Rename[] {
  const removed = [...one.fields.values()].filter(({ name }) => !other.fields.has(name));
  const added = [...other.fields.values()].filter(({ name }) => !one.fields.has(name));
  const typeNow = ({ type, base }: PublicField): string => type.replace(base, renamed.get(base) ?? base);
  return uniquePairs(
    removed,
    added,
    (gone, come) => typeNow(gone) === come.type && gone.isDerived === come.isDerived,
    (gone, come) =>
      // A field derived from a renamed type is named after it.
      (gone.isDerived && renamed.get(gone.base) === come.base) ||
      isSameEvidence(
        fieldEvidence(before.sources, one.name, gone.name),
        fieldEvidence(after.sources, other.name, come.name),
      ),
  );
}

interface Named {
  readonly name: string;
}

/**
 * Similar pairs without other candidates. If several are similar, takes the certain ones without another certain
 * candidate.
 */
function uniquePairs<Thing extends Named>(
  removed: readonly Thing[],
  added: readonly Thing[],
  isAlike: (one: Thing, other: Thing) => boolean,
  isCertain: (one: Thing, other: Thing) => boolean,
): readonly Rename[] {
  const pairs = removed.flatMap((one) =>
    added
      .filter((other) => isAlike(one, other))
      .map((other): Rename => ({ from: one.name, to: other.name, isCertain: isCertain(one, other) })),
  );
  const certain = pairs.filter((pair) => pair.isCertain);
  const taken = (pair: Rename): boolean =>
    certain.some((other) => other !== pair && (other.from === pair.from || other.to === pair.to));
  const left = pairs.filter((pair) => !taken(pair));
  return left.filter(
    (pair) => !left.some((other) => other !== pair && (other.from === pair.from || other.to === pair.to)),
  );
}

/** The fields of a type with their types. References to the type itself do not depend on its name. */
function shapeOf({ name, kind, fields, interfaces }: PublicType): string {
  const texts = [...fields.values()].map(
    (field) => `${field.name}: ${field.base === name ? field.type.replace(name, "itself") : field.type}`,
  );
  return [kind, ...texts.sort(), ...interfaces].join("\n");
}

/** The handlers that store a type, and what they store; empty if unknown. */
function typeEvidence(sources: readonly SourceFacts[] | undefined, entity: string): readonly string[] {
  return storesOf(sources ?? [], entity).map(({ source, trigger, store }) => {
    const values = store.values && [...store.values].map(([name, { text }]) => `${name} = ${text}`);
    return values ? [sourceKey(source), trigger.kind, trigger.signature, ...values.sort()].join("\n") : "";
  });
}

function fieldEvidence(
  sources: readonly SourceFacts[] | undefined,
  entity: string,
  field: string,
): readonly string[] {
  return storesOf(sources ?? [], entity).flatMap(({ source, trigger, store }) => {
    if (!store.values) return [""];
    const value = store.values.get(field);
    return value ? [[sourceKey(source), trigger.kind, trigger.signature, value.text].join("\n")] : [];
  });
}

function sourceKey({ chain, address = "", abi }: SourceFacts): string {
  return `${chain} ${address} ${abi}`;
}

function isSameEvidence(before: readonly string[], after: readonly string[]): boolean {
  if (before.length === 0 || before.length !== after.length || before.includes("")) return false;
  const sorted = after.toSorted();
  return before.toSorted().every((text, index) => text === sorted[index]);
}
