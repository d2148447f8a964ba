import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { openFileState, readFileState } from "../../../src/pipelines/machine/state/open-file-state.js";
import type { WrittenBlock } from "../../../src/pipelines/state/sink-batch.js";
import {
  type KeptBatch,
  type KeptState,
  leastNumber,
  type StateStore,
} from "../../../src/pipelines/state/state-store.js";
import { testFolder } from "../../support/folder.js";
import { thisRun } from "../../support/pipelines/other-run.js";

const columns = [
  { name: "id", type: "STRING", nullable: false },
  { name: "amount", type: "LONG", nullable: true },
] as const;

const owner = { flow: "f", sink: "Out of/here", target: "http://localhost/key-51", columns };

function opened(folder: string, target = owner.target): Promise<StateStore> {
  return openFileState(folder, { ...owner, target });
}

function rows(...ids: readonly string[]): WrittenBlock["rows"] {
  return { count: ids.length, columns: [ids, ids.map((_, index) => (index % 2 ? null : 2n ** 62n))] };
}

/** A batch of one block that may be undone; the blocks before it from `first` on are still open. */
function batch(number: number, first: number, ids: readonly string[], mark = ""): KeptBatch {
  const open = Array.from({ length: number - first + 1 }, (_, index) => ({
    number: first + index,
    hash: `${first + index}${first + index === number ? mark : ""}`,
    rows: rows(`open ${first + index}`),
  }));
  return {
    source: "chain",
    from: number,
    to: number,
    changes: { operations: ids.map(() => "i" as const), rows: rows(...ids) },
    position: { next: number + 1, open },
    ledger: { from: number, to: number, rows: ids.length, sum: 2n ** 127n + BigInt(number) },
  };
}

/** Undoes the last block. */
function undoing(number: number, first: number, ids: readonly string[]): KeptBatch {
  const { position, ...rest } = batch(number, first, ids);
  return { ...rest, position: { next: number, open: position.open.slice(0, -1) }, ledger: undefined };
}

async function kept(folder: string): Promise<KeptState> {
  const state = await opened(folder);
  await state.close();
  return state.kept;
}

function fileOf(folder: string): string {
  const [name = ""] = readdirSync(join(folder, "f")).filter((one) => one.endsWith(".journal"));
  return join(folder, "f", name);
}

it("a state file keeps positions with their open blocks, and the ledger", async () => {
  const folder = testFolder();
  const state = await opened(folder);
  expect(state.kept.positions.size).toBe(0);
  expect(await state.begin([batch(1, 1, ["a", "b"]), batch(2, 1, ["c"])])).toBe(1);
  await state.finish();
  expect(await state.begin([undoing(2, 1, ["c"])])).toBe(4);
  await state.finish();
  expect(await state.begin([batch(2, 2, ["d"], "'")])).toBe(5);
  await state.finish();
  await state.close();
  const again = await opened(folder);
  const last = batch(2, 2, ["d"], "'");
  expect(again.kept.positions).toEqual(new Map([["chain", last.position]]));
  expect(again.ledger("chain")).toEqual([batch(1, 1, ["a", "b"]).ledger, last.ledger]);
  expect(again.kept).toMatchObject({ id: state.kept.id, unfinished: [] });
  expect(await again.begin([])).toBe(6);
  await again.close();
});

it("INV-P4: a state file returns unfinished batches with the same numbers, without rows that have arrived", async () => {
  const folder = testFolder();
  const first = await opened(folder);
  await first.begin([batch(1, 1, ["a", "b"]), batch(2, 1, ["c", "d"])]);
  await first.arrived(3);
  await first.close();
  const second = await opened(folder);
  const { unfinished, positions } = second.kept;
  expect(positions.size).toBe(0);
  expect(unfinished).toEqual([
    { ...batch(1, 1, []), ledger: batch(1, 1, ["a", "b"]).ledger },
    {
      ...batch(2, 1, ["c", "d"]),
      changes: { operations: ["i"], rows: { count: 1, columns: [["d"], [null]] } },
    },
  ]);
  expect(await second.begin(unfinished)).toBe(4);
  // Rows that were refused are left out; the others must not have the numbers of what was sent before.
  expect(await second.begin(unfinished.slice(0, 1))).toBe(5);
  await second.close();
  expect((await kept(folder)).unfinished).toEqual(unfinished.slice(0, 1));
});

