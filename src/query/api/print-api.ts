import { print } from "graphql";
import { builtinDirectives, builtinTypes, logsField, metaField, rootArguments } from "./builtin-types.js";
import { filterKeys } from "./filters.js";
import type { ModelField, ModelType, QueryModel } from "./model.js";
import { orderKeys } from "./orders.js";
import type { RootField } from "./root-fields.js";

/** The prefix of a type name that holds a repeated field of `Query`. The field's position follows. */
export const repeatedType = "__Repeated_";

const page = "skip: Int = 0, first: Int = 100";

/**
 * Prints the schema that a deployment's clients see.
 * @param repeated repeated fields of `Query` by position, in separate types because no schema can repeat a field
 */
export function printApi(
  model: QueryModel,
  root: ReadonlyMap<string, RootField>,
  repeated: ReadonlyMap<number, RootField> = new Map(),
): string {
  const types = [...model.types.values()];
  return [
    ...model.directives.map(print),
    builtinDirectives,
    builtinTypes,
    ...[...model.enums.values()].map(print),
    ...model.inputs.map(print),
    ...types.map((type) => typeText(type, model)),
    ...types.map((type) => `enum ${type.name}_orderBy { ${orderNames(type, model)} }`),
    ...types.map((type) => filterText(type, model)),
    ...[...repeated].map(
      ([position, field]) => `type ${repeatedType}${position} { ${rootText(field, model)} }`,
    ),
    `type Query {\n${[...root.values()].map((field) => rootText(field, model)).join("\n")}\n${metaField}\n${logsField}\n}`,
  ].join("\n");
}

function typeText(type: ModelType, model: QueryModel): string {
  const keyword = type.kind === "interface" ? "interface" : "type";
  const implemented = type.interfaces.length > 0 ? ` implements ${type.interfaces.join(" & ")}` : "";
  const fields = [...type.fields.values()].map((field) => fieldText(field, model));
  return `${described(type.description)}${keyword} ${type.name}${implemented} {\n${fields.join("\n")}\n}`;
}

function fieldText(field: ModelField, model: QueryModel): string {
  const given =
    field.list && field.kind === "reference" ? [collection(field.base, model)] : field.declaredArguments;
  const list = given.length > 0 ? `(${given.join(", ")})` : "";
  return `${described(field.description)}${field.name}${list}: ${print(field.type)}`;
}

function collection(name: string, model: QueryModel): string {
  const isAggregation = model.types.get(name)?.kind === "aggregation";
  const order = `orderBy: ${name}_orderBy, orderDirection: OrderDirection`;
  return isAggregation
    ? `${page}, interval: Aggregation_interval!, ${order}, current: Aggregation_current, where: ${name}_filter`
    : `${page}, ${order}, where: ${name}_filter`;
}

function rootText({ name, kind, type }: RootField, model: QueryModel): string {
  const { block, policy } = rootArguments;
  if (kind === "one") return `${name}(id: ID!, ${block}, ${policy}): ${type}`;
  if (kind === "fulltext") {
    return `${name}(text: String!, first: Int = 100, skip: Int = 0, ${block}, where: ${type}_filter, ${policy}): [${type}!]!`;
  }
  const about =
    model.types.get(type)?.kind === "aggregation"
      ? described(`Collection of aggregated \`${type}\` values`)
      : "";
  return `${about}${name}(${collection(type, model)}, ${block}, ${policy}): [${type}!]!`;
}

function orderNames(type: ModelType, model: QueryModel): string {
  return orderKeys(type, model)
    .map(({ key }) => key)
    .join(" ");
}

function filterText(type: ModelType, model: QueryModel): string {
  const name = `${type.name}_filter`;
  const keys = filterKeys(type, model).map((one) => `${one.key}: ${one.type}`);
  const changed = `"Filter for the block changed event." _change_block: BlockChangedFilter`;
  return `input ${name} {\n${keys.join("\n")}\n${changed}\nand: [${name}]\nor: [${name}]\n}`;
}

/** Puts a description before a definition. Every JSON string is also a GraphQL string. */
function described(text: string | undefined): string {
  return text === undefined ? "" : `${JSON.stringify(text)}\n`;
}
