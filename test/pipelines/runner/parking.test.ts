import { describe, expect, it } from "vitest";
import type { Changes } from "../../../src/pipelines/changes/net-changes.js";
import { dropParked, retryParked } from "../../../src/pipelines/runner/parked-changes.js";
import { Parking, type ParkingRules } from "../../../src/pipelines/runner/parking.js";
import { parkedDocument } from "../../../src/pipelines/sinks/parking/parked-document.js";
import { RowError, type Sink } from "../../../src/pipelines/sinks/sink.js";
import {
  type ParkedChange,
  parkedFromText,
  parkedText,
  updatedParked,
} from "../../../src/pipelines/state/parked-change.js";
import type { SinkBatch } from "../../../src/pipelines/state/sink-batch.js";
import { errorOf, keyedBatch, keyedSchema } from "../../support/pipelines/keyed-batch.js";

/** A sink in memory that refuses some rows, and keeps others aside. */
class RefusingSink implements Sink {
  readonly positions = new Map([["chain", { next: 1, open: [] }]]);
  /** What it has taken, `i a1`: operation, id and block. */
  readonly taken: string[] = [];
  parked: readonly ParkedChange[] = [];
  /** Rows that are refused, as they are written. */
  refused: readonly string[];

  constructor(...refused: readonly string[]) {
    this.refused = refused;
  }

  async write({ changes, parked }: SinkBatch): Promise<void> {
    const texts = changes.operations.map(
      (operation, row) => `${operation} ${changes.rows.columns[0]?.[row]}${changes.rows.columns[1]?.[row]}`,
    );
    const rows = texts.flatMap((text, row) => (this.refused.includes(text) ? [row] : []));
    if (rows.length > 0) throw new RowError("it does not fit", rows);
    this.taken.push(...texts);
    if (parked) this.parked = updatedParked(this.parked, parked);
  }

  async close(): Promise<void> {}
}

const rules = { parks: true, now: () => 5 };
const everything = { isChosen: () => true, now: () => 9 };

/** A parked change as `i a1`, with its reason. */
const shown = (changes: readonly ParkedChange[]): readonly string[] =>
  changes.map(
    ({ operation, row, reason, droppedAt }) =>
      `${operation} ${row.columns[0]?.[0]}${row.columns[1]?.[0]}${reason ? " refused" : ""}${droppedAt ? " dropped" : ""}`,
  );

/** A deletion of a row as it was written in another block. */
function undone(block: number, id: string, from: number): SinkBatch {
  const batch = keyedBatch(block, `d ${id}`);
  return { ...batch, changes: keyedBatch(from, `d ${id}`).changes };
}

/** An update of a row that was written in another block. */
function updated(block: number, id: string, from: number): SinkBatch {
  const batch = keyedBatch(block, `u ${id}`);
  const replaced = keyedBatch(from, `i ${id}`).changes.rows;
  return { ...batch, changes: { ...batch.changes, replaced } };
}

