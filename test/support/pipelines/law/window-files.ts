import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TableFiles } from "../../../../src/datasets/sync/table-files.js";
import { readEntry } from "../../../../src/pipelines/sinks/file/window-file.js";
import { readWithDuckDb } from "../../database/read-with-duckdb.js";
import type { Cut } from "../expect-law.js";
import type { LawRow } from "../law-pipeline.js";
import type { KeptEntry } from "./kept-ledgers.js";

/** The rows of all Parquet files below a folder, as DuckDB reads them. */
export async function rowsOfFiles(folder: string, arePartitioned = false): Promise<readonly LawRow[]> {
  if (filesIn(folder, ".parquet").length === 0) return [];
  const rows = await readWithDuckDb(join(folder, "**/*.parquet"), arePartitioned);
  return rows.map(({ block_number: block, ...row }) => ({ ...row, block_number: String(block) }) as LawRow);
}

/** The ledger entries of all windows below a folder. */
export async function ledgersOfFiles(folder: string, arePartitioned = false): Promise<readonly KeptEntry[]> {
  const entries: KeptEntry[] = [];
  for (const path of filesIn(folder, arePartitioned ? ".window" : ".parquet")) {
    const entry = await readEntry(async () => readFileSync(join(folder, path)));
    if (entry) entries.push(entry);
  }
  return entries;
}

function filesIn(folder: string, ending: string): readonly string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return paths.filter((path) => path.endsWith(ending));
}

/** A folder that is interrupted before a file is written, in the middle of it, and after it. */
export function interruptedFiles(files: TableFiles, cut: Cut): TableFiles {
  return {
    read: (path) => files.read(path),
    bytes: (...given) => files.bytes(...given),
    list: (folder) => files.list(folder),
    ends: (path) => files.ends(path),
    remove: (path) => files.remove(path),
    lock: () => files.lock(),
    write: async (path, content, replaces) => {
      cut();
      await files.write(path, pieces(content, cut), replaces);
      cut();
    },
  };
}

async function* pieces(
  content: Uint8Array | AsyncIterable<Uint8Array>,
  cut: Cut,
): AsyncGenerator<Uint8Array> {
  if (content instanceof Uint8Array) yield content;
  else
    for await (const piece of content) {
      yield piece;
      cut();
    }
}
