import { type DocumentNode, Kind } from "graphql";
import { snakeCase } from "../../base/text/snake-case.js";
import { expressionSql } from "./aggregate-expression.js";
import { argumentOf, directiveOf } from "./directives.js";
import type { EntitySchema } from "./entity-schema.js";
import { entitiesIn, objectsIn } from "./nodes.js";
import { schemaError } from "./parse-schema.js";

/** @throws SchemaError for a field that a type declares twice */
export function checkSingleFields(document: DocumentNode): void {
  for (const { name, fields = [] } of objectsIn(document)) {
    const seen = new Set<string>();
    for (const field of fields) {
      if (seen.has(field.name.value)) {
        throw schemaError(field, `${name.value}.${field.name.value} is declared twice: remove one`);
      }
      seen.add(field.name.value);
    }
  }
}

/** Columns that every table may have beside those of its fields. */
const ownColumns: ReadonlySet<string> = new Set(["vid", "block_range", "causality_region"]);

/** @throws SchemaError for fields that would share a column with each other, or with the store, as in graph-node */
export function checkColumns(document: DocumentNode): void {
  for (const { name, fields = [] } of objectsIn(document)) {
    const seen = new Map<string, string>();
    for (const field of fields) {
      if (directiveOf(field, "derivedFrom")) continue;
      const own = `${name.value}.${field.name.value}`;
      const column = snakeCase(field.name.value);
      if (ownColumns.has(column)) {
        throw schemaError(field, `${own} would be stored as ${column}, a column of the store: rename ${own}`);
      }
      const other = seen.get(column);
      if (other !== undefined) {
        throw schemaError(field, `${own} and ${other} would both be stored as ${column}: rename ${own}`);
      }
      seen.set(column, own);
    }
  }
}

/** @throws SchemaError for contradictory flags of `@entity` */
export function checkFlags(document: DocumentNode): void {
  for (const node of entitiesIn(document)) {
    const isSet = (flag: string): boolean => {
      const value = argumentOf(node, "entity", flag);
      return value?.kind === Kind.BOOLEAN && value.value;
    };
    if (isSet("skipDuplicates") && !isSet("immutable") && !isSet("timeseries")) {
      throw schemaError(node, `skipDuplicates on the type ${node.name.value} requires immutable: true`);
    }
  }
}

/** Number types from narrow to wide. */
const numbers: readonly string[] = ["Int", "Int8", "BigInt", "BigDecimal"];

/** @throws SchemaError for an aggregate whose field is too narrow */
export function checkWidths(document: DocumentNode, { types, aggregations }: EntitySchema): void {
  for (const { name, source, fields } of aggregations) {
    const points = types.get(source);
    for (const { name: own, text, kind, aggregate } of fields.values()) {
      const { fn, arg } = aggregate ?? {};
      if (arg === undefined || fn === "first" || fn === "last") continue;
      const place = `${name}.${own}`;
      const refuse = (why: string): Error => {
        const node = objectsIn(document).find((one) => one.name.value === name);
        return schemaError(node ?? {}, `${place} ${why}`);
      };
      expressionSql(place, arg, (used) => {
        const point = points?.fields.get(used);
        if (!point) return undefined;
        const width = numbers.indexOf(point.kind);
        if (width === -1) throw refuse(`is computed from ${source}.${used}, which is not a number`);
        if (width <= numbers.indexOf(kind)) return used;
        throw refuse(
          `is ${text}, but it is computed from ${source}.${used}, which is the wider ${point.text}`,
        );
      });
    }
  }
}
