import { resolve } from "node:path";
import { visible } from "../../base/text/visible.js";
import { readTableToImport, type TableToImport, tableToImport } from "../../data/catalog/import-table.js";
import { TableError, type TableRow } from "../../data/catalog/parse-table.js";
import { dataChainOfName } from "../../data/chains/data-chain.js";
import { createNodeHost } from "../../machine/files/host.js";
import { isParquet, isParquetFile } from "../../pipelines/machine/duckdb/is-parquet-file.js";
import { ParquetError, readParquetTable } from "../../pipelines/machine/duckdb/read-parquet-table.js";
import type { SubgraphArguments } from "../pipeline/sources/open-subgraphs.js";
import { reportMissingPackage } from "../pipeline/with-plan.js";
import { count } from "../terminal/count.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { withDatabase } from "./open-place.js";

export interface ImportDataArguments extends SubgraphArguments {
  readonly file: string;
  readonly chain?: string | undefined;
}

/** The most bytes of a text file. */
const largestFile = 256 * 1024 * 1024;
/** The limits of a Parquet file after decompression. */
const limits = { rows: 5_000_000, characters: largestFile };

/** Imports prices, facts about tokens or names of addresses; returns the exit code. @throws UsageError */
export async function importData(args: ImportDataArguments, terminal: Terminal): Promise<number> {
  const { chain } = args;
  if (chain !== undefined && !dataChainOfName(chain))
    throw new UsageError("--chain: there is no such chain. graphloom dataset list shows all chains.");
  return reportMissingPackage(terminal, () => importTable(args, terminal));
}

async function importTable(args: ImportDataArguments, terminal: Terminal): Promise<number> {
  const table = await tableIn(args, terminal);
  if (!table) return exitCodes.diagnostics;
  return withDatabase(args, terminal, async (database) => {
    await table.write(database);
    terminal.out(`Imported ${count(table.rows, "row")} of ${table.kind}.\n`);
    return exitCodes.clean;
  });
}

/**
 * Reads the file before the database is opened, since opening may create one. Reports mistakes in the file.
 * @throws UsageError for a file that cannot be read
 */
async function tableIn(
  { file, chain }: ImportDataArguments,
  terminal: Terminal,
): Promise<TableToImport | undefined> {
  const path = resolve(terminal.cwd, file);
  try {
    if (file !== "-" && (await isParquetFile(path)))
      return tableToImport((await readParquetTable(path, limits)).map(rowOf), chain);
    const bytes = await readWhole(file, terminal);
    if (isParquet(bytes)) throw new TableError("Parquet cannot be read from standard input. Pass a file.");
    return readTableToImport(new TextDecoder().decode(bytes), chain);
  } catch (error) {
    if (!(error instanceof TableError || error instanceof ParquetError)) throw error;
    terminal.err(`${visible(file)} cannot be imported, and nothing was written. ${visible(error.message)}\n`);
    return undefined;
  }
}

/** A file of text, or standard input. @throws UsageError */
async function readWhole(file: string, { cwd, stdin }: Terminal): Promise<Uint8Array> {
  const read = await createNodeHost({ cwd, ...(stdin && { stdin }) }).readFile(file, largestFile);
  if (read.kind === "bytes") return read.bytes;
  throw new UsageError(
    read.kind === "too-large"
      ? `${visible(file)} has more than 256 MB. Import it in parts.`
      : `${visible(file)} cannot be read.`,
  );
}

function rowOf(values: Readonly<Record<string, string>>, index: number): TableRow {
  const filled = Object.entries(values).filter(([, value]) => value !== "");
  return { line: index + 1, values: Object.fromEntries(filled) };
}
