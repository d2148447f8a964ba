import { visible } from "../../../base/text/visible.js";
import { rowJson } from "../../changes/row-json.js";
import type { SinkBatch } from "../../state/sink-batch.js";
import type { OpenSink } from "../opening.js";
import type { Sink } from "../sink.js";
import type { PrintShape } from "./shape.js";

/**
 * Prints every change as a line: a JSON object with the operation first. It keeps no state, so each run
 * starts from the beginning.
 */
class PrintSink implements Sink {
  readonly positions = new Map();
  readonly #out: (text: string) => void;

  constructor(out: (text: string) => void) {
    this.#out = out;
  }

  async write({ changes: { operations, rows, schema } }: SinkBatch): Promise<void> {
    let text = "";
    for (const [row, op] of operations.entries()) {
      // JSON escapes control characters, but not characters that reverse the order of text.
      text += `${visible(`{"op":"${op}",${rowJson(schema.columns, rows, row).slice(1)}`)}\n`;
    }
    if (text !== "") this.#out(text);
  }

  async close(): Promise<void> {}
}

/** Opens a sink that prints rows. */
export const openPrint: OpenSink<PrintShape> = async (_planned, _owner, world) =>
  new PrintSink((text) => world.out(text));
