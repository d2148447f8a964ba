import { visible } from "../../base/text/visible.js";
import { fieldPlace, type SubgraphDiff } from "../../subgraph/changes/diff-subgraphs.js";
import type { Place } from "../../subgraph/changes/facts.js";
import type { SchemaChange } from "../../subgraph/changes/schema-change.js";
import { changeWords } from "./change-words.js";
import type { DiffSide } from "./read-side.js";

/** The most reasons that are shown for one entity. */
const mostReasons = 20;

/** Describes the effects of a change, for people. */
export function diffAsText(
  { changes, isBreaking, reindex, depth }: SubgraphDiff,
  before: DiffSide,
  after: DiffSide,
): string {
  const breaking = changes.filter((change) => change.isBreaking);
  const others = changes.filter((change) => !change.isBreaking);
  const line = (change: SchemaChange): string =>
    `  ${visible(changeWords(change))}${placed(changePlace(change, before, after))}\n`;
  const again = reindex.map(({ entity, reasons }) => {
    const shown = reasons
      .slice(0, mostReasons)
      .map(({ text, place }) => `    ${visible(text)}${placed(place)}\n`);
    const more = reasons.length > mostReasons ? `    and ${reasons.length - mostReasons} more reasons\n` : "";
    return `  ${visible(entity)}\n${shown.join("")}${more}`;
  });
  const parts = [
    breaking.length > 0 ? `Breaking for queries:\n${breaking.map(line).join("")}` : "",
    others.length > 0 ? `Not breaking:\n${others.map(line).join("")}` : "",
    again.length > 0 ? `To be indexed again:\n${again.join("")}` : "",
    depthNote(depth, before, after),
    verdict({ changes, isBreaking, reindex, depth }),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

/** The place of a change in the new configuration, or of a removal in the old one. */
export function changePlace(
  { kind, name }: SchemaChange,
  before: DiffSide,
  after: DiffSide,
): Place | undefined {
  if (kind.startsWith("subgraph-")) return undefined;
  const [entity = "", field = ""] = name.split(".");
  const isGone = kind.endsWith("-removed");
  return fieldPlace((isGone ? before : after).facts, entity, field);
}

function placed(place: Place | undefined): string {
  return place ? `  ${visible(place.path)}:${place.line}:${place.column}` : "";
}

function depthNote(depth: SubgraphDiff["depth"], before: DiffSide, after: DiffSide): string {
  if (depth === "handlers") return "";
  if (depth === "triggers") {
    const code = [before, after].every(({ kind }) => kind === "build")
      ? "Code is only compared as a whole"
      : "Code is not compared";
    return `A build lists its contracts and events, but not what each handler stores. ${code}.\n`;
  }
  const unknown = [before, after].find(({ facts }) => facts.sources === undefined);
  const what = unknown?.kind === "deployed" ? "the deployed subgraph" : "one side";
  return `Only the schema of ${what} is known: contracts, start blocks, events and calls are not compared.\n`;
}

function verdict({ changes, isBreaking, reindex, depth }: SubgraphDiff): string {
  if (isBreaking) return "Queries break.\n";
  if (changes.length > 0 || reindex.length > 0) return "No query breaks.\n";
  return depth === "schema" ? "The schemas are the same.\n" : "Nothing changes.\n";
}
