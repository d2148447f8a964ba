import { describe, expect, it } from "vitest";
import type { LogEntry } from "../../../src/api/contract.js";
import { LogTail } from "../../../src/cli/subgraph/log-tail.js";

const start = Date.UTC(2026, 0, 1);
const entry = (timestamp: number, text: string): LogEntry => ({ timestamp, level: "info", text });
const times = (count: number, timestamp: number, text: string): LogEntry[] =>
  Array.from({ length: count }, () => entry(timestamp, text));

/** A log that returns pages of 100 entries, by default including those at the requested time. */
function tailOf(log: LogEntry[], isInclusive = true) {
  const tail = new LogTail(
    {
      async logs(_name, _version, { after = 0, cursor = 0 }) {
        const ms = ({ timestamp }: LogEntry): number => (timestamp < 1e11 ? timestamp * 1000 : timestamp);
        const all = log.filter((each) => (isInclusive ? ms(each) >= after : ms(each) > after));
        const next = cursor + 100;
        return { results: all.slice(cursor, next), ...(next < all.length && { cursor: next }) };
      },
    },
    { name: "pools", version: "1.0.0" },
    { levels: ["info"], after: start },
  );
  return async (): Promise<readonly string[]> => {
    const texts: string[] = [];
    do texts.push(...(await tail.next()).map(({ text }) => text));
    while (tail.isBehind);
    return texts;
  };
}

describe.each([
  ["includes the requested time", true],
  ["excludes the requested time", false],
])("the tail of a log that %s", (_, isInclusive) => {
  it("returns each of 250 equal entries once", async () => {
    const log = times(250, start + 5, "same");
    const rest = tailOf(log, isInclusive);
    expect(await rest()).toHaveLength(250);
    expect(await rest()).toEqual([]);
    expect(await rest()).toEqual([]);
    log.push(...times(120, start + 6, "same"), entry(start + 7, "end"));
    expect(await rest()).toEqual([...Array.from({ length: 120 }, () => "same"), "end"]);
    expect(await rest()).toEqual([]);
  });

  it("also accepts times in seconds", async () => {
    const log = [entry(start / 1000 + 1, "a"), entry(start / 1000 + 2, "b")];
    const rest = tailOf(log, isInclusive);
    expect(await rest()).toEqual(["a", "b"]);
    expect(await rest()).toEqual([]);
    log.push(entry(start / 1000 + 3, "c"));
    expect(await rest()).toEqual(["c"]);
  });
});

it("the tail of a log returns later entries with the same time", async () => {
  const log = times(150, start + 5, "same");
  const rest = tailOf(log);
  expect(await rest()).toHaveLength(150);
  log.push(...times(100, start + 5, "same"), entry(start + 5, "other"));
  expect(await rest()).toHaveLength(101);
  expect(await rest()).toEqual([]);
});
