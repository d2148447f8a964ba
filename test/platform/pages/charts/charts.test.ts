import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Figure, figureStates, type Mark, type Span } from "../../../../src/platform/figures/figure.js";
import { historyRanges, lastHour, rangeOf, spanOf } from "../../../../src/platform/figures/ranges.js";
import { historyChart } from "../../../../src/platform/pages/charts/history-chart.js";
import { historyFile } from "../../../../src/platform/pages/charts/history-route.js";
import { percentOf } from "../../../../src/platform/pages/charts/marks.js";
import { areaPath, heightOf, linePath } from "../../../../src/platform/pages/charts/paths.js";
import { lengthOf, rateOf } from "../../../../src/platform/pages/charts/spans.js";
import { lagSparkline, stateStrip } from "../../../../src/platform/pages/charts/sparkline.js";
import { totalSparkline } from "../../../../src/platform/pages/charts/total-sparkline.js";
import { nodeChart } from "../../../../src/platform/pages/nodes/node-page.js";
import { propertyRun } from "../../../support/property/property-run.js";

const minute = 60_000;
const now = 1_795_000_000_000;
const hour = lastHour(now);
const nothing = { fromMemory: 0, fromEngine: 0, refused: 0, failed: 0, minutes: 1 };

/** A figure of the last hour. */
function at(index: number, measured: Partial<Figure> = {}): Figure {
  return { at: hour.from + index * minute, ...nothing, state: "synced", lagBlocks: 0, ...measured };
}

/** All points of the paths in some markup, with the frame they lie in. */
function pointsIn(
  markup: string,
): { readonly frame: readonly number[]; readonly points: readonly number[][] }[] {
  return [...markup.matchAll(/<svg[^>]* viewBox="(0 0 \d+ \d+)"[^>]*>(.*?)<\/svg>/gs)].map(
    ([, box = "", inner = ""]) => {
      const points: number[][] = [];
      for (const [, shape = ""] of inner.matchAll(/ d="([^"]*)"/g)) {
        let [x, y] = [0, 0];
        for (const [, command, numbers = ""] of shape.matchAll(/([MVh])([^MVh]*)/g)) {
          const [first = Number.NaN, second = Number.NaN] = numbers.split(" ").map(Number);
          if (command === "M") [x, y] = [first, second];
          else if (command === "V") y = first;
          else x += first;
          points.push([x, y]);
        }
      }
      return { frame: box.split(" ").map(Number), points };
    },
  );
}

function titleOf(markup: string): string | undefined {
  return /<title>(.*?)<\/title>/.exec(markup)?.[1];
}

describe("A path", () => {
  it("steps through its values, and has gaps where values are missing", () => {
    expect(areaPath([1, 1, undefined, 4], 4, 8)).toBe("M0 8V6h2V8M3 8V0h1V8");
    expect(linePath([true, true, false, true], 5)).toBe("M0 5h2M3 5h1");
  });

  it("is at least 1 high for anything above 0, and never higher than its frame", () => {
    expect([0, 1, 5e8, 1e9, 2e9].map((value) => heightOf(value, 1e9, 16))).toEqual([0, 1, 8, 16, 16]);
    expect(heightOf(Number.NaN, 10, 16)).toBe(0);
  });
});

describe("A sparkline of the lag", () => {
  it("says that nothing was measured, and draws nothing", () => {
    const { markup } = lagSparkline([], hour);
    expect(titleOf(markup)).toBe("Lag in the last hour: not measured");
    expect(markup).not.toContain("<path");
  });

  it("draws one sample", () => {
    const { markup } = lagSparkline([at(59, { lagBlocks: 1_000_000_000 })], hour);
    expect(titleOf(markup)).toBe(
      "Lag in the last hour: behind for 1 min, at most 1,000,000,000 blocks, latest 1,000,000,000 blocks",
    );
    expect(markup).toContain('<path class="behind" d="M59 16V0h1V16"/>');
  });

  it("leaves a gap between values from before and after a restart", () => {
    const { markup } = lagSparkline([at(0), at(1), at(5), at(6, { lagBlocks: 5 })], hour);
    expect(markup).toContain('<path class="even" d="M0 15h2M5 15h1"/>');
    expect(markup).toContain('<path class="behind" d="M6 16V8h1V16"/>');
  });

  it("shows a failure in another colour, even without a lag", () => {
    const { markup } = lagSparkline([at(3, { state: "failed", lagBlocks: undefined })], hour);
    expect(markup).toContain('<path class="failed" d="M3 16V14h1V16"/>');
  });
});

