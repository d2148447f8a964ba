import { crc32 } from "node:zlib";
import type { Changes } from "../../changes/net-changes.js";
import type { RowValue } from "../../changes/rows.js";
import type { RowSchema } from "../../changes/schema.js";
import type { VersionState } from "../../state/version-state.js";
import type { BlockRange, RowDifference, RowDifferences, StoredRows } from "../audit.js";
import { type ClickHouse, type ClickHouseRow, quotedName } from "../clickhouse-server.js";
import { ComparedParts, DifferenceTally, gathered, keyTextsOf } from "../compared-parts.js";
import type { PlacedRow } from "../expected-rows.js";
import type { Scratch } from "../scratch.js";
import { ByteWriter } from "./byte-writer.js";
import { insertion } from "./interrupted-batch.js";
import { nativeBlock, type TargetColumn } from "./native-block.js";
import { quotedTable, type TargetTable } from "./target-table.js";
import { writeValue } from "./write-value.js";

/** The table, and how it is written. */
export interface StoredIn {
  readonly server: ClickHouse;
  readonly state: VersionState;
  readonly table: TargetTable;
  /** The prefix of the ids of inserts. */
  readonly prefix: string;
}

/** What is compared. */
export interface StoredTableOptions {
  readonly schema: RowSchema;
  readonly sources: readonly string[];
  readonly scratch: Scratch;
  /** The approximate number of rows. */
  readonly rows: number;
  readonly mends: boolean;
  readonly most: number;
}

const mostParts = 1_024;
/** The most keys of a statement that deletes rows. */
const deletedAtOnce = 1_000;

/** How a part differs from what it should be. */
interface PartDifferences {
  readonly told: readonly RowDifference[];
  /** Rows that are missing or altered, as they should be. */
  readonly wanted: readonly PlacedRow[];
  /** The keys of foreign rows, in hexadecimal digits. */
  readonly foreign: readonly string[];
}

/**
 * Compares the rows of a table, as FINAL shows them, with the rows that it should have. Values are compared by their bytes.
 * Both sides are divided into parts by a number of the key, so that memory is bounded.
 */
export class StoredTable implements StoredRows {
  readonly #in: StoredIn;
  readonly #options: StoredTableOptions;
  readonly #parts: ComparedParts;
  readonly #key: readonly TargetColumn[];
  #check: () => Promise<void> = async () => undefined;
  /** The last version that rows have. */
  version = 0;

  constructor(place: StoredIn, options: StoredTableOptions) {
    this.#in = place;
    this.#options = options;
    this.#key = place.table.key.flatMap((name) =>
      place.table.columns.filter((column) => column.name === name),
    );
    const numberOf = (row: PlacedRow): number => keyNumber(this.#key, row);
    this.#parts = new ComparedParts({ ...options, mostParts, numberOf });
  }

  /**
   * Called before the last comparison.
   * @param version the last one that rows have
   * @param check throws if rows were written meanwhile
   */
  from(version: number, check: () => Promise<void>): void {
    this.version = version;
    this.#check = check;
  }

  async expect(source: string, _range: BlockRange, changes: Changes): Promise<void> {
    await this.#parts.expect(source, changes);
  }

  async overtake(changes: Changes): Promise<void> {
    await this.#parts.overtake(changes);
  }

