import { describe, expect, it } from "vitest";
import { committedRecords } from "../../../src/pipelines/machine/kafka/committed-records.js";
import type { FetchResponse } from "../../../src/pipelines/machine/kafka/kafka-module.js";
import { messageSchema } from "../../../src/pipelines/sources/kafka/topic-columns.js";
import {
  OffsetGoneError,
  type TopicReader,
  type TopicRecord,
} from "../../../src/pipelines/sources/kafka/topic-reader.js";
import { TopicSource, type TopicSourceOptions } from "../../../src/pipelines/sources/kafka/topic-source.js";
import type { SourceBatch, SourcePosition } from "../../../src/pipelines/sources/source.js";

const id = "3f2a91bc-0000-4000-8000-000000000000";

/** A message with a key. */
interface Written {
  readonly key: string | null;
  readonly value: string | null;
}

/** A topic in memory: for each partition its first offset, and the values after it. */
class PlayedTopic implements TopicReader {
  id = id;
  readonly partitions: { first: number; values: (Written | string | null)[] }[];

  constructor(...partitions: readonly (readonly (Written | string | null)[])[]) {
    this.partitions = partitions.map((values) => ({ first: 0, values: [...values] }));
  }

  async committed(_topic: string, from: ReadonlyMap<number, bigint>) {
    const records = [...from].map(([partition, start]) => {
      const { first, values } = this.partitions[partition] ?? { first: 0, values: [] };
      const next = first + values.length;
      if (Number(start) < first || Number(start) > next) throw new OffsetGoneError("gone");
      const read = values.flatMap((written, index): TopicRecord[] => {
        const { key, value } =
          typeof written === "object" && written ? written : { key: null, value: written };
        const record = {
          offset: BigInt(first + index),
          timestamp: 5n,
          key: key === null ? null : Buffer.from(key),
          value: value === null ? null : Buffer.from(value),
        };
        return first + index < Number(start) ? [] : [record];
      });
      return [partition, { records: read, next: BigInt(next) }] as const;
    });
    return { id: this.id, partitions: this.partitions.length, records: new Map(records) };
  }

  async ranges() {
    return this.partitions.map(({ first, values }) => ({
      first: BigInt(first),
      next: BigInt(first + values.length),
    }));
  }

  /** Deletes messages before an offset, as retention does. */
  forget(partition: number, offset: number): void {
    const held = this.partitions[partition];
    if (held) held.values.splice(0, offset - held.first);
    if (held) held.first = offset;
  }
}

/** What a source has given: the ids of rows, and positions by part. */
interface Taken {
  readonly ids: readonly unknown[];
  readonly positions: ReadonlyMap<string, SourcePosition>;
  readonly said: readonly string[];
  readonly batches: readonly SourceBatch[];
  readonly error?: unknown;
}

async function take(
  reader: TopicReader,
  {
    over = {},
    positions = new Map(),
    waits = [],
  }: {
    readonly over?: Partial<TopicSourceOptions>;
    readonly positions?: ReadonlyMap<string, SourcePosition>;
    /** What happens while it waits, one after the other. It ends after the last. */
    readonly waits?: readonly (() => void)[];
  } = {},
): Promise<Taken> {
  const said: string[] = [];
  const left = [...waits];
  const { columns } = messageSchema([{ name: "id", type: "STRING", nullable: true }]);
  const fixed = { name: "orders", topic: "t", format: "json", startAt: "earliest", ends: false } as const;
  const source = new TopicSource({
    ...fixed,
    reader,
    columns,
    onError: "stop",
    say: (text) => void said.push(text),
    wait: async () => {
      const next = left.shift();
      next?.();
      return next !== undefined;
    },
    ...over,
  });
  const batches: SourceBatch[] = [];
  const taken = (error?: unknown): Taken => ({
    ids: batches.flatMap(({ delta }) => delta.plus.columns[0] ?? []),
    positions: new Map([
      ...positions,
      ...batches.map(({ part = "", position }) => [part, position] as const),
    ]),
    said,
    batches,
    error,
  });
  try {
    for await (const batch of source.batches(undefined, {}, positions)) batches.push(batch);
    return taken();
  } catch (error) {
    return taken(error);
  }
}

const row = (name: string): string => JSON.stringify({ id: name });
const nexts = ({ positions }: Taken): unknown =>
  Object.fromEntries([...positions].map(([part, { next }]) => [part, next]));

