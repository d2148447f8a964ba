import type { ContractBox, EntityBox, HandlerBox } from "./diagram.js";
import type { MapField } from "./subgraph-map.js";
import { columnsOf, type WrappedText, wrapped } from "./svg-text.js";

/** Lengths in pixels at the drawing's natural size. */
export const sizes = {
  /** Width of a character in a name, and in small text, for a font whose characters are 0.6 em wide. */
  character: 7.8,
  smallCharacter: 6.6,
  line: 18,
  smallLine: 15,
  padding: 10,
  margin: 24,
  heading: 40,
  /** Height of a mark, and the gap after it. */
  mark: 16,
  markGap: 5,
  /** Width of the gaps between columns, for lines without and with figures. */
  columnGap: 120,
  figuresGap: 190,
  /** Width of the gap between two columns of groups. */
  partGap: 72,
  /** Width to the right of entities for the lines between them, and for notes. */
  references: 88,
  note: 90,
  rowGap: 7,
  groupGap: 28,
} as const;

const longestName = 40;
const longestDetail = 44;
const longestTrigger = 46;
const longestField = 36;
const longestType = 28;
const mostLines = 4;
/** Maximum number of fields that an entity shows. */
const mostFields = 30;

/** The natural size of a box. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface MeasuredContract extends Size {
  readonly contract: ContractBox;
  readonly name: WrappedText;
  readonly details: readonly WrappedText[];
}

/** A function that a handler calls, as a mark. */
export interface Mark {
  readonly text: string;
  /** From the left edge of the handler's box. */
  readonly left: number;
  readonly width: number;
}

export interface MeasuredHandler extends Size {
  readonly handler: HandlerBox;
  readonly text: WrappedText;
  readonly marks: readonly Mark[];
}

/** A line of an entity: a field, or how many more there are. */
export interface FieldLine {
  readonly name: string;
  readonly type: string;
  readonly kind: "scalar" | "reference" | "derived" | "more";
}

export interface MeasuredEntity extends Size {
  readonly entity: EntityBox;
  readonly name: WrappedText;
  readonly fields: readonly FieldLine[];
}

/** The prefix of a trigger that is not an event. */
export function prefixOf({ kind }: HandlerBox): string {
  return kind === "event" ? "" : `${kind} `;
}

export function measureContract(contract: ContractBox): MeasuredContract {
  const name = wrapped(contract.name, longestName, mostLines);
  const lines = contract.isTemplate ? ["template", ...contract.details] : contract.details;
  const details = lines.map((line) => wrapped(line, longestDetail, mostLines));
  const widths = [name.width * sizes.character, ...details.map(({ width }) => width * sizes.smallCharacter)];
  const small = details.reduce((sum, { lines: { length } }) => sum + length, 0);
  return {
    contract,
    name,
    details,
    width: Math.max(...widths) + 2 * sizes.padding,
    height: name.lines.length * sizes.line + small * sizes.smallLine + 2 * sizes.padding,
  };
}

/** Measures the box of a handler, with marks for the functions that it calls. */
export function measureHandler(handler: HandlerBox): MeasuredHandler {
  const text = wrapped(prefixOf(handler) + handler.signature.short, longestTrigger, mostLines);
  const marks = marksOf(handler.calls);
  const right = marks.reduce((most, { left, width }) => Math.max(most, left + width), 0);
  return {
    handler,
    text,
    marks,
    width: Math.max(text.width * sizes.character + 2 * sizes.padding, right + sizes.padding),
    height:
      text.lines.length * sizes.line + sizes.padding + (marks.length === 0 ? 0 : sizes.mark + sizes.markGap),
  };
}

/** Measures the box of an entity type, with its fields. */
export function measureEntity(entity: EntityBox): MeasuredEntity {
  const name = wrapped(entity.name, longestName, mostLines);
  const fields = fieldLines(entity.fields);
  const widths = fields.map(({ name, type }) => columnsOf(`${name}  ${type}`) * sizes.smallCharacter);
  return {
    entity,
    name,
    fields,
    width: Math.max(name.width * sizes.character, ...widths) + 2 * sizes.padding,
    height:
      name.lines.length * sizes.line +
      sizes.padding +
      (fields.length === 0 ? 0 : fields.length * sizes.smallLine + sizes.padding / 2),
  };
}

/** The height at which lines reach an entity, from its top: the middle of its name. */
export function entryHeight({ name }: MeasuredEntity): number {
  return (sizes.padding + name.lines.length * sizes.line) / 2;
}

/** The height of the line of a field, from the top of its entity. @param index among the entity's fields */
export function fieldMiddle({ name, fields }: MeasuredEntity, index: number): number {
  const line = Math.min(index, fields.length - 1);
  return sizes.padding + name.lines.length * sizes.line + (line + 0.5) * sizes.smallLine;
}

/** As many marks as fit on a line after the line's first word, and the number of marks that do not fit. */
function marksOf(calls: readonly string[]): readonly Mark[] {
  const widest = longestTrigger * sizes.character;
  const marks: Mark[] = [];
  let left = sizes.padding + readsWidth;
  for (const [index, call] of calls.entries()) {
    const text = wrapped(call.slice(call.lastIndexOf(".") + 1), longestName, 1).lines[0] ?? "";
    const width = markWidth(text);
    const isLast = index === calls.length - 1;
    if (left + width + (isLast ? 0 : markWidth("+999")) > widest && index > 0) {
      const more = `+${calls.length - index}`;
      marks.push({ text: more, left, width: markWidth(more) });
      break;
    }
    marks.push({ text, left, width });
    left += width + sizes.markGap;
  }
  return marks;
}

/** The width of the word before the marks. */
const readsWidth = 6 * sizes.smallCharacter;

function markWidth(text: string): number {
  return columnsOf(text) * sizes.smallCharacter + 12;
}

function fieldLines(fields: readonly MapField[]): readonly FieldLine[] {
  const left = fields.length - mostFields;
  const shown = left > 1 ? fields.slice(0, mostFields) : fields;
  const lines = shown.map(({ name, type, references, isDerived }): FieldLine => {
    const kind = isDerived ? "derived" : references === undefined ? "scalar" : "reference";
    return { name: cut(name, longestField), type: cut(type, longestType), kind };
  });
  return left > 1 ? [...lines, { name: `and ${left} more`, type: "", kind: "more" }] : lines;
}

function cut(text: string, width: number): string {
  return wrapped(text, width, 1).lines[0] ?? "";
}
