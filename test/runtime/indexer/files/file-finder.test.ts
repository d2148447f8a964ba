import { describe, expect, test } from "vitest";
import { ChainError } from "../../../../src/runtime/chain/chain.js";
import type { Files } from "../../../../src/runtime/files/files.js";
import { FileFinder } from "../../../../src/runtime/indexer/files/file-finder.js";

function finderOf(
  files: Files | undefined,
  patience = 0,
  waits: number[] = [],
  now: () => number = () => 0,
): FileFinder {
  const pause = async (milliseconds: number): Promise<void> => void waits.push(milliseconds);
  return new FileFinder({ files, patience, pause, chance: () => 0, now });
}

/** Paths of files that a block needs and waits for the first time. */
const awaited = (...paths: string[]): ReadonlyMap<string, boolean> =>
  new Map(paths.map((path) => [path, true]));

/** Resolves after everything that needs no timer has happened. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("the file finder", () => {
  test("looks for files less and less often", async () => {
    const asked: number[] = [];
    let block = 0;
    const finder = finderOf({ read: async () => void asked.push(block) as undefined });
    for (; block < 300; block++) {
      finder.nextBlock();
      await finder.look(awaited("a"));
      await settled();
    }
    expect(asked).toEqual([0, 2, 6, 14, 30, 62, 126, 190, 254]);
  });

  test("looks for files by the clock when blocks are far apart", async () => {
    const asked: number[] = [];
    let seconds = 0;
    const read = async (): Promise<undefined> => void asked.push(seconds);
    const finder = finderOf({ read }, 0, [], () => seconds * 1_000);
    for (; seconds < 240; seconds += 12) {
      finder.nextBlock();
      await finder.look(awaited("a"));
      await settled();
    }
    expect(asked).toEqual([0, 12, 24, 36, 60, 96, 132, 168, 204]);
  });

  test("returns a file in the block after it was found, and forgets unwanted files", async () => {
    const contents: (Uint8Array | undefined)[] = [undefined, new Uint8Array([1]), undefined];
    const finder = finderOf({ read: async () => contents.shift() });
    for (let block = 0; block < 3; block++) {
      finder.nextBlock();
      await finder.look(awaited("a"));
      await settled();
    }
    expect(finder.content("a")).toEqual(new Uint8Array([1]));
    await finder.look(awaited());
    expect(finder.content("a")).toBeUndefined();
  });

  test("requests a few files at a time, each once, and waits only briefly at first", async () => {
    let [now, most] = [0, 0];
    const asked: [string, number | undefined][] = [];
    const finder = finderOf({
      async read(path, milliseconds) {
        asked.push([path, milliseconds]);
        now += 1;
        most = Math.max(most, now);
        await settled();
        now -= 1;
        return undefined;
      },
    });
    const paths = Array.from({ length: 50 }, (_, index) => `file ${index}`);
    finder.nextBlock();
    await finder.look(awaited(...paths));
    expect(asked).toEqual(paths.map((path) => [path, 2_000]));
    for (let block = 0; block < 2; block++) finder.nextBlock();
    await finder.look(awaited(...paths));
    expect(asked.slice(50)).toEqual(paths.slice(0, 20).map((path) => [path, undefined]));
    expect(most).toBe(20);
  });

  test("does not wait for files of earlier blocks", async () => {
    const finder = finderOf({ read: async () => new Uint8Array([1]) });
    await finder.look(new Map([["a", false]]));
    await settled();
    expect(finder.content("a")).toEqual(new Uint8Array([1]));
    const never = finderOf({ read: () => new Promise(() => undefined) });
    await never.look(new Map([["a", false]]));
    expect(never.content("a")).toBeUndefined();
  });

  test("finds files later when the gateway cannot be reached now", async () => {
    let isAway = true;
    const read = async (): Promise<Uint8Array> => {
      if (isAway) throw new ChainError("away");
      return new Uint8Array([7]);
    };
    const waits: number[] = [];
    const finder = finderOf({ read }, 1_000, waits);
    await finder.look(awaited("a"));
    await finder.wait(["a"]);
    expect(waits).toEqual([125, 250, 500]);
    // The patience is for the whole run.
    isAway = false;
    await finder.wait(["a"]);
    expect(finder.content("a")).toEqual(new Uint8Array([7]));
    await finder.wait(["b"]);
    expect(finder.content("b")).toBeUndefined();
    expect(waits).toEqual([125, 250, 500, 125]);
  });

  test("throws when no gateway is set, and passes on unexpected errors", async () => {
    await expect(finderOf(undefined).look(awaited("a"))).rejects.toThrow("Pass one with --ipfs <address>");
    let times = 0;
    const read = async (): Promise<undefined> => {
      times += 1;
      if (times > 1) throw new TypeError("broken");
      return undefined;
    };
    const finder = finderOf({ read });
    await finder.look(awaited("a"));
    for (let block = 0; block < 2; block++) finder.nextBlock();
    await finder.look(awaited("a"));
    await settled();
    await expect(finder.look(awaited("a"))).rejects.toThrow("broken");
  });
});
