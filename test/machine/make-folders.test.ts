import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

it("no file uses the recursive mkdir of node:fs/promises, which reports a full disk as a missing folder", () => {
  const root = join(import.meta.dirname, "../../src");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".ts"),
  );
  const wrong = files.filter((path) =>
    /\bmkdir\([^;]*recursive/.test(readFileSync(join(root, path), "utf8")),
  );
  expect(wrong).toEqual([]);
});
