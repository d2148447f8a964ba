import { visible } from "../../../base/text/visible.js";
import { noRows, type Rows } from "../../changes/rows.js";
import { partName, readPart } from "../../changes/source-parts.js";
import type { BatchLimits, Source, SourceBatch, SourcePosition, UnreadMessage } from "../source.js";
import { SourceError } from "../source-error.js";
import { type MessageOptions, MessageReader } from "./message-reader.js";
import { MessageError, type ReadMessage, type ReadRow } from "./read-message.js";
import { isEnvelope } from "./topic-columns.js";
import { OffsetGoneError, type TopicReader, type TopicReading, type TopicRecord } from "./topic-reader.js";

/** A topic that is read. */
export interface TopicSourceOptions extends MessageOptions {
  readonly reader: TopicReader;
  /** The name of the source. */
  readonly name: string;
  readonly topic: string;
  readonly startAt: "earliest" | "latest";
  /** Whether it ends once it has what the topic holds when it starts. */
  readonly ends: boolean;
  /** Reads only this part, and ends with this offset. */
  readonly only?: { readonly part: string; readonly last: number } | undefined;
  /** What happens to messages that cannot be read: reading stops, they are left out, or they are kept aside. */
  readonly onError: "stop" | "skip" | "park";
  /** Waits until there may be more; `false` if reading is over. */
  wait(): Promise<boolean>;
  /** Says which message is left out. */
  say(text: string): void;
}

/** A partition, and how far it is read. */
interface Place {
  readonly part: string;
  next: number;
  /** The offset to end before. */
  readonly end: number;
}

/** Messages of a range of a partition, as far as they change something. */
interface ReadRange extends Pick<SourceBatch, "from" | "to"> {
  readonly part: string;
  /** The offset after the range. */
  readonly next: number;
  readonly read: readonly ReadMessage[];
  readonly unread: readonly UnreadMessage[];
}

/** What helps if the messages after a position are gone. */
const startOver =
  "To begin again with what is there, give the source another name and pass --reset, or write to another place.";
/** The most messages of a batch. */
const mostMessages = 10_000;
/** The most messages that are named because they are left out. */
const mostNamed = 100;

/**
 * The messages of a topic as changes. Each partition is a part with a position of its own, since messages have an order only
 * within it. A partition that is added later is read from its start.
 */
export class TopicSource implements Source {
  readonly #options: TopicSourceOptions;
  readonly #reader: MessageReader;
  #skipped = 0;

  constructor(options: TopicSourceOptions) {
    this.#options = options;
    this.#reader = new MessageReader(options);
  }

  async *batches(
    _position: SourcePosition | undefined,
    { blocks = mostMessages, rows = mostMessages }: BatchLimits = {},
    parts: ReadonlyMap<string, SourcePosition> = new Map(),
  ): AsyncGenerator<SourceBatch, void, void> {
    const ranges = this.#ranges(Math.min(blocks, rows, mostMessages), parts);
    const { key, only } = this.#options;
    if (!key || !only) {
      for await (const range of ranges) yield this.#batch(range);
      return;
    }
    // Which message of a key is the last one is known at the end.
    let whole: ReadRange | undefined;
    for await (const { read, ...range } of ranges)
      whole = {
        ...range,
        from: whole?.from ?? range.from,
        read: lastByKey([...(whole?.read ?? []), ...read]),
      };
    if (whole) yield this.#batch(whole);
  }