describe("a topic", () => {
  it("has a position for each partition, and continues after them", async () => {
    const topic = new PlayedTopic([row("a"), row("b")], [row("c")]);
    const first = await take(topic);
    expect([first.ids, nexts(first)]).toEqual([
      ["a", "b", "c"],
      { "orders/0.3f2a91bc": 2, "orders/1.3f2a91bc": 1 },
    ]);
    topic.partitions[1]?.values.push(row("d"));
    expect((await take(topic, { positions: first.positions })).ids).toEqual(["d"]);
  });

  it("reads a partition that is added from its start, also between two runs, and with start_at: latest", async () => {
    const topic = new PlayedTopic([row("old")]);
    const add = (name: string) => () => void topic.partitions.push({ first: 0, values: [row(name)] });
    const over = { startAt: "latest" } as const;
    const first = await take(topic, { over, waits: [add("a"), () => undefined] });
    expect(first.ids).toEqual(["a"]);
    add("b")();
    topic.partitions[0]?.values.push(row("c"));
    expect((await take(topic, { over, positions: first.positions })).ids).toEqual(["c", "b"]);
  });

  it("starts with the next message, and finds this place again if there was none until then", async () => {
    const topic = new PlayedTopic([row("old")], []);
    const over = { startAt: "latest" } as const;
    const first = await take(topic, { over });
    expect([first.ids, nexts(first)]).toEqual([[], { "orders/0.3f2a91bc": 1, "orders/1.3f2a91bc": 0 }]);
    for (const { values } of topic.partitions) values.push(row("new"));
    expect((await take(topic, { over, positions: first.positions })).ids).toEqual(["new", "new"]);
  });

  it("stops if messages are gone that were not read, and if it has lost messages that were", async () => {
    const topic = new PlayedTopic([row("a"), row("b"), row("c")]);
    const { positions } = await take(new PlayedTopic([row("a")]));
    topic.forget(0, 2);
    expect((await take(topic, { positions })).error).toMatchObject({
      isTemporary: false,
      message: expect.stringMatching(/^Partition 0 of topic t has lost offsets 1 to 1 before they were read/),
    });
    expect((await take(new PlayedTopic([]), { positions })).error).toMatchObject({
      isTemporary: false,
      message: expect.stringMatching(/^Partition 0 of topic t ends at offset 0, but it was read up to 1/),
    });
    const late = await take(topic, {
      waits: [() => topic.partitions[0]?.values.push(row("d"), row("e")), () => topic.forget(0, 9)],
    });
    expect([late.ids, late.error]).toMatchObject([["c", "d", "e"], { isTemporary: false }]);
  });

  it("stops if another topic of the name is there, between runs and while it is read", async () => {
    const topic = new PlayedTopic([row("a")]);
    const recreate = (): void => {
      topic.id = "00aa0000-0000-4000-8000-000000000000";
    };
    const { positions, error } = await take(topic, { waits: [recreate] });
    const isOther = {
      isTemporary: false,
      message: expect.stringMatching(/^Topic t was deleted and created again/),
    };
    expect(error).toMatchObject(isOther);
    expect((await take(topic, { positions })).error).toMatchObject(isOther);
  });

  it("stops exactly before a message that cannot be read, or names it and leaves it out", async () => {
    const topic = new PlayedTopic([row("a"), "{", null, row("b")]);
    const stopped = await take(topic);
    expect([stopped.ids, nexts(stopped)]).toEqual([["a"], { "orders/0.3f2a91bc": 1 }]);
    const where = 'Offset 1 of partition 0 of topic t: the message is not a JSON object: "{".';
    expect(String(stopped.error)).toContain(where);
    const skipping = await take(topic, { over: { onError: "skip" } });
    expect([skipping.ids, skipping.said]).toEqual([["a", "b"], [`${where} It is left out.`]]);
    const parking = await take(topic, { over: { onError: "park" } });
    expect([parking.ids, parking.said, parking.batches.map(({ unread }) => unread)]).toEqual([
      ["a", "b"],
      [],
      [[{ offset: 1, why: where.slice(0, -1) }]],
    ]);
  });

  it("ends with what it holds when a job starts", async () => {
    const topic = new PlayedTopic([row("a")], [row("b")]);
    const reader: TopicReader = {
      ranges: () => topic.ranges(),
      committed: async (name, from) => {
        if (from.size > 0) topic.partitions[0]?.values.push(row("later"));
        return topic.committed(name, from);
      },
    };
    const taken = await take(reader, { over: { ends: true } });
    expect([taken.ids, taken.error]).toEqual([["a", "b"], undefined]);
  });

  it("waits for a topic that is not there", async () => {
    const none: TopicReader = { committed: async () => undefined, ranges: async () => [] };
    expect((await take(none)).error).toMatchObject({
      isTemporary: true,
      message: "There is no topic t. It is read once it is created.",
    });
  });
});

