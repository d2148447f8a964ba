import { visible } from "../../base/text/visible.js";
import {
  type ContractBox,
  type Diagram,
  type DiagramEdge,
  type DiagramGroup,
  diagramOf,
  type EntityBox,
} from "./diagram.js";
import type { MapTheme } from "./map-style.js";
import { prefixOf } from "./measure.js";
import type { SubgraphMap } from "./subgraph-map.js";
import { wrapped } from "./svg-text.js";

/** Width of a line of a label, in characters, and the most lines. */
const widest = 46;

const mostLines = 4;

/** Characters without a special meaning in Mermaid, HTML or Markdown within quotes. */
const plain = /[\p{L}\p{M}\p{N} _.,:()/+×…-]/u;

/** The first line of every map in Mermaid. */
export const mermaidBeginning = "%% Drawn by graphloom map\n";

/** Mermaid's limits, as on GitHub. */
const mostCharacters = 50_000;
const mostEdges = 500;
/** Maximum numbers of handlers in a box for a whole group, and of fields in the box of an entity. */
const mostHandlers = 8;
const mostFields = 12;

/** A map has more boxes or lines than Mermaid draws. */
export class MapTooLargeError extends Error {
  override readonly name = "MapTooLargeError";
}

/**
 * A map as a flow chart in Mermaid. A large map has one box for all handlers of a group.
 * @param theme `auto` leaves the colours to the page
 * @throws MapTooLargeError if it is still too large
 */
export function mermaidOf(map: SubgraphMap, theme: MapTheme = "auto"): string {
  const diagram = diagramOf(map);
  for (const isBrief of [false, true]) {
    const { text, edges } = flowChart(diagram, isBrief, theme);
    if (text.length <= mostCharacters && edges <= mostEdges) return text;
  }
  throw new MapTooLargeError(
    `the map is too large for Mermaid, which draws at most ${mostEdges} lines and ${mostCharacters} characters`,
  );
}

/** Border colours that suit light and dark backgrounds. */
const classes = [
  "classDef contract stroke:#5b8fc7,stroke-width:2px",
  "classDef template stroke:#5b8fc7,stroke-width:2px,stroke-dasharray:5 3",
  "classDef entity stroke:#4d9d68,stroke-width:2px",
];

function flowChart(
  diagram: Diagram,
  isBrief: boolean,
  theme: MapTheme,
): { readonly text: string; readonly edges: number } {
  const ids = idsOf(diagram, isBrief);
  const groups = diagram.groups.flatMap((group) => [
    ...group.contracts.map((contract) => contractNode(contract, ids)),
    ...(isBrief ? briefPanel(group, ids) : panel(group, ids)),
  ]);
  const edges = [...new Set(diagram.edges.flatMap((edge) => edgeLine(edge, diagram, ids)))];
  const lines = [
    ...(theme === "auto" ? [] : [`%%{init: {"theme": "${theme === "dark" ? "dark" : "default"}"}}%%`]),
    "flowchart LR",
    ...[...groups, ...diagram.entities.map((entity) => entityNode(entity, ids)), ...edges, ...classes].map(
      (line) => `  ${line}`,
    ),
  ];
  return { text: `${mermaidBeginning}${lines.join("\n")}\n`, edges: edges.length };
}

/** The ids of boxes by key. @param isBrief whether all handlers of a group share a box */
function idsOf({ groups, entities }: Diagram, isBrief: boolean): ReadonlyMap<string, string> {
  const contracts = groups.flatMap((group) => group.contracts);
  const handlers = groups.flatMap((group) => group.handlers);
  const panels = new Map(groups.map(({ key }, index) => [key, `p${index + 1}`]));
  const shared = groups.flatMap((group) =>
    group.handlers.map(({ key }) => [key, panels.get(group.key) ?? ""] as const),
  );
  return new Map([
    ...contracts.map(({ key }, index) => [key, `c${index + 1}`] as const),
    ...panels,
    ...(isBrief ? shared : handlers.map(({ key }, index) => [key, `h${index + 1}`] as const)),
    ...entities.map(({ key }, index) => [key, `e${index + 1}`] as const),
  ]);
}

function contractNode({ key, name, details, isTemplate }: ContractBox, ids: ReadonlyMap<string, string>) {
  const label = mermaidLabel([name, ...(isTemplate ? ["template"] : []), ...details]);
  return `${ids.get(key)}[${label}]:::${isTemplate ? "template" : "contract"}`;
}

function panel({ key, handlers }: DiagramGroup, ids: ReadonlyMap<string, string>): readonly string[] {
  if (handlers.length === 0) return [];
  const rows = handlers.map((handler) => {
    const label = mermaidLabel([prefixOf(handler) + handler.signature.short]);
    return `  ${ids.get(handler.key)}(${label})`;
  });
  return [`subgraph ${ids.get(key)}[" "]`, ...rows, "end"];
}

function briefPanel({ key, handlers }: DiagramGroup, ids: ReadonlyMap<string, string>): readonly string[] {
  if (handlers.length === 0) return [];
  const shown = handlers.slice(0, mostHandlers).map((one) => prefixOf(one) + one.signature.short);
  const left = handlers.length - shown.length;
  return [`${ids.get(key)}(${mermaidLabel([...shown, ...(left > 0 ? [`and ${left} more`] : [])])})`];
}

function entityNode({ key, name, fields }: EntityBox, ids: ReadonlyMap<string, string>): string {
  const left = fields.length - mostFields;
  const shown = fields.slice(0, mostFields).map((field) => `${field.name}: ${field.type}`);
  const label = mermaidLabel([name, ...shown, ...(left > 0 ? [`and ${left} more`] : [])]);
  return `${ids.get(key)}([${label}]):::entity`;
}

/** The line of an edge; `undefined` if one of its boxes is not drawn. */
function edgeLine(
  { kind, from, to, field }: DiagramEdge,
  { entities }: Diagram,
  ids: ReadonlyMap<string, string>,
): readonly string[] {
  const [start, end] = [ids.get(from), ids.get(to)];
  if (start === undefined || end === undefined) return [];
  if (kind === "creates") return [`${start} -. creates .-> ${end}`];
  if (kind !== "refers") return [`${start} --> ${end}`];
  const name = entities.find(({ key }) => key === from)?.fields[field ?? -1]?.name ?? "";
  return [`${start} -. ${mermaidLabel([name])} .-> ${end}`];
}

/**
 * Escapes an untrusted text for a line of a label. Everything but letters, digits and a few marks becomes a reference
 * such as `#60;`, so that the text cannot end the label, the code block or a comment. Long texts are cut.
 */
function mermaidText(text: string): string {
  const lines = wrapped(text.slice(0, 2 * widest * mostLines), widest, mostLines).lines.map(encoded);
  return lines.join("<br/>");
}

/** A label of several lines, between quotes. */
function mermaidLabel(lines: readonly string[]): string {
  const label = lines.map(mermaidText).join("<br/>");
  // An empty label is a syntax error.
  return `"${label === "" ? " " : label}"`;
}

function encoded(line: string): string {
  return Array.from(visible(line.trimEnd()), (character) =>
    plain.test(character) ? character : `#${character.codePointAt(0)};`,
  ).join("");
}
