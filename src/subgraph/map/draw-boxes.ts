import {
  type Box,
  type PlacedContract,
  type PlacedEntity,
  type PlacedGroup,
  type PlacedHandler,
  prefixOf,
  sizes,
} from "./layout.js";
import { rectangle, round, textElement, texts } from "./svg-shapes.js";
import { escaped } from "./svg-text.js";

/** The address that a box leads to, by its key. */
export type LinkOf = (key: string) => string | undefined;

/** The contracts of a group, and the panel with its handlers. */
export function drawGroup(
  { key, contracts, panel, handlers }: PlacedGroup,
  linkOf: LinkOf,
): readonly string[] {
  const rows = handlers.flatMap((placed, index) => [
    ...(index === 0
      ? []
      : [`<path class="rule" d="M${round(placed.x)} ${round(placed.y)}h${round(placed.width)}"/>`]),
    boxElement(placed.handler.key, handlerParts(placed), linkOf),
  ]);
  return [
    ...contracts.map((placed) => boxElement(placed.contract.key, contractParts(placed), linkOf)),
    ...(handlers.length === 0
      ? []
      : [`<g data-node="${escaped(key)}">`, rectangle("panel", panel), ...rows, "</g>"]),
  ];
}

/** The box of an entity type. @param noteOf the text beside it, by its key, if any */
export function drawEntity(
  { entity, name, ...box }: PlacedEntity,
  linkOf: LinkOf,
  noteOf: (key: string) => string | undefined = () => undefined,
): string {
  const base = box.y + sizes.padding / 2 + 13;
  const text = texts("name", name, box.x + sizes.padding, base, sizes.line);
  const note = noteOf(entity.key);
  const beside =
    note === undefined ? [] : [textElement("note", [escaped(note)], box.x + box.width + 8, base, sizes.line)];
  return boxElement(entity.key, [rectangle("entity", box), text, ...beside], linkOf);
}

/** A box that scripts find by its key, inside a link if it has one. */
function boxElement(key: string, parts: readonly string[], linkOf: LinkOf): string {
  const link = linkOf(key);
  const box = [`<g class="box" data-node="${escaped(key)}">`, ...parts, "</g>"];
  return (link === undefined ? box : [`<a href="${escaped(link)}">`, ...box, "</a>"]).join("\n");
}

function contractParts({
  contract: { isTemplate },
  name,
  details,
  ...box
}: PlacedContract): readonly string[] {
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

function handlerParts({ handler, text, ...box }: PlacedHandler): readonly string[] {
  const kind = prefixOf(handler);
  const lines = text.lines.map((line, index) => {
    const isFirst = index === 0 && kind !== "" && line.startsWith(kind);
    return isFirst
      ? `<tspan class="kind">${escaped(kind)}</tspan>${escaped(line.slice(kind.length))}`
      : escaped(line);
  });
  const [x, y] = [box.x + sizes.padding, box.y + sizes.padding / 2 + 13];
  return [rectangle("row", box satisfies Box), textElement("trigger", lines, x, y, sizes.line)];
}