it("a state file reuses no number after the state is restored from a backup, except for unfinished batches", async () => {
  const folder = testFolder();
  const run = async (now: number): Promise<StateStore> => openFileState(folder, owner, leastNumber(now));
  const first = await run(1_000);
  expect(await first.begin([batch(1, 1, ["a", "b"])])).toBe(1_000_000);
  await first.finish();
  expect(await first.begin([batch(2, 1, ["c"])])).toBe(1_000_002);
  await first.close();
  const backup = readFileSync(fileOf(folder));
  const second = await run(2_000);
  expect(await second.begin(second.kept.unfinished)).toBe(1_000_002);
  await second.finish();
  expect(await second.begin([batch(3, 1, ["lost"])])).toBe(2_000_000);
  await second.finish();
  await second.close();
  writeFileSync(fileOf(folder), backup);
  const third = await run(3_000);
  expect(await third.begin(third.kept.unfinished)).toBe(1_000_002);
  await third.finish();
  expect(await third.begin([batch(3, 1, ["d"])])).toBe(3_000_000);
  await third.close();
  // A clock that went back does not take numbers back.
  const fourth = await run(500);
  expect(await fourth.begin(fourth.kept.unfinished)).toBe(3_000_000);
  await fourth.finish();
  expect(await fourth.begin([batch(4, 1, ["e"])])).toBe(3_000_001);
  await fourth.close();
});

it("a state file can be read after a crash has cut it anywhere", async () => {
  const folder = testFolder();
  const state = await opened(folder);
  const start = statSync(fileOf(folder)).size;
  const states: KeptState[] = [await keptCopy(folder, start)];
  for (let number = 1; number <= 3; number += 1) {
    await state.begin([batch(number, 1, ["a", `b ${number}`])]);
    states.push(await keptCopy(folder));
    await state.arrived(number * 2);
    states.push(await keptCopy(folder));
    await state.finish();
    states.push(await keptCopy(folder));
  }
  await state.close();
  const all = states.map(textOf);
  const content = readFileSync(fileOf(folder));
  const ends: number[] = [];
  for (let end = start; end > 0; end = content.indexOf("\n", end) + 1) ends.push(end);
  let reached = 0;
  for (const bytes of ends.flatMap((end) => [end, end + 1, end + 30])) {
    const text = textOf(await keptCopy(folder, bytes));
    expect(all.slice(reached), `${bytes} bytes`).toContain(text);
    reached = all.indexOf(text, reached);
  }
  expect(reached).toBe(all.length - 1);
});