  /** @param most messages of a range */
  async *#ranges(
    most: number,
    parts: ReadonlyMap<string, SourcePosition>,
  ): AsyncGenerator<ReadRange, void, void> {
    const { reader, topic, wait } = this.#options;
    const found = await this.#found(new Map());
    const places = await this.#begin(found, parts);
    // A source that starts with the next message has to find its place again, even if there is no message until then.
    if (parts.size === 0 && this.#options.startAt === "latest")
      for (const { part, next } of places.values())
        yield { part, from: next, to: next, next, read: [], unread: [] };
    for (;;) {
      const open = [...places].filter(([, { next, end }]) => next < end);
      if (open.length === 0 && (this.#options.ends || this.#options.only)) return;
      const reading = await this.#read(new Map(open.map(([partition, { next }]) => [partition, next])));
      if (reading.id !== found.id) throw this.#recreated();
      let isAny = false;
      for (const [partition, { records, next }] of reading.records) {
        const place = places.get(partition);
        if (!place || Number(next) <= place.next) continue;
        isAny = true;
        await this.#reader.learn(records);
        yield* this.#taken(partition, place, records, Math.min(offsetOf(next), place.end), most);
      }
      if (reading.partitions > places.size && !this.#options.only) {
        const ranges = await reader.ranges(topic);
        for (const [partition, { first }] of ranges.entries())
          if (!places.has(partition))
            places.set(partition, {
              part: this.#partOf(partition, found),
              next: offsetOf(first),
              end: this.#options.ends ? offsetOf(first) : Number.POSITIVE_INFINITY,
            });
      }
      if (!isAny && !(await wait())) return;
    }
  }

  /** @throws SourceError if there is no topic, or one that lacks an offset */
  async #read(from: ReadonlyMap<number, number>): Promise<TopicReading> {
    try {
      return await this.#found(new Map([...from].map(([partition, next]) => [partition, BigInt(next)])));
    } catch (error) {
      if (!(error instanceof OffsetGoneError)) throw error;
      const ranges = await this.#options.reader.ranges(this.#options.topic);
      for (const [partition, next] of from) this.#check(partition, next, ranges[partition]);
      // It was there again when it was looked up.
      throw new SourceError(`${this.#topicText} did not have an offset for a moment.`, true, {
        cause: error,
      });
    }
  }

  async #found(from: ReadonlyMap<number, bigint>): Promise<TopicReading> {
    const found = await this.#options.reader.committed(this.#options.topic, from);
    if (found) return found;
    throw new SourceError(
      `There is no topic ${visible(this.#options.topic)}. It is read once it is created.`,
      true,
    );
  }

  /** Where each partition continues. @throws SourceError if the topic does not have it any more */
  async #begin(found: TopicReading, parts: ReadonlyMap<string, SourcePosition>): Promise<Map<number, Place>> {
    const { reader, topic, name, startAt, ends, only } = this.#options;
    const ranges = await reader.ranges(topic);
    const places = new Map<number, Place>();
    for (const [part, { next }] of parts) {
      const place = readPart(name, part);
      if (!place) continue;
      if (place.topic !== shortId(found)) throw this.#recreated();
      this.#check(place.partition, next, ranges[place.partition]);
      const stop = only ? only.last + 1 : offsetOf(ranges[place.partition]?.next ?? 0n);
      places.set(place.partition, { part, next, end: ends || only ? stop : Number.POSITIVE_INFINITY });
    }
    if (only) return places;
    for (const [partition, { first, next }] of ranges.entries()) {
      if (places.has(partition)) continue;
      // With positions of others, it was added between two runs.
      const start = parts.size === 0 && startAt === "latest" ? next : first;
      const end = ends ? offsetOf(next) : Number.POSITIVE_INFINITY;
      places.set(partition, { part: this.#partOf(partition, found), next: offsetOf(start), end });
    }
    return places;
  }

  #check(
    partition: number,
    next: number,
    range: { readonly first: bigint; readonly next: bigint } | undefined,
  ): void {
    const where = `Partition ${partition} of topic ${visible(this.#options.topic)}`;
    const { first, next: end } = range ?? { first: 0n, next: 0n };
    if (offsetOf(first) > next)
      throw new SourceError(
        `${where} has lost offsets ${next} to ${first - 1n} before they were read: it begins at ${first} now. Let the topic keep messages for longer (retention.ms, retention.bytes). ${startOver}`,
        false,
      );
    if (offsetOf(end) < next)
      throw new SourceError(
        `${where} ends at offset ${end}, but it was read up to ${next}: it has lost messages. ${startOver}`,
        false,
      );
  }

  #recreated(): SourceError {
    return new SourceError(
      `${this.#topicText} was deleted and created again, so its offsets mean other messages. ${startOver}`,
      false,
    );
  }

  get #topicText(): string {
    return `Topic ${visible(this.#options.topic)}`;
  }

  #partOf(partition: number, found: TopicReading): string {
    return partName(this.#options.name, { partition, topic: shortId(found) });
  }

  /**
   * The batches of records that were read. Moves the place with each.
   * @param next the offset after all of them
   * @throws SourceError for a message that cannot be read, after the batch of those before it
   */
  *#taken(
    partition: number,
    place: Place,
    records: readonly TopicRecord[],
    next: number,
    most: number,
  ): Generator<ReadRange, void, void> {
    const wanted = records.filter(({ offset }) => offset >= place.next && offset < next);
    for (let start = 0; start === 0 || start < wanted.length; start += most) {
      const read: ReadMessage[] = [];
      const unread: UnreadMessage[] = [];
      let fault: SourceError | undefined;
      let end = start + most < wanted.length ? Number(wanted[start + most]?.offset) : next;
      for (const record of wanted.slice(start, start + most)) {
        const message = this.#messageOf(partition, record);
        if (message instanceof SourceError) {
          fault = message;
          end = Number(record.offset);
          break;
        }
        if (message && "why" in message) unread.push(message);
        else if (message) read.push(message);
      }
      if (end > place.next) {
        const from = place.next;
        place.next = end;
        yield { part: place.part, from, to: end - 1, next: end, read, unread };
      }
      if (fault) throw fault;
    }
  }

  /**
   * What a message changes, or why it is kept aside; `undefined` for one that changes nothing or is left out; an error for one
   * that must be read.
   */
  #messageOf(partition: number, record: TopicRecord): ReadMessage | UnreadMessage | SourceError | undefined {
    const { format, topic, key, onError, say } = this.#options;
    try {
      return this.#reader.read(partition, record);
    } catch (error) {
      if (!(error instanceof MessageError)) throw error;
      const where = `Offset ${record.offset} of partition ${partition} of topic ${visible(topic)}`;
      const what = `${where}: the message ${error.message}`;
      if (onError === "park") return { offset: offsetOf(record.offset), why: what };
      if (onError === "stop")
        return new SourceError(
          `${what}. Correct the schema, or set on_error in the source: skip leaves such messages out${key || isEnvelope(format) ? "" : ", park keeps them aside"}.`,
          false,
        );
      this.#skipped += 1;
      if (this.#skipped <= mostNamed) say(`${what}. It is left out.`);
      if (this.#skipped === mostNamed)
        say(`Further messages of topic ${visible(topic)} that are left out are not named.`);
      return undefined;
    }
  }

  #batch({ part, from, to, next, read, unread }: ReadRange): SourceBatch {
    const messages = this.#options.key ? lastByKey(read) : read;
    const half = (side: keyof ReadMessage): Rows =>
      rowsOf(
        messages.flatMap((message) => (message[side] ? [message[side]] : [])),
        this.#options.columns.length,
      );
    return {
      part,
      from,
      to,
      isUndone: false,
      delta: { minus: half("minus"), plus: half("plus") },
      position: { next, open: [] },
      ...(unread.length > 0 && { unread }),
      block: null,
    };
  }
}

/** The last message of each key. All of them hold their keys. */
function lastByKey(read: readonly ReadMessage[]): readonly ReadMessage[] {
  const last = new Map<string, ReadMessage>();
  for (const message of read) last.set(JSON.stringify(message.minus?.map(String)), message);
  return [...last.values()];
}

function rowsOf(rows: readonly ReadRow[], width: number): Rows {
  if (rows.length === 0) return noRows(width);
  return {
    count: rows.length,
    columns: Array.from({ length: width }, (_, index) => rows.map((row) => row[index] ?? null)),
  };
}

/** An offset as positions have it. @throws SourceError beyond 2^53 */
function offsetOf(offset: bigint): number {
  const number = Number(offset);
  if (Number.isSafeInteger(number)) return number;
  throw new SourceError(`Offset ${offset} is larger than positions can be.`, false);
}

/** The beginning of the topic's id, as names of parts have it. */
function shortId({ id }: TopicReading): string {
  return id
    .replaceAll(/[^\da-f]/gi, "")
    .toLowerCase()
    .slice(0, 8)
    .padEnd(8, "0");
}
