import { expect, it } from "vitest";
import { SharedReads } from "../../../src/base/turns/shared-reads.js";
import { drawFrom } from "../../support/pool/draw.js";
import { propertySeed } from "../../support/property/property-run.js";

it("a read never returns a value from before it was requested, and waiting reads share one request", async () => {
  const draw = drawFrom(propertySeed);
  const reads = new SharedReads<number>();
  let [value, begun] = [0, 0];
  const turns = (count: number): Promise<void> =>
    count === 0 ? Promise.resolve() : Promise.resolve().then(() => turns(count - 1));
  const work = async (): Promise<number> => {
    begun += 1;
    const seen = value;
    await turns(draw.below(10));
    if (draw.happens(0.1)) throw new Error("no answer");
    return seen;
  };
  const readers = Array.from({ length: 1_000 }, async () => {
    await turns(draw.below(400));
    value += 1;
    const before = value;
    const seen = await reads.read("key", work).catch(() => value);
    expect(seen).toBeGreaterThanOrEqual(before);
  });
  await Promise.all(readers);
  expect(begun).toBeLessThan(500);
  const late = Array.from({ length: 100 }, () => reads.read("other", work).catch(() => 0));
  const before = begun;
  await Promise.all(late);
  expect(begun).toBe(before + 1);
});
