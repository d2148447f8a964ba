import { describe, expect, it } from "vitest";
import { usualSamples } from "../../../src/cli/run/plan/usual-samples.js";
import { type Part, placesToCount, samplePlaces, workOf } from "../../../src/runtime/indexer/density.js";

const blocks = 1_000_000;
const range = { from: 0, to: blocks - 1 };
const terms = { head: 2 * blocks, reach: -1, demandsAll: false };

/** Shapes of chains: whether a block has a log. */
const shapes: readonly (readonly [name: string, hasLog: (block: number) => boolean])[] = [
  ["a log in every tenth block", (block) => block % 10 === 0],
  ["a log in every five-thousandth block", (block) => block % 5_000 === 17],
  ["all logs in the last tenth", (block) => block >= blocks * 0.9],
  ["more and more logs", (block) => block % Math.max(1, Math.floor(20 * (1 - block / blocks))) === 0],
  ["ten long bursts", (block) => block % 100_000 < 10_000],
  ["short bursts", (block) => block % 25_000 < 500],
  ["a burst each day", (block) => block % 7_200 < 600],
  ["nothing, then many logs", (block) => block > blocks / 2 && block % 3 === 0],
];

function logsIn(from: number, to: number, hasLog: (block: number) => boolean): number[] {
  const found: number[] = [];
  for (let block = from; block <= to; block += 1) if (hasLog(block)) found.push(block);
  return found;
}

describe("counting logs in a part of a chain", () => {
  it.each(shapes)("estimates the number within a third: %s", (_, hasLog) => {
    const places = placesToCount(range, [], usualSamples.logRanges, 2_000);
    const parts = places.map(
      ({ part, counted }): Part => ({
        ...part,
        counted,
        logs: logsIn(counted.from, counted.to, hasLog),
        side: "asked",
      }),
    );
    const real = logsIn(range.from, range.to, hasLog).length;
    const { logs } = workOf(parts, terms).asked;
    expect(logs / real).toBeGreaterThan(2 / 3);
    expect(logs / real).toBeLessThan(4 / 3);

    const samples = samplePlaces(parts, [], usualSamples.samples, usualSamples.sampleBlocks);
    expect(samples.some(({ from, to }) => logsIn(from, to, hasLog).length > 0)).toBe(true);
  });
});
