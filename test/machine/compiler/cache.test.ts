import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createNodeCache, type NodeCache } from "../../../src/machine/compiler/cache.js";
import { tallyName } from "../../../src/machine/compiler/cache-entries.js";
import { testFolder } from "../../support/folder.js";

const bytes = (length: number, fill = 7): Uint8Array => new Uint8Array(length).fill(fill);

/** The files of all entries. */
function entryFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /^[0-9a-f]{2}\/[0-9a-f]{62}$/.test(path))
    .map((path) => join(folder, path));
}

/** A cache with one entry, and the path of the entry. */
async function oneEntry(): Promise<{ cache: NodeCache; folder: string; file: string }> {
  const folder = join(testFolder(), "graphloom");
  const cache = createNodeCache({ folder });
  await cache.put("key", bytes(100));
  const [file] = entryFiles(folder);
  if (!file) throw new Error("there is no entry");
  return { cache, folder, file };
}

/** Makes an entry look as if it was last used some minutes ago. */
function usedBefore(file: string, minutes: number): void {
  const then = new Date(Date.now() - minutes * 60_000);
  utimesSync(file, then, then);
}

describe("a cache on the disk", () => {
  it("returns the stored bytes, also to another process, and no other entry", async () => {
    const { cache, folder } = await oneEntry();
    expect(await cache.get("key")).toEqual(Buffer.from(bytes(100)));
    expect(await createNodeCache({ folder }).get("key")).toEqual(Buffer.from(bytes(100)));
    expect(await cache.get("other")).toBeUndefined();
    await cache.put("key", bytes(3));
    expect((await cache.get("key"))?.length).toBe(3);
  });

  it("is private to its owner", async () => {
    const { folder, file } = await oneEntry();
    const modes = [folder, dirname(file), file].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o700, 0o700, 0o600]);
    expect(readFileSync(join(folder, "CACHEDIR.TAG"), "utf8")).toMatch(
      /^Signature: 8a477f597d28d172789f06886806bc55/,
    );
  });

  it("leaves no files but entries", async () => {
    const { folder } = await oneEntry();
    const names = readdirSync(folder).filter((name) => !/^[0-9a-f]{2}$/.test(name));
    expect(names.sort()).toEqual(["CACHEDIR.TAG", tallyName]);
  });

  it.each<[string, (file: string) => void]>([
    ["changed", (file) => writeFileSync(file, readFileSync(file).fill(8, 100))],
    ["cut off", (file) => truncateSync(file, 60)],
    ["empty", (file) => truncateSync(file, 0)],
    ["not one of ours", (file) => writeFileSync(file, "hello")],
  ])("removes an entry that is %s, and treats it as missing", async (_, damage) => {
    const { cache, file } = await oneEntry();
    damage(file);
    expect(await cache.get("key")).toBeUndefined();
    expect(existsSync(file)).toBe(false);
  });

  it("does not take one entry for another", async () => {
    const { cache, folder, file } = await oneEntry();
    await cache.put("other", bytes(5));
    const other = entryFiles(folder).find((path) => path !== file) as string;
    renameSync(other, file);
    expect(await cache.get("key")).toBeUndefined();
  });

  it("does not use a folder that everyone can write to", async () => {
    const { folder } = await oneEntry();
    chmodSync(folder, 0o777);
    const told: string[] = [];
    const cache = createNodeCache({ folder, onTrouble: (message) => told.push(message) });
    expect(await cache.get("key")).toBeUndefined();
    await cache.put("other", bytes(1));
    expect(entryFiles(folder).length).toBe(1);
    expect(told).toEqual([`the cache in ${folder} cannot be used (writable by everyone)`]);
  });
});

describe("an unusable disk", () => {
  it.each<[string, (folder: string) => string, string]>([
    ["a file in its place", (folder) => join(folder, "file"), "ENOTDIR"],
    ["a file above it", (folder) => join(folder, "file/x"), "ENOTDIR"],
    ["a file system without write access", () => "/proc/graphloom", "ENOENT"],
  ])("the cache keeps nothing and fails nothing: %s", async (_, make, code) => {
    const told: string[] = [];
    const within = testFolder();
    writeFileSync(join(within, "file"), "");
    const folder = make(within);
    const cache = createNodeCache({ folder, onTrouble: (message) => told.push(message) });
    await cache.put("key", bytes(1));
    await cache.put("key", bytes(1));
    expect(await cache.get("key")).toBeUndefined();
    expect(told).toEqual([`the cache in ${folder} cannot be used (${code})`]);
  });

  it("the cache leaves nothing of an entry that cannot be put in place", async () => {
    const { cache, folder, file } = await oneEntry();
    rmSync(file);
    mkdirSync(join(file, "in the way"), { recursive: true });
    await cache.put("key", bytes(10));
    expect(await cache.get("key")).toBeUndefined();
    expect(readdirSync(folder).filter((name) => name.startsWith("draft-"))).toEqual([]);
  });

  it("the cache leaves no part of an entry on a full disk", async () => {
    if (!existsSync("/dev/full")) return;
    const { cache, folder } = await oneEntry();
    // The tally is written last.
    rmSync(join(folder, tallyName));
    symlinkSync("/dev/full", join(folder, tallyName));
    await cache.put("other", bytes(10));
    expect(await cache.get("key")).toEqual(Buffer.from(bytes(100)));
    expect(readdirSync(folder).filter((name) => name.startsWith("draft-"))).toEqual([]);
  });
});