describe("A strip of states", () => {
  it("names the states in order of their duration", () => {
    const { markup } = stateStrip([at(0), at(1), at(2, { state: "failed" })], hour);
    expect(titleOf(markup)).toBe(
      "State in the last hour: not measured for 57 min, synced for 2 min, failed for 1 min",
    );
    expect(markup).toContain('<path class="failed" d="M2 5h1" stroke-width="10"/>');
    expect(markup).toContain('<path class="synced" d="M0 5h2" stroke-width="2"/>');
  });
});

const anyFigure = (span: Span): fc.Arbitrary<Figure> =>
  fc.record(
    {
      at: fc.integer({ min: span.from - 10 * minute, max: span.to + 10 * minute }),
      minutes: fc.constantFrom(0, 1, 5),
      state: fc.constantFrom(...figureStates, undefined),
      block: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
      lagBlocks: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2 ** 31 - 1 })),
      lagSeconds: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
      eventsPerSecond: fc.float({ min: 0, max: 1_000_000_000, noNaN: true }),
      fromMemory: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
      fromEngine: fc.integer({ min: 0, max: 10 }),
      refused: fc.integer({ min: 0, max: 10 }),
      failed: fc.integer({ min: 0, max: 10 }),
    },
    { requiredKeys: ["at", "minutes", "fromMemory", "fromEngine", "refused", "failed"] },
  );
const anyMark = (span: Span): fc.Arbitrary<Mark> =>
  fc.record({
    kind: fc.constantFrom("deploy", "failure", "reorganisation", "restart"),
    at: fc.integer({ min: span.from, max: span.to - 1 }),
    count: fc.integer({ min: 1, max: 1_000 }),
  });
const inOrder = (figures: readonly Figure[]): readonly Figure[] => [...figures].sort((a, b) => a.at - b.at);

describe("The chart of the requests to a node", () => {
  const requests = { answered: 0, limited: 0, refused: 0, away: 0 };

  it("stacks answered, throttled and failed requests by the minute, and names the maximum", () => {
    const { markup } = nodeChart(
      [
        { at: hour.from, requests: { ...requests, answered: 10, limited: 5, away: 5 } },
        { at: hour.to - minute, requests: { ...requests, answered: 10 } },
      ],
      now,
    );
    expect(titleOf(markup)).toBe("Requests in the last hour: at most 20 a minute, of which at most 5 failed");
    const areas = [...markup.matchAll(/class="(\w+)" d="([^"]*)"/g)].map(([, name, path]) => [name, path]);
    expect(areas).toEqual([
      ["failed", "M0 16V0h1V16"],
      ["limited", "M0 16V4h1V16"],
      ["answered", "M0 16V8h1V16M59 16V8h1V16"],
    ]);
  });

  it("says that none failed", () => {
    const { markup } = nodeChart([{ at: hour.from, requests: { ...requests, answered: 1 } }], now);
    expect(titleOf(markup)).toBe("Requests in the last hour: at most 1 a minute, none failed");
  });
});

describe("The chart of a rate of all deployments", () => {
  it("adds up the values of each minute", () => {
    const figures = [
      [at(0, { eventsPerSecond: 2 }), at(59, { eventsPerSecond: 1 })],
      [at(0, { eventsPerSecond: 4 }), at(1)],
    ];
    const rate = ({ eventsPerSecond }: Figure) => eventsPerSecond;
    const { markup } = totalSparkline("Events per second", figures, rate, hour);
    expect(titleOf(markup)).toBe("Events per second in the last hour: at most 6, latest 1");
    expect(markup).toContain('d="M0 16V0h1V16M59 16V13h1V16"');
    expect(titleOf(totalSparkline("Events per second", [], rate, hour).markup)).toContain("not measured");
  });
});

