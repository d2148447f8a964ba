import { visible } from "../../../base/text/visible.js";
import type { LocatedString } from "../../../compiler/source/source.js";
import type { RowValue } from "../../changes/rows.js";
import type { RowColumn } from "../../changes/schema.js";
import { SinkError } from "../../state/sink-error.js";

/** The name that stands for a missing value, as in Hive. */
const missing = "__HIVE_DEFAULT_PARTITION__";

/**
 * What a name must not contain, in Hive or on some file system: ASCII characters, as readers take an escape
 * for a byte.
 */
const special = /(?![\u0080-\u009f])\p{Cc}|["#%'*/:<=>?[\\\]^{|}]|^\./gu;

/** Bytes of a name. File systems have 255. */
const longest = 200;
/** Bytes of all of them. Names of objects have 1,024, and those of a thousand folders have room in a record. */
const longestPath = 700;

/** The names of columns that partition rows, as the rows have them. @param wanted as a definition has them; known columns */
export function partitionNames(
  wanted: readonly LocatedString[] = [],
  columns: readonly RowColumn[],
): readonly string[] {
  return wanted.flatMap(({ value }) => columns.find(({ name }) => sameName(name, value))?.name ?? []);
}

function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/**
 * The folder of rows with some values: `dt=2024-01-01/chain=1`.
 * @param columns the partition columns
 * @param values one for each
 * @throws SinkError for values that cannot name a folder
 */
export function partitionFolder(columns: readonly RowColumn[], values: readonly RowValue[]): string {
  const folder = columns.map(({ name }, index) => nameOf(name, values[index] ?? null)).join("/");
  if (Buffer.byteLength(folder) <= longestPath) return folder;
  const names = columns.map(({ name }) => visible(name)).join(", ");
  throw new SinkError(
    `Columns ${names} have values that are too long together for the path of a file: ${visible(folder.slice(0, 100))}… Partition by fewer columns, or by shorter values.`,
    false,
  );
}

function nameOf(column: string, value: RowValue): string {
  // In files, what is half a character is its replacement as well.
  const text = value === null ? missing : Buffer.from(String(value)).toString();
  if (text === "" || (text === missing && value !== null))
    throw new SinkError(
      `Column ${visible(column)} has the value ${JSON.stringify(text)}, which readers of partitions take for a missing one. Change it in the query, with nullif(${visible(column)}, '${text}').`,
      false,
    );
  const name = `${escaped(column)}=${escaped(text)}`;
  if (Buffer.byteLength(name) <= longest) return name;
  throw new SinkError(
    `Column ${visible(column)} has a value that is too long for the name of a folder: ${visible(text.slice(0, 50))}… Partition by a shorter one.`,
    false,
  );
}

/** The values that the name of a folder stands for; `undefined` if it is not of these columns. */
export function partitionValues(
  columns: readonly RowColumn[],
  folder: string,
): readonly RowValue[] | undefined {
  const names = folder.split("/");
  if (names.length !== columns.length) return undefined;
  const values = columns.map((column, index) => valueIn(column, names[index] ?? ""));
  return values.includes(undefined) ? undefined : (values as RowValue[]);
}

function valueIn({ name, type }: RowColumn, part: string): RowValue | undefined {
  const before = `${escaped(name)}=`;
  if (!part.startsWith(before)) return undefined;
  const text = unescaped(part.slice(before.length));
  if (text === missing) return null;
  if (type === "BOOLEAN") return text === "true" ? true : text === "false" ? false : undefined;
  if (type === "LONG") return /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined;
  return text;
}

function escaped(text: string): string {
  return text.replaceAll(
    special,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}

function unescaped(text: string): string {
  return text.replaceAll(/%([0-9A-F]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
