import type { ContractBox, HandlerBox } from "./diagram.js";
import type { PlacedContract, PlacedEntity, PlacedGroup, PlacedHandler } from "./layout.js";
import { fieldMiddle, prefixOf, sizes } from "./measure.js";
import { rectangle, round, textElement, texts } from "./svg-shapes.js";
import { escaped } from "./svg-text.js";

/** The link target of a box, by its key. */
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

/** The box of an entity type, with its fields if they are shown. @param note the text beside it, if any */
export function drawEntity(placed: PlacedEntity, linkOf: LinkOf, note: string | undefined): string {
  const { entity, name, fields, x, y, width } = placed;
  const left = x + sizes.padding;
  const base = y + sizes.padding / 2 + 13;
  const rule = y + name.lines.length * sizes.line + sizes.padding;
  const lines = fields.map(({ name: field, type, kind }, index) => {
    const line = y + fieldMiddle(placed, index) + 4;
    const typed = type === "" ? "" : `  <tspan class="type ${kind}">${escaped(type)}</tspan>`;
    return `<text class="field" xml:space="preserve" x="${round(left)}" y="${round(line)}">${escaped(field)}${typed}</text>`;
  });
  return boxElement(
    entity.key,
    [
      ...(name.isCut ? [title([entity.name])] : []),
      rectangle("entity", placed),
      texts("name", name, left, base, sizes.line),
      ...(fields.length === 0
        ? []
        : [`<path class="rule" d="M${round(x)} ${round(rule - 2)}h${round(width)}"/>`]),
      ...lines,
      ...(note === undefined ? [] : [textElement("note", [escaped(note)], x + width + 8, base, sizes.line)]),
    ],
    linkOf,
  );
}

/** A box that scripts find by its key, inside a link if it has one. */
function boxElement(key: string, parts: readonly string[], linkOf: LinkOf): string {
  const link = linkOf(key);
  const box = [`<g class="box" data-node="${escaped(key)}">`, ...parts, "</g>"];
  return (link === undefined ? box : [`<a href="${escaped(link)}">`, ...box, "</a>"]).join("\n");
}

/** What browsers show on hover, and screen readers read. */
function title(lines: readonly string[]): string {
  return `<title>${lines.map((line) => escaped(cut(line))).join("\n")}</title>`;
}

/** Maximum length of a line that is shown on hover. */
const longestTitle = 1_000;

function cut(line: string): string {
  return line.length > longestTitle ? `${line.slice(0, longestTitle)}…` : line;
}

function contractParts({ contract, name, details, ...box }: PlacedContract): readonly string[] {
  const x = box.x + sizes.padding;
  let y = box.y + sizes.padding + 13;
  const shown = [texts("name", name, x, y, sizes.line)];
  y += (name.lines.length - 1) * sizes.line + sizes.smallLine;
  for (const detail of details) {
    shown.push(texts("small", detail, x, y, sizes.smallLine));
    y += detail.lines.length * sizes.smallLine;
  }
  const kind = contract.isTemplate ? "contract template" : "contract";
  return [
    ...titleOfContract(contract, name.isCut),
    // Two sheets behind the first one represent the others.
    ...(contract.names.length > 1 ? [6, 3].map((by) => rectangle(kind, sheet(box, by))) : []),
    rectangle(kind, box),
    ...shown,
  ];
}

function sheet({ x, y, width, height }: Pick<PlacedContract, "x" | "y" | "width" | "height">, by: number) {
  return { x: x + by, y: y + by, width, height };
}

function titleOfContract({ name, folded }: ContractBox, isCut: boolean): readonly string[] {
  const lines = [...(isCut ? [name] : []), ...folded];
  return lines.length === 0 ? [] : [title(lines)];
}

function handlerParts({ handler, text, marks, ...box }: PlacedHandler): readonly string[] {
  const kind = prefixOf(handler);
  const lines = text.lines.map((line, index) => {
    const isFirst = index === 0 && kind !== "" && line.startsWith(kind);
    return isFirst
      ? `<tspan class="kind">${escaped(kind)}</tspan>${escaped(line.slice(kind.length))}`
      : escaped(line);
  });
  const left = box.x + sizes.padding;
  const top = box.y + sizes.padding / 2 + text.lines.length * sizes.line + 1;
  const pills = marks.flatMap((mark) => {
    const x = box.x + mark.left;
    return [
      rectangle("mark", { x, y: top, width: mark.width, height: sizes.mark }),
      `<text class="small" x="${round(x + 6)}" y="${round(top + 12)}">${escaped(mark.text)}</text>`,
    ];
  });
  return [
    ...titleOfHandler(handler, text.isCut),
    rectangle("row", box),
    textElement("trigger", lines, left, box.y + sizes.padding / 2 + 13, sizes.line),
    ...(marks.length === 0
      ? []
      : [`<text class="small" x="${round(left)}" y="${round(top + 12)}">reads</text>`, ...pills]),
  ];
}

function titleOfHandler({ signature, calls }: HandlerBox, isCut: boolean): readonly string[] {
  const lines = [
    ...(isCut || signature.full !== signature.short ? [signature.full] : []),
    ...(calls.length === 0 ? [] : [`reads ${calls.join(", ")}`]),
  ];
  return lines.length === 0 ? [] : [title(lines)];
}
