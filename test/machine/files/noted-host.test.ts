import { join } from "node:path";
import { expect, it } from "vitest";
import { createNodeHost } from "../../../src/machine/files/host.js";
import { noteReads } from "../../../src/machine/files/noted-host.js";
import { testFolder } from "../../support/folder.js";

it("a noted host remembers only files whose bytes were read", async () => {
  const cwd = testFolder({ "a.json": "[]", "large.json": "[1, 2]" });
  async function* text() {
    yield "{}";
  }
  const host = noteReads(createNodeHost({ cwd, stdin: text() }), cwd);
  for (const path of ["x/../a.json", "none.json", "large.json", ".", "-"]) await host.readFile(path, 4);
  expect([...host.inputs]).toEqual([join(cwd, "a.json"), "/dev/stdin"]);
});
