import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Durations, longBucketOf } from "../../../src/platform/figures/durations.js";

describe("durations", () => {
  it("report how long a share of operations took, at most a fifth too high", () => {
    const times = fc.array(fc.integer({ min: 1, max: 30_000 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(times, fc.constantFrom(0.5, 0.95, 1), (all, share) => {
        const durations = new Durations();
        for (const time of all) durations.add(time);
        const sorted = all.toSorted((one, other) => one - other);
        const exact = sorted[Math.ceil(all.length * share) - 1] ?? 0;
        const told = durations.within(share) ?? 0;
        // Half a millisecond is lost or won by rounding.
        expect(told).toBeGreaterThanOrEqual(exact - 0.5);
        expect(told).toBeLessThanOrEqual(exact * 1.2 + 0.5);
      }),
    );
  });

  it("are bounded, and empty ones report no value", () => {
    const durations = new Durations();
    expect(durations.within(0.95)).toBeUndefined();
    durations.add(0);
    expect(durations.within(0.5)).toBe(1);
    durations.add(3_600_000);
    expect(durations.within(1)).toBe(32_768);
  });

  it("continue from counts by bucket, also for operations of several minutes", () => {
    const counts = Array.from({ length: longBucketOf(300_000) + 1 }, () => 0);
    for (const time of [300_000, 100]) counts[longBucketOf(time)] = 1;
    const durations = new Durations(counts);
    expect(durations.within(0.5)).toBe(108);
    expect(durations.within(1)).toBe(311_744);
    durations.add(100);
    expect(durations.within(0.6)).toBe(108);
    expect(new Durations().within(1)).toBeUndefined();
    expect(longBucketOf(1e9)).toBe(longBucketOf(2 ** 19));
  });
});