function textOf({ positions, unfinished }: KeptState): string {
  return JSON.stringify([[...positions], unfinished], (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );
}

it("a state file continues in a file that a crash has cut at any byte", async () => {
  const folder = testFolder();
  const state = await opened(folder);
  const start = statSync(fileOf(folder)).size;
  await state.begin([batch(1, 1, ["a"]), batch(2, 1, ["b"])]);
  await state.close();
  const content = readFileSync(fileOf(folder));
  for (let end = start; end > 0; end = content.indexOf("\n", end) + 1) {
    const copy = copied(folder, end);
    const again = await opened(copy);
    await again.begin([batch(1, 1, ["c"])]);
    await again.close();
    expect((await kept(copy)).unfinished, `${end} bytes`).toEqual([batch(1, 1, ["c"])]);
  }
});

/** What is read of the first bytes of a file. */
async function keptCopy(folder: string, bytes?: number): Promise<KeptState> {
  return kept(copied(folder, bytes));
}

/** A folder with the first bytes of a file. */
function copied(folder: string, bytes?: number): string {
  const copy = testFolder();
  const path = fileOf(folder);
  mkdirSync(join(copy, "f"));
  writeFileSync(join(copy, "f", path.slice(dirname(path).length + 1)), readFileSync(path).subarray(0, bytes));
  return copy;
}

it("a state file refuses a file that is damaged before its end", async () => {
  const folder = testFolder();
  const state = await opened(folder);
  for (let number = 1; number <= 3; number += 1) {
    await state.begin([batch(number, 1, ["a"])]);
    await state.finish();
  }
  await state.close();
  const path = fileOf(folder);
  const content = readFileSync(path);
  content[content.indexOf("open 1")] = 0x58;
  writeFileSync(path, content);
  await expect(opened(folder)).rejects.toThrow(
    `The saved state of the sink in ${path} cannot be read: line 5 is damaged. Restore the file from a backup, or remove it to start over.`,
  );
});

it("a state file rewrites a file that has grown", async () => {
  const folder = testFolder();
  const state = await opened(folder);
  const wide = "x".repeat(400_000);
  for (let number = 1; number <= 30; number += 1) {
    await state.begin([batch(number, Math.max(1, number - 2), [wide])]);
    await state.finish();
  }
  expect(statSync(fileOf(folder)).size).toBeLessThan(5_000_000);
  await state.begin([batch(31, 30, ["open"])]);
  await state.close();
  const again = await opened(folder);
  expect(again.kept.id).toBe(state.kept.id);
  expect(again.kept.positions.get("chain")).toEqual(batch(30, 28, []).position);
  expect(again.kept.unfinished).toEqual([batch(31, 30, ["open"])]);
  // Blocks that may be undone have entries of their own.
  expect(again.ledger("chain").map(({ from, to }) => [from, to])).toEqual([
    [1, 27],
    [28, 28],
    [29, 29],
    [30, 30],
  ]);
  expect(await again.begin(again.kept.unfinished)).toBe(31);
  await again.close();
});

it("a state file is read while it is open, without creating anything, with entries that were corrected", async () => {
  const folder = testFolder();
  expect(await readFileState(folder, owner)).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
  const state = await opened(folder);
  for (const number of [1, 2, 3]) {
    await state.begin([batch(number, 1, ["a"])]);
    await state.finish();
  }
  const corrected = { from: 2, to: 2, rows: 7, sum: 5n };
  await state.correct("chain", corrected);
  const expected = [batch(1, 1, ["a"]).ledger, corrected, batch(3, 1, ["a"]).ledger];
  expect(state.ledger("chain")).toEqual(expected);
  const reading = await readFileState(folder, owner);
  expect(reading?.ledger("chain")).toEqual(expected);
  expect(reading?.kept.positions.get("chain")).toEqual(batch(3, 1, []).position);
  expect(await state.begin([], 100)).toBe(100);
  await state.close();
});

it("a state file is open in one process at a time, and for one target", async () => {
  const folder = testFolder();
  const state = await opened(folder);
  await state.begin([batch(1, 1, ["a"])]);
  await state.finish();
  await expect(opened(folder)).rejects.toThrow(
    new RegExp(
      `^Another run of pipeline \\S+ writes sink .+${thisRun.source}, or give the pipeline another name\\.$`,
    ),
  );
  const other = await opened(folder, "http://localhost/b");
  expect(other.kept.positions.size).toBe(0);
  expect(other.kept.id).not.toBe(state.kept.id);
  await state.close();
  await other.close();
  expect((await kept(folder)).positions.size).toBe(1);
  // The path of a URL may be a key.
  expect(readFileSync(fileOf(folder), "utf8")).not.toContain("key-51");
  const wider = [...columns, { name: "more", type: "STRING", nullable: true } as const];
  await expect(openFileState(folder, { ...owner, columns: wider })).rejects.toThrow(
    "The sink was written with other columns.",
  );
  await (await opened(folder)).close();
});
