import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { isRecord, parseJson } from "../../../base/text/json-value.js";
import type { Changes } from "../../changes/net-changes.js";
import { rowJson } from "../../changes/row-json.js";
import { joinRows, pickRows, type Rows } from "../../changes/rows.js";
import type { RowSchema } from "../../changes/schema.js";
import { SinkError } from "../../state/sink-error.js";
import type { StateReading, StateStore } from "../../state/state-store.js";
import {
  type BlockRange,
  type DifferenceKind,
  differenceCounts,
  type RowDifference,
  type RowDifferences,
  type StoredRows,
} from "../audit.js";
import type { Carrier } from "../delivery/carrier.js";
import { keyOf } from "../delivery/envelope.js";
import { sendUpdates } from "../delivery/send-updates.js";
import { type FoundDocument, SearchDocuments } from "./search-documents.js";
import { documentId, type SearchIndex } from "./search-request.js";

/** What is compared. */
export interface StoredDocumentsOptions {
  readonly index: SearchIndex;
  readonly schema: RowSchema;
  /** The most documents to list one by one. */
  readonly most: number;
  readonly reading: StateReading;
  /** What repairs documents; `undefined` if they are left alone. */
  readonly mending: { readonly state: StateStore; readonly carrier: Carrier } | undefined;
  /** The number of the last change that may have been sent so far. */
  lastNow(): Promise<number>;
}

/** Documents that differ at most, since what they should be is in memory. */
const mostDifferent = 1_000_000;

/** A document that is not as it should be. */
interface Difference {
  readonly kind: DifferenceKind;
  readonly id: string;
  /** What it should be; `undefined` if it should not be there. */
  readonly row: Rows | undefined;
  readonly document: FoundDocument | undefined;
}

/**
 * Compares the documents of an index with what they should be. Compares each range as it comes. A later range
 * may have changed a document that differs, so looks at it again at the end.
 */
export class StoredDocuments implements StoredRows {
  readonly #options: StoredDocumentsOptions;
  readonly #documents: SearchDocuments;
  /** What differed when its range came, by id: the row that it should be. */
  readonly #different = new Map<string, Rows | undefined>();
  readonly #expected = new IdSet();
  /** Documents of changes that may or may not have arrived. */
  readonly #either = new Set<string>();

  constructor(options: StoredDocumentsOptions) {
    this.#options = options;
    this.#documents = new SearchDocuments(options.index);
    for (const { changes } of options.reading.kept.unfinished)
      for (let row = 0; row < changes.rows.count; row += 1) this.#either.add(this.#idOf(changes.rows, row));
  }

