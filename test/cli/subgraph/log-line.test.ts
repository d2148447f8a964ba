import { describe, expect, it } from "vitest";
import { logLine } from "../../../src/cli/subgraph/follow-log.js";

const time = Date.UTC(2026, 4, 6, 7, 8, 9, 10);

describe("logLine", () => {
  it.each([
    ["text", "2026-05-06T07:08:09.010Z info  a\\nb\n"],
    ["json", '{"time":"2026-05-06T07:08:09.010Z","level":"info","text":"a\\nb"}\n'],
    ["pretty", "07:08:09 INFO  a\n               b\n"],
  ] as const)("formats an entry as %s", (format, expected) => {
    expect(logLine({ timestamp: time, level: "INFO", text: "a\nb" }, format, false)).toBe(expected);
  });

  it("colours only the level", () => {
    const line = logLine({ timestamp: time, level: "error", text: "a" }, "pretty", true);
    expect(line).toBe("07:08:09 \u001b[1;31mERROR\u001b[0m a\n");
  });

  it("accepts a time in seconds", () => {
    expect(logLine({ timestamp: Math.floor(time / 1000), level: "warning", text: "a" }, "text", false)).toBe(
      "2026-05-06T07:08:09.000Z warn  a\n",
    );
  });

  it.each(["pretty", "json", "text"] as const)("%s escapes control characters", (format) => {
    const line = logLine(
      { timestamp: 9e15, level: "\u001b[2J", text: "\u001b]0;x\u0007\u202e\u009b" },
      format,
      false,
    );
    expect(line.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});
