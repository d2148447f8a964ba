import { createHash } from "node:crypto";
import { CsvError, csvRecords } from "../../base/text/csv.js";
import { quote, quotePath } from "../../base/text/quote.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { Host } from "../../compiler/host.js";
import { decodeText } from "../../compiler/parse/decode-text.js";
import { parseDocument } from "../../compiler/parse/parse-document.js";
import type { LocatedString, Location, Source } from "../../compiler/source/source.js";
import type { TreeNode } from "../../compiler/source/tree.js";
import type { RowValue } from "../changes/rows.js";
import type { RowColumn, ValueType } from "../changes/schema.js";
import type { LookupOf, LookupRows } from "./definition.js";
import { lookupTypes } from "./shapes.js";

/** The largest file, in bytes, and the most rows. All rows are in memory, once for each sink. */
const most = { bytes: 16_000_000, rows: 100_000 };

/** A value of a file, and where it is. */
interface Cell {
  /** `null` if there is none. */
  readonly text: string | null;
  readonly kind: "string" | "number" | "boolean" | "null";
  readonly at: Location;
}

interface Table {
  readonly names: readonly { readonly name: string; readonly at: Location }[];
  readonly cells: readonly (readonly Cell[])[];
}

/**
 * Reads the file of a lookup, and reports its mistakes where they are in the file.
 * @param path the path of the definition, from which the file's path leads
 * @returns `undefined` after a reported error
 */
export async function readLookupFile(
  definition: LookupOf<"file">,
  path: string,
  host: Host,
  report: Report,
): Promise<LookupRows | undefined> {
  const { path: written } = definition.settings;
  if (!written) return undefined;
  const source = await textOf(written.value, host.resolveBeside(path, written.value), host, (message, hint) =>
    report.error("lookup-file", written.at, message, { hint }),
  );
  if (!source) return undefined;
  const table = /\.csv$/i.test(written.value) ? csvTable(source, report) : jsonTable(source, report);
  if (table && table.cells.length > most.rows) {
    report.error(
      "lookup-file",
      written.at,
      `the file has ${table.cells.length} rows, and may have ${most.rows}`,
      {
        hint: "keep fewer rows, or keep them in a database",
      },
    );
    return undefined;
  }
  return table && rowsOf(table, definition, report);
}

async function textOf(
  name: string,
  path: string,
  host: Host,
  refuse: (message: string, hint: string) => void,
): Promise<Source | undefined> {
  if (!/\.(csv|json)$/i.test(name)) {
    refuse(
      "a lookup reads files that end in .csv or .json",
      "save the rows as CSV with a header, or as a list in JSON",
    );
    return undefined;
  }
  const file = await host.readFile(path, most.bytes);
  if (file.kind !== "bytes") {
    if (file.kind === "too-large")
      refuse(
        `the file has ${file.size} bytes, and may have ${most.bytes}`,
        "keep fewer rows, or keep them in a database",
      );
    else
      refuse(
        file.kind === "missing" ? `there is no file ${quotePath(name)}` : `${quotePath(name)} cannot be read`,
        "the path leads from the folder of the definition",
      );
    return undefined;
  }
  const decoded = decodeText(file.bytes);
  if (decoded.kind === "text") return { path: name, text: decoded.text };
  refuse(`${quotePath(name)} is not in UTF-8`, "save the file as UTF-8");
  return undefined;
}

function csvTable(source: Source, report: Report): Table | undefined {
  const place = (start: number, end: number): Location => ({ source, pointer: "", start, end });
  try {
    const [header, ...records] = csvRecords(source.text);
    if (!header) {
      report.error("lookup-file", place(0, 0), "the file has no header", {
        hint: "name the columns in the first line",
      });
      return undefined;
    }
    const wrong = records.find((record) => record.length !== header.length);
    if (wrong) {
      const at = place(wrong[0]?.start ?? 0, wrong.at(-1)?.end ?? 0);
      report.error(
        "lookup-file",
        at,
        `the header has ${header.length} fields, and this line ${wrong.length}`,
        {
          hint: "put fields with commas in quotes",
        },
      );
      return undefined;
    }
    return {
      names: header.map(({ value, start, end }) => ({ name: value ?? "", at: place(start, end) })),
      cells: records.map((record) =>
        record.map(({ value, start, end }) => ({
          text: value,
          kind: value === null ? "null" : "string",
          at: place(start, end),
        })),
      ),
    };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    report.error("lookup-file", place(error.offset, error.offset + 1), error.message, { hint: csvHint });
    return undefined;
  }
}

