import { groupBy } from "../../base/group-by.js";
import { condenseMap } from "./condense-map.js";
import { describeMap } from "./describe-map.js";
import {
  type Box,
  layOutMap,
  type MapLayout,
  middle,
  type PlacedContract,
  type PlacedEntity,
  type PlacedGroup,
  type PlacedTrigger,
  prefixOf,
  sizes,
} from "./layout.js";
import type { SubgraphMap } from "./subgraph-map.js";
import { escaped, type WrappedText } from "./svg-text.js";

/** The style: dark or light as the reader prefers. Loads nothing from elsewhere. */
export const mapStyle = `
.graphloom-map{--paper:#fff;--ink:#1c2733;--soft:#5b6b7b;--line:#9fb0c0;--contract:#eaf2fb;--contract-line:#5b8fc7;--trigger:#f6f7f9;--trigger-line:#c3ccd5;--entity:#eaf7ee;--entity-line:#4d9d68;--creates:#b5651d;background:var(--paper);color-scheme:light dark}
@media (prefers-color-scheme:dark){.graphloom-map{--paper:#11171d;--ink:#e6edf3;--soft:#93a3b3;--line:#566675;--contract:#16283b;--contract-line:#5b8fc7;--trigger:#1a222b;--trigger-line:#3a4753;--entity:#15301f;--entity-line:#4d9d68;--creates:#e0a060}}
.graphloom-map text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;fill:var(--ink)}
.graphloom-map .paper{fill:var(--paper)}
.graphloom-map .heading{fill:var(--soft);font-weight:600}
.graphloom-map .name{font-weight:600}
.graphloom-map .small{font-size:11px;fill:var(--soft)}
.graphloom-map .kind{fill:var(--soft)}
.graphloom-map .contract{fill:var(--contract);stroke:var(--contract-line)}
.graphloom-map .template{stroke-dasharray:5 3}
.graphloom-map .panel{fill:var(--trigger);stroke:var(--trigger-line)}
.graphloom-map .rule{stroke:var(--trigger-line)}
.graphloom-map .entity{fill:var(--entity);stroke:var(--entity-line)}
.graphloom-map .line{fill:none;stroke:var(--line);stroke-width:1.5}
.graphloom-map .creates{stroke:var(--creates);stroke-dasharray:5 3}
.graphloom-map .head{fill:var(--creates)}
`;

/**
 * Draws a map as an SVG document: contracts, triggers and entities, from left to right. The same map gives
 * the same bytes. The document contains no scripts and no external references, follows the reader's
 * preference for dark or light, and escapes all names.
 */
export function drawMap(map: SubgraphMap): string {
  return drawing(map, [`<style>${mapStyle}</style>`]);
}

/** Draws a map for a page that already contains the style (`mapStyle`). */
export function drawMapWithin(map: SubgraphMap): string {
  return drawing(map, []);
}

function drawing(map: SubgraphMap, styles: readonly string[]): string {
  const layout = layOutMap(condenseMap(map));
  const { width, height } = layout;
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" class="graphloom-map" role="img" aria-labelledby="graphloom-map-title graphloom-map-desc" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title id="graphloom-map-title">${escaped(`Map of ${map.title}`)}</title>`,
    `<desc id="graphloom-map-desc">${describeMap(map).split("\n").map(escaped).join("\n")}</desc>`,
    ...styles,
    '<defs><marker id="graphloom-map-head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="head" d="M0 0L8 4L0 8z"/></marker></defs>',
    `<rect class="paper" width="${width}" height="${height}"/>`,
    ...headings(layout),
    ...edges(layout),
    ...layout.groups.flatMap(group),
    ...layout.entities.map(entity),
    "</svg>",
  ];
  return `${lines.join("\n")}\n`;
}

function headings({ columns }: MapLayout): readonly string[] {
  const y = sizes.margin + 12;
  return ["Contracts", "Events and calls", "Entities"].map(
    (text, index) => `<text class="heading" x="${round(columns[index] ?? 0)}" y="${y}">${text}</text>`,
  );
}

