import { expect, it } from "vitest";
import { NodeFigures, SinkFigures } from "../../../src/pipelines/host/figures.js";

it("the host counts the rows of the last ten seconds, and none after that", () => {
  let now = 0;
  const figures = new SinkFigures(() => now);
  const rate = (rows: number) => figures.read("stored", { rows, blocks: {} }).rate;
  expect(rate(0)).toBe(0);
  now = 2_000;
  expect(rate(300)).toBe(150);
  now = 10_000;
  expect(rate(400)).toBe(40);
  now = 12_000;
  expect(rate(400)).toBe(10);
  now = 20_000;
  expect(rate(400)).toBe(0);
  expect(figures.read("other", { rows: 7, blocks: {} }).rate).toBe(0);
});

it("the host restarts the count for a sink that restarts, and shows one more digit of small rates", () => {
  let now = 0;
  const figures = new SinkFigures(() => now);
  const rate = (rows: number) => figures.read("stored", { rows, blocks: {} }).rate;
  rate(1_000);
  now = 1_000;
  expect(rate(0)).toBe(0);
  now = 9_000;
  expect(rate(10)).toBe(1.3);
});

it("the host counts a node once, on the path to the sink with most of its rows", () => {
  let now = 0;
  const figures = new NodeFigures(() => now);
  figures.passed("large", "one", 100);
  figures.passed("large", "two", 40);
  figures.read();
  now = 2_000;
  figures.passed("large", "two", 40);
  figures.passed("large", "one", 20);
  expect(figures.read()).toEqual({ large: { rows: 120, rate: 10 } });
});

it("the host says how far a sink is behind the heads that were seen", () => {
  const figures = new SinkFigures(() => 0);
  const lag = (blocks: Record<string, number>) => figures.read("stored", { rows: 0, blocks }).lag;
  expect(lag({ one: 10 })).toEqual({});
  figures.seen("one", 25);
  expect(lag({ one: 10, two: 3 })).toEqual({ one: 15 });
  expect(lag({ one: 26 })).toEqual({ one: 0 });
});
