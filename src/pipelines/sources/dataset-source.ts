import type { StoredFiles, StoredQuestion, StoredStretch } from "../../datasets/archive/stored-logs.js";
import type { ExtractionSource } from "../../datasets/extract/extraction.js";
import {
  type ChangeBatch,
  type Following,
  follow,
  type RowChange,
  type StoredBatch,
} from "../../datasets/extract/follow.js";
import type { LogDecoder } from "../../datasets/rows/decoded-rows.js";
import { storedKinds, storedRowsSql, storedTopics } from "../../datasets/stored/stored-rows-sql.js";
import type { DatasetKind, DatasetRow } from "../../datasets/tables/dataset.js";
import type { BlockPointer } from "../../runtime/chain/chain.js";
import type { BlockRange } from "../../runtime/indexer/logs/tails.js";
import { noRows, type Rows, type RowValue } from "../changes/rows.js";
import type { RowColumn } from "../changes/schema.js";
import type { StoredQuery } from "../changes/stored-rows.js";
import type { StartAt } from "../definition/settings.js";
import type { BatchLimits, Source, SourceBatch, SourcePosition, StoredLimits } from "./source.js";

/** A dataset of a chain that is open. */
export interface DatasetSourceOptions {
  readonly source: ExtractionSource;
  readonly kind: DatasetKind;
  readonly columns: readonly RowColumn[];
  /** Only logs of these contracts; of all if absent. */
  readonly addresses?: readonly string[] | undefined;
  /** Contracts of wrapped native coins, whose deposits and withdrawals count as transfers. */
  readonly wrapped?: readonly string[] | undefined;
  /** Decodes logs, for `decoded_logs`. */
  readonly decoder?: LogDecoder | undefined;
  readonly startAt: StartAt;
  /** The last block; the source ends when it is final. */
  readonly last?: number | undefined;
  /** Whether to read only final blocks. */
  readonly finalOnly: boolean;
  readonly finalOf: (head: BlockPointer) => Promise<BlockPointer | undefined>;
  readonly waitForBlocks: Following["waitForBlocks"];
  readonly patience: Following["patience"];
  /** The files of an archive that cover a range of final blocks; `undefined` without an archive. */
  readonly storedLogs?: ((question: StoredQuestion) => Promise<StoredStretch>) | undefined;
}

/** The rows of a dataset as changes, through reorganisations. */
export class DatasetSource implements Source {
  readonly #options: DatasetSourceOptions;

  constructor(options: DatasetSourceOptions) {
    this.#options = options;
  }

  async *batches(
    position: SourcePosition | undefined,
    { blocks, rows, stored }: BatchLimits = {},
  ): AsyncGenerator<SourceBatch, void, void> {
    const { source, kind, addresses, wrapped, decoder, finalOf, waitForBlocks, patience, last, finalOnly } =
      this.#options;
    const from = position?.next ?? (await this.#first());
    // The position includes the results of open blocks, so their rows are not needed again.
    const place = position && {
      next: position.next,
      open: position.open.map(({ number, hash }) => ({ number, hash, rows: [] })),
    };
    const stretch = stored && this.#stretch(stored);
    const following = { finalOf, waitForBlocks, patience, place, last, finalOnly, stretch };
    const extraction = { kind, from, addresses, wrapped, decoder, span: blocks };
    for await (const batch of follow(source, extraction, following)) yield* this.#batches(batch, rows);
  }

  async *#parts(stored: StoredBatch, rows: number | undefined): AsyncGenerator<SourceBatch, void, void> {
    for await (const batch of stored.read()) yield* this.#batches(batch, rows);
  }

  *#batches(batch: ChangeBatch, rows = Number.POSITIVE_INFINITY): Generator<SourceBatch, void, void> {
    for (const part of divided(batch, rows)) yield this.#batch(part, rows);
  }

  /** The first block for a pipeline that starts. */
  async #first(): Promise<number> {
    const { startAt, source } = this.#options;
    if (startAt === "earliest") return 0;
    return startAt === "latest" ? (await source.chain.head()).number + 1 : startAt;
  }

  /** Finds ranges in the files of the archive; `undefined` if it has none for the dataset. */
  #stretch({ rows, blocks }: StoredLimits): Following["stretch"] {
    const { kind, addresses = [], wrapped = [], source, storedLogs } = this.#options;
    // Queries over files only support rows of transfers.
    if (!storedLogs || !storedKinds.has(kind) || wrapped.length > 0) return undefined;
    const filter = [{ addresses, topics: storedTopics(kind) }];
    const proof = source.verification.mode;
    return ({ from, to }) =>
      storedLogs({ from, to: Math.min(to, from + blocks - 1), filter, proof, mostLogs: rows });
  }

  #batch({ from, to, changes, place, stored }: ChangeBatch, most: number): SourceBatch {
    const { columns, kind, addresses } = this.#options;
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
      ...(stored && {
        stored: {
          rows: storedQuery(kind, stored.files, { from, to }, addresses),
          read: () => this.#parts(stored, most),
        },
      }),
    };
  }
}

/** Divides a batch between its blocks. Each part has a number of rows at most, unless they are all of one block. */
function* divided(batch: ChangeBatch, most: number): Generator<ChangeBatch, void, void> {
  const { changes, place } = batch;
  let [{ from }, start, block] = [batch, 0, 0];
  for (let at = 1; at <= changes.length; at += 1) {
    if (at < changes.length && blockOf(changes[at]) === blockOf(changes[block])) continue;
    if (at - start > most && block > start) {
      const next = blockOf(changes[block]);
      const part = { from, to: next - 1, changes: changes.slice(start, block) };
      yield { ...part, place: { next, open: place.open } };
      [from, start] = [next, block];
    }
    block = at;
  }
  yield from === batch.from ? batch : { ...batch, from, changes: changes.slice(start) };
}

function blockOf(change: RowChange | undefined): number {
  return Number(change?.row.block_number ?? change?.row.number);
}

function storedQuery(
  kind: DatasetKind,
  { logs, blocks }: StoredFiles,
  range: BlockRange,
  addresses: readonly string[] | undefined,
): StoredQuery {
  return {
    files: [...logs.map(({ path }) => path), ...blocks],
    query: (at) => {
      const files = { logs: logs.map((file) => ({ ...file, path: at(file.path) })), blocks: blocks.map(at) };
      return storedRowsSql(kind, files, range, addresses);
    },
  };
}

function rowsByColumn(rows: readonly DatasetRow[], columns: readonly RowColumn[]): Rows {
  return {
    count: rows.length,
    columns: columns.map(({ name }) => rows.map((row): RowValue => row[name] ?? null)),
  };
}
