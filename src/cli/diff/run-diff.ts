import { diffSubgraphs } from "../../subgraph/changes/diff-subgraphs.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { diffAsJson } from "./diff-as-json.js";
import { diffAsText } from "./diff-as-text.js";
import { type DiffArguments, readSide } from "./read-side.js";

/** Compares two subgraphs and reports the changes; returns the exit code. */
export async function runDiff(args: DiffArguments, terminal: Terminal): Promise<number> {
  if (args.old === "-" && args.new === "-")
    throw new UsageError("Standard input can be one of the two sides, not both.");
  const before = await readSide(args.old, args, terminal);
  const after = before && (await readSide(args.new, args, terminal));
  if (!before || !after) return exitCodes.diagnostics;
  const diff = diffSubgraphs(before.facts, after.facts);
  terminal.out(args.output === "json" ? diffAsJson(diff, before, after) : diffAsText(diff, before, after));
  return diff.isBreaking ? exitCodes.differs : exitCodes.clean;
}
