import { expect, test } from "vitest";
import { ensNamesOf } from "../../../src/runtime/ens/ens-names.js";
import { EnsNamesError, readEnsNames } from "../../../src/runtime/ens/read-ens-names.js";

const hash = `0x${"ab".repeat(32)}`;

async function read(lines: readonly string[]): Promise<readonly (readonly [string, string])[]> {
  const found: [string, string][] = [];
  const all = (async function* () {
    yield* lines;
  })();
  for await (const one of readEnsNames(all)) found.push([one.hash, one.name]);
  return found;
}

test("the table reads a table with a hash and a name on each line", async () => {
  const names = ["eth", "a,b", '"a,b ""c"""', "ü 😀", 'say "hi"', ' "x" '];
  expect(await read(["hash,name", ...names.map((name) => `${hash},${name}`), "", " "])).toEqual([
    ...["eth", "a,b", 'a,b "c"', "ü 😀", 'say "hi"', ' "x"'].map((name) => [hash, name]),
  ]);
  expect(await read([` 0x${"AB".repeat(32)} ,eth`])).toEqual([[hash, "eth"]]);
});

test.each([
  [["eth"], "line 1 does not start with a hash"],
  [[`${hash},eth`, "hash,name"], "line 2 does not start with a hash"],
  [[`${hash.slice(2)},eth`], "line 1 does not start with a hash (0x and 64 hex digits) and a comma"],
  [[`${hash}\teth`], "line 1 does not start with a hash"],
  [["", `${hash},`], "line 2 has no name"],
  [[`${hash},""`], "line 1 has no name"],
  [[`${hash},a\0b`], "line 1 has no name"],
])("the table refuses %j as a table of names", async (lines, message) => {
  await expect(read(lines)).rejects.toThrow(EnsNamesError);
  await expect(read(lines)).rejects.toThrow(message);
});

test("the table finds names in memory as written, and returns undefined for an empty table", async () => {
  const names = ensNamesOf(new Map([[hash, "eth"]]));
  expect(await Promise.all([hash, hash.toUpperCase(), "x"].map((one) => names.lookUp(one)))).toEqual([
    "eth",
    null,
    null,
  ]);
  expect(await ensNamesOf(new Map()).lookUp(hash)).toBeUndefined();
});