function edges({ groups, entities }: MapLayout): readonly string[] {
  const entityOf = new Map(entities.map((placed) => [placed.entity, placed]));
  // Templates on several chains may share a name.
  const templates = groupBy(
    groups.flatMap(({ contracts }) => contracts.filter((placed) => placed.contract.isTemplate)),
    (placed) => placed.contract.name,
  );
  const stores = (from: Box, names: readonly string[]): readonly string[] =>
    names.flatMap((name) => {
      const to = entityOf.get(name);
      return to ? [`<path class="line" d="${curve(rightOf(from), leftOf(to))}"/>`] : [];
    });
  return groups.flatMap(({ contracts, panel, triggers, entities: all }) => [
    ...contracts.map((placed) => `<path class="line" d="${curve(rightOf(placed), leftOf(panel))}"/>`),
    ...stores(panel, all),
    ...triggers.flatMap((placed) => stores(placed, placed.trigger.entities)),
    ...triggers.flatMap((placed) =>
      placed.trigger.creates.flatMap((name) => (templates.get(name) ?? []).map((to) => creation(placed, to))),
    ),
  ]);
}

function creation(from: Box, to: Box): string {
  // Above the middle, where the line to the template's triggers begins.
  const path = curve(leftOf(from), [to.x + to.width, to.y + to.height / 4]);
  return `<path class="line creates" marker-end="url(#graphloom-map-head)" d="${path}"/>`;
}

type Point = readonly [x: number, y: number];

function leftOf(box: Box): Point {
  return [box.x, middle(box)];
}

function rightOf(box: Box): Point {
  return [box.x + box.width, middle(box)];
}

function curve([x, y]: Point, [toX, toY]: Point): string {
  const half = round((x + toX) / 2);
  return `M${round(x)} ${round(y)}C${half} ${round(y)} ${half} ${round(toY)} ${round(toX)} ${round(toY)}`;
}

function group({ contracts, panel, triggers }: PlacedGroup): readonly string[] {
  const rows = triggers.flatMap((placed, index) => [
    ...(index === 0
      ? []
      : [`<path class="rule" d="M${round(placed.x)} ${round(placed.y)}h${round(placed.width)}"/>`]),
    triggerText(placed),
  ]);
  return [
    ...contracts.flatMap(contract),
    ...(triggers.length === 0 ? [] : [rectangle("panel", panel), ...rows]),
  ];
}

function contract({ contract: { isTemplate }, name, details, ...box }: PlacedContract): readonly string[] {
  const x = box.x + sizes.padding;
  let y = box.y + sizes.padding + 13;
  const shown = [texts("name", name, x, y, sizes.line)];
  y += (name.lines.length - 1) * sizes.line + sizes.smallLine;
  for (const detail of details) {
    shown.push(texts("small", detail, x, y, sizes.smallLine));
    y += detail.lines.length * sizes.smallLine;
  }
  return [rectangle(isTemplate ? "contract template" : "contract", box), ...shown];
}

function triggerText({ trigger, text, x, y }: PlacedTrigger): string {
  const kind = prefixOf(trigger);
  const lines = text.lines.map((line, index) => {
    const isFirst = index === 0 && kind !== "" && line.startsWith(kind);
    return isFirst
      ? `<tspan class="kind">${escaped(kind)}</tspan>${escaped(line.slice(kind.length))}`
      : escaped(line);
  });
  return textElement("trigger", lines, x + sizes.padding, y + sizes.padding / 2 + 13, sizes.line);
}

function entity({ name, ...box }: PlacedEntity): string {
  const text = texts("name", name, box.x + sizes.padding, box.y + sizes.padding / 2 + 13, sizes.line);
  return `${rectangle("entity", box)}\n${text}`;
}

function texts(kind: string, { lines }: WrappedText, x: number, y: number, line: number): string {
  return textElement(kind, lines.map(escaped), x, y, line);
}

/** @param lines escaped */
function textElement(kind: string, lines: readonly string[], x: number, y: number, line: number): string {
  const spans = lines.map((text, index) =>
    index === 0 ? text : `<tspan x="${round(x)}" dy="${line}">${text}</tspan>`,
  );
  return `<text class="${kind}" x="${round(x)}" y="${round(y)}">${spans.join("")}</text>`;
}

function rectangle(kind: string, { x, y, width, height }: Box): string {
  return `<rect class="${kind}" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="6"/>`;
}

/** Rounds to few digits, so that the bytes do not depend on how numbers are added. */
function round(length: number): string {
  return String(Math.round(length * 10) / 10);
}
