import { expect, test } from "vitest";
import { Preloads } from "../../../src/store/entities/preloads.js";

/** Preloads of a store whose reads end when a test says so. */
function heldPreloads(fails = false) {
  const known = new Map<string, string>();
  const reads: { readonly ids: readonly string[]; readonly end: () => Promise<void> }[] = [];
  const preloads = new Preloads<string>({
    isUnknown: (type, id) => !known.has(`${type} ${id}`),
    read: (type, ids) =>
      new Promise((resolve, reject) => {
        const end = async () => {
          if (fails) reject(new Error("the database is away"));
          else resolve(new Map(ids.map((id) => [id, `${type} ${id} as read`])));
          await settled();
        };
        reads.push({ ids, end });
      }),
    keep: (type, id, value) => known.set(`${type} ${id}`, value),
  });
  return { preloads, known, reads };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("ids that are announced during a read are read together afterwards", async () => {
  const { preloads, known, reads } = heldPreloads();
  preloads.expect("T", "a");
  await settled();
  for (const id of ["b", "c", "b", "a"]) preloads.expect("T", id);
  preloads.expect("U", "d");
  await reads[0]?.end();
  await reads[1]?.end();
  await reads[2]?.end();
  expect(reads.map(({ ids }) => ids)).toEqual([["a"], ["b", "c"], ["d"]]);
  expect([...known.keys()]).toEqual(["T a", "T b", "T c", "U d"]);
  preloads.expect("T", "a");
  await settled();
  expect(reads).toHaveLength(3);
});

test("an entity that is written during its read keeps what was written", async () => {
  const { preloads, known, reads } = heldPreloads();
  preloads.expect("T", "a");
  await settled();
  known.set("T a", "written");
  preloads.written("T", "a");
  // The store has written it and forgotten it since.
  known.delete("T a");
  await reads[0]?.end();
  expect(known.has("T a")).toBe(false);
});

test("a reader waits for a read under way instead of starting its own", async () => {
  const { preloads, known, reads } = heldPreloads();
  preloads.expect("T", "a");
  await settled();
  const others = preloads.settle("T", ["b"]);
  await others;
  const own = preloads.settle("T", ["b", "a"]).then(() => known.get("T a"));
  await reads[0]?.end();
  expect(await own).toBe("T a as read");
});

test("nothing is kept of a read that was under way when the store was reverted", async () => {
  const { preloads, known, reads } = heldPreloads();
  preloads.expect("T", "a");
  await settled();
  preloads.expect("T", "b");
  preloads.clear();
  await reads[0]?.end();
  expect([...known]).toEqual([]);
  expect(reads).toHaveLength(1);
});

test("a failed read leaves its entities unknown, and later ones are read", async () => {
  const { preloads, known, reads } = heldPreloads(true);
  preloads.expect("T", "a");
  await settled();
  const waiting = preloads.settle("T", ["a"]);
  await reads[0]?.end();
  await waiting;
  preloads.expect("T", "a");
  await settled();
  expect(known.size).toBe(0);
  expect(reads.map(({ ids }) => ids)).toEqual([["a"], ["a"]]);
});

test("no more ids wait than are worth reading ahead", async () => {
  const { preloads, reads } = heldPreloads();
  for (let id = 0; id < 30_000; id++) preloads.expect("T", String(id));
  for (let read = 0; read < reads.length || read === 0; read++) {
    await settled();
    await reads[read]?.end();
  }
  const all = reads.flatMap(({ ids }) => ids);
  expect(Math.max(...reads.map(({ ids }) => ids.length))).toBe(2_000);
  expect(all.length).toBeLessThanOrEqual(10_001);
});
