import { describeDataset, describeLocalDataset } from "../../datasets/catalog/describe-dataset.js";
import { findDataset, localDataset } from "../../datasets/catalog/find-dataset.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { knownOnly } from "./known-only.js";
import { printDocument } from "./print-document.js";

export interface DatasetGetArguments {
  readonly name: string;
  readonly outputFormat: "json" | "yaml";
  readonly version?: string | undefined;
}

/** Shows a dataset; returns the exit code. @throws UsageError for an unknown one */
export async function getDataset(
  { name, outputFormat, version }: DatasetGetArguments,
  terminal: Terminal,
): Promise<number> {
  const local = localDataset(name, version);
  const document = local
    ? describeLocalDataset(local.chain, local.dataset)
    : describeDataset(knownOnly(() => findDataset(name, version)));
  await printDocument(document, outputFormat, terminal);
  return exitCodes.clean;
}
