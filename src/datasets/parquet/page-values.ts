import type { CompressionCodec, Compressors, ParquetParsers, SchemaElement } from "hyparquet";
import { convert, DEFAULT_PARSERS } from "hyparquet/src/convert.js";
import { decompressPage } from "hyparquet/src/datapage.js";
import { readPlain } from "hyparquet/src/plain.js";
import { readRuns } from "./page-levels.js";
import { exactParsers } from "./read-parquet.js";

/** A value in memory: a string, a number, a bigint, a boolean or bytes. */
export type PageValue = string | number | bigint | boolean | Uint8Array;
/** The value of a column in a row. Lists are arrays. */
export type RowValue = PageValue | null | readonly (PageValue | null)[];

/** A column as the pages need it. */
export interface PagedColumn {
  /** The schema's element of the values. */
  readonly element: SchemaElement;
  /** The definition level of a value; less is null. */
  readonly whole: number;
  /** For a list: the definition level of one that is not null. */
  readonly list?: number;
  readonly codec: CompressionCodec;
  readonly unpackers: Compressors;
}

/** A page, whose header was read. */
export interface Page {
  readonly bytes: Uint8Array;
  /** The size of all that is in `bytes`, unpacked. */
  readonly unpacked: number;
  readonly values: number;
  readonly encoding: string;
  /** For a page of version 2, which packs only its values. */
  readonly v2?: { readonly repetition: number; readonly definition: number; readonly isPacked: boolean };
}

const parsers: ParquetParsers = { ...DEFAULT_PARSERS, ...exactParsers };

/** The values of a dictionary, by their positions. @throws Error */
export function readDictionary(page: Page, column: PagedColumn): readonly PageValue[] {
  const unpacked = decompressPage(page.bytes, page.unpacked, column.codec, column.unpackers);
  return plainValues(unpacked, page.values, column);
}

/** The rows of a page, and how many levels and values they have. */
export interface PageRows {
  /** Complete, unless the next page continues the last list. */
  readonly rows: RowValue[];
  /** Items that continue the last list of the page before. */
  readonly continued: readonly (PageValue | null)[];
}

/** Decodes a page of values. @throws Error */
export function readPageRows(
  page: Page,
  column: PagedColumn,
  dictionary: readonly PageValue[] | undefined,
): PageRows {
  const { repetitions, definitions, rest } = levelsOf(page, column);
  const filled = definitions
    ? definitions.reduce((sum, one) => sum + Number(one === column.whole), 0)
    : page.values;
  const values = valuesOf(rest, filled, page.encoding, column, dictionary);
  if (values.length !== filled || values.includes(undefined as never))
    throw new Error("a page has fewer values than it says");
  if (column.list === undefined) return { rows: flatRows(values, definitions, column.whole), continued: [] };
  return listRows(values, { repetitions, definitions, count: page.values }, column.whole, column.list);
}

interface Levels {
  readonly repetitions: Uint32Array | undefined;
  readonly definitions: Uint32Array | undefined;
}

function levelsOf(page: Page, column: PagedColumn): Levels & { readonly rest: Uint8Array } {
  const { values, v2 } = page;
  const most = { repetition: column.list === undefined ? 0 : 1, definition: column.whole };
  const widthOf = (level: number): number => 32 - Math.clz32(level);
  if (v2) {
    const [first, second] = [v2.repetition, v2.repetition + v2.definition];
    if (!(first >= 0 && second >= first && second <= page.bytes.length))
      throw new Error("a page has wrong sizes");
    const packed = page.bytes.subarray(second);
    const rest = v2.isPacked
      ? decompressPage(packed, page.unpacked - second, column.codec, column.unpackers)
      : packed;
    const read = (from: number, to: number, level: number): Uint32Array | undefined =>
      level === 0 ? undefined : readRuns(page.bytes.subarray(from, to), widthOf(level), values);
    const repetitions = read(0, first, most.repetition);
    return { repetitions, definitions: read(first, second, most.definition), rest };
  }
  let rest = decompressPage(page.bytes, page.unpacked, column.codec, column.unpackers);
  const read = (level: number): Uint32Array | undefined => {
    if (level === 0) return undefined;
    if (rest.length < 4) throw new Error("a page ends early");
    const end = 4 + Buffer.from(rest.buffer, rest.byteOffset, 4).readUInt32LE();
    if (end > rest.length) throw new Error("a page ends early");
    const numbers = readRuns(rest.subarray(4, end), widthOf(level), values);
    rest = rest.subarray(end);
    return numbers;
  };
  const repetitions = read(most.repetition);
  const definitions = read(most.definition);
  return { repetitions, definitions, rest };
}

function valuesOf(
  bytes: Uint8Array,
  count: number,
  encoding: string,
  column: PagedColumn,
  dictionary: readonly PageValue[] | undefined,
): readonly PageValue[] {
  if (count === 0) return [];
  switch (encoding) {
    case "PLAIN":
      return plainValues(bytes, count, column);
    case "PLAIN_DICTIONARY":
    case "RLE_DICTIONARY": {
      const [width = 0] = bytes;
      return Array.from(readRuns(bytes.subarray(1), width, count), (at) => dictionary?.[at] as PageValue);
    }
    case "RLE": {
      if (column.element.type !== "BOOLEAN")
        throw new Error("values that are not boolean are encoded as such");
      return Array.from(readRuns(bytes.subarray(4), 1, count), (bit) => bit === 1);
    }
    default:
      throw new Error(`the encoding ${encoding} is not supported`);
  }
}

function plainValues(
  bytes: Uint8Array,
  count: number,
  { element, codec }: PagedColumn,
): readonly PageValue[] {
  const { type, type_length: length, name } = element;
  if (type === undefined) throw new Error("it has no type");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const plain = readPlain({ view, offset: 0 }, type, count, length);
  const decoder = { pathInSchema: [name], type, element, schemaPath: [], codec, parsers, utf8: false };
  return Array.from(convert(plain, decoder) as ArrayLike<PageValue>);
}

function flatRows(
  values: readonly PageValue[],
  definitions: Uint32Array | undefined,
  whole: number,
): RowValue[] {
  if (!definitions) return [...values];
  let at = 0;
  return Array.from(definitions, (level) => (level === whole ? (values[at++] ?? null) : null));
}

function listRows(
  values: readonly PageValue[],
  { repetitions, definitions, count }: Levels & { readonly count: number },
  whole: number,
  list: number,
): PageRows {
  const rows: RowValue[] = [];
  const continued: (PageValue | null)[] = [];
  let items: (PageValue | null)[] | undefined = continued;
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    const level = definitions?.[index] ?? whole;
    if (repetitions?.[index] === 0) {
      items = level < list ? undefined : [];
      rows.push(items ?? null);
    }
    if (level <= list) continue;
    if (!items) throw new Error("a list that is null has items");
    items.push(level === whole ? (values[at++] ?? null) : null);
  }
  return { rows, continued };
}
