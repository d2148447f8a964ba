import { crc32 } from "node:zlib";
import { isRecord, parseJson } from "../../../base/text/json-value.js";
import type { Changes } from "../../changes/net-changes.js";
import { noRows } from "../../changes/rows.js";
import type { SinkBatch } from "../../state/sink-batch.js";
import type { AuditedWorld, BlockRange, RowDifferences, StoredRows } from "../audit.js";
import { ComparedParts, DifferenceTally, gathered, keyTextsOf } from "../compared-parts.js";
import type { PlacedRow } from "../expected-rows.js";
import type { ReadRecord } from "../kafka-client.js";
import type { Scratch } from "../scratch.js";
import { operationHeader } from "./change-records.js";
import type { KafkaSink, KafkaSinkOptions } from "./kafka-sink.js";
import { sequenceOf } from "./send-records.js";

/** What is compared. */
export interface StoredTopicOptions {
  readonly world: AuditedWorld;
  readonly sources: readonly string[];
  /** About how many rows there are. */
  readonly rows: number;
  readonly mends: boolean;
  readonly most: number;
}

const mostParts = 256;
/** Records that are written at once. */
const writtenAtOnce = 1_000;

/** The last record of a key. */
interface LastRecord {
  readonly key: Uint8Array;
  /** `undefined` if the record deletes the key. */
  readonly value: Uint8Array | undefined;
  /** Whether it has come before: its number is not above those of the key's other records. */
  readonly isRepeat: boolean;
  readonly highest: bigint;
}

/**
 * Compares the last record of each key of a topic with what should be in it. Both are put on the disk in parts by a number of
 * the key, so that one part at a time is in memory.
 */
export class StoredTopic implements StoredRows {
  readonly #target: KafkaSinkOptions;
  readonly #options: StoredTopicOptions;
  readonly #scratch: Scratch;
  readonly #parts: ComparedParts;
  #sink: KafkaSink | undefined;
  #check: () => Promise<void> = async () => undefined;