  async expect(_source: string, _range: BlockRange, { operations, rows }: Changes): Promise<void> {
    const told = new Map<string, Rows | undefined>();
    for (const [row, operation] of operations.entries())
      told.set(this.#idOf(rows, row), operation === "d" ? undefined : pickRows(rows, [row]));
    const found = await this.#documents.get([...told.keys()]);
    for (const [id, row] of told) {
      if (row) this.#expected.add(id);
      else this.#expected.delete(id);
      if (this.#isSame(row, found.get(id))) this.#different.delete(id);
      else this.#different.set(id, row);
    }
    if (this.#different.size > mostDifferent)
      throw new SinkError(
        `More than ${mostDifferent} documents differ. Look at a part of them with --range, or write them to another index.`,
        false,
      );
  }

  async overtake({ rows }: Changes): Promise<void> {
    for (let row = 0; row < rows.count; row += 1) this.#different.delete(this.#idOf(rows, row));
  }

  async differs(): Promise<boolean> {
    return this.#different.size > 0;
  }

  async finish(isWhole: boolean): Promise<RowDifferences> {
    const found = [...(await this.#stillDifferent()), ...(isWhole ? await this.#foreign() : [])];
    if (found.length > 0 && (await this.#options.lastNow()) !== this.#options.reading.kept.last)
      throw new SinkError(
        "The pipeline has written documents meanwhile. Compare again, or stop it first.",
        true,
      );
    if (found.length > 0) await this.#mend(found);
    return {
      counts: differenceCounts(found.map(({ kind }) => [kind, 1] as const)),
      first: found.slice(0, this.#options.most).map((difference) => this.#told(difference)),
      notes: [],
      strays: [],
    };
  }

  async #stillDifferent(): Promise<readonly Difference[]> {
    const ids = [...this.#different.keys()].filter((id) => !this.#either.has(id));
    const found = await this.#documents.get(ids);
    return ids.flatMap((id): Difference[] => {
      const [row, document] = [this.#different.get(id), found.get(id)];
      if (this.#isSame(row, document)) return [];
      const kind = !row ? "foreign" : document ? "altered" : "missing";
      return [{ kind, id, row, document }];
    });
  }

  /** Documents that nothing has become. */
  async #foreign(): Promise<readonly Difference[]> {
    const foreign: Difference[] = [];
    for await (const ids of this.#documents.ids()) {
      const unknown = ids.filter(
        (id) => !this.#expected.has(id) && !this.#different.has(id) && !this.#either.has(id),
      );
      for (const [id, document] of await this.#documents.get(unknown))
        foreign.push({ kind: "foreign", id, row: undefined, document });
    }
    return foreign;
  }

  async #mend(found: readonly Difference[]): Promise<void> {
    const { mending, schema, reading } = this.#options;
    if (!mending) return;
    const versions = found.map(({ document }) => document?.version ?? 0);
    // A document that was deleted may still have had the next version.
    const least = Math.max(reading.kept.last + 2, ...versions.map((version) => version + 1));
    await this.#documents.delete(
      found.flatMap(({ row, document }) => (row === undefined && document ? [document] : [])),
    );
    const rows = found.flatMap(({ row }) => row ?? []);
    await sendUpdates(joinRows(rows, schema.columns.length), schema, mending.state, mending.carrier, least);
    const after = await this.#stillDifferent();
    if (after.length > 0)
      throw new SinkError("The server still has other documents. Repair it again in a minute.", true);
  }

  #idOf(rows: Rows, row: number): string {
    return documentId(keyOf({ schema: this.#options.schema, rows }, row));
  }

  #isSame(row: Rows | undefined, document: FoundDocument | undefined): boolean {
    if (!row || !document) return !row && !document;
    return this.#columnsThatDiffer(row, document).length === 0;
  }

  /** Fields that the server has added are not a difference. */
  #columnsThatDiffer(row: Rows, { source }: FoundDocument): readonly string[] {
    const { columns } = this.#options.schema;
    const wanted = parseJson(rowJson(columns, row, 0));
    return columns
      .map(({ name }) => name)
      .filter((name) => !isRecord(wanted) || !isDeepStrictEqual(wanted[name], source[name]));
  }

  #told({ kind, id, row, document }: Difference): RowDifference {
    if (!row) return { kind, key: { _id: id } };
    const { schema } = this.#options;
    const values = keyOf({ schema, rows: row }, 0);
    const key = Object.fromEntries(schema.key.map((name, index) => [name, values[index] ?? null]));
    return document ? { kind, key, columns: this.#columnsThatDiffer(row, document) } : { kind, key };
  }
}

/** Ids as numbers of 48 bits, of which many fit into memory. Two ids that have one number are as good as impossible. */
class IdSet {
  /** A set of JavaScript has 16 million members at most. */
  readonly #parts = Array.from({ length: 64 }, () => new Set<number>());

  add(id: string): void {
    const number = numberOf(id);
    this.#parts[number % 64]?.add(number);
  }

  delete(id: string): void {
    const number = numberOf(id);
    this.#parts[number % 64]?.delete(number);
  }

  has(id: string): boolean {
    const number = numberOf(id);
    return this.#parts[number % 64]?.has(number) ?? false;
  }
}

function numberOf(id: string): number {
  return createHash("sha1").update(id).digest().readUIntBE(0, 6);
}
