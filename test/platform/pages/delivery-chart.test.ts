import { expect, it } from "vitest";
import { longBucketOf } from "../../../src/platform/figures/durations.js";
import { rangeOf, spanOf } from "../../../src/platform/figures/ranges.js";
import { deliveryChart } from "../../../src/platform/pages/subgraph/delivery-chart.js";
import { outcomeText } from "../../../src/platform/pages/subgraph/webhooks-tab.js";
import type { OutcomeFigure } from "../../../src/platform/webhooks/outcome-figures.js";

const range = rangeOf("1h");
const span = spanOf(range, Date.UTC(2026, 0, 2, 10, 30, 20));
const none = { delivered: 0, retried: 0, failed: 0, pending: 0, times: [] };
const at = (minute: number, over: Partial<OutcomeFigure> = {}): OutcomeFigure => ({
  at: span.from + minute * 60_000,
  ...none,
  ...over,
});
/** Attempts that took so many milliseconds, as counts by bucket. */
const took = (...all: readonly number[]) => {
  const counts: number[] = Array.from({ length: Math.max(...all.map(longBucketOf)) + 1 }, () => 0);
  for (const time of all) counts[longBucketOf(time)] = (counts[longBucketOf(time)] ?? 0) + 1;
  return counts;
};
const drawn = (figures: readonly OutcomeFigure[]) =>
  deliveryChart({ range, span, figures }, "/dashboard/pools/1.0.0/webhooks/swaps").markup;
const titles = (markup: string) => [...markup.matchAll(/<title>(.*?)<\/title>/g)].map(([, title]) => title);

it("the history of a webhook describes its charts in words", () => {
  const quick = Array.from({ length: 37 }, () => 50);
  const markup = drawn([
    at(10, { delivered: 37, times: took(...quick), pending: 12 }),
    at(11, { retried: 2, failed: 1, times: took(120_000, 120_000, 120_000), pending: 4 }),
    at(12),
  ]);
  expect(titles(markup)).toEqual([
    "Attempts per minute in the last hour: 3 of 40 attempts failed, 1 of them for good; at most 37 per minute",
    "Pending events in the last hour: at most 12, latest 0",
    "Time of attempts in the last hour: 95 of 100 ended within 131.1 s; in the slowest 1 min within 131.1 s",
  ]);
});

it("a rate of columns that are wider than a minute is called an average", () => {
  const wide = rangeOf("24h");
  const whole = spanOf(wide, span.to);
  const figures = [{ ...none, at: whole.from, delivered: 40 }];
  const { markup } = deliveryChart({ range: wide, span: whole, figures }, "/swaps");
  expect(titles(markup)[0]).toMatch(/: 40 attempts, none failed; at most 8 per minute, averaged over 5 min$/);
});

it("outcomes stand on each other, at the places of their minutes, and gaps stay empty", () => {
  const markup = drawn([at(10, { delivered: 30, retried: 9, failed: 1 }), at(12)]);
  const paths = [...markup.matchAll(/<path class="(\w+)" d="([^"]*)"/g)].map(([, kind, shape]) => [
    kind,
    shape,
  ]);
  expect(paths).toEqual([
    ["zero", "M12 39h1"],
    ["failed", "M10 40V0h1V40"],
    ["retried", "M10 40V1h1V40"],
    ["delivered", "M10 40V10h1V40"],
    ["zero", "M10 39h1M12 39h1"],
  ]);
});

it("the table adds up the minutes of a row, latest first, and says how far it rounds times", () => {
  const markup = drawn([
    at(1, { delivered: 5, times: took(10, 10, 10, 10, 10), pending: 7 }),
    at(2, {
      delivered: 1_000,
      failed: 1,
      times: took(...Array.from({ length: 1_001 }, () => 40)),
      pending: 3,
    }),
    at(20, { retried: 1, times: took(2_000) }),
  ]);
  const rows = [...markup.matchAll(/<tr><td>.*?<\/tr>/gs)].map(([row]) =>
    [...row.matchAll(/<td class="number">(.*?)<\/td>/g)].map(([, text]) => text),
  );
  expect(rows).toEqual([
    ["0", "1", "0", "0", "2.0 s"],
    ["1,005", "0", "1", "7", "45 ms"],
  ]);
  expect(markup).toContain("Times are rounded up, by at most a fifth.");
});

it("a webhook without attempts and one that was never measured have their own texts", () => {
  expect(titles(drawn([at(3)])).map((title) => title?.split(": ")[1])).toEqual([
    "no attempts",
    "none",
    "no attempts",
  ]);
  const attempted = (over: Partial<OutcomeFigure>) => titles(drawn([at(3, over)]))[0]?.split(/: |;/)[1];
  expect(attempted({ delivered: 1 })).toBe("1 attempt, none failed");
  expect(attempted({ delivered: 40 })).toBe("40 attempts, none failed");
  expect(attempted({ failed: 3 })).toBe("3 of 3 attempts failed, all for good");
  expect(attempted({ retried: 1 })).toBe("1 of 1 attempts failed, none of them for good");
  // Attempts that were counted before their times were.
  expect(titles(drawn([at(3, { delivered: 1, times: [] })]))[2]).toContain(": not measured");
  const { pending: _, ...unmeasured } = at(3);
  expect(titles(drawn([unmeasured]))[1]).toContain(": not measured");
  expect(drawn([])).toContain("Nothing was measured in the last hour.");
});

it("the list of webhooks describes the outcomes of a day in words", () => {
  expect(outcomeText({ delivered: 5, retried: 0, failed: 0 })).toBe("5 delivered");
  expect(outcomeText({ delivered: 10, retried: 2_000, failed: 1 })).toBe(
    "10 delivered, 2,000 failed and retried, 1 failed for good",
  );
});
