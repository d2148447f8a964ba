import {
  type ColumnMetaData,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetSchema,
  type RowGroup,
  type SchemaElement,
  type SchemaTree,
} from "hyparquet";
import { parquetHeader } from "hyparquet/src/column.js";
import { messageOf } from "../../base/text/message-of.js";
import { decoded } from "./decoding.js";
import {
  type Page,
  type PagedColumn,
  type PageValue,
  type RowValue,
  readDictionary,
  readPageRows,
} from "./page-values.js";
import { rowsOf } from "./read-parquet.js";

/** A file that is read at any position. */
export interface RandomFile {
  /** In bytes. */
  readonly size: number;
  /** @throws errors of the system; Error if the file has become shorter */
  read(position: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** A column of a file. */
export interface FoundColumn {
  readonly name: string;
  /** How values are stored; missing for shapes that are neither a value nor a list of values. */
  readonly element?: SchemaElement;
  readonly isList: boolean;
}

/** Some rows of a row group: for each column that was asked for, one value per row. */
export interface RowBatch {
  /** From 0. */
  readonly group: number;
  readonly columns: readonly (readonly RowValue[])[];
}

const mostFooterBytes = 64 * 1024 * 1024;
/** No page of a dump comes near these sizes. */
const mostPageBytes = 256 * 1024 * 1024;
const mostPageValues = 8_000_000;
const headerBytes = 64 * 1024;
const mostHeaderBytes = 4 * 1024 * 1024;

/**
 * The rows of a Parquet file, page by page: memory depends on the size of its pages, not of its row groups. Every size
 * that the file states is checked before it is used.
 */
export class ParquetRows {
  readonly columns: readonly FoundColumn[];
  readonly rows: number;
  readonly #file: RandomFile;
  readonly #metadata: FileMetaData;
  readonly #trees: readonly SchemaTree[];
  readonly #unpackers: Compressors;

  private constructor(file: RandomFile, metadata: FileMetaData, unpackers: Compressors) {
    const { children } = parquetSchema(metadata);
    this.#file = file;
    this.#metadata = metadata;
    this.#unpackers = unpackers;
    this.columns = children.map(columnOf);
    this.#trees = children;
    this.rows = Number(metadata.num_rows);
  }

  /** Reads the footer. @throws Error if it is not a Parquet file */
  static async open(file: RandomFile, unpackers: Compressors): Promise<ParquetRows> {
    if (file.size < 12) throw new Error("it is too short for a Parquet file");
    const end = await file.read(file.size - 8, 8);
    const footer = new DataView(end.buffer, end.byteOffset, 8).getUint32(0, true);
    if (footer > mostFooterBytes) throw new Error(`its footer says that it has ${footer} bytes`);
    const slice = async (from: number, to = file.size): Promise<ArrayBuffer> => {
      const bytes = await file.read(from, to - from);
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
    };
    const metadata = await decoded(() => parquetMetadataAsync({ byteLength: file.size, slice }));
    const rows = rowsOf(metadata);
    if (rows > Number.MAX_SAFE_INTEGER) throw new Error(`it says that it has ${rows} rows`);
    return decoded(() => new ParquetRows(file, metadata, unpackers));
  }

  /**
   * Reads all rows in order.
   * @param count how many columns to read, from the first one
   * @param most the most rows of a batch
   * @throws Error with the row group and the column
   */
  async *batches(count: number, most: number): AsyncGenerator<RowBatch> {
    for (const [number, group] of this.#metadata.row_groups.entries()) {
      const cursors = this.columns
        .slice(0, count)
        .map((column, index) => this.#cursor(group, column, index, number));
      let left = Number(group.num_rows);
      while (left > 0) {
        let ready = Math.min(left, most);
        for (const cursor of cursors) ready = Math.min(ready, await cursor.ready());
        yield { group: number, columns: cursors.map((cursor) => cursor.take(ready)) };
        left -= ready;
      }
      for (const cursor of cursors) await cursor.end();
    }
  }

  #cursor(group: RowGroup, { name, element }: FoundColumn, index: number, number: number): ColumnCursor {
    const before = this.#trees.slice(0, index).reduce((sum, tree) => sum + leavesIn(tree), 0);
    const where = `row group ${number}, column ${name}`;
    const chunk = group.columns[before]?.meta_data;
    const tree = this.#trees[index];
    if (!element || !tree || !chunk) throw new Error(`${where}: it is missing`);
    return new ColumnCursor(this.#file, chunk, pagedColumn(tree, chunk, this.#unpackers), where);
  }
}

function leavesIn({ children }: SchemaTree): number {
  return children.length === 0 ? 1 : children.reduce((sum, child) => sum + leavesIn(child), 0);
}

/** A value, or the three levels of a list: a group, a repeated group, an item. */
function columnOf(tree: SchemaTree): FoundColumn {
  const { name, repetition_type, converted_type, logical_type } = tree.element;
  if (tree.children.length === 0)
    return { name, isList: false, ...(repetition_type !== "REPEATED" && { element: tree.element }) };
  const [middle] = tree.children;
  const [item] = middle?.children ?? [];
  const isList =
    (converted_type === "LIST" || logical_type?.type === "LIST") &&
    tree.children.length === 1 &&
    middle?.element.repetition_type === "REPEATED" &&
    middle.children.length === 1 &&
    item?.children.length === 0 &&
    item.element.repetition_type !== "REPEATED";
  return { name, isList, ...(isList && item && { element: item.element }) };
}

function pagedColumn(tree: SchemaTree, { codec }: ColumnMetaData, unpackers: Compressors): PagedColumn {
  const isOptional = ({ element }: SchemaTree): number => Number(element.repetition_type === "OPTIONAL");
  const own = isOptional(tree);
  const item = tree.children[0]?.children[0];
  if (!item) return { element: tree.element, codec, unpackers, whole: own };
  // The repeated group adds a level, and so does an item that may be null.
  return { element: item.element, codec, unpackers, list: own, whole: own + 1 + isOptional(item) };
}

/** Reads the values of a column in a row group. */
class ColumnCursor {
  readonly #file: RandomFile;
  readonly #column: PagedColumn;
  readonly #where: string;
  readonly #end: number;
  #position: number;
  #valuesLeft: number;
  #dictionary: readonly PageValue[] | undefined;
  #rows: RowValue[] = [];
  #at = 0;
  /** Bytes that were read ahead, and where they begin. */
  #ahead: Uint8Array = new Uint8Array();
  #aheadAt = 0;

  constructor(file: RandomFile, chunk: ColumnMetaData, column: PagedColumn, where: string) {
    const { data_page_offset, dictionary_page_offset, total_compressed_size, num_values } = chunk;
    const first = Number(dictionary_page_offset || data_page_offset);
    this.#file = file;
    this.#column = column;
    this.#where = where;
    this.#position = Math.min(first, Number(data_page_offset));
    this.#end = this.#position + Number(total_compressed_size);
    this.#valuesLeft = Number(num_values);
    if (!(this.#position >= 4 && this.#end >= this.#position && this.#end <= file.size))
      throw new Error(`${where}: its pages are said to be outside of the file`);
  }

  /** Reads until there is a complete row. @returns the number of rows that can be taken */
  async ready(): Promise<number> {
    try {
      while (this.#complete() === 0) await this.#readPage();
      return this.#complete();
    } catch (error) {
      throw new Error(`${this.#where}: ${messageOf(error)}`, { cause: error });
    }
  }

  /** The next page may continue the last list. */
  #complete(): number {
    const isOpen = this.#column.list !== undefined && this.#valuesLeft > 0;
    return Math.max(0, this.#rows.length - this.#at - Number(isOpen));
  }

  take(count: number): readonly RowValue[] {
    const taken = this.#rows.slice(this.#at, this.#at + count);
    this.#at += count;
    return taken;
  }

  /** @throws Error if there are more rows */
  async end(): Promise<void> {
    if (this.#at < this.#rows.length || this.#valuesLeft !== 0)
      throw new Error(`${this.#where}: it has more rows than its row group`);
  }

  async #readPage(): Promise<void> {
    if (this.#valuesLeft <= 0 || this.#position >= this.#end)
      throw new Error("it has fewer rows than its row group");
    const { page, kind } = await this.#nextPage();
    if (kind === "DICTIONARY_PAGE") {
      this.#dictionary = decoded(() => readDictionary(page, this.#column));
      return;
    }
    if (kind !== "DATA_PAGE" && kind !== "DATA_PAGE_V2") return;
    if (page.values > this.#valuesLeft) throw new Error("a page has more values than the column");
    const { rows, continued } = decoded(() => readPageRows(page, this.#column, this.#dictionary));
    this.#valuesLeft -= page.values;
    const kept = this.#rows.slice(this.#at);
    const last = kept.at(-1);
    if (continued.length > 0) {
      if (!Array.isArray(last)) throw new Error("a page continues a list that is not there");
      last.push(...continued);
    }
    this.#rows = kept.concat(rows);
    this.#at = 0;
  }

  async #nextPage(): Promise<{ readonly page: Page; readonly kind: string }> {
    const header = await this.#nextHeader();
    const { compressed_page_size: size, uncompressed_page_size: unpacked, type } = header;
    const isSize = (bytes: number): boolean =>
      Number.isSafeInteger(bytes) && bytes >= 0 && bytes <= mostPageBytes;
    if (!isSize(size) || !isSize(unpacked) || this.#position + size > this.#end)
      throw new Error(`a page has a wrong or too large size: ${size} bytes, ${unpacked} unpacked`);
    const bytes = await this.#read(this.#position, size);
    this.#position += size;
    const { data_page_header: v1, data_page_header_v2: v2, dictionary_page_header: dictionary } = header;
    const values = (v1 ?? v2 ?? dictionary)?.num_values ?? 0;
    if (!Number.isSafeInteger(values) || values < 0 || values > mostPageValues)
      throw new Error(`a page says that it has ${values} values`);
    const encoding = (v1 ?? v2)?.encoding ?? "PLAIN";
    const split = v2 && {
      repetition: v2.repetition_levels_byte_length,
      definition: v2.definition_levels_byte_length,
      isPacked: v2.is_compressed !== false,
    };
    return { kind: type, page: { bytes, unpacked, values, encoding, ...(split && { v2: split }) } };
  }

  async #nextHeader(): Promise<ReturnType<typeof parquetHeader>> {
    for (let length = headerBytes; ; length *= 8) {
      const bytes = await this.#read(this.#position, Math.min(length, this.#end - this.#position));
      const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 };
      try {
        const header = parquetHeader(reader);
        this.#position += reader.offset;
        return header;
      } catch (error) {
        // It may be longer than what was read, because it can contain the least and the largest value.
        if (length >= mostHeaderBytes || bytes.length < length)
          throw new Error("a page has no readable header", { cause: error });
      }
    }
  }

  async #read(position: number, length: number): Promise<Uint8Array> {
    const from = position - this.#aheadAt;
    if (from < 0 || from + length > this.#ahead.length) {
      const wanted = Math.max(length, Math.min(4 * headerBytes, this.#end - position));
      this.#ahead = await this.#file.read(position, wanted);
      this.#aheadAt = position;
    }
    const start = position - this.#aheadAt;
    return this.#ahead.subarray(start, start + length);
  }
}
