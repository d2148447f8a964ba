import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { graphloom, workplace } from "./harness.js";
import { command } from "./process.js";

it("the shipped program prints the same English in every locale", async () => {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  const env = { LC_ALL: "de_DE.UTF-8", LANGUAGE: "de" };
  expect(await command(["--version"], { env })).toEqual({ code: 0, out: `${version}\n`, err: "" });
  const { out } = await graphloom(workplace(), "compile --help");
  expect((await command(["compile", "--help"], { env })).out).toBe(out);
  const { err } = await graphloom(workplace(), "compile c.json --out");
  expect((await command(["compile", "c.json", "--out"], { env })).err).toBe(err);
});
