import type { SubgraphFacts } from "./facts.js";
import { findFieldRenames, findTypeRenames } from "./find-renames.js";
import type { PublicField, PublicSchema, PublicType } from "./public-schema.js";
import { isSafeChange, type SchemaChange, type SchemaChangeKind } from "./schema-change.js";

type Facts = SubgraphFacts<PublicSchema>;

/**
 * Compares the schemas that queries to two subgraphs see.
 * @returns the changes: types sorted by name, each followed by its fields, then enums and searches
 */
export function compareSchemas(before: Facts, after: Facts): readonly SchemaChange[] {
  const renames = findTypeRenames(before, after);
  const renamed = new Map(renames.map(({ from, to }) => [from, to]));
  const added = [...after.schema.types.keys()].filter(
    (name) => !before.schema.types.has(name) && !renames.some(({ to }) => to === name),
  );
  const changes = [...before.schema.types.values()].flatMap((type): readonly SchemaChange[] => {
    const rename = renames.find(({ from }) => from === type.name);
    const now = after.schema.types.get(rename?.to ?? type.name);
    if (!now) return [breaking("type-removed", type.name)];
    const moved: readonly SchemaChange[] = rename
      ? [
          {
            kind: "type-renamed",
            name: now.name,
            from: type.name,
            isCertain: rename.isCertain,
            isBreaking: true,
          },
        ]
      : [];
    return [...moved, ...typeChanges([before, after], [type, now], renamed)];
  });
  const all = [...changes, ...added.map((name) => harmless("type-added", name))];
  const rank = ({ name }: SchemaChange): string => name.split(".")[0] ?? name;
  return [
    ...all.sort((a, b) => compareTexts(rank(a), rank(b))),
    ...enumChanges(before.schema.enums, after.schema.enums),
    ...nameChanges(before.schema.searches, after.schema.searches, "search-removed", "search-added"),
  ];
}

function typeChanges(
  sides: readonly [Facts, Facts],
  [before, after]: readonly [PublicType, PublicType],
  renamed: ReadonlyMap<string, string>,
): readonly SchemaChange[] {
  const { name } = after;
  if (before.kind !== after.kind)
    return [{ kind: "type-kind", name, from: before.kind, to: after.kind, isBreaking: true }];
  const renames = findFieldRenames(sides, [before, after], renamed);
  const added = [...after.fields.keys()].filter(
    (field) => !before.fields.has(field) && !renames.some(({ to }) => to === field),
  );
  const interfaces = (type: PublicType): ReadonlySet<string> =>
    new Set(type.interfaces.map((one) => (type === before ? (renamed.get(one) ?? one) : one)));
  const isKnown = before.immutable !== undefined && after.immutable !== undefined;
  return [
    ...(isKnown && before.immutable !== after.immutable
      ? [harmless(after.immutable ? "immutable" : "mutable", name)]
      : []),
    ...nameChanges(interfaces(before), interfaces(after), "interface-removed", "interface-added", `${name}.`),
    ...[...before.fields.values()].flatMap((field): readonly SchemaChange[] => {
      const rename = renames.find(({ from }) => from === field.name);
      const now = after.fields.get(rename?.to ?? field.name);
      if (!now) return [breaking("field-removed", `${name}.${field.name}`)];
      const { isCertain } = rename ?? {};
      const moved: readonly SchemaChange[] = rename
        ? [
            {
              kind: "field-renamed",
              name: `${name}.${now.name}`,
              from: field.name,
              isCertain: isCertain === true,
              isBreaking: true,
            },
          ]
        : [];
      return [...moved, ...fieldChanges(`${name}.${now.name}`, field, now, renamed)];
    }),
    ...added.map((field) => harmless("field-added", `${name}.${field}`)),
  ];
}

function fieldChanges(
  name: string,
  before: PublicField,
  after: PublicField,
  renamed: ReadonlyMap<string, string>,
): readonly SchemaChange[] {
  const type = before.type.replace(before.base, renamed.get(before.base) ?? before.base);
  const isBreaking = !isSafeChange(type, after.type);
  return [
    ...(type === after.type
      ? []
      : [{ kind: "field-type", name, from: before.type, to: after.type, isBreaking } as const]),
    // Queries can no longer filter a derived field by its own value.
    ...(!before.isDerived && after.isDerived ? [breaking("field-derived", name)] : []),
    ...(before.isDerived && !after.isDerived ? [harmless("field-stored", name)] : []),
  ];
}

function enumChanges(before: PublicSchema["enums"], after: PublicSchema["enums"]): readonly SchemaChange[] {
  const both = [...before.keys()].filter((name) => after.has(name)).sort();
  return [
    ...nameChanges(new Set(before.keys()), new Set(after.keys()), "enum-removed", "enum-added"),
    ...both.flatMap((name) => {
      const [old, now] = [new Set(before.get(name)), new Set(after.get(name))];
      return nameChanges(old, now, "enum-value-removed", "enum-value-added", `${name}.`);
    }),
  ];
}

/** Removing a name is breaking; adding one is not. */
function nameChanges(
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
  removed: SchemaChangeKind,
  added: SchemaChangeKind,
  prefix = "",
): readonly SchemaChange[] {
  return [
    ...[...before]
      .filter((name) => !after.has(name))
      .sort()
      .map((name) => breaking(removed, prefix + name)),
    ...[...after]
      .filter((name) => !before.has(name))
      .sort()
      .map((name) => harmless(added, prefix + name)),
  ];
}

function breaking(kind: SchemaChangeKind, name: string): SchemaChange {
  return { kind, name, isBreaking: true };
}

function harmless(kind: SchemaChangeKind, name: string): SchemaChange {
  return { kind, name, isBreaking: false };
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