describe("a cache that is full", () => {
  const limit = 10 * 4096;

  it("evicts the least recently used entries until it is below the limit", async () => {
    const folder = testFolder();
    const cache = createNodeCache({ folder, limit });
    for (let index = 0; index < 10; index++) {
      await cache.put(`key ${index}`, bytes(4000, index));
      const newest = entryFiles(folder).toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
      if (newest) usedBefore(newest, 100 - index);
    }
    expect((await cache.measure()).entries).toBe(10);
    // It is used again, so it is no longer the oldest.
    await cache.get("key 0");
    await cache.put("key 10", bytes(4000));
    const kept = await Promise.all(
      [...Array(11).keys()].map(async (index) => (await cache.get(`key ${index}`))?.[0]),
    );
    expect(kept).toEqual([0, undefined, undefined, undefined, 4, 5, 6, 7, 8, 9, 7]);
    expect((await cache.measure()).bytes).toBeLessThanOrEqual(limit);
  });

  it("stays within its limit after any number of entries", async () => {
    const folder = testFolder();
    const cache = createNodeCache({ folder, limit });
    for (let index = 0; index < 60; index++) {
      await cache.put(`key ${index % 25}`, bytes(((index * 997) % 9000) + 1));
      const blocks = entryFiles(folder).reduce((sum, path) => sum + Math.ceil(statSync(path).size / 4096), 0);
      expect(blocks * 4096).toBeLessThanOrEqual(limit);
    }
  });

  it("counts its entries again when the tally is lost", async () => {
    const folder = testFolder();
    const cache = createNodeCache({ folder, limit });
    for (let index = 0; index < 8; index++) await cache.put(`key ${index}`, bytes(4000));
    rmSync(join(folder, tallyName));
    await cache.put("key 8", bytes(4000));
    expect(statSync(join(folder, tallyName)).size).toBe(9);
  });

  it("does not store an entry larger than its limit", async () => {
    const folder = testFolder();
    const cache = createNodeCache({ folder, limit });
    await cache.put("small", bytes(10));
    await cache.put("large", bytes(limit));
    expect([await cache.get("large"), (await cache.get("small"))?.length]).toEqual([undefined, 10]);
  });

  it("removes the drafts of dead processes, but not those being written", async () => {
    const folder = testFolder();
    const [old, recent] = ["draft-0123456789abcdef", "draft-fedcba9876543210"].map((name) =>
      join(folder, name),
    ) as [string, string];
    for (const path of [old, recent]) writeFileSync(path, "x");
    usedBefore(old, 90);
    await createNodeCache({ folder, limit }).put("key", bytes(1));
    expect([existsSync(old), existsSync(recent)]).toEqual([false, true]);
  });
});

describe("clearing the cache", () => {
  it("removes the entries, reports how many, and leaves a usable cache", async () => {
    const { cache, folder } = await oneEntry();
    await cache.put("other", bytes(200));
    const content = await cache.measure();
    expect(content).toEqual({ entries: 2, bytes: 300 + 2 * 56 });
    expect(await cache.clear()).toEqual(content);
    expect(readdirSync(folder)).toEqual(["CACHEDIR.TAG"]);
    expect(await cache.measure()).toEqual({ entries: 0, bytes: 0 });
    await cache.put("key", bytes(1));
    expect((await cache.get("key"))?.length).toBe(1);
  });

  it("finds nothing in an empty place", async () => {
    const cache = createNodeCache({ folder: join(testFolder(), "none") });
    expect(await cache.clear()).toEqual({ entries: 0, bytes: 0 });
  });

  it("leaves foreign files, and does not follow links", async () => {
    const { cache, folder, file } = await oneEntry();
    const outside = testFolder();
    const entry = "0".repeat(62);
    writeFileSync(join(outside, entry), "mine");
    const mine = [
      join(folder, "notes.txt"),
      join(dirname(file), "notes.txt"),
      join(dirname(file), `${entry}.bak`),
      join(folder, "draft-notes"),
    ];
    for (const path of mine) writeFileSync(path, "mine");
    mkdirSync(join(folder, "zz"));
    writeFileSync(join(folder, "zz", entry), "mine");
    const link = readdirSync(folder).includes("00") ? "01" : "00";
    symlinkSync(outside, join(folder, link));
    symlinkSync(join(outside, entry), join(dirname(file), "1".repeat(62)));
    expect((await cache.clear()).entries).toBe(1);
    for (const path of [...mine, join(folder, "zz", entry), join(outside, entry)])
      expect(readFileSync(path, "utf8")).toBe("mine");
    expect(existsSync(file)).toBe(false);
  });

  it("removes and writes nothing behind a link in place of one of its folders", async () => {
    const { cache, file } = await oneEntry();
    const outside = testFolder();
    const drawer = dirname(file);
    const moved = join(outside, "drawer");
    renameSync(drawer, moved);
    symlinkSync(moved, drawer);
    const name = readdirSync(moved)[0] as string;
    writeFileSync(join(moved, name), "damaged");
    expect(await cache.get("key")).toBeUndefined();
    await cache.put("key", bytes(1));
    expect(readFileSync(join(moved, name), "utf8")).toBe("damaged");
    await cache.clear();
    expect(readdirSync(moved)).toEqual([name]);
  });

  it("treats a link in place of an entry as damage", async () => {
    const { cache, file } = await oneEntry();
    const elsewhere = join(testFolder(), "entry");
    renameSync(file, elsewhere);
    symlinkSync(elsewhere, file);
    expect(await cache.get("key")).toBeUndefined();
    expect([existsSync(file), existsSync(elsewhere)]).toEqual([false, true]);
  });
});
