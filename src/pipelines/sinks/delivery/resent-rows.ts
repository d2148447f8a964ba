import type { Changes } from "../../changes/net-changes.js";
import { noRows, type Rows, type RowValue, textOfRow } from "../../changes/rows.js";
import type { RowSchema } from "../../changes/schema.js";
import { SinkError } from "../../state/sink-error.js";
import type { StateStore } from "../../state/state-store.js";
import type { BlockRange, StoredRows } from "../audit.js";
import type { Carrier } from "./carrier.js";
import { sendUpdates } from "./send-updates.js";

/** Rows that are sent again at most, since they are in memory until then. */
const mostRows = 1_000_000;

/**
 * Rows at a receiver that cannot be asked for them. All that ranges have become which the ledger has otherwise is sent again,
 * as updates with new numbers, except for rows that a later range has changed.
 */
export class ResentRows implements StoredRows {
  readonly #state: StateStore;
  readonly #carrier: Carrier;
  readonly #schema: RowSchema;
  /** Rows by key; without a key, by number. */
  readonly #rows = new Map<string | number, readonly RowValue[]>();

  constructor(state: StateStore, carrier: Carrier, schema: RowSchema) {
    this.#state = state;
    this.#carrier = carrier;
    this.#schema = schema;
  }

  async expect(_source: string, _range: BlockRange, changes: Changes, agrees: boolean): Promise<void> {
    if (agrees) return this.overtake(changes);
    const { operations, rows } = changes;
    for (const [row, operation] of operations.entries()) {
      const key = this.#keyOf(rows, row) ?? this.#rows.size;
      if (operation === "d") this.#rows.delete(key);
      else
        this.#rows.set(
          key,
          rows.columns.map((column) => column[row] ?? null),
        );
    }
    if (this.#rows.size > mostRows)
      throw new SinkError(
        `More than ${mostRows} rows are to be sent again. Send a part of them with --range first.`,
        false,
      );
  }

  async overtake({ rows }: Changes): Promise<void> {
    for (let row = 0; row < rows.count; row += 1) {
      const key = this.#keyOf(rows, row);
      if (key !== undefined) this.#rows.delete(key);
    }
  }

  async differs(): Promise<boolean> {
    return this.#rows.size > 0;
  }

  async finish(): Promise<undefined> {
    const all = [...this.#rows.values()];
    const { columns } = noRows(this.#schema.columns.length);
    const rows: Rows = {
      count: all.length,
      columns: columns.map((_, column) => all.map((values) => values[column] ?? null)),
    };
    await sendUpdates(rows, this.#schema, this.#state, this.#carrier);
  }

  #keyOf(rows: Rows, row: number): string | undefined {
    const { key, columns } = this.#schema;
    if (key.length === 0) return undefined;
    const indexes = key.map((name) => columns.findIndex((column) => column.name === name));
    return textOfRow(rows, row, indexes);
  }
}
