import type { Row, SqlText } from "../../../store/database/database.js";
import type { EntityColumn, EntityTable } from "../../../store/tables/layout.js";
import { noRows, type Rows, type RowValue } from "../../changes/rows.js";
import type { RowColumn, ValueType } from "../../changes/schema.js";

/** A version of an entity, with the chain of its subgraph. */
export interface EntityVersion {
  readonly row: Row;
  /** The first block in which it is valid. */
  readonly from: number;
  /** The first block in which it is no longer valid; absent while it is. */
  readonly to?: number | undefined;
  /** The network. */
  readonly chain: string;
}

export interface EntitySourceColumn extends RowColumn {
  valueOf(version: EntityVersion): RowValue;
}

/** Versions of the entities of a chain as rows with these columns. */
export function versionRows(
  columns: readonly EntitySourceColumn[],
  chain: string,
  versions: readonly Omit<EntityVersion, "chain">[],
): Rows {
  if (versions.length === 0) return noRows(columns.length);
  const all = versions.map((version) => ({ ...version, chain }));
  return {
    count: all.length,
    columns: columns.map((column) => all.map((version) => column.valueOf(version))),
  };
}

/** The column with the chain of a row, in a union of several. */
export const chainColumn = "chain";

/**
 * The columns of an entity: its stored fields, and the origin of each version. A field has precedence over our own
 * column with the same name.
 * @param written the types of fields as written in the schema, such as `[Token!]!`, by field
 * @param isUnion whether the entities of several chains are read
 */
export function entityColumns(
  { columns }: Pick<EntityTable, "columns">,
  written: ReadonlyMap<string, string>,
  isUnion: boolean,
): readonly EntitySourceColumn[] {
  const fields = columns.map((column) => fieldColumn(column, /!\]/.test(written.get(column.field) ?? "")));
  const own: readonly EntitySourceColumn[] = [
    { name: "vid", type: "LONG", nullable: false, valueOf: ({ row }) => BigInt(row.vid ?? 0) },
    {
      name: "block_range",
      type: "STRING",
      nullable: false,
      valueOf: ({ from, to }) => `[${from},${to ?? ""})`,
    },
    { name: "block_number", type: "LONG", nullable: false, valueOf: ({ from }) => BigInt(from) },
    ...(isUnion
      ? [
          {
            ...({ name: chainColumn, type: "STRING", nullable: false } as const),
            valueOf: ({ chain }: EntityVersion) => chain,
          },
        ]
      : []),
  ];
  return [...fields, ...own.filter(({ name }) => !fields.some((field) => field.name === name))];
}

/** Kinds of values whose lists become lists of strings: kinds that are text everywhere. */
const texts: ReadonlySet<string> = new Set(["String", "Bytes", "ID"]);

/** Column types of scalars; every other scalar is text. */
const types: ReadonlyMap<string, ValueType> = new Map([
  ["Int", "LONG"],
  ["Int8", "LONG"],
  ["BigInt", "DECIMAL"],
  ["BigDecimal", "NUMERIC"],
  ["Boolean", "BOOLEAN"],
  ["Timestamp", "TIMESTAMP"],
]);

/** @param isFull whether a list cannot contain nulls */
function fieldColumn(column: EntityColumn, isFull: boolean): EntitySourceColumn {
  const { name, nonNull, codec } = column;
  const type = typeOf(column, isFull);
  const read = (text: SqlText | undefined): RowValue => (text == null ? null : rowValue(type, codec, text));
  return { name, type, nullable: !nonNull, valueOf: ({ row }) => read(row[name]) };
}

function typeOf({ scalar, list, kind }: EntityColumn, isFull: boolean): ValueType {
  if (!list) return types.get(scalar) ?? "STRING";
  return isFull && (texts.has(scalar) || kind === "enum") ? "ARRAY<STRING>" : "JSON";
}

function rowValue(type: ValueType, { sent }: EntityColumn["codec"], text: string): RowValue {
  const value = sent(text);
  switch (type) {
    case "LONG":
    case "TIMESTAMP":
      return BigInt(value as string | number);
    case "JSON":
      return JSON.stringify(value);
    default:
      return value as RowValue;
  }
}
