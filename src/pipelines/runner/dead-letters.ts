import { createHash } from "node:crypto";
import { messageOf } from "../../base/text/message-of.js";
import { visible } from "../../base/text/visible.js";
import { ledgerEntry } from "../changes/ledger.js";
import { PipelineError } from "../changes/pipeline-error.js";
import { noRows, type RowValue } from "../changes/rows.js";
import { rowsText } from "../changes/rows-text.js";
import { letterSchema } from "../plan/dead-letters.js";
import type { PlannedSink } from "../plan/pipeline-plan.js";
import { openSink } from "../sinks/open-sink.js";
import type { SinkWorld } from "../sinks/opening.js";
import { parkedDocument } from "../sinks/parking/parked-document.js";
import type { RefusedRow, Sink } from "../sinks/sink.js";
import type { ParkedChange } from "../state/parked-change.js";
import { SinkError } from "../state/sink-error.js";

/** A change that a sink has refused, before it is parked. */
export interface RefusedChange {
  readonly change: ParkedChange;
  readonly refused: RefusedRow;
}

/**
 * Writes the rows that a sink refuses into another sink, before they are parked. After a crash between the two, a row is
 * written again, with the same id.
 */
export class DeadLetters {
  readonly #flow: string;
  readonly #sink: PlannedSink;
  readonly #letters: PlannedSink;
  readonly #world: SinkWorld;
  #opened: Promise<Sink> | undefined;
  #next = 0;

  /** @param sink refuses the rows @param letters gets them */
  constructor(flow: string, sink: PlannedSink, letters: PlannedSink, world: SinkWorld) {
    this.#flow = flow;
    this.#sink = sink;
    this.#letters = letters;
    this.#world = world;
  }

  /** @throws SinkError if they cannot be written */
  async write(refused: readonly RefusedChange[]): Promise<void> {
    if (refused.length === 0) return;
    try {
      this.#opened ??= this.#open();
      await this.#write(await this.#opened, refused);
    } catch (error) {
      await this.close();
      throw new SinkError(
        `Refused rows cannot be written to sink ${visible(this.#letters.name)}: ${messageOf(error)}`,
        error instanceof PipelineError && error.isTemporary,
        { cause: error },
      );
    }
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    // A failure to open was thrown by `write`.
    const sink = await opened?.catch(() => undefined);
    await sink?.close();
  }

  async #open(): Promise<Sink> {
    const owner = { flow: this.#flow, sources: [this.#sink.name] };
    const sink = await openSink(this.#letters, owner, this.#world);
    this.#next = sink.positions.get(this.#sink.name)?.next ?? 0;
    for (const batch of sink.unfinished ?? []) await sink.write(batch);
    return sink;
  }

  async #write(sink: Sink, refused: readonly RefusedChange[]): Promise<void> {
    const lines = refused.map((one) => this.#letter(one));
    const width = letterSchema.columns.length;
    const rows = {
      count: lines.length,
      columns: letterSchema.columns.map((_, column) => lines.map((line) => line[column] ?? null)),
    };
    const [source, at] = [this.#sink.name, this.#next];
    const none = noRows(width);
    await sink.write({
      source,
      from: at,
      to: at,
      changes: {
        schema: letterSchema,
        operations: lines.map(() => "i"),
        rows,
        replaced: none,
        overwritten: 0,
      },
      position: { next: at + 1, open: [] },
      ledger: ledgerEntry(at, at, { minus: none, plus: rows }),
    });
    // A sink that gathers rows writes them.
    await sink.end?.(source, at + 1);
    this.#next = at + 1;
  }

  /** The values of a letter, by column. */
  #letter({ change, refused }: RefusedChange): readonly RowValue[] {
    const { source, from, to, operation, row } = change;
    const { name: sink, schema } = this.#sink;
    const { key, row: data } = parkedDocument(change, schema);
    const own = JSON.stringify([this.#flow, sink, source, from, to, operation, rowsText(row)]);
    const id = createHash("sha256").update(own).digest("hex").slice(0, 32);
    return [
      id,
      this.#flow,
      sink,
      source,
      BigInt(from),
      BigInt(to),
      operation,
      JSON.stringify(key),
      JSON.stringify(data),
      refused.column ?? null,
      refused.why,
      BigInt(change.at) * 1_000n,
    ];
  }
}
