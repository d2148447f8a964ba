import { type FileHandle, open, readFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { ofFile } from "../../../base/disk-trouble.js";
import { missing, writeDurably } from "../../../machine/files/durable-files.js";

/** A record that had reached the disk is damaged. */
export class JournalDamaged extends Error {
  override readonly name = "JournalDamaged";
  /** Counted from 1. */
  readonly line: number;

  constructor(line: number) {
    super(`line ${line} is damaged`);
    this.line = line;
  }
}

/**
 * A file of records that is only appended to. A line has a checksum, the number of bytes that were on the disk when it was
 * written, and JSON. A crash may cut off or damage the last records. They count as not written unless a later record says
 * that they were on the disk.
 */
export class Journal {
  readonly #path: string;
  #file: FileHandle;
  #bytes: number;
  /** Bytes that are on the disk. */
  #synced: number;

  private constructor(path: string, file: FileHandle, bytes: number) {
    this.#path = path;
    this.#file = file;
    this.#bytes = bytes;
    this.#synced = bytes;
  }

  /**
   * Creates a file, or replaces it.
   * @param path absolute; its folder is created
   */
  static async create(path: string, records: Iterable<object>): Promise<Journal> {
    const text = textOf(records);
    await writeDurably(path, text);
    return new Journal(path, await open(path, "r+"), text.length);
  }

  /**
   * Opens a file and reads its records.
   * @returns `undefined` if there is no such file
   * @throws JournalDamaged
   */
  static async open(
    path: string,
  ): Promise<{ readonly journal: Journal; readonly records: readonly unknown[] } | undefined> {
    const content = await readFile(path).catch(missing(undefined));
    if (content === undefined) return undefined;
    const { records, end } = readRecords(content);
    const file = await open(path, "r+");
    if (end < content.length) await file.truncate(end);
    await file.datasync();
    return { journal: new Journal(path, file, end), records };
  }

  /**
   * Reads the records of a file that another process may be writing.
   * @returns `undefined` if there is no such file
   * @throws JournalDamaged
   */
  static async read(path: string): Promise<readonly unknown[] | undefined> {
    const content = await readFile(path).catch(missing(undefined));
    return content && readRecords(content).records;
  }

  /** The size of the file. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds records. They outlast this process once the promise resolves, and the machine once `sync` has. */
  async add(records: Iterable<object>): Promise<void> {
    for (const part of partsOf(records)) {
      const text = textOf(part, this.#synced);
      for (let start = 0; start < text.length; ) {
        const { bytesWritten } = await this.#file
          .write(text, start, null, this.#bytes)
          .catch(ofFile(this.#path));
        start += bytesWritten;
        this.#bytes += bytesWritten;
      }
    }
  }

  /** Waits until all records are on the disk. */
  async sync(): Promise<void> {
    await this.#file.datasync().catch(ofFile(this.#path));
    this.#synced = this.#bytes;
  }

  /** Replaces all records. A crash leaves the old ones or the new ones. */
  async replace(records: Iterable<object>): Promise<void> {
    const text = textOf(records);
    await writeDurably(this.#path, text);
    await this.#file.close();
    this.#file = await open(this.#path, "r+");
    this.#bytes = text.length;
    this.#synced = text.length;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/** The most records of a part. */
const most = 100;

/** Divides records into parts whose texts fit into memory. */
function* partsOf(records: Iterable<object>): Generator<readonly object[], void, void> {
  let part: object[] = [];
  for (const record of records) {
    part.push(record);
    if (part.length < most) continue;
    yield part;
    part = [];
  }
  yield part;
}

const newline = 0x0a;
const line = /^([0-9a-f]{8}) (([0-9a-z]{11}) (.*))$/s;
/** Characters of a line besides its JSON. */
const frame = 8 + 1 + 11 + 1 + 1;

/** @param synced bytes on the disk; by default those of all records, which get there together or not at all */
function textOf(records: Iterable<object>, synced?: number): Buffer {
  const texts = Array.from(records, (record) => JSON.stringify(record));
  const known = synced ?? texts.reduce((sum, text) => sum + frame + Buffer.byteLength(text), 0);
  const lines = texts.map((text) => {
    const rest = `${known.toString(36).padStart(11, "0")} ${text}`;
    return `${sumOf(rest)} ${rest}\n`;
  });
  return Buffer.from(lines.join(""));
}

function sumOf(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}

/** The records before the first damaged one, and where they end. @throws JournalDamaged if that one had reached the disk */
function readRecords(content: Buffer): { readonly records: readonly unknown[]; readonly end: number } {
  const records: unknown[] = [];
  let damage: number | undefined;
  /** Bytes that were on the disk. */
  let known = 0;
  for (let start = 0; start < content.length; ) {
    const found = content.indexOf(newline, start);
    const end = found === -1 ? content.length : found;
    const [, sum, rest, synced = "", json = ""] = line.exec(content.toString("utf8", start, end)) ?? [];
    const isWhole = found !== -1 && rest !== undefined && sum === sumOf(rest);
    if (isWhole && damage === undefined) records.push(JSON.parse(json));
    else damage ??= start;
    if (isWhole) known = Math.max(known, Number.parseInt(synced, 36));
    start = end + 1;
  }
  if (known > (damage ?? content.length)) throw new JournalDamaged(records.length + 1);
  return { records, end: damage ?? content.length };
}
