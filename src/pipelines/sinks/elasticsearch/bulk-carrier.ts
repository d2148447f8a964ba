import { rowJson } from "../../changes/row-json.js";
import { SinkError } from "../../state/sink-error.js";
import type { Carrier, NumberedChanges } from "../delivery/carrier.js";
import { keyOf } from "../delivery/envelope.js";
import { partsOf } from "../delivery/parts.js";
import { type RefusedRow, RowError } from "../sink.js";
import { type BulkItem, readBulkAnswer } from "./bulk-answer.js";
import { documentId, postSearch, type SearchIndex, searchFailure } from "./search-request.js";

/** Which documents are written, and where. */
export interface BulkOptions extends SearchIndex {
  /** Most documents of a request. */
  readonly batchSize: number;
  /** The number of the last change that an earlier run may have sent. */
  readonly last: number;
}

/** Characters of a request at most, unless a single document has more. */
const longestBody = 4 * 1024 * 1024;

/**
 * Writes documents by bulk requests. A document's id is the row's key, and its version the number of the change, so that a
 * write which comes late or again cannot replace a newer one.
 */
export class BulkCarrier implements Carrier {
  readonly #options: BulkOptions;

  constructor(options: BulkOptions) {
    this.#options = options;
  }

  /** Refuses an index with documents when nothing was written before. @throws SinkError */
  async refuseForeign(): Promise<void> {
    const { index } = this.#options;
    const reply = await postSearch(
      this.#options,
      `/${encodeURIComponent(index)}/_count`,
      "application/json",
      "{}",
    );
    if (reply.kind === "failed") {
      // The index is created with the first document.
      if (reply.status === 404) return;
      throw searchFailure(reply);
    }
    if (/^\{\s*"count"\s*:\s*0\s*[,}]/.test(Buffer.from(reply.body).toString())) return;
    throw new SinkError(
      `Index ${index} holds documents that this pipeline has not written. Choose another index, or delete it.`,
      false,
    );
  }

  async carry(changes: NumberedChanges, arrived: (count: number) => Promise<void>): Promise<void> {
    const texts = changes.operations.map((_, row) => this.#textOf(changes, row));
    const sizes = texts.map(({ length }) => length);
    for (const { start, end } of partsOf(sizes, this.#options.batchSize, longestBody))
      await this.#sendRange(changes, texts, start, end, arrived);
  }

  async #sendRange(
    changes: NumberedChanges,
    texts: readonly string[],
    start: number,
    end: number,
    arrived: (count: number) => Promise<void>,
  ): Promise<void> {
    const reply = await postSearch(
      this.#options,
      "/_bulk",
      "application/x-ndjson",
      texts.slice(start, end).join(""),
    );
    if (reply.kind === "failed") {
      if (reply.status !== 413) throw searchFailure(reply);
      if (end - start === 1) throw new RowError(`The server ${reply.why}`, [start]);
      const middle = Math.ceil((start + end) / 2);
      await this.#sendRange(changes, texts, start, middle, arrived);
      return this.#sendRange(changes, texts, middle, end, arrived);
    }
    const items = readBulkAnswer(reply.body, end - start);
    if (!items) throw new SinkError("The server has not said what became of each document", true);
    this.#judge(changes, start, items);
    return arrived(end);
  }

  /** @throws SinkError for items that may be sent again; RowError for items that are refused */
  #judge({ first, operations, schema }: NumberedChanges, start: number, items: readonly BulkItem[]): void {
    const last = first + operations.length - 1;
    const refused: RefusedRow[] = [];
    for (const [index, item] of items.entries()) {
      const row = start + index;
      const isGone = item.status === 404 && operations[row] === "d";
      // What was sent before has its version already, or that of a later change of ours.
      const isRepeat =
        item.status === 409 &&
        (item.current === undefined ? first + row <= this.#options.last : item.current <= last);
      if (item.status < 300 || isGone || isRepeat) continue;
      if (item.status === 429 || item.status >= 500)
        throw new SinkError(`The server has not written a document: ${item.why}`, true);
      if (item.status === 409)
        throw new SinkError(
          `Another program has written documents of index ${this.#options.index}: ${item.why}`,
          false,
        );
      const column = schema.columns.find(({ name }) => name === item.field)?.name;
      refused.push({ row, why: `The server refuses a document: ${item.why}`, column });
    }
    const [one] = refused;
    if (one) throw new RowError(one.why, refused);
  }

  #textOf(changes: NumberedChanges, row: number): string {
    const { schema, operations, rows, first } = changes;
    const [action, document] =
      operations[row] === "d" ? ["delete", ""] : ["index", `${rowJson(schema.columns, rows, row)}\n`];
    const about = {
      _index: this.#options.index,
      _id: documentId(keyOf(changes, row)),
      version: first + row,
      version_type: "external",
    };
    return `${JSON.stringify({ [action as string]: about })}\n${document}`;
  }
}
