import { visible } from "../../../base/text/visible.js";
import { rowJson } from "../../changes/row-json.js";
import type { SinkBatch } from "../../state/sink-batch.js";
import type { OpenSink } from "../opening.js";
import type { Sink } from "../sink.js";
import { RowTable } from "./row-table.js";
import type { PrintShape } from "./shape.js";

/**
 * Prints every change as a line: in columns, or as a JSON object with the operation first. It keeps no state, so each run
 * starts from the beginning.
 */
class PrintSink implements Sink {
  readonly positions = new Map();
  readonly #out: (text: string) => void;
  readonly #table: RowTable | undefined;

  constructor(out: (text: string) => void, table: RowTable | undefined) {
    this.#out = out;
    this.#table = table;
  }

  async write({ changes: { operations, rows, schema } }: SinkBatch): Promise<void> {
    if (operations.length === 0) return;
    if (this.#table) return this.#out(this.#table.lines(operations, rows));
    let text = "";
    for (const [row, op] of operations.entries()) {
      // JSON escapes control characters, but not characters that reverse the order of text.
      text += `${visible(`{"op":"${op}",${rowJson(schema.columns, rows, row).slice(1)}`)}\n`;
    }
    this.#out(text);
  }

  async close(): Promise<void> {}
}

/** The width of a table that is not printed on a terminal: nothing is cut. */
const anyWidth = Number.MAX_SAFE_INTEGER;

/** Opens a sink that prints rows. */
export const openPrint: OpenSink<PrintShape> = async ({ definition, schema }, _owner, world) => {
  const format = definition.settings.format?.value ?? (world.outWidth === undefined ? "json" : "table");
  const table = format === "table" ? new RowTable(schema.columns, world.outWidth ?? anyWidth) : undefined;
  return new PrintSink((text) => world.out(text), table);
};
