import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeProject } from "../../../src/compiler/write/write-project.js";
import { testFolder } from "../../support/folder.js";

test("the writer replaces two thousand files", async () => {
  const target = testFolder();
  const version = (text: string) =>
    new Map(Array.from({ length: 2000 }, (_, n) => [`src/d${n % 40}/f${n}.ts`, text.repeat(500)]));
  await writeProject(target, version("a"), { force: false });
  expect(await writeProject(target, version("b"), { force: true })).toMatchObject({ kind: "written" });
  expect(readFileSync(join(target, "src/d0/f0.ts"), "utf8")).toBe("b".repeat(500));
});
