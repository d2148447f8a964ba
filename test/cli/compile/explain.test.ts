import { describe, expect, it } from "vitest";
import { catalog, codes } from "../../../src/compiler/diagnostics/catalog.js";
import { graphloom, workplace } from "../harness.js";

describe("explain", () => {
  it("explains a code in full", async () => {
    expect(await graphloom(workplace(), "explain unknown-key")).toMatchObject({
      code: 0,
      err: "",
      out: `unknown-key: the setting does not exist

Settings have fixed, case-sensitive names. An unknown setting is an error,
because ignoring it could hide a mistake. Use the name or the place in the hint,
or remove the setting.

Wrong:
    "startblock": 18400000

Right:
    "startBlock": 18400000
`,
    });
  });

  it.each(codes)("prints the explanation of %s", async (code) => {
    const { code: exit, out } = await graphloom("/", `explain ${code}`);
    expect(exit).toBe(0);
    expect(out.replace(/\s+/g, " ")).toContain(catalog[code].explanation);
  });

  it("prints the list, or one entry, as a JSON document", async () => {
    const list = await graphloom(workplace(), "explain --output json");
    expect(JSON.parse(list.out)).toEqual(codes.map((code) => ({ code, title: catalog[code].title })));
    const one = await graphloom(workplace(), "explain unknown-key --output json");
    expect(JSON.parse(one.out)).toEqual({ code: "unknown-key", ...catalog["unknown-key"] });
    const none = await graphloom(workplace(), "explain nothing-of-it --output json");
    expect([none.code, JSON.parse(none.out).error.exit_code]).toEqual([2, 2]);
  });

  it("lists all codes", async () => {
    const { code, out, err } = await graphloom(workplace(), "explain");
    expect([code, err]).toEqual([0, ""]);
    expect(out.split("\n").slice(0, -1)).toEqual(
      codes.map((known) => expect.stringMatching(new RegExp(`^${known} +\\w`))),
    );
  });

  it.each([
    ["unknwon-key", 'There is no code "unknwon-key"; did you mean unknown-key'],
    ["Unknown-Key", "unknown-key"],
    ["toString", 'There is no code "toString".\n'],
    ["\u001b[2J", 'There is no code "\\u001b[2J".\n'],
  ])("rejects %j, which is not a code", async (text, message) => {
    const { code, out, err } = await graphloom(workplace(), `explain ${text}`);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(message);
    expect(err).toContain("graphloom explain lists all codes.\n");
  });
});
