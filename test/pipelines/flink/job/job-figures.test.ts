import { describe, expect, it } from "vitest";
import { figuresOf, metricsIn, valuesIn } from "../../../../src/pipelines/flink/job/job-figures.js";

/** What a job manager says of a task, by the ends of the names that Flink gives to metrics. */
function taskOf(source: string, metrics: Readonly<Record<string, readonly [sum: unknown, min: unknown]>>) {
  const listed = Object.entries(metrics).map(([name, [sum, min]]) => ({
    id: `Source__${source}[1].${name}`,
    sum,
    min,
  }));
  const body = Buffer.from(JSON.stringify(listed));
  expect(metricsIn(body)).toEqual(listed.map(({ id }) => id));
  return valuesIn(body);
}

describe("the records that a job has not read yet", () => {
  it.each([
    [
      "are the records that the source counts",
      [taskOf("a", { pendingRecords: [3, 0], sourceIdleTime: [9_000, 0] })],
      3,
    ],
    [
      "are none if a job that goes on at a savepoint finds nothing new",
      [taskOf("a", { sourceIdleTime: [10_692, 10_692] })],
      0,
    ],
    [
      "are not known while the source may still connect",
      [taskOf("a", { sourceIdleTime: [4_397, 4_397] })],
      undefined,
    ],
    [
      "are not known while one part of the source is busy",
      [taskOf("a", { sourceIdleTime: [60_000, 0] })],
      undefined,
    ],
    [
      "are not known if one of two sources has not said it",
      [
        taskOf("a", { pendingRecords: [0, 0], sourceIdleTime: [9_000, 9_000] }),
        taskOf("b", { sourceIdleTime: [100, 100] }),
      ],
      undefined,
    ],
    [
      "are the sum of all sources",
      [
        taskOf("a", { sourceIdleTime: [9_000, 9_000] }),
        taskOf("b", { sourceIdleTime: [0, 0], pendingRecords: [7, 7] }),
      ],
      7,
    ],
    ["are not known from what is no number", [taskOf("a", { pendingRecords: ["NaN", "NaN"] })], undefined],
    ["are not known without a source", [], undefined],
  ])("%s", (_, tasks, waiting) => {
    expect(figuresOf(tasks).waiting).toBe(waiting);
  });
});
