import { onTestFinished } from "vitest";
import { type Database, SQL } from "../../../../src/store/database/database.js";
import { openDatabase } from "../../../../src/store/open.js";
import { serverDatabase, world } from "../../database/databases.js";

/** A database of a PostgreSQL server. */
export interface SlotDatabase {
  readonly address: string;
  readonly database: Database;
}

/**
 * Databases that flows of the law write to at once, one for each slot.
 * @returns opens the database of a slot, without what an earlier flow has left there
 */
export function slotDatabases(): (slot: number) => Promise<SlotDatabase> {
  const opened = new Map<number, SlotDatabase>();
  return async (slot) => {
    const kept = opened.get(slot) ?? (await open());
    opened.set(slot, kept);
    await kept.database.run(
      SQL`drop schema if exists graphloom_flows cascade; drop schema if exists flow_law cascade`,
    );
    return kept;
  };
}

async function open(): Promise<SlotDatabase> {
  const address = await serverDatabase();
  const database = await openDatabase(address, world);
  onTestFinished(() => database.close());
  return { address, database };
}
