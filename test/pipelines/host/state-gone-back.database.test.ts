import { beforeAll, expect, it } from "vitest";
import { openDatabaseState } from "../../../src/pipelines/host/state/database-state.js";
import type { KeptBatch } from "../../../src/pipelines/state/state-store.js";
import type { Database } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { describeDatabases } from "../../support/database/databases.js";
import { backUp } from "../../support/database/gone-back.js";

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

describeDatabases("the state of a sink in a database that goes back", ({ fresh }) => {
  let database: Database;
  beforeAll(async () => {
    database = await fresh();
    await migrate(database);
  });

  it("the state is not written by the process that has it open, and is read again", async () => {
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
});
