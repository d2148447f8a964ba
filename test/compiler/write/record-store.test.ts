import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { RecordStore } from "../../../src/compiler/write/record.js";
import { writeProject } from "../../../src/compiler/write/write-project.js";
import { plant, testFolder } from "../../support/folder.js";
import { everything, files } from "./harness.js";

const FIRST = { "subgraph.yaml": "one", "Tok/Tok.wasm": "t", "Old/Old.json": "o" };
const SECOND = { "subgraph.yaml": "two", "Tok/Tok.wasm": "t" };

/** A record in memory, with all texts that were put. */
function memory(): RecordStore & { readonly texts: string[] } {
  const texts: string[] = [];
  return {
    texts,
    get: async () => texts.at(-1),
    put: async (text) => {
      texts.push(text);
    },
  };
}

describe("a target whose record is elsewhere", () => {
  test("contains only its files, and loses files that are no longer generated", async () => {
    const target = join(testFolder(), "build");
    const record = memory();
    await writeProject(target, files(FIRST), { force: true, record });
    expect(everything(target)).toEqual(FIRST);
    const result = await writeProject(target, files(SECOND), { force: true, record });
    expect(result).toMatchObject({ kind: "written", removed: ["Old/Old.json"] });
    expect(everything(target)).toEqual(SECOND);
  });

  test("keeps what it cannot know when the record is lost", async () => {
    const target = join(testFolder(), "build");
    await writeProject(target, files(FIRST), { force: true, record: memory() });
    await writeProject(target, files(SECOND), { force: true, record: memory() });
    expect(everything(target)).toEqual({ ...FIRST, ...SECOND });
  });

  test("gives up a record that an earlier version left in it", async () => {
    const target = join(testFolder(), "build");
    await writeProject(target, files(FIRST), { force: true });
    expect(existsSync(join(target, ".graphloom"))).toBe(true);
    const record = memory();
    await writeProject(target, files(FIRST), { force: true, record });
    expect(everything(target)).toEqual(FIRST);
    await writeProject(target, files(SECOND), { force: true, record });
    expect(everything(target)).toEqual(SECOND);
  });

  test("loses the files of a run that died after it had committed", async () => {
    const target = join(testFolder(), "build");
    const record = memory();
    await writeProject(target, files(FIRST), { force: true, record });
    await writeProject(target, files({ ...SECOND, "New/New.json": "n" }), { force: true, record });
    // The run died before its last record, and before it had removed anything.
    record.texts.pop();
    plant(target, { "Old/Old.json": "o" });
    await writeProject(target, files(SECOND), { force: true, record });
    expect(everything(target)).toEqual(SECOND);
  });
});
