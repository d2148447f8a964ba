import type { ExtractionSource } from "../../datasets/extract/extraction.js";
import { type ChangeBatch, type Following, follow } from "../../datasets/extract/follow.js";
import type { DatasetKind, DatasetRow } from "../../datasets/tables/dataset.js";
import type { BlockPointer } from "../../runtime/chain/chain.js";
import { type FlowValue, noRows, type Rows } from "../changes/rows.js";
import type { FlowColumn } from "../changes/schema.js";
import type { StartAt } from "../definition/settings.js";
import type { Source, SourceBatch, SourcePosition } from "./source.js";

/** A dataset of a chain that is open. */
export interface DatasetSourceOptions {
  readonly source: ExtractionSource;
  readonly kind: DatasetKind;
  readonly columns: readonly FlowColumn[];
  /** Only logs of these contracts; of all if absent. */
  readonly addresses?: readonly string[] | undefined;
  readonly startAt: StartAt;
  /** The last block; the source ends when it is final. */
  readonly last?: number | undefined;
  /** Whether to read only final blocks. */
  readonly finalOnly: boolean;
  readonly finalOf: (head: BlockPointer) => Promise<BlockPointer | undefined>;
  readonly waitForBlocks: Following["waitForBlocks"];
}

/** The rows of a dataset as changes, through reorganisations. */
export class DatasetSource implements Source {
  readonly #options: DatasetSourceOptions;

  constructor(options: DatasetSourceOptions) {
    this.#options = options;
  }

  async *batches(position: SourcePosition | undefined): AsyncGenerator<SourceBatch, void, void> {
    const { source, kind, addresses, finalOf, waitForBlocks, last, finalOnly } = this.#options;
    const from = position?.next ?? (await this.#first());
    // What was made of the open blocks is kept with the position, so their rows are not needed again.
    const place = position && {
      next: position.next,
      open: position.open.map(({ number, hash }) => ({ number, hash, rows: [] })),
    };
    const following = { finalOf, waitForBlocks, place, last, finalOnly };
    for await (const batch of follow(source, { kind, from, addresses }, following)) yield this.#batch(batch);
  }

  /** The first block for a flow that starts. */
  async #first(): Promise<number> {
    const { startAt, source } = this.#options;
    if (startAt === "earliest") return 0;
    return startAt === "latest" ? (await source.chain.head()).number + 1 : startAt;
  }

  #batch({ from, to, changes, place }: ChangeBatch): SourceBatch {
    const { columns } = this.#options;
    const isUndone = place.next === from;
    return {
      from,
      to,
      isUndone,
      delta: {
        minus: noRows(columns.length),
        plus: isUndone
          ? noRows(columns.length)
          : rowsByColumn(
              changes.map(({ row }) => row),
              columns,
            ),
      },
      position: { next: place.next, open: place.open.map(({ number, hash }) => ({ number, hash })) },
    };
  }
}

function rowsByColumn(rows: readonly DatasetRow[], columns: readonly FlowColumn[]): Rows {
  return {
    count: rows.length,
    columns: columns.map(({ name }) => rows.map((row): FlowValue => row[name] ?? null)),
  };
}
