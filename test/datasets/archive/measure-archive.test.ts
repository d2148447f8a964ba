import { describe, expect, it } from "vitest";
import { ChainArchive } from "../../../src/datasets/archive/chain-archive.js";
import { countWrites } from "../../../src/datasets/archive/counted-writes.js";
import { ArchiveMeasure } from "../../../src/datasets/archive/measure-archive.js";
import { overlayOn } from "../../../src/datasets/archive/overlay-files.js";
import { filter, madeBlock, madeLogs } from "../../support/archive/made-chain.js";
import { MemoryArchiveFiles } from "../../support/archive/memory-files.js";

const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();

describe("overlayOn", () => {
  it("reads what was written, and does not change the archive below", async () => {
    const below = new MemoryArchiveFiles();
    await below.append("list", "one\n");
    await below.write("file", new Uint8Array([1]));
    const before = below.copy().content;
    const overlay = overlayOn(below);
    await Promise.all([overlay.append("list", "two\n"), overlay.append("list", "three\n")]);
    await overlay.write("file", new Uint8Array([2, 3]));
    await overlay.write("new", new Uint8Array([4]));
    expect(text(await overlay.read("list"))).toBe("one\ntwo\nthree\n");
    expect(await overlay.read("file")).toEqual(new Uint8Array([2, 3]));
    expect([...overlay.changed.keys()].sort()).toEqual(["file", "list", "new"]);
    expect(await overlay.list("")).toEqual(["file", "list", "new"]);
    expect(await overlay.facts("file")).toMatchObject({ bytes: 2 });
    await overlay.remove("file");
    expect([await overlay.read("file"), await overlay.facts("file")]).toEqual([undefined, undefined]);
    expect(await overlay.list("")).toEqual(["list", "new"]);
    expect([await overlay.rename("list", "other"), await overlay.rename("none", "other")]).toEqual([
      true,
      false,
    ]);
    expect(await overlay.list("")).toEqual(["new", "other"]);
    expect(below.content).toEqual(before);
  });
});

describe("countWrites", () => {
  it("counts the bytes that were added, minus the removed and replaced ones", async () => {
    const files = countWrites(new MemoryArchiveFiles());
    await files.write("a", new Uint8Array(10));
    await files.append("b", "zwölf");
    expect([files.growth, text(await files.read("b"))]).toEqual([16, "zwölf"]);
    await files.write("a", new Uint8Array(4));
    expect(files.growth).toBe(10);
    await files.rename("a", "b");
    expect(files.growth).toBe(4);
    await files.remove("b");
    expect(files.growth).toBe(0);
  });
});

/** An archive with blocks and logs of a range of a made chain. */
async function archived(from: number, to: number) {
  const files = overlayOn(new MemoryArchiveFiles());
  const archive = await ChainArchive.open({ files, folder: "1", chainId: "1" });
  for (let number = from; number <= to; number += 1) await archive.addBlock(madeBlock(number));
  await archive.addLogs({ from, to }, filter, "bloom", madeLogs(from, to));
  await archive.flush();
  return files;
}

function bytesIn(files: { readonly changed: ReadonlyMap<string, Uint8Array> }, folder: RegExp): number {
  return [...files.changed].reduce((sum, [path, bytes]) => sum + (folder.test(path) ? bytes.length : 0), 0);
}

describe("ArchiveMeasure", () => {
  it("estimates from small samples how large a segment with many rows is", async () => {
    const measure = new ArchiveMeasure("1");
    for (let from = 0; from < 400; from += 100) await measure.add(await archived(from, from + 19), "1");
    const { fixed, rows } = await measure.measure();
    expect(rows).toHaveLength(4);
    const real = await archived(0, 399);
    const share = 400 / (4 * 20);
    const sum = (kind: "blocks" | "logs"): number => rows.reduce((total, row) => total + row[kind], 0);
    for (const [kind, folder] of [
      ["blocks", /\/(blocks|transactions)\//],
      ["logs", /\/(logs|claims)\//],
    ] as const) {
      const ratio = (fixed[kind] + sum(kind) * share) / bytesIn(real, folder);
      expect(ratio, kind).toBeGreaterThan(0.8);
      expect(ratio, kind).toBeLessThan(1.25);
    }
    expect(fixed.answers).toBe(0);
  });
});
