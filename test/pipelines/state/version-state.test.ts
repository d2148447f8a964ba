import { expect, it } from "vitest";
import type { LedgerEntry } from "../../../src/pipelines/changes/ledger.js";
import type { Rows } from "../../../src/pipelines/changes/rows.js";
import type { SinkBatch, WrittenBlock } from "../../../src/pipelines/state/sink-batch.js";
import { VersionState } from "../../../src/pipelines/state/version-state.js";
import type { StateRow, VersionedRows } from "../../../src/pipelines/state/versions.js";
import { thisRun } from "../../support/pipelines/other-run.js";

const columns = [{ name: "id", type: "STRING", nullable: false }] as const;

/** Rows of a state in memory, with their serial numbers. */
class MemoryRows implements VersionedRows {
  rows: readonly (StateRow & { readonly serial: number })[] = [];

  async prepare(): Promise<void> {}

  async exist(): Promise<boolean> {
    return true;
  }

  async read(kinds: readonly StateRow["kind"][], source?: string): Promise<readonly StateRow[]> {
    const current = new Map<string, StateRow>();
    for (const row of [...this.rows].sort((one, other) => one.serial - other.serial))
      current.set(JSON.stringify([row.kind, row.source, row.number]), row);
    return [...current.values()]
      .filter((row) => kinds.includes(row.kind) && row.value !== undefined)
      .filter((row) => source === undefined || row.source === source)
      .sort((one, other) => one.number - other.number);
  }

  async lastSerial(): Promise<number> {
    return Math.max(0, ...this.rows.map(({ serial }) => serial));
  }

  async write(rows: readonly StateRow[], serial: number): Promise<void> {
    this.rows = [...this.rows, ...rows.map((row) => ({ ...row, serial }))];
  }

  async delete(kinds?: readonly StateRow["kind"][]): Promise<void> {
    const gone = await this.read(kinds ?? ["writer", "position", "block", "ledger", "before", "lineage"]);
    await this.write(
      gone.map((row) => ({ ...row, value: undefined })),
      (await this.lastSerial()) + 1,
    );
  }
}

/** Opens a state, and takes the sink over. */
async function opened(rows: VersionedRows, token: string): Promise<VersionState> {
  const owner = { flow: "f", sink: "out", target: "t", columns };
  const state = new VersionState(rows, owner, { token, began: 1_000 });
  const { positions = new Map(), committed = 0 } = (await state.read()) ?? {};
  await state.takeOver(positions, committed);
  return state;
}

function rowsOf(...ids: readonly string[]): Rows {
  return { count: ids.length, columns: [ids] };
}

function batch(number: number, open: readonly WrittenBlock[], ledger?: LedgerEntry): SinkBatch {
  const changes = { schema: { columns, key: ["id"] }, operations: [], rows: rowsOf(), overwritten: 0 };
  const next = ledger === undefined ? number : number + 1;
  return { source: "s", from: number, to: number, changes, position: { next, open }, ledger };
}

function block(number: number, mark = ""): WrittenBlock {
  return { number, hash: `0x${number}${mark}`, rows: rowsOf(`row ${number}${mark}`) };
}

/** Two of them have too many rows to become one. */
function entry(number: number): LedgerEntry {
  return { from: number, to: number, rows: 30_000, sum: 2n ** 127n + BigInt(number) };
}

it("INV-P3: a state of versions ignores what its previous writer still writes, and refuses it", async () => {
  const rows = new MemoryRows();
  const one = await opened(rows, "one");
  const other = await opened(rows, "other");
  await other.write(await other.changesOf(batch(1, [block(1, "'")], entry(1))), 1);
  const late = await one.changesOf(batch(1, [block(1)], entry(1)));
  for (let version = 1; version < 9; version += 1) await one.write(late, version);
  const { positions, committed } = (await (await opened(rows, "third")).read()) ?? {};
  expect(positions?.get("s")).toEqual({ next: 2, open: [block(1, "'")] });
  expect(committed).toBe(1);
  await expect(one.checkWriter()).rejects.toThrow(
    new RegExp(`^Another run of pipeline f writes sink out${thisRun.source}`),
  );
});

it.each([
  ["before this process wrote", 0],
  ["between two of its writes", 1],
])("a state of versions says that its database has gone back to the time %s", async (_, writes) => {
  const rows = new MemoryRows();
  const copies = [rows.rows];
  const state = await opened(rows, "one");
  copies.push(rows.rows);
  await state.write(await state.changesOf(batch(1, [], entry(1))), 1);
  await state.checkWriter();
  rows.rows = copies[writes] ?? [];
  await expect(state.checkWriter()).rejects.toMatchObject({
    isTemporary: true,
    message: expect.stringContaining("The sink's database has gone back to an earlier state"),
  });
});

it("a state of versions writes only what a batch changes, and the whole ledger if its source goes back", async () => {
  const rows = new MemoryRows();
  const state = await opened(rows, "one");
  for (const number of [1, 2, 3])
    await state.write(await state.changesOf(batch(number, [block(number)], entry(number))), number);
  expect(await state.ledger("s")).toEqual([entry(1), entry(2), entry(3)]);
  const replaced = await state.changesOf(batch(3, [block(3, "'")], entry(3)));
  expect(replaced.map(({ kind, number, value }) => [kind, number, value !== undefined])).toEqual([
    ["position", 0, true],
    ["block", 3, false],
    ["block", 3, true],
    ["ledger", 3, true],
  ]);
  await state.write(replaced, 4);
  const place = await state.read();
  expect(place?.positions.get("s")).toEqual({ next: 4, open: [block(3, "'")] });
  await state.write(await state.changesOf({ ...batch(1, []), isReturn: true }), 5);
  expect((await state.read())?.positions.get("s")).toEqual({ next: 1, open: [] });
  expect(await state.ledger("s")).toEqual([]);
});

it("INV-P2: a state of versions has the rows before a batch until the batch is committed", async () => {
  const rows = new MemoryRows();
  const state = await opened(rows, "one");
  await state.writeBefore(1, rowsOf("a", "b"));
  expect((await state.read())?.before).toEqual(rowsOf("a", "b"));
  await state.write([], 1);
  expect(await state.read()).toMatchObject({ committed: 1, before: undefined });
});
