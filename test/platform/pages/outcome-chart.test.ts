import { expect, it } from "vitest";
import { outcomeChart, outcomeText } from "../../../src/platform/pages/subgraph/outcome-chart.js";

const now = Date.UTC(2026, 0, 2, 10, 30);
const at = (hour: number, delivered: bigint, retried = 0n, failed = 0n) => ({
  ...{ webhook: "webhook_1", hour: new Date(Date.UTC(2026, 0, 2, hour)), delivered, retried, failed },
});

it("the outcomes of a day are bars at their hours, words, and a table with the latest hour first", () => {
  const { markup } = outcomeChart([at(8, 2_000n, 10n, 1n), at(10, 1_000n)], now);
  const bars = [...markup.matchAll(/<rect class="(\w+)" x="(\d+)" y="(\d+)" width="0.8" height="(\d+)"/g)];
  expect(bars.map(([, tone, ...numbers]) => [tone, ...numbers.map(Number)])).toEqual([
    ["good", 21, 0, 40],
    ["warn", 21, 0, 1],
    ["bad", 21, 0, 1],
    ["good", 23, 20, 20],
  ]);
  expect(markup).toContain(
    "<title>Attempts by hour in the last 24 hours: 3,000 delivered, 10 failed and retried, 1 failed for good</title>",
  );
  expect([...markup.matchAll(/>(\d{4}-\d\d-\d\d \d\d:\d\d)</g)].map(([, time]) => time)).toEqual([
    "2026-01-02 10:00",
    "2026-01-02 08:00",
  ]);
});

it("the outcomes of a day without attempts are words alone", () => {
  expect(outcomeChart([], now).markup).toBe('<p class="soft">No attempts in the last 24 hours.</p>');
  expect(outcomeText([at(1, 5n)])).toBe("5 delivered");
});
