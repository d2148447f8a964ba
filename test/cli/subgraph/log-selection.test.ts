import { describe, expect, it } from "vitest";
import { isWanted, type LogArguments, logSelection } from "../../../src/cli/subgraph/log-selection.js";

const args: LogArguments = {
  nameAndVersion: "pools/1.0.0",
  since: "1m",
  format: "text",
  filter: "info",
  interval: 5,
  follow: true,
  color: false,
  verbose: false,
};
const now = 1_800_000_000_000;

describe("logSelection", () => {
  it.each([
    ["now", 0],
    ["5s", 5_000],
    ["2m", 120_000],
    ["3h", 10_800_000],
    ["1d", 86_400_000],
  ])("--since %s goes back that far", (since, before) => {
    expect(logSelection({ ...args, since }, now).after).toBe(now - before);
  });

  it.each([
    [{ filter: "error" }, ["error"]],
    [{ filter: "debug" }, ["error", "warn", "info", "debug"]],
    [{ filter: "error", levels: "debug, warn" }, ["debug", "warn"]],
  ] as const)("%j selects its levels", (given, levels) => {
    expect(logSelection({ ...args, ...given }, now).levels).toEqual(levels);
  });

  it.each([
    [{ since: "yesterday" }, "--since"],
    [{ since: "5" }, "--since"],
    [{ since: "-5s" }, "--since"],
    [{ levels: "fatal" }, "--levels"],
    [{ levels: "," }, "--levels"],
    [{ interval: 0 }, "--interval"],
    [{ interval: Number.NaN }, "--interval"],
  ])("%j is refused", (given, option) => {
    expect(() => logSelection({ ...args, ...given }, now)).toThrow(option);
  });
});

it("the selection selects the chosen levels, and entries of unknown levels", () => {
  const selection = { after: 0, levels: ["error", "warn"] };
  const wanted = ["ERROR", "Warning", "info", "fatal"].map((level) =>
    isWanted({ level, text: "", timestamp: 0 }, selection),
  );
  expect(wanted).toEqual([true, true, false, true]);
});
