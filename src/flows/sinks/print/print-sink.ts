import { visible } from "../../../base/visible.js";
import type { FlowValue } from "../../changes/rows.js";
import type { Sink, SinkBatch } from "../sink.js";

/** Prints every change as a line: a JSON object with the operation first. Nothing is kept, so each run starts anew. */
export class PrintSink implements Sink {
  readonly positions = new Map();
  readonly #out: (text: string) => void;

  constructor(out: (text: string) => void) {
    this.#out = out;
  }

  async write({ changes: { operations, rows, schema } }: SinkBatch): Promise<void> {
    let text = "";
    for (const [row, op] of operations.entries()) {
      const values = schema.columns.map(({ name }, index) => [
        name,
        shown(rows.columns[index]?.[row] ?? null),
      ]);
      // JSON escapes control characters, but leaves those that reverse the order of text.
      text += `${visible(JSON.stringify({ op, ...Object.fromEntries(values) }))}\n`;
    }
    if (text !== "") this.#out(text);
  }

  async close(): Promise<void> {}
}

/** Integers that JSON readers would round are strings. */
function shown(value: FlowValue): unknown {
  if (typeof value !== "bigint") return value;
  return BigInt(Number.MAX_SAFE_INTEGER) >= value && value >= BigInt(Number.MIN_SAFE_INTEGER)
    ? Number(value)
    : String(value);
}

/** Takes everything and writes nothing. */
export class BlackholeSink implements Sink {
  readonly positions = new Map();
  readonly storedWriting = { limits: { rows: 250_000, blocks: 1_000_000 }, write: async () => true };

  async write(): Promise<void> {}

  async close(): Promise<void> {}
}
