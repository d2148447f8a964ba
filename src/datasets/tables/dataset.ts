import type { Column, ColumnValue } from "../parquet/column.js";

/** The name of a column's type. Integers of any size are strings of decimal digits. */
export type DatasetType = "STRING" | "LONG" | "DOUBLE" | "DECIMAL" | "ARRAY<STRING>";

export interface DatasetColumn {
  readonly name: string;
  readonly type: DatasetType;
  /** Whether values may be null. */
  readonly nullable?: true;
  readonly description: string;
  /** The first version of the dataset with this column; earlier ones have the same columns without it. */
  readonly since?: string;
}

/** The kinds of datasets, as named after the chain: `ethereum.raw_logs`. */
export const datasetKinds = [
  "raw_blocks",
  "raw_transactions",
  "raw_logs",
  "raw_traces",
  "decoded_logs",
  "erc20_transfers",
  "erc721_transfers",
  "erc1155_transfers",
] as const;
export type DatasetKind = (typeof datasetKinds)[number];

/** A table that graphloom makes of chain data. */
export interface Dataset {
  readonly kind: DatasetKind;
  /** Other names of the same table. */
  readonly aliases: readonly string[];
  /** The current version, which is the default. Later ones have more columns. */
  readonly version: string;
  readonly group: "raw" | "decoded" | "transfers";
  readonly description: string;
  readonly columns: readonly DatasetColumn[];
  /** What a node must give besides blocks and logs. */
  readonly needs: readonly ("receipts" | "traces" | "ABI")[];
  /** A row as an example, by column. */
  readonly example: Readonly<Record<string, string | number | null | readonly string[]>>;
}

/** All versions of a dataset, the current one first. */
export function versionsOf({ version, columns }: Dataset): readonly string[] {
  return [version, ...new Set(columns.flatMap(({ since }) => since ?? []))];
}

/**
 * A dataset with the columns of a version. Pipelines take the current one, so that columns that are added do not change their
 * tables. The files of `external-data sync` have all columns.
 */
export function datasetAt(dataset: Dataset, version: string = dataset.version): Dataset {
  const versions = versionsOf(dataset);
  const known = versions.slice(0, versions.indexOf(version) + 1);
  const columns = dataset.columns.filter(({ since }) => since === undefined || known.includes(since));
  const named = new Set(columns.map(({ name }) => name));
  const example = Object.fromEntries(Object.entries(dataset.example).filter(([name]) => named.has(name)));
  return { ...dataset, version, columns, example };
}

/** A row by column. */
export type DatasetRow = Readonly<Record<string, ColumnValue>>;

/** A dataset's columns in a Parquet file. */
export function parquetColumns({ columns }: Dataset): readonly Column[] {
  return columns.map(({ name, type, nullable = false }) => ({ name, type: stored[type], nullable }));
}

const stored = {
  STRING: "string",
  LONG: "long",
  DOUBLE: "double",
  DECIMAL: "string",
  "ARRAY<STRING>": "strings",
} as const satisfies Record<DatasetType, Column["type"]>;
