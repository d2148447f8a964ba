import type { PublicField, PublicSchema, PublicType } from "../subgraph/changes/public-schema.js";
import type { EndpointSchema, EntityList } from "./endpoint-schema.js";
import type { IdOrder } from "./id-order.js";
import type { ValueRule } from "./same-value.js";

/** A side of the comparison. */
export type Side = "left" | "right";

/** A difference between the schemas of two endpoints, found before any entity is read. */
export type SchemaDifference =
  | { readonly kind: "type" | "enum" | "search"; readonly name: string; readonly only: Side }
  | { readonly kind: "field"; readonly name: string; readonly only: Side }
  | {
      readonly kind: "field-type" | "enum-values";
      readonly name: string;
      readonly left: string;
      readonly right: string;
    };

/** A type whose entities are read on both sides. */
export interface ComparedType {
  readonly name: string;
  readonly order: IdOrder;
  readonly left: EntityList;
  readonly right: EntityList;
  /** All fields except the id, sorted by name. */
  readonly fields: readonly ComparedField[];
}

/** A field that is read on both sides. */
export interface ComparedField {
  readonly name: string;
  readonly rule: ValueRule;
  /** Whether the field refers to other entities, whose ids are compared. */
  readonly isReference: boolean;
  readonly isList: boolean;
}

/** The parts to compare, and the parts to leave out. */
export interface ComparisonPlan {
  /** Sorted by name. */
  readonly types: readonly ComparedType[];
  readonly differences: readonly SchemaDifference[];
  /** Types and fields that both sides have but that are not compared, and why. */
  readonly left_out: readonly { readonly name: string; readonly why: string }[];
}

/**
 * Compares two schemas.
 * @param wanted the names of the types to compare; empty for all
 */
export function matchSchemas(
  left: EndpointSchema,
  right: EndpointSchema,
  wanted: ReadonlySet<string> = new Set(),
): ComparisonPlan {
  const isWanted = (name: string): boolean => wanted.size === 0 || wanted.has(name);
  const both = namesIn(left.schema.types, right.schema.types).filter(isWanted);
  const differences: SchemaDifference[] = [];
  const leftOut: { name: string; why: string }[] = [];
  const types: ComparedType[] = [];
  for (const name of both) {
    const [one, other] = [left.schema.types.get(name), right.schema.types.get(name)];
    if (!one || !other) {
      differences.push({ kind: "type", name, only: one ? "left" : "right" });
      continue;
    }
    differences.push(...fieldDifferences(one, other));
    const lists = [left.lists.get(name), right.lists.get(name)] as const;
    const type =
      lists[0] && lists[1] && comparedType(one, other, [lists[0], lists[1]], [left, right], leftOut);
    if (type) types.push(type);
    else if (one.kind === "aggregation") leftOut.push({ name, why: "it is computed from its timeseries" });
  }
  if (wanted.size === 0) differences.push(...furtherDifferences(left.schema, right.schema));
  return { types, differences, left_out: leftOut };
}

function namesIn(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): readonly string[] {
  return [...new Set([...one.keys(), ...other.keys()])].sort();
}

function fieldDifferences(left: PublicType, right: PublicType): SchemaDifference[] {
  return namesIn(left.fields, right.fields).flatMap((field): SchemaDifference[] => {
    const [one, other] = [left.fields.get(field), right.fields.get(field)];
    const name = `${left.name}.${field}`;
    if (!one || !other) return [{ kind: "field", name, only: one ? "left" : "right" }];
    return one.type === other.type ? [] : [{ kind: "field-type", name, left: one.type, right: other.type }];
  });
}

function furtherDifferences(left: PublicSchema, right: PublicSchema): SchemaDifference[] {
  const enums = namesIn(left.enums, right.enums).flatMap((name): SchemaDifference[] => {
    const [one, other] = [left.enums.get(name), right.enums.get(name)];
    if (!one || !other) return [{ kind: "enum", name, only: one ? "left" : "right" }];
    const [told, toldOther] = [[...one].sort().join(" "), [...other].sort().join(" ")];
    return told === toldOther ? [] : [{ kind: "enum-values", name, left: told, right: toldOther }];
  });
  const searches = [...new Set([...left.searches, ...right.searches])]
    .sort()
    .filter((name) => left.searches.has(name) !== right.searches.has(name))
    .map((name) => ({ kind: "search", name, only: left.searches.has(name) ? "left" : "right" }) as const);
  return [...enums, ...searches];
}

function comparedType(
  left: PublicType,
  right: PublicType,
  lists: readonly [EntityList, EntityList],
  [leftSide, rightSide]: readonly [EndpointSchema, EndpointSchema],
  leftOut: { name: string; why: string }[],
): ComparedType | undefined {
  const { name } = left;
  const [order, otherOrder] = [orderOf(left), orderOf(right)];
  if (order !== otherOrder) {
    leftOut.push({
      name,
      why: "its ids are numbers on one side and strings on the other, which sort differently",
    });
    return undefined;
  }
  const fields: ComparedField[] = [];
  for (const one of [...left.fields.values()].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const other = right.fields.get(one.name);
    // The value of a derived field follows from the stored field of the other type.
    if (!other || one.name === "id" || (one.isDerived && other.isDerived)) continue;
    const family = familyOf(one, leftSide.schema);
    if (family === familyOf(other, rightSide.schema) && one.isDerived === other.isDerived) {
      const rule = one.base === "BigDecimal" ? "decimal" : "exact";
      fields.push({ name: one.name, rule, isReference: family.startsWith("reference"), isList: one.isList });
    } else {
      leftOut.push({
        name: `${name}.${one.name}`,
        why: "its values on the two sides are of different kinds",
      });
    }
  }
  return { name, order, left: lists[0], right: lists[1], fields };
}

function orderOf({ fields }: PublicType): IdOrder {
  return fields.get("id")?.base === "Int8" ? "number" : "text";
}

const textLike = new Set(["ID", "String", "Bytes"]);

/** The family of a field: values of fields in the same family can be compared. */
function familyOf({ base, isList }: PublicField, { types, enums }: PublicSchema): string {
  const one = types.has(base) ? "reference" : textLike.has(base) || enums.has(base) ? "text" : base;
  return isList ? `${one} list` : one;
}
