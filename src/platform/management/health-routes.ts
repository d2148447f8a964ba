import { SingleFlight } from "../../base/turns/single-flight.js";
import type { Engine } from "../../hosting/engine.js";
import { type Database, SQL } from "../../store/database/database.js";
import { knownLockWaits, lockSentence } from "../../store/database/lock-sentence.js";
import { findForeignMigration } from "../../store/database/migrate.js";
import type { Routes } from "../http/app.js";
import { LateError, withinPatience } from "../http/limits/in-time.js";
import { Problem } from "../problem.js";

/** Seconds. */
const retryAfter = 5;

/** The most waits for locks to report. */
const mostLocks = 5;

/** Bytes that a database in a folder needs to keep running: a little more than one PostgreSQL log segment. */
const leastRoom = 20 * 2 ** 20;

/** Whether the program runs, and whether it can do its work, for monitoring. */
export const healthRoutes: Routes = (app, { database, settings, hosting, world }) => {
  const config = { role: "anyone" } as const;
  // A database that stalls is not asked again until it has answered.
  const asking = new SingleFlight<string | undefined>();
  const obstacle = (): Promise<string | undefined> => asking.run(() => findObstacle(database));
  app.get("/health", { config }, async () => ({ status: "ok", version: settings.version }));
  app.get("/ready", { config }, async () => {
    if (settings.isStarting?.()) throw unavailable("The server is starting.");
    // Over a separate connection, which answers even while all others wait for a lock.
    const locks = withinPatience(world, () => knownLockWaits(database)).catch((error: unknown) => {
      if (error instanceof LateError) return [];
      throw error;
    });
    const blocked = await withinPatience(world, obstacle).catch(async (error: unknown) => {
      const why = (await locks).map(lockSentence);
      throw unavailable(["The database does not answer.", ...why.slice(0, mostLocks)].join(" "), error);
    });
    if (blocked !== undefined) throw unavailable(blocked);
    const free = database.freeBytes?.();
    if (free !== undefined && free < leastRoom) {
      throw unavailable(
        `The database's disk is full: ${Math.floor(free / 2 ** 20)} MB are left. Free some space.`,
      );
    }
    const why = hosting.engines.map((engine) => engine.unwritable?.()).find((one) => one !== undefined);
    if (why !== undefined) throw unavailable(`The database is not writable: ${why}`);
    const warnings = [
      ...hosting.engines.flatMap((engine) => engineWarnings(engine)),
      ...(await locks).map(lockSentence).slice(0, mostLocks),
    ];
    return { status: "ready", ...(warnings.length > 0 && { warnings }) };
  });
};

/** Problems of one engine that delay nothing else. Anyone may read them; the log has the details. */
function engineWarnings(engine: Engine): readonly string[] {
  const absence = engine.absence?.();
  const addresses = (engine.troubles?.() ?? []).map(({ address }) => address);
  return [
    ...(absence
      ? [`The engine ${engine.name} has not answered since ${new Date(absence.since).toISOString()}.`]
      : []),
    ...(addresses.length > 0
      ? [`These addresses do not lead to the engine ${engine.name}: ${addresses.join(", ")}.`]
      : []),
    ...(engine.idleChains?.() ?? []).map((why) => `${why}.`),
  ];
}

/** Why this program cannot change the database. @throws DatabaseError */
async function findObstacle(database: Database): Promise<string | undefined> {
  const [row] = await database.query(
    SQL`select (pg_is_in_recovery() or current_setting('transaction_read_only') = 'on')::text as read_only`,
  );
  if (row?.read_only === "true") {
    return "The database is read-only, so nothing can be indexed or changed.";
  }
  const foreign = await findForeignMigration(database);
  return (
    foreign &&
    `Another version of graphloom has migrated the database (${foreign}). Stop this server and start that version.`
  );
}

function unavailable(detail: string, cause?: unknown): Problem {
  return new Problem("unavailable", detail, { cause, retryAfter });
}
