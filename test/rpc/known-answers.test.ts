import { describe, expect, test } from "vitest";
import { KnownAnswers } from "../../src/rpc/known-answers.js";

const bytes = (count: number): Uint8Array => new Uint8Array(count).fill(1);
const hour = 3_600_000;

describe("cached answers of nodes", () => {
  test("drops expired answers even if no caller asks for them", () => {
    const known = new KnownAnswers(1_000_000);
    for (let at = 0; at < 100; at++) known.set(`now ${at}`, bytes(100), 1_000, 0);
    known.set("lasting", bytes(100), hour, 0);
    const full = known.size;
    known.set("next", bytes(100), 3_000, 2_000);
    expect(known.size).toBeLessThan(full / 10);
    expect(known.get("lasting", 2_000)).toEqual(bytes(100));
    expect(known.get("next", 2_000)).toEqual(bytes(100));
    expect(known.get("now 1", 2_000)).toBeUndefined();
  });

  test("stays within its size and keeps the most recently used answers", () => {
    const known = new KnownAnswers(20_000);
    known.set("first", bytes(100), hour, 0);
    for (let at = 0; at < 200; at++) {
      known.set(`${at}`, bytes(100), hour, 0);
      expect(known.get("first", 0)).toEqual(bytes(100));
      expect(known.size).toBeLessThanOrEqual(20_000);
    }
    expect(known.get("199", 0)).toEqual(bytes(100));
    expect(known.get("100", 0)).toBeUndefined();
  });

  test("counts the real memory of answers, even of very small ones", () => {
    const known = new KnownAnswers(64 << 20);
    for (let at = 0; known.size < 8 << 20; at++) known.set(`an answer ${at}`, bytes(10), hour, 0);
    // Node itself uses several hundred bytes for a byte array and a table entry.
    let kept = 0;
    for (let at = 0; known.get(`an answer ${at}`, 0); at++) kept = at;
    expect(kept).toBeLessThan((8 << 20) / 400);
  });

  test("copies an answer out of its batch, so the batch can be freed", () => {
    const known = new KnownAnswers(20_000);
    const whole = Buffer.alloc(1_000_000, "x");
    known.set("a", whole.subarray(500, 510), hour, 0);
    whole.fill("y");
    const kept = known.get("a", 0);
    expect([Buffer.from(kept ?? []).toString(), kept?.buffer.byteLength]).toEqual(["xxxxxxxxxx", 10]);
  });

  test("drops answers on request and when they expire", () => {
    const known = new KnownAnswers(20_000);
    known.set("a", bytes(10), hour, 0);
    known.set("b", bytes(10), 1_000, 0);
    known.drop("a");
    known.drop("b");
    expect([known.get("a", 0), known.get("b", 0), known.size]).toEqual([undefined, undefined, 0]);
    known.set("c", bytes(10), hour, 0);
    expect(known.get("c", hour)).toBeUndefined();
    expect(known.size).toBe(0);
  });
});
