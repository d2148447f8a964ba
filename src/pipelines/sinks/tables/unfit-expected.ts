import { visible } from "../../../base/text/visible.js";
import type { Changes } from "../../changes/net-changes.js";
import { sliceChanges } from "../../changes/pick-changes.js";
import { textOfRow } from "../../changes/rows.js";
import { keyIndexes } from "../../state/parked-change.js";
import { SinkError } from "../../state/sink-error.js";
import type { BlockRange } from "../audit.js";
import { rowName } from "../parking/row-text.js";

/** The most rows to leave out: beyond this, something is wrong with the table rather than with its rows. */
const most = 1_000;

/**
 * Writes expected rows into an audit's temporary table, which has the column types of the sink's.
 * Rows that do not fit are left out and noted, until a later change of their key fits: a row that was parked and
 * arrived again later is then no longer noted.
 */
export class UnfitExpected {
  /** By source and key: the row and why it does not fit, as clauses. */
  readonly #unfit = new Map<string, readonly string[]>();

  /**
   * Writes the changes that fit.
   * @param write writes some changes; if one does not fit, it leaves nothing harmful behind and returns why. It must
   * be able to write the same changes again
   */
  async put(
    source: string,
    range: BlockRange,
    changes: Changes,
    write: (some: Changes) => Promise<string | undefined>,
  ): Promise<void> {
    const put = async (start: number, end: number): Promise<void> => {
      if (start === end) return;
      const some = sliceChanges(changes, start, end);
      const why = await write(some);
      if (why === undefined) this.#noteFit(source, some);
      else if (end - start === 1) await this.#noteUnfit({ source, range, why }, some, write);
      else {
        const middle = (start + end) >> 1;
        await put(start, middle);
        await put(middle, end);
      }
    };
    await put(0, changes.rows.count);
  }

  /** Whether all rows fit. */
  get isEmpty(): boolean {
    return this.#unfit.size === 0;
  }

  /** A sentence about the rows that were left out; none if all fit. */
  get notes(): readonly string[] {
    return this.isEmpty ? [] : [`${this.#text}. Neither they nor rows that no source has were compared.`];
  }

  /** @throws SinkError if there are rows that do not fit, since they cannot be repaired */
  refuse(): void {
    if (!this.isEmpty) throw this.#error("Nothing was mended");
  }

  get #all(): readonly string[] {
    return [...this.#unfit.values()].flat();
  }

  #error(consequence: string): SinkError {
    const wayOut = "Change the columns or the query so that all rows fit, and try again";
    return new SinkError(`${this.#text}. ${consequence}. ${wayOut}.`, false);
  }

  get #text(): string {
    const all = this.#all;
    const count = all.length === 1 ? "1 row does" : `${all.length} rows do`;
    return `${count} not fit into the columns of the table; the first is ${all[0]}`;
  }

  #noteFit(source: string, changes: Changes): void {
    if (this.isEmpty || changes.schema.key.length === 0) return;
    for (let row = 0; row < changes.rows.count; row += 1) this.#unfit.delete(nameOf(source, changes, row));
  }

  async #noteUnfit(
    { source, range, why }: { readonly source: string; readonly range: BlockRange; readonly why: string },
    change: Changes,
    write: (some: Changes) => Promise<string | undefined>,
  ): Promise<void> {
    const name = nameOf(source, change, 0);
    const before = this.#unfit.get(name) ?? [];
    const hasKey = change.schema.key.length > 0;
    if (change.operations[0] === "d") {
      if (hasKey || before.length < 2) this.#unfit.delete(name);
      else this.#unfit.set(name, before.slice(1));
      return;
    }
    const { from, to } = range;
    const at = from === to ? ` of block ${from}` : ` of blocks ${from} to ${to}`;
    const row = `${rowName(change.rows, 0, change.schema)}${at} of ${visible(source)}: ${visible(why)}`;
    this.#unfit.set(name, hasKey ? [row] : [...before, row]);
    if (this.#all.length > most) throw this.#error("They are too many to compare the others");
    // The expected row of its key is outdated.
    if (hasKey) await write({ ...change, operations: ["d"] });
  }
}

function nameOf(source: string, { rows, schema }: Pick<Changes, "rows" | "schema">, row: number): string {
  return JSON.stringify([source, textOfRow(rows, row, keyIndexes(schema))]);
}
