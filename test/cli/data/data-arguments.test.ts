import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { graphloom, workplace } from "../harness.js";

it.each([
  ["", "It is empty."],
  ["chain,token\nethereum,0x1\n", 'Line 2: token must be an address, 0x and 40 hex digits, not "0x1".'],
])("data import names the mistake in a file, and makes no database for it: %j", async (text, fault) => {
  const cwd = workplace({ "tokens.csv": text });
  const { code, out, err } = await graphloom(cwd, "data import tokens.csv --data platform");
  expect([code, out]).toEqual([1, ""]);
  expect(err).toBe(`tokens.csv cannot be imported, and nothing was written. ${fault}\n`);
  expect(readdirSync(cwd)).toEqual(["tokens.csv"]);
});

it("data sync refuses a last block before the first one, and makes no database", async () => {
  const cwd = workplace();
  const { code, err } = await graphloom(cwd, "data sync --chains anvil --from 5 --to 3 --data platform");
  expect(code).toBe(2);
  expect(err).toContain("--to must not be before --from.");
  expect(readdirSync(cwd)).toEqual([]);
});