  private constructor(target: KafkaSinkOptions, options: StoredTopicOptions, scratch: Scratch) {
    this.#target = target;
    this.#options = options;
    this.#scratch = scratch;
    const { sources, rows } = options;
    const numberOf = (row: PlacedRow): number => crc32(this.#keyOf(row));
    this.#parts = new ComparedParts({
      scratch,
      sources,
      rows,
      mostParts,
      numberOf,
      schema: target.schema,
    });
  }

  static async open(target: KafkaSinkOptions, options: StoredTopicOptions): Promise<StoredTopic> {
    return new StoredTopic(target, options, await options.world.openScratch());
  }

  /**
   * Called before the last comparison.
   * @param sink writes what is mended
   * @param check makes sure that nothing was written meanwhile
   */
  from(sink: KafkaSink | undefined, check: () => Promise<void>): void {
    this.#sink = sink;
    this.#check = check;
  }

  async expect(source: string, _range: BlockRange, changes: Changes): Promise<void> {
    await this.#parts.expect(source, changes);
  }

  async overtake(changes: Changes): Promise<void> {
    await this.#parts.overtake(changes);
  }

  async differs(): Promise<boolean> {
    return !(await this.#compare(false, false)).isEmpty;
  }

  async finish(isWhole: boolean): Promise<RowDifferences> {
    return (await this.#compare(isWhole, this.#options.mends)).found;
  }

  async close(): Promise<void> {
    await this.#scratch.close();
  }

  async #compare(isWhole: boolean, mends: boolean): Promise<DifferenceTally> {
    const stored = await this.#options.world.openScratch();
    try {
      await this.#read(stored);
      await this.#check();
      const tally = new DifferenceTally(this.#options.most);
      for (let part = 0; part < this.#parts.count; part += 1)
        await this.#comparePart(part, stored, isWhole, mends, tally);
      return tally;
    } finally {
      await stored.close();
    }
  }

  /** Puts the records of the topic aside. Records without a key are foreign, and say nothing about a row. */
  async #read(into: Scratch): Promise<void> {
    const { kafka, topic } = this.#target;
    for (const [partition, range] of (await kafka.ranges(topic)).entries())
      for await (const record of kafka.read(topic, partition, range)) {
        if (!record.key) continue;
        const line = [textOf(record.key), rowOf(record), String(sequenceOf(record))];
        await into.append(this.#parts.partOf(crc32(record.key)), JSON.stringify(line));
      }
  }

  async #comparePart(
    part: number,
    stored: Scratch,
    isWhole: boolean,
    mends: boolean,
    tally: DifferenceTally,
  ): Promise<void> {
    const held = await lastRecords(stored, part);
    const wanted: PlacedRow[] = [];
    const foreign: LastRecord[] = [];
    for (const candidates of (await this.#parts.part(part)).values()) {
      const [row] = candidates;
      if (!row) continue;
      const name = textOf(this.#keyOf(row));
      const record = held.get(name);
      held.delete(name);
      const isSame = candidates.some((one) => isEqual(record?.value, this.#valueOf(one)));
      if (isSame && !record?.isRepeat) continue;
      wanted.push(row);
      const key = keyTextsOf(row, this.#target.schema);
      if (record?.value === undefined) tally.add({ kind: "missing", key });
      else if (isSame) tally.add({ kind: "doubled", key });
      else tally.add({ kind: "altered", key, columns: differingMembers(record.value, this.#valueOf(row)) });
    }
    for (const record of held.values()) {
      if (!isWhole || record.value === undefined) continue;
      foreign.push(record);
      tally.add({ kind: "foreign", key: foreignKey(record.key) });
    }
    if (mends) await this.#mend(wanted, foreign);
  }

  async #mend(wanted: readonly PlacedRow[], foreign: readonly LastRecord[]): Promise<void> {
    const { schema } = this.#target;
    const width = schema.columns.length;
    for (let start = 0; start < wanted.length; start += writtenAtOnce) {
      const some = wanted.slice(start, start + writtenAtOnce);
      const rows = gathered(some, width);
      const operations = some.map(() => "i" as const);
      await this.#sink?.write(this.#batch({ schema, operations, rows, overwritten: 0 }));
    }
    const none = { schema, operations: [], rows: noRows(width), overwritten: 0 };
    for (let start = 0; start < foreign.length; start += writtenAtOnce) {
      const gone = foreign.slice(start, start + writtenAtOnce);
      await this.#sink?.delete(
        this.#batch(none),
        gone.map(({ key, value = null }) => ({ key, value })),
      );
    }
  }

  /** A batch that leaves positions and ledgers as they are. */
  #batch(changes: Changes): SinkBatch {
    const [[source, position] = ["", { next: 0, open: [] }] as const] = this.#sink?.positions ?? [];
    return { source, from: position.next, to: position.next - 1, changes, position, ledger: undefined };
  }

  #keyOf({ rows, row }: PlacedRow): Uint8Array {
    return this.#target.rows.key(rows, row) ?? new Uint8Array();
  }

  #valueOf({ rows, row }: PlacedRow): Uint8Array {
    return this.#target.rows.value(rows, row);
  }
}

/** The last record of each key of a part. */
async function lastRecords(stored: Scratch, part: number): Promise<Map<string, LastRecord>> {
  const held = new Map<string, LastRecord>();
  for await (const line of stored.lines(part)) {
    const [key, value, number] = JSON.parse(line) as [string, string | null, string];
    const sequence = BigInt(number);
    const highest = held.get(key)?.highest ?? -2n;
    held.set(key, {
      key: Buffer.from(key, "base64"),
      value: value === null ? undefined : Buffer.from(value, "base64"),
      isRepeat: sequence <= highest,
      highest: sequence > highest ? sequence : highest,
    });
  }
  return held;
}

/** The row that a record says; null if it deletes it. */
function rowOf({ value, headers }: ReadRecord): string | null {
  return value === null || headers.get(operationHeader) === "d" ? null : textOf(value);
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

function isEqual(one: Uint8Array | undefined, other: Uint8Array): boolean {
  return one !== undefined && Buffer.compare(one, other) === 0;
}

/** The members of two JSON objects that differ; none if they are not objects. */
function differingMembers(one: Uint8Array, other: Uint8Array): readonly string[] {
  const [stored, wanted] = [one, other].map((bytes) => parseJson(Buffer.from(bytes).toString()));
  if (!isRecord(stored) || !isRecord(wanted)) return [];
  return Object.keys(wanted).filter((name) => JSON.stringify(stored[name]) !== JSON.stringify(wanted[name]));
}

/** A key that no source has: its members if it is JSON, and its bytes otherwise. */
function foreignKey(bytes: Uint8Array): Readonly<Record<string, string>> {
  const key = parseJson(Buffer.from(bytes).toString());
  if (!isRecord(key)) return { key: textOf(bytes) };
  return Object.fromEntries(Object.entries(key).map(([name, value]) => [name, String(value)]));
}
