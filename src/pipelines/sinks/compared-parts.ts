import type { Changes } from "../changes/net-changes.js";
import { joinRows, pickRows, type Rows } from "../changes/rows.js";
import type { RowSchema } from "../changes/schema.js";
import {
  type DifferenceKind,
  differenceCounts,
  type RowDifference,
  type RowDifferences,
  type SourceStates,
} from "./audit.js";
import { type ExpectedPart, ExpectedRows, type PlacedRow } from "./expected-rows.js";
import type { Scratch } from "./scratch.js";

/** Rows of a part. */
const rowsOfPart = 20_000;

export interface ComparedPartsOptions {
  readonly scratch: Scratch;
  readonly schema: RowSchema;
  readonly sources: readonly string[];
  /** About how many rows there are. */
  readonly rows: number;
  readonly mostParts: number;
  /** A number that depends on the key of a row alone, not below 0. */
  numberOf(row: PlacedRow): number;
}

/**
 * The rows that a sink should hold, for sinks that compare rows by their key here. They are divided by a number of the key,
 * so that one part at a time is in memory.
 */
export class ComparedParts {
  /** How many there are. */
  readonly count: number;
  readonly #expected: ExpectedRows;

  constructor({ scratch, schema, sources, rows, mostParts, numberOf }: ComparedPartsOptions) {
    this.count = Math.min(mostParts, Math.max(1, Math.ceil(rows / rowsOfPart)));
    const partOf = (given: Rows, row: number): number => this.partOf(numberOf({ rows: given, row }));
    this.#expected = new ExpectedRows({ scratch, schema, sources, parts: this.count, partOf });
  }

  /** The part of a key with a number. */
  partOf(number: number): number {
    return number % this.count;
  }

  /** Tells what a range of a source has become. */
  async expect(source: string, changes: Changes): Promise<void> {
    await this.#expected.expect(source, changes);
  }

  /** Leaves out rows whose keys a later range has changed. */
  async overtake(changes: Changes): Promise<void> {
    await this.#expected.overtake(changes);
  }

  /** The rows of a part. */
  part(part: number): Promise<ExpectedPart> {
    return this.#expected.part(part);
  }
}

/** Counts differences, and keeps the first of them. */
export class DifferenceTally {
  readonly #most: number;
  readonly #counts = new Map<DifferenceKind, number>();
  readonly #first: RowDifference[] = [];

  /** @param most how many are kept */
  constructor(most: number) {
    this.#most = most;
  }

  /** Whether there are none. */
  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  /** Adds one. */
  add(difference: RowDifference): void {
    this.#counts.set(difference.kind, (this.#counts.get(difference.kind) ?? 0) + 1);
    if (this.#first.length < this.#most) this.#first.push(difference);
  }

  get found(): RowDifferences {
    return { counts: differenceCounts([...this.#counts]), first: this.#first, notes: [], strays: [] };
  }
}

/** Rows among others as rows of their own. @param width columns */
export function gathered(placed: readonly PlacedRow[], width: number): Rows {
  return joinRows(
    placed.map(({ rows, row }) => pickRows(rows, [row])),
    width,
  );
}

/** The values of a row's key as text, by column. */
export function keyTextsOf(
  { rows, row }: PlacedRow,
  { columns, key }: RowSchema,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    key.map((name) => {
      const column = columns.findIndex((one) => one.name === name);
      return [name, String(rows.columns[column]?.[row] ?? "")];
    }),
  );
}

/** About how many rows a sink holds, by its ledgers. */
export function rowsOfLedgers(states: SourceStates): number {
  let rows = 0;
  for (const { ledger } of states.values())
    for (const entry of ledger) rows += "rows" in entry ? entry.rows : 0;
  return rows;
}
