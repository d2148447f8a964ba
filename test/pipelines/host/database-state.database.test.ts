import { beforeEach, expect, it } from "vitest";
import type { Operation } from "../../../src/pipelines/changes/net-changes.js";
import { joinRows, type RowValue } from "../../../src/pipelines/changes/rows.js";
import { openDatabaseState } from "../../../src/pipelines/host/state/database-state.js";
import type { WrittenPosition } from "../../../src/pipelines/state/sink-batch.js";
import type { KeptBatch } from "../../../src/pipelines/state/state-store.js";
import type { Database } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { describeDatabases } from "../../support/database/databases.js";
import { backUp } from "../../support/database/gone-back.js";
import {
  earlierLineage,
  earlierOwner,
  earlierSchema,
  earlierScript,
  earlierState,
} from "../../support/pipelines/earlier-state.js";

const owner = {
  flow: "f",
  sink: "out",
  target: "http://localhost/",
  columns: [{ name: "id", type: "STRING", nullable: false }] as const,
};

function batch(number: number): KeptBatch {
  return {
    source: "chain",
    from: number,
    to: number,
    ledger: undefined,
    changes: { operations: ["i"], rows: { count: 1, columns: [[`row ${number}`]] } },
    position: { next: number + 1, open: [] },
  };
}

describeDatabases("the state of a sink in the server's database", ({ fresh }) => {
  let database: Database;
  beforeEach(async () => {
    database = await fresh();
    await migrate(database);
  });

  it("is not written by the process that has it open if the database goes back, and is read again", async () => {
    const state = await openDatabaseState(database, owner, 100);
    expect(await state.begin([batch(1)])).toBe(100);
    await state.finish();
    const restore = await backUp(database, []);
    expect(await state.begin([batch(2)])).toBe(101);
    await state.finish();
    await restore();
    await expect(state.begin([batch(3)])).rejects.toMatchObject({
      isTemporary: true,
      message:
        "The server's database has gone back to an earlier state, as after a failover or a restore. The sink reads its position again.",
    });
    const again = await openDatabaseState(database, owner, 200);
    await expect(state.begin([batch(3)])).rejects.toThrow(
      new RegExp(`^Another server runs the pipeline: process ${process.pid} on .+, since 20.+Z\\.$`),
    );
    expect(again.kept.positions).toEqual(new Map([["chain", batch(1).position]]));
    expect(await again.begin([batch(2)])).toBe(200);
    await again.finish();
  });

  it("continues from the state that version 0.1.0 wrote, with its unfinished batch", async () => {
    await database.run(await earlierScript("server"));
    const { columns } = earlierSchema;
    const earlier = { ...earlierOwner, target: "http://localhost/kept", columns };
    const { position, ledger } = earlierState;
    const rowsOf = (...rows: readonly (readonly RowValue[])[]): KeptBatch["changes"]["rows"] => ({
      count: rows.length,
      columns: columns.map((_, column) => rows.map((row) => row[column] ?? null)),
    });
    const rows = rowsOf(["c", 3n], ["d", 4n]);
    const begun: KeptBatch = {
      source: "s",
      from: 12,
      to: 12,
      changes: { operations: ["i", "i"], rows },
      position: { next: 13, open: [...position.open, { number: 12, hash: "0xa12", rows }] },
      ledger: { from: 12, to: 12, rows: 1, sum: 3n },
    };
    const state = await openDatabaseState(database, earlier, 1_000);
    expect(state.kept).toEqual({
      id: "5f304294-52ff-44a9-a59d-5bbb06c7b61e",
      lineage: earlierLineage,
      parked: [],
      last: 109,
      positions: new Map<string, WrittenPosition>([
        ["other", { next: 5, open: [] }],
        ["s", position],
      ]),
      unfinished: [begun],
    });
    expect(state.ledger("s")).toEqual(ledger);
    expect(await state.begin(state.kept.unfinished)).toBe(108);
    await state.finish();
    expect(state.ledger("s")).toEqual([...ledger, begun.ledger]);
    // A reorganisation undoes all open blocks.
    const gone = joinRows(
      begun.position.open.map((block) => block.rows),
      columns.length,
    );
    const undone: KeptBatch = {
      source: "s",
      from: 10,
      to: 12,
      changes: { operations: Array.from<Operation>({ length: gone.count }).fill("d"), rows: gone },
      position: { next: 10, open: [] },
      ledger: undefined,
    };
    expect(await state.begin([undone])).toBe(1_000);
    await state.finish();
    const again = await openDatabaseState(database, earlier, 0);
    expect(again.kept).toMatchObject({ last: 1_003, unfinished: [] });
    expect(again.kept.positions.get("s")).toEqual(undone.position);
    expect(again.ledger("s")).toEqual(ledger.slice(0, 1));
  });
});