describe("a topic whose messages replace each other", () => {
  const keyed = {
    columns: [
      { name: "id", type: "STRING", nullable: false },
      { name: "n", type: "LONG", nullable: true },
    ],
    key: ["id"],
  } as const;
  const message = (key: string | null, value: string | null): Written => ({ key, value });

  it("gives the last message of each key, and all keys as rows that are gone", async () => {
    const topic = new PlayedTopic([
      message("a", '{"n": 1}'),
      message("b", '{"id": "b", "n": 2}'),
      message("a", null),
      message('{"id": "c"}', null),
      message("c", '{"n": 3}'),
    ]);
    const { batches, positions } = await take(topic, { over: keyed });
    expect(batches.map(({ delta }) => delta)).toEqual([
      {
        minus: {
          count: 3,
          columns: [
            ["a", "b", "c"],
            [null, null, null],
          ],
        },
        plus: {
          count: 2,
          columns: [
            ["b", "c"],
            [2n, 3n],
          ],
        },
      },
    ]);
    expect([...positions.values()]).toEqual([{ next: 5, open: [] }]);
  });

  it("takes the columns of a key by their names, also if the value has others", async () => {
    const part = { name: "part", type: "LONG", nullable: false } as const;
    const over = { columns: [part, ...keyed.columns], key: ["id", "part"] };
    const topic = new PlayedTopic([message('{"id": "a", "part": 7}', '{"id": "a", "n": 1}')]);
    const { batches } = await take(topic, { over });
    expect(batches.map(({ delta }) => [delta.minus.columns, delta.plus.columns])).toEqual([
      [
        [[7n], ["a"], [null]],
        [[7n], ["a"], [1n]],
      ],
    ]);
  });

  it("gives a range that is read again as one batch, since its last message counts", async () => {
    const topic = new PlayedTopic([message("a", '{"n": 1}'), message("a", null)]);
    const slow: TopicReader = {
      ranges: () => topic.ranges(),
      committed: async (name, from) => {
        const read = await topic.committed(name, from);
        const records = [...read.records].map(
          ([
            partition,
            {
              records: [first, ...others],
              next,
            },
          ]) => {
            const isMore = others.length > 0;
            return [
              partition,
              { records: first ? [first] : [], next: isMore ? (first?.offset ?? 0n) + 1n : next },
            ] as const;
          },
        );
        return { ...read, records: new Map(records) };
      },
    };
    const part = "orders/0.3f2a91bc";
    const over = { ...keyed, only: { part, last: 1 } };
    const { batches } = await take(slow, {
      over,
      positions: new Map([[part, { next: 0, open: [] }]]),
      waits: [],
    });
    expect(batches).toMatchObject([
      { from: 0, to: 1, position: { next: 2 }, delta: { minus: { count: 1 }, plus: { count: 0 } } },
    ]);
  });

  it.each([
    [message(null, '{"n": 1}'), "has no key, so it is not known which row it replaces"],
    [message("a", '{"id": "b"}'), 'has b as "id", but a in its key'],
    [message('{"x": 1}', null), 'has null as "key.id"'],
  ])("stops at a message whose key is not known: %j", async (wrong, why) => {
    const { error, positions } = await take(new PlayedTopic([message("z", null), wrong]), { over: keyed });
    expect(String(error)).toContain(`Offset 1 of partition 0 of topic t: the message ${why}`);
    expect([...positions.values()]).toEqual([{ next: 1, open: [] }]);
  });
});

describe("what is committed", () => {
  type Answer = FetchResponse["responses"][number]["partitions"][number];
  type Batch = NonNullable<Answer["records"]>[number];
  const [transactional, control] = [0b1_0000, 0b11_0000];

  function batch(first: number, producer: number, attributes: number, count = 1): Batch {
    const records = Array.from({ length: count }, (_, index) => ({
      offsetDelta: index,
      timestampDelta: BigInt(index),
      key: null,
      value: Buffer.from("x"),
      headers: [],
    }));
    return {
      firstOffset: BigInt(first),
      lastOffsetDelta: count - 1,
      attributes,
      firstTimestamp: 100n,
      maxTimestamp: 900n,
      producerId: BigInt(producer),
      records,
    };
  }

  const offsets = (records: readonly Batch[], aborted: readonly (readonly [number, number])[], from = 0) => {
    const abortedTransactions = aborted.map(([producer, first]) => ({
      producerId: BigInt(producer),
      firstOffset: BigInt(first),
    }));
    const read = committedRecords({ partitionIndex: 0, records, abortedTransactions }, BigInt(from));
    return [read.records.map(({ offset }) => Number(offset)), Number(read.next)];
  };

  it("leaves out each aborted transaction of a producer, also one whose end is not in the answer", () => {
    const records = [
      batch(0, 7, transactional, 2),
      batch(2, 8, transactional),
      batch(3, 7, control),
      batch(4, 7, transactional),
      batch(5, 7, control),
      batch(6, 7, transactional),
      batch(7, -1, 0),
    ];
    const aborted = [
      [7, 6],
      [7, 0],
    ] as const;
    expect(offsets(records, aborted)).toEqual([[2, 4, 7], 8]);
  });

  it("counts what is left out as read, and begins in the middle of a batch", () => {
    expect(offsets([batch(0, -1, 0, 5), batch(9, 7, control)], [], 3)).toEqual([[3, 4], 10]);
    expect(offsets([], [], 3)).toEqual([[], 3]);
    // The end of a transaction without messages here.
    expect(offsets([batch(3, 5, control), batch(4, 5, transactional)], [])).toEqual([[4], 5]);
  });

  it("has the time of each message, or that of the broker", () => {
    const times = (attributes: number): unknown => {
      const answer = { partitionIndex: 0, records: [batch(0, -1, attributes, 2)] };
      return committedRecords(answer, 0n).records.map(({ timestamp }) => timestamp);
    };
    expect(times(0)).toEqual([100n, 101n]);
    expect(times(0b1000)).toEqual([900n, 900n]);
  });
});
