import { visible } from "../../base/visible.js";
import { readTableToImport, type TableToImport } from "../../data/catalog/import-table.js";
import { TableError } from "../../data/catalog/parse-table.js";
import { dataChainOfName } from "../../data/chains/data-chain.js";
import { createNodeHost } from "../../node/host.js";
import type { SubgraphArguments } from "../pipeline/open-subgraphs.js";
import { count } from "../terminal/count.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage-error.js";
import { withDatabase } from "./open-place.js";

/** Arguments of `data import`. */
export interface ImportDataArguments extends SubgraphArguments {
  readonly file: string;
  readonly chain?: string | undefined;
}

/** Bytes of a file at most. */
const largestFile = 256 * 1024 * 1024;

/** Imports prices, facts about tokens or names of addresses; returns the exit code. @throws UsageError */
export async function importData(args: ImportDataArguments, terminal: Terminal): Promise<number> {
  const { file, chain } = args;
  if (chain !== undefined && !dataChainOfName(chain))
    throw new UsageError("--chain: there is no such chain. graphloom dataset list shows all chains.");
  const host = createNodeHost({ cwd: terminal.cwd, ...(terminal.stdin && { stdin: terminal.stdin }) });
  const read = await host.readFile(file, largestFile);
  if (read.kind !== "bytes")
    throw new UsageError(
      read.kind === "too-large"
        ? `${visible(file)} has more than 256 MB. Import it in parts.`
        : `${visible(file)} cannot be read.`,
    );
  const text = new TextDecoder().decode(read.bytes);
  const table = tableIn(text, args, terminal);
  if (!table) return exitCodes.diagnostics;
  return withDatabase(args, terminal, async (database) => {
    await table.write(database);
    terminal.out(`Imported ${count(table.rows, "row")} of ${table.kind}.\n`);
    return exitCodes.clean;
  });
}

/** Reads the file before a database is opened, which may be made by that. Says what is wrong with it. */
function tableIn(
  text: string,
  { file, chain }: ImportDataArguments,
  terminal: Terminal,
): TableToImport | undefined {
  try {
    return readTableToImport(text, chain);
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    terminal.err(`${visible(file)} cannot be imported, and nothing was written. ${visible(error.message)}\n`);
    return undefined;
  }
}
