import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { everything } from "../../compiler/write/harness.js";
import { plant } from "../../support/folder.js";
import { config, graphloom, workplace } from "../harness.js";

const { abis } = JSON.parse(config());
const unused = { type: "function", name: "unused", inputs: [], outputs: [], stateMutability: "view" };
/** The user's own ABI; the subgraph keeps only part of it. */
const whole = JSON.stringify([...abis.Token, unused]);
const reading = config({ abis: { Token: { path: "abis/Token.json" } } });
const address = `0x${"0".repeat(38)}a1`;

describe("a folder that holds files that the command reads", () => {
  it.each([
    ["compile", "compile s.json --out ."],
    ["subgraph init", "subgraph init --from-config s.json --target-path ."],
    [
      "subgraph init with options",
      `subgraph init pools --abi abis/Token.json --contract ${address} --network mainnet --target-path .`,
    ],
  ])("%s does not overwrite a file that it reads, with or without --force", async (_, line) => {
    const cwd = workplace({ "s.json": reading, "abis/Token.json": whole });
    const before = everything(cwd);
    for (const command of [line, `${line} --force`]) {
      const { code, out, err } = await graphloom(cwd, command);
      expect([code, out]).toEqual([1, ""]);
      expect(err).toContain(
        ". contains 1 file that this run has read and would overwrite:\n" +
          "  abis/Token.json\n" +
          "Nothing was written, and --force does not change that. Write to a different folder.\n",
      );
      expect(everything(cwd)).toEqual(before);
    }
  });

  it("compile --check does not suggest a command that would be refused", async () => {
    const cwd = workplace({ "s.json": reading, "abis/Token.json": whole });
    const { code, err } = await graphloom(cwd, "compile s.json --out . --check");
    expect(code).toBe(1);
    expect(err).not.toContain("--force");
    expect(err).toContain(
      "This run has read abis/Token.json there, and never overwrites what it has read. Pass a different folder to --out.\n",
    );
  });

  it("compile does not overwrite a configuration named subgraph.yaml, also with a cache", async () => {
    const cwd = workplace({ "abis/Token.json": whole, "subgraph.yaml": reading });
    const before = everything(cwd);
    const env = { GRAPHLOOM_CACHE: workplace() };
    for (let run = 0; run < 2; run++) {
      const { code, err } = await graphloom(cwd, "compile subgraph.yaml --out . --force", { env });
      expect(code).toBe(1);
      expect(err).toContain("2 files that this run has read and would overwrite:\n");
      expect(err).toContain("  subgraph.yaml\n");
      expect(everything(cwd)).toEqual(before);
    }
  });

  it("compile writes to the folder when no file names collide", async () => {
    const cwd = workplace({ "s.json": config({ abis: { Token: { path: "mine/Token.json" } } }) });
    plant(cwd, { "mine/Token.json": whole });
    for (const again of ["", " --force"])
      expect(await graphloom(cwd, `compile s.json --out .${again}`)).toMatchObject({ code: 0, err: "" });
    expect(everything(cwd)).toHaveProperty(["mine/Token.json"], whole);
    expect(everything(join(cwd, "abis"))["Token.json"]).not.toBe(whole);
  });
});