describe("Charts", () => {
  it("draw no point outside of their frame", () => {
    const range = fc.constantFrom(...historyRanges);
    const cases = range.chain((one) => {
      const span = spanOf(one, now);
      return fc.tuple(
        fc.constant(one),
        fc.constant(span),
        fc.array(anyFigure(span)),
        fc.array(anyMark(span)),
      );
    });
    fc.assert(
      fc.property(cases, ([one, span, found, marks]) => {
        const figures = inOrder(found);
        const drawn = [
          lagSparkline(figures, span).markup,
          stateStrip(figures, span).markup,
          historyChart({ range: one, span, figures, marks, queriesSince: span.from }, "/").markup,
        ];
        const charts = drawn.flatMap(pointsIn);
        expect(charts.length).toBeGreaterThanOrEqual(2);
        for (const { frame, points } of charts) {
          const [, , width = 0, height = 0] = frame;
          const outside = points.filter(
            ([x = -1, y = -1]) => !(x >= 0 && x <= width && y >= 0 && y <= height),
          );
          expect(outside).toEqual([]);
        }
        for (const { at: time } of marks) {
          const place = percentOf(time, span);
          expect(place >= 1 && place <= 99).toBe(true);
        }
      }),
      propertyRun(30),
    );
  });

  it("take less than 1 KB each in a row of the overview, for any values", () => {
    const lags = fc.constantFrom(0, 3, 1_000_000_000, undefined);
    const states = fc.constantFrom(...figureStates, undefined);
    const each = fc.record({ lagBlocks: lags, state: states });
    fc.assert(
      fc.property(fc.array(each, { minLength: 60, maxLength: 60 }), (measured) => {
        const figures = measured.map((one, index) => at(index, one));
        expect(lagSparkline(figures, hour).markup.length).toBeLessThan(1024);
        expect(stateStrip(figures, hour).markup.length).toBeLessThan(1024);
      }),
      propertyRun(50),
    );
  });

  it("take less than 1 KB each where every minute differs from the one before", () => {
    const minutes = Array.from({ length: 60 }, (_, index) => index);
    const lags = minutes.map((index) => at(index, { lagBlocks: [1_000_000_000, 0, 10_000_000][index % 3] }));
    const states = minutes.map((index) => at(index, { state: figureStates[index % 6] }));
    expect(lagSparkline(lags, hour).markup.length).toBeLessThan(1024);
    expect(stateStrip(states, hour).markup.length).toBeLessThan(1024);
  });

  it("are identical for equal values", () => {
    const history = {
      range: rangeOf("24h"),
      span: spanOf(rangeOf("24h"), now),
      figures: [{ at: now - 10 * minute, ...nothing }],
      marks: [],
    };
    expect(historyChart(history, "/x").markup).toBe(historyChart(history, "/x").markup);
  });
});

