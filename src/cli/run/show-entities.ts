import { terminalFor } from "../compile/report-diagnostics.js";
import type { Terminal } from "../terminal/terminal.js";
import type { ChainResult } from "./chain-result.js";
import type { RunArguments } from "./run-arguments.js";
import { shownTypes } from "./shown-type.js";
import { type ShownChain, tables, writeJson, writeLines } from "./write-entities.js";

/** Rows per type in the tables for people. */
const fewRows = 5;

/** Shows the entities of all chains that ran, including those whose run ended early. */
export async function showEntities(
  results: readonly ChainResult[],
  args: RunArguments,
  terminal: Terminal,
): Promise<void> {
  const shown: ShownChain[] = [];
  const last = args.last ?? (args.output === "table" ? fewRows : undefined);
  for (const { chain, outcome, compared } of results) {
    if (outcome.kind !== "run") continue;
    const { first, progress, leftOut, unreachable } = outcome;
    // The error that follows says all that is known; zeros would look like an answer.
    if (unreachable && progress.block < first) continue;
    const types = await shownTypes(chain.built.entities, chain.store, args.entity ?? [], last);
    const blocks = progress.block >= first && { blocks: { first, last: progress.block } };
    shown.push({ chain: chain.chain, ...blocks, progress, leftOut, types, compared });
  }
  const isNoneRead = results.some(({ outcome }) => outcome.kind === "run" && outcome.unreachable);
  if (shown.length === 0 && isNoneRead) return;
  const told = terminalFor(args, terminal);
  if (args.output === "json") writeJson(shown, told.out);
  else if (args.output === "ndjson") writeLines(shown, told.out);
  else told.out(shown.map((chain) => tables(chain, terminal.columns ?? 80)).join("\n"));
}
