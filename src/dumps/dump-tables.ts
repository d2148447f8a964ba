import { SQL, type SqlFragment } from "../store/database/database.js";
import { quoteName, quoteNames } from "../store/database/quote.js";
import type { EntityColumn, EntityTable, Layout } from "../store/tables/layout.js";
import { lexemesSql } from "../store/tables/lexemes.js";
import { dataSourcesTable, proofsTable, versionColumn, versionsSql } from "../store/tables/versions-sql.js";
import type { DumpColumn, DumpType } from "./dump-columns.js";

/** A table as a dump contains it. */
export interface StoredTable {
  /** The name of its folder: the type in the schema, with the interval of an aggregation. */
  readonly type: string;
  /** Quoted. */
  readonly name: SqlFragment;
  readonly immutable: boolean;
  readonly causalityRegion: boolean;
  readonly columns: readonly StoredColumn[];
  /** The columns that are computed when a row is written, by their quoted names. */
  readonly computed: readonly { readonly name: SqlFragment; readonly value: SqlFragment }[];
}

/** A column of a file, and the one of the table. */
export interface StoredColumn extends DumpColumn {
  /** What a statement selects. */
  readonly selected: SqlFragment;
  /** The type of values, or of the items of a list. */
  readonly sqlType: SqlFragment;
}

/** The column with the first block in which a version is no longer valid. */
export const endColumn = `${versionColumn({ immutable: false }).name}_end`;

/** The columns of a file with the ends of rows. */
export function clampColumns({ columns }: StoredTable): readonly StoredColumn[] {
  return columns
    .filter(({ name }) => name === "vid" || name === endColumn)
    .map((column) => ({ ...column, isNullable: false }));
}

/** The names of the two tables beside those of entities. */
export const proofsType = "Poi$";
export const dataSourcesType = dataSourcesTable.name;

/** Whether the database numbers the rows of a table. */
export function isNumbered({ type }: StoredTable): boolean {
  return type === dataSourcesType || /_(?:hour|day)$/.test(type);
}

const typeOfScalar: Readonly<Record<string, DumpType>> = {
  Boolean: "boolean",
  Int: "int",
  Int8: "long",
  BigInt: "integer",
  BigDecimal: "decimal",
  Bytes: "bytes",
  Timestamp: "timestamp",
};

/**
 * The tables of a deployment, in the order of their names. The columns have graph-node's order.
 * @param hasProofs whether it keeps proofs of indexing
 */
export function storedTables({ namespace, tables }: Layout, hasProofs: boolean): readonly StoredTable[] {
  const hasTimes = tables.some(({ interval }) => interval !== undefined);
  const all = [
    ...tables.map((table) => entityTable(namespace, table)),
    dataSources(namespace),
    ...(hasProofs ? [proofs(namespace, hasTimes)] : []),
  ];
  return all.sort((a, b) => (a.type < b.type ? -1 : 1));
}

function entityTable(namespace: string, table: EntityTable): StoredTable {
  const { type, interval, name, immutable, causalityRegion, columns, fulltext } = table;
  const before = systemColumns(table).length;
  const at = (source: string): SqlFragment =>
    SQL`r.c${before + columns.findIndex((column) => column.name === source)}`;
  return {
    type: interval === undefined ? type : `${type}_${interval}`,
    name: quoteNames(namespace, name),
    immutable,
    causalityRegion,
    columns: [...systemColumns(table), ...columns.map(entityColumn)],
    computed: fulltext.map((column) => ({
      name: quoteName(column.name),
      value: lexemesSql(column.configuration, column.sources.map(at)),
    })),
  };
}

function systemColumns(table: Pick<EntityTable, "immutable" | "causalityRegion">): readonly StoredColumn[] {
  const { begins, ends } = versionsSql(table);
  const { name } = versionColumn(table);
  return [
    { ...plain("vid", "long"), sqlType: SQL`bigint` },
    { ...plain(table.immutable ? name : `${name}_start`, "int"), selected: begins },
    ...(table.immutable ? [] : [{ ...plain(endColumn, "int", true), selected: ends }]),
    ...(table.causalityRegion ? [plain("causality_region", "int")] : []),
  ];
}

function entityColumn({ name, kind, scalar, list, nonNull, sqlType }: EntityColumn): StoredColumn {
  const type = kind === "enum" ? "string" : (typeOfScalar[scalar] ?? "string");
  return { name, type, isList: list, isNullable: !nonNull, sqlType, selected: quoteName(name) };
}

const sqlTypes: Readonly<Record<"int" | "long" | "string" | "bytes", SqlFragment>> = {
  int: SQL`integer`,
  long: SQL`bigint`,
  string: SQL`text`,
  bytes: SQL`bytea`,
};

function plain(name: string, type: keyof typeof sqlTypes, isNullable = false): StoredColumn {
  return { name, type, isList: false, isNullable, sqlType: sqlTypes[type], selected: quoteName(name) };
}

function dataSources(namespace: string): StoredTable {
  const table = { immutable: false, causalityRegion: true };
  return {
    ...table,
    type: dataSourcesType,
    name: quoteNames(namespace, dataSourcesTable.name),
    columns: [
      ...systemColumns(table),
      plain("manifest_idx", "int"),
      plain("parent", "int", true),
      plain("id", "bytes", true),
      plain("param", "bytes", true),
      { ...plain("context", "string", true), sqlType: SQL`jsonb` },
      plain("done_at", "int", true),
    ],
    computed: [],
  };
}

function proofs(namespace: string, hasTimes: boolean): StoredTable {
  const table = { immutable: false, causalityRegion: false };
  return {
    ...table,
    type: proofsType,
    name: quoteNames(namespace, proofsTable.name),
    columns: [
      ...systemColumns(table),
      plain("digest", "bytes"),
      plain("id", "string"),
      ...(hasTimes ? [plain("block_time", "long")] : []),
    ],
    computed: [],
  };
}

/**
 * Inserts rows. Parameters: an array for each column, with lists in text form.
 * @param clamps the quoted name of the table with the ends of versions that are still open in the rows
 */
export function insertion(table: StoredTable, clamps: SqlFragment | undefined): SqlFragment {
  const { name, columns, computed, immutable } = table;
  const versions = immutable ? 2 : 3;
  const others = columns.slice(versions);
  const end = clamps ? SQL`coalesce(r.c2, e.ended)` : SQL`r.c2`;
  const valid = versionsSql(table).valid(SQL`r.c1`, immutable ? undefined : end);
  const names = [SQL`vid`, versionColumn(table).name, ...others.map((column) => quoteName(column.name))];
  const values = [
    SQL`r.c0`,
    valid,
    ...others.map(({ isList, sqlType }, index) =>
      isList ? SQL`r.c${index + versions}::${sqlType}[]` : SQL`r.c${index + versions}`,
    ),
  ];
  const arrays = columns.map(
    ({ isList, sqlType }, index) => SQL`$${index + 1}::${isList ? SQL`text` : sqlType}[]`,
  );
  const aliases = columns.map((_, index) => SQL`c${index}`);
  const joined = clamps ? SQL` left join ${clamps} e on e.vid = r.c0` : SQL``;
  return SQL`insert into ${name} (${[...names, ...computed.map((column) => column.name)]})
    select ${[...values, ...computed.map(({ value }) => value)]}
      from unnest(${arrays}) as r(${aliases})${joined}`;
}
