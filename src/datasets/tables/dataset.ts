import type { Column, ColumnValue } from "../parquet/column.js";

/** The name of a column's type. Integers of any size are decimal strings. */
export type DatasetType = "STRING" | "LONG" | "DOUBLE" | "DECIMAL" | "ARRAY<STRING>";

export interface DatasetColumn {
  readonly name: string;
  readonly type: DatasetType;
  /** Whether values may be null. */
  readonly nullable?: true;
  readonly description: string;
  /** The first version with this column. */
  readonly since?: string;
}

/** The kinds of datasets, as in a name after the chain's prefix: `ethereum.raw_logs`. */
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

/** A table that graphloom derives from chain data. */
export interface Dataset {
  readonly kind: DatasetKind;
  readonly aliases: readonly string[];
  /** The current version, which is the default. Later ones have more columns. */
  readonly version: string;
  readonly group: "raw" | "decoded" | "transfers";
  readonly description: string;
  readonly columns: readonly DatasetColumn[];
  /** What a node must provide besides blocks and logs. */
  readonly needs: readonly ("receipts" | "traces" | "ABI")[];
  /** An example row, by column. */
  readonly example: Readonly<Record<string, string | number | null | readonly string[]>>;
}

/** All versions of a dataset, the current one first. */
export function versionsOf({ version, columns }: Dataset): readonly string[] {
  return [version, ...new Set(columns.flatMap(({ since }) => since ?? []))];
}

/**
 * A dataset with the columns of a version. Pipelines use the current one, so that added columns do not change their
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