const csvHint =
  "write double quotes around fields with commas, line breaks or quotes, and two for one inside";
const jsonHint = 'write a list of objects: [{ "address": "0x…", "symbol": "USDC" }]';

function jsonTable(source: Source, report: Report): Table | undefined {
  const tree = parseDocument(source, report, () => undefined, "a list of objects");
  if (!tree) return undefined;
  const refuse = (at: Location, message: string): undefined => {
    report.error("lookup-file", at, message, { hint: jsonHint });
  };
  if (tree.kind !== "array") return refuse(tree.at, "the file is not a list");
  const names = new Map<string, Location>();
  for (const item of tree.items) {
    if (item.kind !== "object") return refuse(item.at, "a row is not an object");
    for (const { key } of item.members) if (!names.has(key.value)) names.set(key.value, key.at);
  }
  const cells: Cell[][] = [];
  for (const item of tree.items) {
    const members = new Map(
      item.kind === "object" ? item.members.map(({ key, value }) => [key.value, value] as const) : [],
    );
    const row = [...names.keys()].map((name) => cellOf(members.get(name), item.at));
    const nested = row.indexOf(undefined);
    if (nested !== -1)
      return refuse(item.at, `${quote([...names.keys()][nested] ?? "")} is a list or an object`);
    cells.push(row.filter((cell) => cell !== undefined));
  }
  return { names: [...names].map(([name, at]) => ({ name, at })), cells };
}

function cellOf(node: TreeNode | undefined, around: Location): Cell | undefined {
  if (!node || node.kind === "null") return { text: null, kind: "null", at: node?.at ?? around };
  if (node.kind === "string") return { text: node.value, kind: "string", at: node.at };
  if (node.kind === "boolean") return { text: String(node.value), kind: "boolean", at: node.at };
  if (node.kind !== "number") return undefined;
  return { text: node.at.source.text.slice(node.at.start, node.at.end), kind: "number", at: node.at };
}

function rowsOf(
  { names, cells }: Table,
  { name, settings }: LookupOf<"file">,
  report: Report,
): LookupRows | undefined {
  const chosen = new Map((settings.columns ?? []).map((one) => [one.name.value.toLowerCase(), one] as const));
  const columns: RowColumn[] = [];
  const values: RowValue[][] = [];
  let isSound = isUnique(names, report);
  for (const [index, column] of names.entries()) {
    const wanted = chosen.get(column.name.toLowerCase());
    chosen.delete(column.name.toLowerCase());
    const own = cells.map((row) => row[index] as Cell);
    const type = wanted ? lookupTypes[wanted.value.value] : typeOfCells(own);
    const read = own.map((cell) => (type ? cellValue(cell, type) : undefined));
    const wrong = read.indexOf(undefined);
    if (!type && wanted) {
      report.error("wrong-value", wanted.value.at, `${quote(wanted.value.value)} is not a type of a column`, {
        hint: `use one of ${Object.keys(lookupTypes).join(", ")}`,
      });
      isSound = false;
    } else if (wrong !== -1) {
      const what = wanted
        ? `this is not a value of type ${wanted.value.value}`
        : `the values of ${column.name} differ in type`;
      report.error("lookup-file", own[wrong]?.at, what, {
        hint: `correct it, or choose a type: columns: { ${column.name}: string }`,
      });
      isSound = false;
    }
    columns.push({ name: column.name, type: type ?? "STRING", nullable: true });
    values.push(read.map((value) => value ?? null));
  }
  for (const { name: missing } of chosen.values()) {
    report.error(
      "unknown-column",
      missing.at,
      `the file of ${quote(name.value)} has no column ${quote(missing.value)}`,
      {
        hint: `its columns are ${names.map((one) => one.name).join(", ")}`,
      },
    );
    isSound = false;
  }
  if (!isSound || !isKeyed(names, cells, columns, settings.key ?? [], report)) return undefined;
  const rows = { count: cells.length, columns: values };
  const hash = createHash("sha256")
    .update(JSON.stringify([columns, values], plainValue))
    .digest("hex");
  return { columns, rows, hash };
}