  async differs(): Promise<boolean> {
    for (let part = 0; part < this.#parts.count; part += 1)
      if ((await this.#compare(part, false)).told.length > 0) return true;
    return false;
  }

  async finish(isWhole: boolean): Promise<RowDifferences> {
    const tally = new DifferenceTally(this.#options.most);
    await this.#check();
    for (let part = 0; part < this.#parts.count; part += 1) {
      const found = await this.#compare(part, isWhole);
      for (const difference of found.told) tally.add(difference);
      if (this.#options.mends) await this.#mend(found);
    }
    if (!this.#options.mends) await this.#check();
    return tally.found;
  }

  async #compare(part: number, isWhole: boolean): Promise<PartDifferences> {
    const expected = new Map<string, readonly PlacedRow[]>();
    for (const rows of (await this.#parts.part(part)).values())
      if (rows[0]) expected.set(rowHex(this.#key, rows[0]), rows);
    const told: RowDifference[] = [];
    const wanted: PlacedRow[] = [];
    const foreign: string[] = [];
    for (const stored of await this.#read(part)) {
      const key = String(stored.key);
      const candidates = expected.get(key);
      expected.delete(key);
      if (!candidates) {
        if (isWhole) foreign.push(key);
        if (isWhole) told.push({ kind: "foreign", key: this.#keyOf(stored) });
        continue;
      }
      const differing = candidates.map((row) => this.#differing(stored, row));
      const [columns = []] = differing;
      if (differing.some(({ length }) => length === 0)) continue;
      told.push({ kind: "altered", key: this.#keyOf(stored), columns });
      wanted.push(...candidates.slice(0, 1));
    }
    for (const [row] of expected.values()) {
      if (!row) continue;
      told.push({ kind: "missing", key: keyTextsOf(row, this.#options.schema) });
      wanted.push(row);
    }
    return { told, wanted, foreign };
  }

  /** The rows of a part: the key and each column as hexadecimal digits, and the texts of the key. */
  async #read(part: number): Promise<readonly ClickHouseRow[]> {
    const { server, table } = this.#in;
    const columns = table.columns.map(
      ({ name }, index) => `hex(formatRow('RowBinary', ${quotedName(name)})) AS c${index}`,
    );
    const texts = this.#key.map(({ name }, index) => `toString(${quotedName(name)}) AS k${index}`);
    return server.query(
      `SELECT hex(${this.#keyBytes}) AS key, ${[...columns, ...texts].join(", ")} FROM ${quotedTable(table)} FINAL
        WHERE CRC32(${this.#keyBytes}) % {parts:UInt32} = {part:UInt32}`,
      { parts: String(this.#parts.count), part: String(part) },
    );
  }

  get #keyBytes(): string {
    return `formatRow('RowBinary', ${this.#key.map(({ name }) => quotedName(name)).join(", ")})`;
  }

  #keyOf(stored: ClickHouseRow): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#key.map(({ name }, index) => [name, String(stored[`k${index}`])]));
  }

  #differing(stored: ClickHouseRow, row: PlacedRow): readonly string[] {
    return this.#in.table.columns
      .filter((column, index) => stored[`c${index}`] !== rowHex([column], row))
      .map(({ name }) => name);
  }

  /** If this is interrupted, opening the sink completes it: the rows to restore are the rows as they should be. */
  async #mend({ wanted, foreign }: PartDifferences): Promise<void> {
    if (wanted.length + foreign.length === 0) return;
    const { server, state, table } = this.#in;
    const version = this.version + 1;
    await state.checkWriter();
    const rows = gathered(wanted, this.#options.schema.columns.length);
    await state.writeBefore(version, rows);
    if (rows.count > 0) {
      const block = nativeBlock(table.columns, rows, {
        names: table.rowColumns,
        version,
        isDeleted: () => false,
      });
      await server.insert(insertion(table), [block], `${state.token}-rows-${version}`);
    }
    const key = this.#key.map(({ name }) => quotedName(name)).join(", ");
    for (let start = 0; start < foreign.length; start += deletedAtOnce) {
      const keys = foreign.slice(start, start + deletedAtOnce).map((hex) => `'${hex}'`);
      await server.run(
        `INSERT INTO ${quotedTable(table)} (${key}, ${quotedName(table.rowColumns.version)}, ${quotedName(table.rowColumns.isDeleted)})
          SELECT ${key}, {version:UInt64}, 1 FROM ${quotedTable(table)} FINAL WHERE hex(${this.#keyBytes}) IN (${keys.join(", ")})`,
        { version: String(version) },
        `${state.token}-delete-${version}-${start}`,
      );
    }
    await state.write([], version);
    this.version = version;
  }
}

/** The values of a row in ClickHouse's format RowBinary, as upper-case hexadecimal digits like those of `hex`. */
export function rowHex(columns: readonly TargetColumn[], row: PlacedRow): string {
  return Buffer.from(rowBytes(columns, row)).toString("hex").toUpperCase();
}

/** A number that is equal for equal keys: ClickHouse's `CRC32` of their bytes. */
export function keyNumber(key: readonly TargetColumn[], row: PlacedRow): number {
  return crc32(rowBytes(key, row));
}

function rowBytes(columns: readonly TargetColumn[], { rows, row }: PlacedRow): Uint8Array {
  const writer = new ByteWriter();
  for (const column of columns) writeCell(writer, column, rows.columns[column.index]?.[row] ?? null);
  return writer.end();
}

function writeCell(writer: ByteWriter, { type, from }: TargetColumn, value: RowValue): void {
  if (type.form.kind === "strings") {
    const items = (value as readonly string[] | null) ?? [];
    writer.varint(items.length);
    for (const item of items) writer.text(item);
    return;
  }
  if (type.nullable) writer.byte(value === null ? 1 : 0);
  if (value !== null) writeValue(type.form, from)(writer, value);
}
