import { cellsOf } from "../../base/text/visible.js";
import { type PlainValue, plainStoreValue } from "../../runtime/store/plain-entity.js";
import type { StoreValue } from "../../subgraph/schema/entity.js";
import type { Field } from "../../subgraph/schema/entity-schema.js";
import { padded, widthOf } from "../terminal/cells.js";
import { nameList } from "./name-list.js";
import { fieldValue, type ShownEntity } from "./shown-type.js";

const indent = "  ";
const gap = "  ";
const longestText = 32;
const numbers: ReadonlySet<string> = new Set(["Int", "Int8", "BigInt", "BigDecimal", "Timestamp"]);

interface Column {
  readonly name: string;
  readonly isNumber: boolean;
  readonly cells: readonly string[];
  readonly width: number;
}

/**
 * Formats entities as a table within a terminal's width. Fields that do not fit are left out and listed below
 * it; the first field is always shown.
 */
export function table(fields: readonly Field[], entities: readonly ShownEntity[], width: number): string {
  const columns = byInterest(fields).map((field) => columnOf(field, entities));
  const shown: Column[] = [];
  let used = indent.length - gap.length;
  for (const column of columns) {
    if (shown.length > 0 && used + gap.length + column.width > width) continue;
    shown.push(column);
    used += gap.length + column.width;
  }
  const lines = [
    shown.map((column) => fitted(column, column.name)),
    ...entities.map((_, row) => shown.map((column) => fitted(column, column.cells[row] ?? ""))),
  ].map((cells) => `${indent}${cells.join(gap)}`.trimEnd());
  const hidden = columns.filter((column) => !shown.includes(column)).map(({ name }) => name);
  const note = hidden.length === 0 ? "" : nameList(`${indent}no room to show`, hidden, width);
  return lines.map((line) => `${line}\n`).join("") + note;
}

/** Orders the fields: the id, then the type's own fields, then the fields that every entity has. */
function byInterest(fields: readonly Field[]): readonly Field[] {
  const rank = ({ name }: Field): number => {
    if (name === "id") return 0;
    return name === "block_number" || name.endsWith("_") ? 2 : 1;
  };
  return fields.toSorted((a, b) => rank(a) - rank(b));
}

function columnOf(field: Field, entities: readonly ShownEntity[]): Column {
  const cells = entities.map(({ entity }) => cellOf(fieldValue(entity, field)));
  return {
    name: field.name,
    isNumber: numbers.has(field.kind) && !field.list && field.target === undefined,
    cells,
    width: Math.max(...[field.name, ...cells].map(widthOf)),
  };
}

function fitted({ width, isNumber }: Column, text: string): string {
  return padded(text, width, isNumber ? "right" : "left");
}

/** Formats a value as a cell. Numbers stay whole; hashes are shortened in the middle, other strings at their end. */
function cellOf(value: StoreValue): string {
  const plain = plainStoreValue(value);
  if (numbers.has(value.kind)) return String(plain);
  const text = shortHashes(cellText(plain));
  const shown = cellsOf(text, 0, text.length);
  const cut = shown.length > longestText ? [...shown.slice(0, longestText - 1), { text: "…" }] : shown;
  return cut.map((cell) => cell.text).join("");
}

function cellText(value: PlainValue): string {
  if (value === null) return "-";
  return Array.isArray(value) ? `[${value.map(cellText).join(", ")}]` : String(value);
}

/** `0x4bc2…23fd` */
function shortHashes(text: string): string {
  return text.replaceAll(/0x([0-9a-f]{4})[0-9a-f]{5,}([0-9a-f]{4})/gi, "0x$1…$2");
}
