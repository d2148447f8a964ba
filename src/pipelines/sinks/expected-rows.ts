import { isRecord, parseJson } from "../../base/text/json-value.js";
import type { Changes } from "../changes/net-changes.js";
import { pickRows, type Rows, textOfRow } from "../changes/rows.js";
import { rowsFromText, rowsText } from "../changes/rows-text.js";
import type { RowSchema } from "../changes/schema.js";
import { keyIndexes } from "../state/parked-change.js";
import type { Scratch } from "./scratch.js";

/** A row among others. */
export interface PlacedRow {
  readonly rows: Rows;
  readonly row: number;
}

/** Rows of a part that a sink should hold: one for each source that has the key. */
export type ExpectedPart = ReadonlyMap<string, readonly PlacedRow[]>;

/** How rows with a key are put aside. */
export interface ExpectedRowsOptions {
  readonly scratch: Scratch;
  readonly schema: RowSchema;
  readonly sources: readonly string[];
  /** Parts, each of which fits into memory. */
  readonly parts: number;
  /** The part of a row, which depends on its key alone. */
  partOf(rows: Rows, row: number): number;
}

/** What is noted about rows that a later range has changed. */
const overtaken = -1;

/**
 * The rows that a sink should hold, by their key, for sinks that cannot compare them themselves. They are put on the disk in
 * parts by their key, so that one part at a time is in memory.
 */
export class ExpectedRows {
  readonly #options: ExpectedRowsOptions;
  readonly #key: readonly number[];

  constructor(options: ExpectedRowsOptions) {
    this.#options = options;
    this.#key = keyIndexes(options.schema);
  }

  /** Tells what a range of a source has become. */
  async expect(source: string, { operations, rows }: Changes): Promise<void> {
    await this.#append(this.#options.sources.indexOf(source), operations, rows);
  }

  /** Leaves out rows whose keys a later range has changed. */
  async overtake({ operations, rows }: Changes): Promise<void> {
    await this.#append(overtaken, operations, rows);
  }

  /** The rows of a part. A row that two sources make is there twice. */
  async part(part: number): Promise<ExpectedPart> {
    const { scratch, sources, schema } = this.#options;
    const bySource = sources.map(() => new Map<string, PlacedRow>());
    for await (const line of scratch.lines(part)) {
      const read = parseJson(line);
      const rows = isRecord(read) ? rowsFromText(String(read.rows), schema.columns) : undefined;
      if (!isRecord(read) || !rows) throw new Error("a line of the scratch is damaged");
      const { source, operations } = read;
      const of = source === overtaken ? bySource : bySource.slice(Number(source), Number(source) + 1);
      for (let row = 0; row < rows.count; row += 1) {
        const key = textOfRow(rows, row, this.#key);
        const isGone = source === overtaken || String(operations).charAt(row) === "d";
        for (const held of of)
          if (isGone) held.delete(key);
          else held.set(key, { rows, row });
      }
    }
    const all = new Map<string, PlacedRow[]>();
    for (const held of bySource) for (const [key, row] of held) all.set(key, [...(all.get(key) ?? []), row]);
    return all;
  }

  async #append(source: number, operations: Changes["operations"], rows: Rows): Promise<void> {
    const byPart = new Map<number, number[]>();
    for (let row = 0; row < rows.count; row += 1) {
      const part = this.#options.partOf(rows, row);
      const indexes = byPart.get(part) ?? [];
      byPart.set(part, indexes);
      indexes.push(row);
    }
    for (const [part, indexes] of byPart) {
      const text = rowsText(pickRows(rows, indexes));
      const line = { source, operations: indexes.map((row) => operations[row]).join(""), rows: text };
      await this.#options.scratch.append(part, JSON.stringify(line));
    }
  }
}
