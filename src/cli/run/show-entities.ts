import { terminalFor } from "../compile/report-diagnostics.js";
import type { Terminal } from "../terminal/terminal.js";
import type { ChainResult } from "./chain-result.js";
import type { RunArguments } from "./run-arguments.js";
import { shownTypes } from "./shown-type.js";
import { type ShownChain, tables, writeJson, writeLines } from "./write-entities.js";

/** Shows the entities of all chains, including those whose run ended early. */
export async function showEntities(
  results: readonly ChainResult[],
  args: RunArguments,
  terminal: Terminal,
): Promise<void> {
  const shown: ShownChain[] = [];
  for (const { chain, outcome } of results) {
    if (outcome.kind !== "run") continue;
    const { first, progress } = outcome;
    const types = await shownTypes(chain.built.entities, chain.store, args.entity ?? []);
    const blocks = progress.block >= first && { blocks: { first, last: progress.block } };
    shown.push({ chain: chain.chain, ...blocks, progress, types });
  }
  const told = terminalFor(args, terminal);
  const options = { last: args.last, columns: terminal.columns ?? 80 };
  if (args.output === "json") writeJson(shown, options, told.out);
  else if (args.output === "ndjson") writeLines(shown, options, told.out);
  else told.out(shown.map((chain) => tables(chain, options)).join("\n"));
}
