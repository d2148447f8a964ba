import { snakeCase } from "../../base/text/snake-case.js";
import {
  type Aggregation,
  type EntitySchema,
  type EntityType,
  type Field,
  SchemaError,
} from "../../subgraph/schema/entity-schema.js";
import { quoteNames } from "../database/quote.js";
import { listCodec, scalarCodecs, wholeCodec } from "./field-codecs.js";
import type { EntityColumn, EntityTable, EnumType, FulltextColumn, Layout } from "./layout.js";
import { versionColumn } from "./versions-sql.js";

/** The database's text search configuration, by a schema's name for the language. */
const languages: ReadonlyMap<string, string> = new Map([
  ["simple", "simple"],
  ["da", "danish"],
  ["nl", "dutch"],
  ["en", "english"],
  ["fi", "finnish"],
  ["fr", "french"],
  ["de", "german"],
  ["hu", "hungarian"],
  ["it", "italian"],
  ["no", "norwegian"],
  ["pt", "portuguese"],
  ["ro", "romanian"],
  ["ru", "russian"],
  ["es", "spanish"],
  ["sv", "swedish"],
  ["tr", "turkish"],
]);

/** Facts that the schema alone does not contain. */
export interface LayoutOptions {
  /** Entity types that file data sources write. Their rows carry the causality region. */
  readonly fileTypes?: ReadonlySet<string>;
}

/** The database cuts names to this many bytes. */
const longestName = 63;

/**
 * Computes the layout of a schema's entities.
 * @param namespace the database schema, `sgd<n>`
 * @throws SchemaError if two tables or two columns would share a name, or a column would have the name of a store's own
 *   column
 */
export function layOut(
  schema: EntitySchema,
  namespace: string,
  { fileTypes = new Set() }: LayoutOptions = {},
): Layout {
  const enums = new Map([...schema.enums].map(([name, labels]) => [name, enumType(name, labels)] as const));
  const columnsOf = (fields: Iterable<Field>): readonly EntityColumn[] =>
    [...fields]
      .filter(({ derivedFrom }) => derivedFrom === undefined)
      .map((field) => columnOf(field, namespace, enums));
  const entities = [...schema.types.values()].map((type, position): EntityTable => {
    const { name, immutable, fields } = type;
    return {
      name: sqlName(name),
      type: name,
      position,
      immutable,
      causalityRegion: fileTypes.has(name),
      columns: columnsOf(fields.values()),
      fulltext: fulltextOf(type, schema),
    };
  });
  const aggregations = schema.aggregations.flatMap((aggregation) =>
    aggregation.intervals.map((interval) => ({
      name: sqlName(`${aggregation.name}_${interval}`),
      type: aggregation.name,
      immutable: true,
      causalityRegion: false,
      interval,
      columns: columnsOf(aggregation.fields.values()),
      fulltext: [],
      ...cumulated(aggregation),
    })),
  );
  const tables = [
    ...entities,
    ...aggregations.map((table, index) => ({ ...table, position: entities.length + index })),
  ];
  checkNames(tables, enums);
  return { namespace, tables, enums };
}

function sqlName(name: string): string {
  return snakeCase(name).slice(0, longestName);
}

function enumType(name: string, labels: readonly string[]): EnumType {
  // GraphQL names are ASCII, so this is the order of their bytes.
  return { name: sqlName(name), labels: [...labels].sort() };
}

function columnOf(field: Field, namespace: string, enums: ReadonlyMap<string, EnumType>): EntityColumn {
  const { name, scalar, target, list, nonNull, kind } = field;
  const type = field.allowed && enums.get(scalar);
  const item = scalarCodecs[kind];
  const isWhole = type !== undefined || target !== undefined || name === "id";
  return {
    name: sqlName(name),
    field: name,
    sqlType: type ? quoteNames(namespace, type.name) : item.sqlType,
    codec: list ? listCodec(item) : isWhole ? wholeCodec(item) : item,
    scalar,
    kind: type ? "enum" : target === undefined ? "scalar" : "reference",
    ...(target !== undefined && { target }),
    list,
    nonNull,
  };
}

function fulltextOf({ name }: EntityType, { fulltext }: EntitySchema): readonly FulltextColumn[] {
  return fulltext.flatMap((search) => {
    const fields = search.include.get(name);
    if (!fields) return [];
    const configuration = languages.get(search.language);
    if (configuration === undefined) {
      const known = [...languages.keys()].join(", ");
      throw new SchemaError(
        `the full-text search ${search.name} has the unsupported language ${search.language}; supported are ${known}`,
      );
    }
    const sources = fields.map(sqlName);
    const { name: field, algorithm } = search;
    return [{ name: sqlName(field), field, configuration, algorithm, sources }];
  });
}

function cumulated({ fields }: Aggregation): Pick<EntityTable, "cumulated"> {
  const all = [...fields.values()];
  if (!all.some(({ aggregate }) => aggregate?.cumulative)) return {};
  const dimensions = all.filter(({ name, aggregate }) => !aggregate && name !== "id" && name !== "timestamp");
  return dimensions.length === 0 ? {} : { cumulated: dimensions.map(({ name }) => sqlName(name)) };
}

const ownColumns = [
  "vid",
  ...[false, true].map((immutable) => versionColumn({ immutable }).name),
  "causality_region",
];

function checkNames(tables: readonly EntityTable[], enums: ReadonlyMap<string, EnumType>): void {
  const types = new Map<string, string>();
  for (const [name, type] of enums) addName(types, type.name, name, "in the database");
  for (const table of tables) {
    const { type, name, interval } = table;
    addName(types, name, interval === undefined ? type : `${type} by ${interval}`, "in the database");
    const columns = new Map(ownColumns.map((own) => [own, "an internal column"]));
    for (const column of [...table.columns, ...table.fulltext]) {
      addName(columns, column.name, column.field, `among the columns of ${type}`);
    }
  }
}

function addName(names: Map<string, string>, name: string, what: string, where: string): void {
  if (name === "") throw new SchemaError(`${what} needs a letter or digit to have a name ${where}`);
  const other = names.get(name);
  if (other !== undefined) {
    throw new SchemaError(`${what} and ${other} would both be named ${name} ${where}: rename one of them`);
  }
  names.set(name, what);
}
