import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { encodeLike } from "../../../src/compiler/fix/edited-config.js";
import { replaceFile } from "../../../src/machine/files/replace-file.js";
import { testFolder } from "../../support/folder.js";

let folder = "";
beforeEach(() => {
  folder = testFolder({ "c.json": "old" });
});
afterEach(() => chmodSync(folder, 0o755));

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const replace = (name: string, before = "old") =>
  replaceFile(join(folder, name), bytes(before), bytes("new"));

test.each([0o644, 0o600, 0o755, 0o666])("replaceFile keeps the mode %o", async (mode) => {
  chmodSync(join(folder, "c.json"), mode);
  expect(await replace("c.json")).toEqual({ kind: "replaced" });
  expect(readFileSync(join(folder, "c.json"), "utf8")).toBe("new");
  expect(statSync(join(folder, "c.json")).mode & 0o777).toBe(mode);
  expect(readdirSync(folder)).toEqual(["c.json"]);
});

test("a link stays a link, and the file behind it changes", async () => {
  symlinkSync("c.json", join(folder, "link.json"));
  expect(await replace("link.json")).toEqual({ kind: "replaced" });
  expect([readlinkSync(join(folder, "link.json")), lstatSync(join(folder, "c.json")).isFile()]).toEqual([
    "c.json",
    true,
  ]);
  expect(readFileSync(join(folder, "c.json"), "utf8")).toBe("new");
});

test.each([
  ["a read-only file", () => chmodSync(join(folder, "c.json"), 0o444), "it is read-only"],
  ["a file that was removed", () => rmSync(join(folder, "c.json")), "it was removed in the meantime"],
  [
    "a file that is another by now",
    () => writeFileSync(join(folder, "c.json"), "other"),
    "it was changed by another program in the meantime",
  ],
])("%s stays unchanged", async (_, change, reason) => {
  change();
  const held = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  expect(await replace("c.json")).toEqual({ kind: "failed", reason });
  expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"))).toEqual(held);
});

// Root can write to any folder.
test.skipIf(process.getuid?.() === 0)("a read-only folder stays unchanged", async () => {
  chmodSync(folder, 0o555);
  expect(await replace("c.json")).toEqual({
    kind: "failed",
    reason: "its folder does not allow a new file beside it",
  });
});

test("replaceFile rejects a name too long for a temporary file beside it", async () => {
  const name = "n".repeat(250);
  writeFileSync(join(folder, name), "old");
  expect(await replace(name)).toMatchObject({ kind: "failed", reason: expect.stringContaining("too long") });
  expect(readFileSync(join(folder, name), "utf8")).toBe("old");
  expect(readdirSync(folder).length).toBe(2);
});

test("replaceFile keeps a byte order mark", () => {
  expect(encodeLike(bytes("\ufeffold"), "new")).toEqual(bytes("\ufeffnew"));
  expect(encodeLike(bytes("old"), "new")).toEqual(bytes("new"));
});
