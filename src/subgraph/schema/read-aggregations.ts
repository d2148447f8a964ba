import { type ConstValueNode, Kind, type ObjectTypeDefinitionNode } from "graphql";
import { expressionSql } from "./aggregate-expression.js";
import { argumentOf, directiveOf } from "./directives.js";
import {
  type Aggregate,
  type Aggregation,
  type AggregationField,
  type AggregationInterval,
  aggregateFunctions,
  aggregationIntervals,
  type EntitySchema,
  type EntityType,
} from "./entity-schema.js";
import { schemaError } from "./parse-schema.js";
import type { Definitions } from "./read-definitions.js";
import type { FieldReader } from "./read-fields.js";

/**
 * Reads the types with `@aggregation`.
 * @throws SchemaError for unknown intervals, sources and functions, and for fields that the source lacks
 */
export function readAggregations(
  { aggregations }: Pick<Definitions, "aggregations">,
  reader: FieldReader,
  types: EntitySchema["types"],
): readonly Aggregation[] {
  return [...aggregations.values()].map((node) => {
    const name = node.name.value;
    const source = constantText(argumentOf(node, "aggregation", "source"));
    const points = source === undefined ? undefined : types.get(source);
    if (!points?.timeseries) {
      throw schemaError(node, `the aggregation ${name} needs a timeseries as its source`);
    }
    const intervals = intervalsOf(node);
    const fields = fieldsOf(node, reader);
    checkFields(node, fields, points);
    return { name, source: points.name, intervals, fields };
  });
}

function intervalsOf(node: ObjectTypeDefinitionNode): readonly AggregationInterval[] {
  const given = argumentOf(node, "aggregation", "intervals");
  const names = given?.kind === Kind.LIST ? given.values.map(constantText) : [];
  const intervals = aggregationIntervals.filter((interval) => names.includes(interval));
  if (names.length === 0 || intervals.length !== names.length) {
    throw schemaError(
      node,
      `the intervals of the aggregation ${node.name.value} can only be "hour" and "day"`,
    );
  }
  return intervals;
}

function fieldsOf(
  node: ObjectTypeDefinitionNode,
  reader: FieldReader,
): ReadonlyMap<string, AggregationField> {
  const { fields } = reader.read(node);
  return new Map(
    [...fields].map(([name, field]): [string, AggregationField] => {
      const place = `${node.name.value}.${name}`;
      if (field.derivedFrom !== undefined) {
        throw schemaError(node, `${place} is derived, but fields of an aggregation cannot be derived`);
      }
      const definition = node.fields?.find((candidate) => candidate.name.value === name);
      if (!definition || !directiveOf(definition, "aggregate")) return [name, field];
      return [name, { ...field, aggregate: aggregateOf(place, definition) }];
    }),
  );
}

function checkFields(
  node: ObjectTypeDefinitionNode,
  fields: Aggregation["fields"],
  points: EntityType,
): void {
  const name = node.name.value;
  if (!fields.has("timestamp")) throw schemaError(node, `the aggregation ${name} needs a field timestamp`);
  let aggregates = 0;
  for (const [own, field] of fields) {
    const place = `${name}.${own}`;
    if (field.aggregate) {
      aggregates += 1;
      checkAggregate(node, field, field.aggregate, points);
    } else if (points.fields.get(own)?.text !== field.text) {
      const found = points.fields.get(own)?.text ?? "no such field";
      throw schemaError(node, `${place} is ${field.text}, but its source ${points.name} has ${found}`);
    }
  }
  if (aggregates === 0) throw schemaError(node, `the aggregation ${name} needs a field with @aggregate`);
}

const numbers: ReadonlySet<string> = new Set(["Int", "Int8", "BigInt", "BigDecimal"]);

function checkAggregate(
  node: ObjectTypeDefinitionNode,
  field: AggregationField,
  { fn, arg }: Aggregate,
  points: EntityType,
): void {
  const place = `${node.name.value}.${field.name}`;
  if (field.list) throw schemaError(node, `${place} is a list, but an aggregate cannot be a list`);
  if (fn !== "first" && fn !== "last" && !numbers.has(field.kind)) {
    throw schemaError(node, `${place} is ${field.text}, but ${fn} returns one of ${[...numbers].join(", ")}`);
  }
  if (arg === undefined) return;
  expressionSql(place, arg, (name) => {
    const used = points.fields.get(name);
    return used && used.derivedFrom === undefined && !used.list ? name : undefined;
  });
}

function aggregateOf(
  place: string,
  node: NonNullable<ObjectTypeDefinitionNode["fields"]>[number],
): Aggregate {
  const named = constantText(argumentOf(node, "aggregate", "fn"));
  const fn = aggregateFunctions.find((candidate) => candidate === named);
  if (fn === undefined) {
    throw schemaError(node, `the function of ${place} must be one of ${aggregateFunctions.join(", ")}`);
  }
  const arg = constantText(argumentOf(node, "aggregate", "arg"));
  if (arg === undefined && fn !== "count")
    throw schemaError(node, `${place} needs arg, the value to compute ${fn} of`);
  const cumulative = argumentOf(node, "aggregate", "cumulative");
  return {
    fn,
    ...(arg !== undefined && { arg }),
    cumulative: cumulative?.kind === Kind.BOOLEAN && cumulative.value,
  };
}

function constantText(node: ConstValueNode | undefined): string | undefined {
  return node?.kind === Kind.STRING || node?.kind === Kind.ENUM ? node.value : undefined;
}
