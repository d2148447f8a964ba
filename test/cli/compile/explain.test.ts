import { describe, expect, it } from "vitest";
import { catalog, codes } from "../../../src/compiler/diagnostics/catalog.js";
import { graphloom, workplace } from "../harness.js";

describe("explain", () => {
  it("prints the long form", async () => {
    expect(await graphloom(workplace(), "explain unknown-key")).toMatchObject({
      code: 0,
      err: "",
      out: `unknown-key: there is no setting of that name

Settings have fixed names, and case counts. An unknown one would be ignored, and
what you meant by it would not happen, so it is an error. Use the name or the
place in the hint, or remove the setting.

Wrong:
    "startblock": 18400000

Right:
    "startBlock": 18400000
`,
    });
  });

  it.each(codes)("%s", async (code) => {
    const { code: exit, out } = await graphloom("/", `explain ${code}`);
    expect(exit).toBe(0);
    expect(out.replace(/\s+/g, " ")).toContain(catalog[code].explanation);
  });

  it("lists all codes", async () => {
    const { code, out, err } = await graphloom(workplace(), "explain");
    expect([code, err]).toEqual([0, ""]);
    expect(out.split("\n").slice(0, -1)).toEqual(
      codes.map((known) => expect.stringMatching(new RegExp(`^${known} +\\w`))),
    );
  });

  it.each([
    ["unknwon-key", 'There is no code "unknwon-key"; near it are unknown-key'],
    ["Unknown-Key", "unknown-key"],
    ["toString", 'There is no code "toString".\n'],
    ["\u001b[2J", 'There is no code "\\u001b[2J".\n'],
  ])("does not know %j", async (text, message) => {
    const { code, out, err } = await graphloom(workplace(), `explain ${text}`);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(message);
    expect(err).toContain("All codes are listed by graphloom explain.\n");
  });
});