/** Whether each row has a key of its own. */
function isKeyed(
  names: Table["names"],
  cells: Table["cells"],
  columns: readonly RowColumn[],
  key: readonly LocatedString[],
  report: Report,
): boolean {
  const indexes: number[] = [];
  for (const { value, at } of key) {
    const index = names.findIndex(({ name }) => name.toLowerCase() === value.toLowerCase());
    const type = columns[index]?.type;
    if (type === undefined)
      report.error("unknown-column", at, `the file has no column ${quote(value)}`, {
        hint: `its columns are ${names.map(({ name }) => name).join(", ")}`,
      });
    else if (type === "DOUBLE" || type === "BOOLEAN")
      report.error("lookup-file", at, `${quote(value)} cannot be a key: keys are texts or integers`, {
        hint: "choose another column, or another type for it in columns",
      });
    else indexes.push(index);
  }
  if (indexes.length < key.length || key.length === 0) return false;
  const seen = new Map<string, Cell>();
  for (const row of cells) {
    const own = indexes.map((index) => row[index] as Cell);
    const [first] = own;
    const empty = own.find(({ text }) => text === null);
    const text = JSON.stringify(own.map((cell, at) => keyText(cell, columns[indexes[at] ?? 0])));
    const other = seen.get(text);
    if (empty)
      report.error("lookup-file", empty.at, "a row has no key", { hint: "fill it in, or remove the row" });
    else if (other)
      report.error(
        "lookup-file",
        first?.at,
        `the key ${own.map((cell) => cell.text).join(", ")} is in the file twice`,
        {
          related: [{ at: other.at, text: "the first row with it" }],
          hint: "remove one of the rows, or add a column to the key",
        },
      );
    if (first) seen.set(text, first);
    if (empty || other) return false;
  }
  return true;
}

/** Equal for equal values: an integer can be written in several ways. */
function keyText(cell: Cell, column: RowColumn | undefined): string {
  return String(column && cellValue(cell, column.type));
}

function plainValue(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}n` : value;
}

function isUnique(names: Table["names"], report: Report): boolean {
  const seen = new Set<string>();
  for (const { name, at } of names) {
    if (name === "" || seen.has(name.toLowerCase())) {
      report.error(
        "lookup-file",
        at,
        name === "" ? "a column has no name" : `two columns are called ${quote(name)}`,
        {
          hint: "give each column a name of its own",
        },
      );
      return false;
    }
    seen.add(name.toLowerCase());
  }
  return true;
}

/** The type that all values have; text if there are none. */
function typeOfCells(cells: readonly Cell[]): ValueType {
  const kinds = new Set(cells.map(({ kind }) => kind).filter((kind) => kind !== "null"));
  if (kinds.size !== 1 || kinds.has("string")) return "STRING";
  if (kinds.has("boolean")) return "BOOLEAN";
  const texts = cells.flatMap(({ text }) => text ?? []);
  if (!texts.every((text) => /^-?\d+$/.test(text))) return "DOUBLE";
  return texts.every((text) => isWithin(text, 63n)) ? "LONG" : "DECIMAL";
}

/** The value of a cell in a type; `undefined` if it is none. */
export function cellValue(
  { text, kind }: Pick<Cell, "text" | "kind">,
  type: ValueType,
): RowValue | undefined {
  if (text === null) return null;
  switch (type) {
    case "LONG":
      return isWithin(text, 63n) ? BigInt(text) : undefined;
    case "DECIMAL":
      return isWithin(text, 256n) ? String(BigInt(text)) : undefined;
    case "DOUBLE":
      return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text))
        ? Number(text)
        : undefined;
    case "BOOLEAN":
      return /^(true|false)$/.test(text) ? text === "true" : undefined;
    default:
      return kind === "string" ? text : undefined;
  }
}

/** Whether a text is an integer of so many bits, besides its sign. */
function isWithin(text: string, bits: bigint): boolean {
  if (!/^-?\d{1,78}$/.test(text)) return false;
  const value = BigInt(text);
  return value < 2n ** bits && value >= -(2n ** (bits === 256n ? 255n : bits));
}
