import { type Cell, cellsOf } from "../../../base/text/visible.js";
import type { Rows, RowValue } from "../../changes/rows.js";
import type { RowColumn, ValueType } from "../../changes/schema.js";

/** The narrowest that a text may be cut to, so that its beginning and its end can be recognized. */
const narrowest = 11;
const gap = 2;

interface TableColumn {
  readonly name: string;
  /** Numbers stand on the right, and are never cut. */
  readonly isNumber: boolean;
  /** How wide its values were so far. */
  natural: number;
}

/**
 * Rows in columns, for a terminal. The columns become wider when wider values come, and then their names are printed
 * again. Long texts are cut in the middle, so that a row fits into a line.
 */
export class RowTable {
  readonly #schema: readonly RowColumn[];
  readonly #columns: readonly TableColumn[];
  readonly #width: number;
  #printed = "";

  /** @param width of the terminal, in its columns */
  constructor(schema: readonly RowColumn[], width: number) {
    this.#schema = schema;
    this.#width = width;
    this.#columns = [{ name: "op", isNumber: false, natural: 2 }].concat(
      schema.map(({ name, type }) => ({
        name,
        isNumber: numbers.has(type) && !isMoment(name),
        natural: widthOf(cellsOf(name, 0, name.length)),
      })),
    );
  }

  /** The lines of some changes, after the names of the columns if these have moved. */
  lines(operations: readonly string[], rows: Rows): string {
    const texts = operations.map((operation, row) => [
      operation,
      ...this.#schema.map((column, index) => shown(rows.columns[index]?.[row] ?? null, column)),
    ]);
    const cells = texts.map((row) => row.map((text) => cellsOf(text, 0, text.length)));
    for (const [index, column] of this.#columns.entries())
      for (const row of cells) column.natural = Math.max(column.natural, widthOf(row[index] ?? []));
    const widths = this.#widths();
    const line = (row: readonly (readonly Cell[])[]): string =>
      `${this.#columns
        .map(({ isNumber }, index) => placed(row[index] ?? [], widths[index] ?? 0, isNumber))
        .join(" ".repeat(gap))
        .trimEnd()}\n`;
    const header = line(this.#columns.map(({ name }) => cellsOf(name, 0, name.length)));
    const isNew = header !== this.#printed;
    this.#printed = header;
    return `${isNew ? header : ""}${cells.map(line).join("")}`;
  }

  /** What each column gets: what it needs, or less for the widest texts. */
  #widths(): readonly number[] {
    const widths = this.#columns.map(({ natural }) => natural);
    const room = this.#width - gap * (widths.length - 1);
    for (;;) {
      const excess = widths.reduce((sum, width) => sum + width, 0) - room;
      const texts = widths.map((width, index) => (this.#columns[index]?.isNumber ? 0 : width));
      const widest = Math.max(...texts);
      if (excess <= 0 || widest <= narrowest) return widths;
      const next = Math.max(narrowest, ...texts.filter((width) => width < widest));
      const same = texts.filter((width) => width === widest).length;
      const less = Math.min(widest - next, Math.ceil(excess / same));
      for (const [index, width] of texts.entries()) if (width === widest) widths[index] = widest - less;
    }
  }
}

const numbers: ReadonlySet<ValueType> = new Set(["LONG", "DOUBLE", "DECIMAL", "NUMERIC"]);

/** Whether whole numbers of a column are seconds since 1970, as in all datasets. */
function isMoment(name: string): boolean {
  return /^(?:block_)?timestamp$/i.test(name);
}

/** From the year 2000 to 2100, in seconds since 1970. */
const [earliest, latest] = [946_684_800n, 4_102_444_800n];

function shown(value: RowValue, { name, type }: RowColumn): string {
  if (value === null) return "null";
  if (typeof value === "number") return decimal(value);
  if (typeof value !== "bigint") return typeof value === "object" ? JSON.stringify(value) : String(value);
  if (type === "TIMESTAMP") return moment(value);
  return isMoment(name) && value >= earliest && value <= latest ? moment(value * 1_000_000n) : String(value);
}

/** `2026-01-31 12:00:00`, in UTC. @param time microseconds since 1970 */
function moment(time: bigint): string {
  const date = new Date(Math.floor(Number(time) / 1_000));
  return Number.isNaN(date.getTime()) ? String(time) : date.toISOString().slice(0, -5).replace("T", " ");
}

/** A floating-point number without an exponent. */
function decimal(value: number): string {
  const text = String(value);
  if (!/e/.test(text)) return text;
  if (Number.isInteger(value)) return String(BigInt(value));
  const [digits = "", exponent] = Math.abs(value).toExponential().split("e-");
  return `${value < 0 ? "-" : ""}0.${"0".repeat(Number(exponent) - 1)}${digits.replace(".", "")}`;
}

/** A text in its place, cut in the middle if it is wider. */
function placed(cells: readonly Cell[], width: number, isRight: boolean): string {
  const cut = widthOf(cells) <= width ? textOf(cells) : shortened(cells, width);
  const blanks = " ".repeat(Math.max(0, width - widthOf(cellsOf(cut, 0, cut.length))));
  return isRight ? blanks + cut : cut + blanks;
}

function shortened(cells: readonly Cell[], width: number): string {
  const after = Math.floor((width - 1) / 3);
  return `${textOf(fitting(cells, width - 1 - after))}…${textOf(fitting(cells.toReversed(), after).toReversed())}`;
}

/** As many cells as fit. */
function fitting(cells: readonly Cell[], width: number): readonly Cell[] {
  let room = width;
  const past = cells.findIndex((cell) => {
    room -= cell.width;
    return room < 0;
  });
  return past === -1 ? cells : cells.slice(0, past);
}

function textOf(cells: readonly Cell[]): string {
  return cells.map(({ text }) => text).join("");
}

function widthOf(cells: readonly Cell[]): number {
  return cells.reduce((sum, { width }) => sum + width, 0);
}
