import { visibleJson } from "../../base/text/visible.js";
import type { SubgraphDiff } from "../../subgraph/changes/diff-subgraphs.js";
import { diffSubgraphs } from "../../subgraph/changes/diff-subgraphs.js";
import type { Place } from "../../subgraph/changes/facts.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { changeWords } from "./change-words.js";
import { changePlace, diffAsText } from "./diff-as-text.js";
import type { DiffSide } from "./read-side.js";
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

/**
 * The document of `--output json`:
 *
 *     {
 *       "breaking": true,
 *       "compared": "handlers",
 *       "schema": [
 *         { "kind": "field-renamed", "name": "Balance.holder", "from": "owner", "to": null, "certain": true,
 *           "breaking": true, "text": "…", "place": { "path": "subgraph.json", "line": 12, "column": 9 } }, …
 *       ],
 *       "reindex": [
 *         { "entity": "Balance", "reasons": [{ "kind": "start-block", "text": "…", "place": null }, …] }, …
 *       ]
 *     }
 *
 * `compared` is `handlers` between configurations, `triggers` when one side is a build, and `schema` when nothing
 * else is known. `certain` is null for a change that is not a rename. Later versions may add members and kinds, but
 * never change the meaning of one.
 */
function diffAsJson(diff: SubgraphDiff, before: DiffSide, after: DiffSide): string {
  const document = {
    breaking: diff.isBreaking,
    compared: diff.depth,
    schema: diff.changes.map((change) => ({
      kind: change.kind,
      name: change.name,
      from: change.from ?? null,
      to: change.to ?? null,
      certain: change.isCertain ?? null,
      breaking: change.isBreaking,
      text: changeWords(change),
      place: plain(changePlace(change, before, after)),
    })),
    reindex: diff.reindex.map(({ entity, reasons }) => ({
      entity,
      reasons: reasons.map(({ kind, text, place }) => ({ kind, text, place: plain(place) })),
    })),
  };
  return `${visibleJson(JSON.stringify(document, null, 2))}\n`;
}

function plain(place: Place | undefined): object | null {
  return place ? { path: place.path, line: place.line, column: place.column } : null;
}
