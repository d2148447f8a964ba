import { visibleJson } from "../../base/text/visible.js";
import type { SubgraphDiff } from "../../subgraph/changes/diff-subgraphs.js";
import type { Place } from "../../subgraph/changes/facts.js";
import { changeWords } from "./change-words.js";
import { changePlace } from "./diff-as-text.js";
import type { DiffSide } from "./read-side.js";

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
export function diffAsJson(diff: SubgraphDiff, before: DiffSide, after: DiffSide): string {
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