describe("A history", () => {
  const range = rangeOf("24h");
  const span = spanOf(range, now);
  const figure = (ago: number, measured: Partial<Figure>): Figure => ({
    at: span.to - ago * minute,
    ...nothing,
    minutes: 5,
    state: "synced",
    lagBlocks: 0,
    ...measured,
  });
  const figures = [
    figure(120, { lagBlocks: 340, lagSeconds: 4_080, eventsPerSecond: 12, block: 1_000_000_000 }),
    figure(60, {
      state: "failed",
      fromMemory: 300,
      fromEngine: 290,
      refused: 6,
      failed: 4,
      p50: 3,
      p95: 1_450,
    }),
    figure(5, {}),
  ];

  it("describes its charts in words", () => {
    const { markup } = historyChart(
      { range, span, figures, marks: [], queriesSince: 0 },
      "/dashboard/pools/1.0.0",
    );
    expect(markup).toContain(
      "<title>Lag in blocks in the last 24 hours: at most 340 blocks (1 h 8 min), latest 0 blocks</title>",
    );
    expect(markup).toContain(
      "State in the last 24 hours: not measured for 23 h 45 min, synced for 10 min, failed for 5 min",
    );
    expect(markup).toContain(
      "<title>Events per second in the last 24 hours: at most 12, on average 12, latest 12</title>",
    );
    expect(markup).toContain(
      "<title>Queries per second in the last 24 hours: at most 2, on average 0.67, latest 0; 50 % from memory, 48 % from the database, 1 % refused, under 1 % failed</title>",
    );
    expect(markup).toContain(
      "<title>Query time in the last 24 hours: 95 of 100 within 1.4 s, half of them within 3 ms in the slowest minute; latest 1.4 s</title>",
    );
  });

  it("shows its figures in a table, by the hour, and omits hours without values", () => {
    const { markup } = historyChart({ range, span, figures, marks: [] }, "/");
    const rows = [...markup.matchAll(/<tr><td>.*?<\/tr>/g)].map(([row]) => row.replaceAll(/<[^>]*>/g, "|"));
    expect(rows).toHaveLength(3);
    expect(rows[2]).toContain("1,000,000,000");
    expect(rows[2]).toContain("340");
    expect(rows[1]).toContain("failed");
    expect(rows[1]).toContain("|5 min|");
    const { markup: withQueries } = historyChart({ range, span, figures, marks: [], queriesSince: 0 }, "/");
    expect(withQueries).toContain(
      '<td class="number">2</td><td class="number">6</td><td class="number">4</td><td class="number">3 ms</td><td class="number">1.4 s</td>',
    );
  });

  it("stacks the queries by the source of their answers, each with its own part of the height", () => {
    const { markup } = historyChart({ range, span, figures, marks: [], queriesSince: 0 }, "/");
    const [, chart = ""] = /<svg([^>]*><title>Queries per second.*?)<\/svg>/s.exec(markup) ?? [];
    const areas = [...chart.matchAll(/<path class="(\w+)" d="M\d+ 40V(\d+)/g)];
    // From the back to the front: of 40, half is from memory.
    expect(areas.map(([, name, top]) => [name, top])).toEqual([
      ["failed", "0"],
      ["refused", "0"],
      ["fromEngine", "1"],
      ["fromMemory", "20"],
    ]);
  });

  it("shows no queries of a build that other projects also have", () => {
    const { markup } = historyChart({ range, span, figures, marks: [] }, "/");
    for (const word of ["Queries per second", "Query time", "Queries/s", "Refused"])
      expect(markup).not.toContain(word);
    expect(markup).toContain("Events per second");
  });

  it("shows only queries from the time when no other project had the build", () => {
    const queriesSince = span.to - 60 * minute + 1;
    const { markup } = historyChart({ range, span, figures, marks: [], queriesSince }, "/");
    expect(markup).toContain(
      "<title>Queries per second in the last 24 hours: at most 0, on average 0, latest 0</title>",
    );
    const rows = [...markup.matchAll(/<tr><td>.*?<\/tr>/g)].map(([row]) => row.replaceAll(/<[^>]*>/g, "|"));
    expect(rows[1]).toContain("failed");
    expect(rows[1]).toMatch(/(\|\|){6}5 min\|/);
  });

  it("lists its marks with their times, latest first", () => {
    const marks: readonly Mark[] = [
      { kind: "deploy", at: Date.parse("2026-11-18T10:00:00Z"), count: 1, version: "<2.0.0>" },
      { kind: "reorganisation", at: Date.parse("2026-11-18T11:00:00Z"), count: 3, blocks: 7 },
      { kind: "failure", at: Date.parse("2026-11-18T12:00:00Z"), count: 1 },
    ];
    const { markup } = historyChart({ range, span, figures, marks }, "/");
    const list = /<ul class="happened small">(.*?)<\/ul>/s.exec(markup)?.[1] ?? "";
    expect(
      list
        .replaceAll(/<[^>]*>/g, "")
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map((line) => line.trim()),
    ).toEqual([
      "2026-11-18 12:00:00 UTC Indexing failed",
      "2026-11-18 11:00:00 UTC The chain was reorganised 3 times, at most 7 blocks replaced",
      "2026-11-18 10:00:00 UTC Deployed &#60;2.0.0&#62;",
    ]);
  });

  it("offers other ranges, and says so if nothing was measured", () => {
    const { markup } = historyChart({ range, span, figures: [], marks: [] }, "/dashboard/pools/1.0.0");
    expect(markup).toContain('<a href="/dashboard/pools/1.0.0?range=7d#history">7 days</a>');
    expect(markup).toContain(
      '<a href="/dashboard/pools/1.0.0?range=24h#history" aria-current="true">24 hours</a>',
    );
    expect(markup).toContain("Nothing was measured in the last 24 hours.");
    expect(markup).not.toContain("<svg");
  });

  it("is a file for programs, with the columns that its charts show", () => {
    const marks: Mark[] = [{ kind: "deploy", at: span.from + 1, count: 1, version: "2.0.0" }];
    const file = historyFile({ range, span, figures, marks });
    expect(file).toMatchObject({ range: "24h", ...span });
    expect(file.columns).toHaveLength(288);
    const texts = file.columns.flatMap((column, index) => (column ? [[index, column.text]] : []));
    expect(texts).toEqual([
      [264, "synced, 340 blocks behind (1 h 8 min), 12 events/s"],
      [276, "failed, 0 blocks behind"],
      [287, "synced, 0 blocks behind"],
    ]);
    expect(file.columns[264]).toMatchObject({ lagBlocks: 340, lagSeconds: 4_080, eventsPerSecond: 12 });
    expect(file.marks).toEqual([{ kind: "deploy", at: span.from + 1, text: "Deployed 2.0.0" }]);
  });
});

describe("Texts of charts", () => {
  it.each([
    [0, "0 s"],
    [59_000, "59 s"],
    [60_000, "1 min"],
    [3_600_000, "1 h"],
    [3_900_000, "1 h 5 min"],
    [86_400_000, "1 day"],
    [180_000_000, "2 days 2 h"],
  ])("write %i milliseconds as %s", (milliseconds, text) => {
    expect(lengthOf(milliseconds)).toBe(text);
  });

  it.each([
    [0, "0"],
    [0.001, "under 0.01"],
    [0.25, "0.25"],
    [12.34, "12.3"],
    [1234.5, "1,235"],
  ])("write a rate of %f as %s", (rate, text) => {
    expect(rateOf(rate)).toBe(text);
  });
});