describe("parked changes", () => {
  it("INV-P8: hold back later changes of their key, and no others", async () => {
    const sink = new RefusingSink("i a1");
    const parking = new Parking(sink, keyedSchema, rules);
    await parking.write(keyedBatch(1, "i a", "i b"));
    await parking.write(keyedBatch(2, "u a", "u b"));
    expect(sink.taken).toEqual(["i b1", "u b2"]);
    expect(shown(sink.parked)).toEqual(["i a1 refused", "u a2"]);
    expect(sink.parked.map(({ from, to, at }) => [from, to, at])).toEqual([
      [1, 1, 5],
      [2, 2, 5],
    ]);
    expect(parking.count).toBe(2);
  });

  it("INV-P8: are also messages that could not be read, which hold nothing back and are counted", async () => {
    const sink = new RefusingSink();
    const letters: string[] = [];
    const onRefused: ParkingRules["onRefused"] = async (all) =>
      void letters.push(...all.map(({ refused, change }) => `${change.from}: ${refused.why}`));
    const parking = new Parking(sink, keyedSchema, { ...rules, onRefused });
    const unread = [4, 5].map((offset) => ({ offset, why: "it is not JSON" }));
    await parking.write({ ...keyedBatch(1, "i a"), source: "chain/3.3f2a91bc", unread });
    await parking.write(keyedBatch(2, "u a"));
    expect([sink.taken, parking.count]).toEqual([["i a1", "u a2"], 2]);
    expect(letters).toEqual(["4: it is not JSON", "5: it is not JSON"]);
    const [, second] = sink.parked.map((change) => parkedFromText(parkedText(change), keyedSchema.columns));
    expect(second && parkedDocument(second, keyedSchema)).toMatchObject({
      source: "chain/3.3f2a91bc",
      from: 5,
      key: { kafka_partition: "3", kafka_offset: "5" },
      row: {},
      reason: "it is not JSON",
    });
    const many = Array.from({ length: 9_999 }, (_, offset) => ({ offset, why: "no" }));
    const error = await errorOf(parking.write({ ...keyedBatch(3, "i b"), unread: many }));
    expect(error.message).toContain("More than 10000 messages cannot be read");
  });

  it("are read again if they are messages, and stay with the new reason or are written", async () => {
    const sink = new RefusingSink("i z9");
    const source = "chain/3.3f2a91bc";
    sink.positions.set(source, { next: 9, open: [] });
    const unread = [4, 5, 6].map((offset) => ({ offset, why: "it is not JSON" }));
    await new Parking(sink, keyedSchema, rules).write({ ...keyedBatch(1), source, unread });
    const made = new Map<number, Changes | string>([
      [4, keyedBatch(1, "i a", "i b").changes],
      [5, "it has no id"],
      [6, keyedBatch(9, "i z").changes],
    ]);
    const reread = async ({ from }: ParkedChange): Promise<Changes | string> => made.get(from) ?? "gone";
    const { done, left } = await retryParked(sink, keyedSchema, { ...everything, reread });
    expect([sink.taken, done.map(({ from }) => from)]).toEqual([["i a1", "i b1"], [4]]);
    const reasons = [
      [5, "it has no id"],
      [6, "it does not fit"],
    ];
    expect([left, sink.parked].map((changes) => changes.map(({ from, reason }) => [from, reason]))).toEqual([
      reasons,
      reasons,
    ]);
    expect((await dropParked(sink, keyedSchema, everything)).done.length).toBe(2);
    expect(sink.parked).toEqual([]);
  });

  it("hold back their keys in the next run, too, even if that one stops at other rows", async () => {
    const sink = new RefusingSink("i a1", "i c3");
    await new Parking(sink, keyedSchema, rules).write(keyedBatch(1, "i a"));
    const parking = new Parking(sink, keyedSchema, { ...rules, parks: false });
    await parking.write(keyedBatch(2, "u a", "i b"));
    expect(sink.taken).toEqual(["i b2"]);
    expect((await errorOf(parking.write(keyedBatch(3, "i c")))).message).toContain("Row id=c of chain 3");
  });

  it("INV-P8: are deleted once their block is undone, with the later changes of their keys", async () => {
    const sink = new RefusingSink("i a1");
    const parking = new Parking(sink, keyedSchema, rules);
    await parking.write(keyedBatch(1, "i a"));
    await parking.write(updated(2, "a", 1));
    await parking.write({ ...updated(3, "a", 2), changes: { ...updated(1, "a", 2).changes } });
    expect(shown(sink.parked)).toEqual(["i a1 refused"]);
    await parking.write(undone(4, "a", 1));
    expect(sink.parked).toEqual([]);
    await parking.write(keyedBatch(5, "i a"));
    expect(sink.taken).toEqual(["i a5"]);
  });

  it("INV-P5: are written in order by a retry, until one is refused", async () => {
    const sink = new RefusingSink("i a1", "i b1");
    const parking = new Parking(sink, keyedSchema, rules);
    for (const block of [1, 2, 3])
      await parking.write(keyedBatch(block, block === 1 ? "i a" : "u a", block === 1 ? "i b" : "u b"));
    sink.refused = ["u b2"];
    const { done, left } = await retryParked(sink, keyedSchema, everything);
    expect(sink.taken).toEqual(["i a1", "u a2", "u a3", "i b1"]);
    expect([shown(done), shown(left)]).toEqual([
      ["i a1 refused", "u a2", "u a3", "i b1 refused"],
      ["u b2 refused", "u b3"],
    ]);
    expect(shown(sink.parked)).toEqual(shown(left));
  });

  it("do not hold back their keys after they are dropped, and their notes stay until the keys are written", async () => {
    const sink = new RefusingSink("i a1", "i b1");
    const parking = new Parking(sink, keyedSchema, rules);
    await parking.write(keyedBatch(1, "i a", "i b"));
    await parking.write(keyedBatch(2, "u a", "u b"));
    await dropParked(sink, keyedSchema, {
      ...everything,
      isChosen: ({ row }) => row.columns[0]?.[0] === "a",
    });
    expect(shown(sink.parked)).toEqual(["i a1 refused dropped", "i b1 refused", "u a2 dropped", "u b2"]);
    const next = new Parking(sink, keyedSchema, rules);
    expect(next.count).toBe(2);
    await next.write(keyedBatch(3, "u a"));
    expect(sink.taken).toEqual(["u a3"]);
    expect(shown(sink.parked)).toEqual(["i b1 refused", "u b2"]);
  });

  it("are reported for a batch that an earlier run has begun", async () => {
    const sink = new RefusingSink("i a1");
    const first = new RefusingSink("i a1");
    await new Parking(first, keyedSchema, rules).write(keyedBatch(1, "i a", "i b"));
    const parking = new Parking(sink, keyedSchema, rules);
    await parking.write({ ...keyedBatch(1, "i b"), parked: { removed: [], put: first.parked } });
    await parking.write(keyedBatch(2, "u a"));
    expect([sink.taken, shown(sink.parked)]).toEqual([["i b1"], ["i a1 refused", "u a2"]]);
  });

  it("stop a sink that refuses everything", async () => {
    const ids = Array.from({ length: 10_001 }, (_, index) => `i ${index}-` as const);
    const sink = new RefusingSink(...ids.map((id) => `${id}1`));
    const parking = new Parking(sink, keyedSchema, rules);
    expect((await errorOf(parking.write(keyedBatch(1, ...ids)))).message).toContain(
      "More than 10000 changes do not fit",
    );
    expect(sink.parked).toEqual([]);
  });

  it("stop a sink that cannot keep them", async () => {
    const sink: Sink = new RefusingSink("i a1");
    const without: Sink = {
      positions: sink.positions,
      write: (batch) => sink.write(batch),
      close: () => sink.close(),
    };
    const parking = new Parking(without, keyedSchema, rules);
    expect((await errorOf(parking.write(keyedBatch(1, "i a")))).message).toBe(
      "Row id=a of chain 1 is refused: it does not fit. Correct the query, so that it leaves such rows out or changes them.",
    );
  });
});
