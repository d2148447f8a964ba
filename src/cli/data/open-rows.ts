import { visible } from "../../base/visible.js";
import { wait } from "../../base/wait.js";
import { hasChains } from "../../data/clickhouse/clickhouse-chains.js";
import type { ClickHousePlace } from "../../data/clickhouse/clickhouse-place.js";
import { createClickHouseStore } from "../../data/clickhouse/clickhouse-store.js";
import { fillingClickHouse } from "../../data/clickhouse/filling-clickhouse.js";
import type { FillingPlace } from "../../data/filling/filling-place.js";
import { postgresPlace } from "../../data/filling/postgres-place.js";
import type { DataStore } from "../../data/reads/data-reads.js";
import { createPostgresStore } from "../../data/reads/postgres-store.js";
import { clickHouseAddress } from "../../flows/sinks/clickhouse/clickhouse-address.js";
import { ClickHouseError } from "../../flows/sinks/clickhouse-server.js";
import { openClickHouse } from "../../node/clickhouse/open-clickhouse.js";
import { createNodeWorld } from "../../node/world.js";
import type { Database } from "../../store/database/database.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage-error.js";

/** Arguments that say where the rows of chains are. */
export interface RowsArguments {
  /** The address of a ClickHouse database; by default, rows are in the database of the service. */
  readonly clickhouse?: string | undefined;
}

/** Where the rows of chains are. */
export interface Rows {
  readonly place: FillingPlace;
  /** Opens them for reading. @param limit milliseconds that a statement may take */
  open(limit: number): DataStore;
}

/**
 * Does the work of a command with the rows of chains, in ClickHouse or in the database of the service. Reports when ClickHouse
 * cannot be used.
 * @param database of the service; it holds the catalog in any case
 * @returns the exit code
 * @throws UsageError for what is no address; PackageMissingError
 */
export async function withRows(
  args: RowsArguments,
  database: Database,
  terminal: Terminal,
  work: (rows: Rows) => Promise<number>,
): Promise<number> {
  return withPlace(args, terminal, (clickHouse) => work(rowsIn(database, clickHouse, terminal)));
}

/** The same with rows that `data sync` has filled. @throws UsageError if it has not */
export async function withFilledRows(
  args: RowsArguments,
  database: Database,
  terminal: Terminal,
  work: (rows: Rows) => Promise<number>,
): Promise<number> {
  return withPlace(args, terminal, async (clickHouse) => {
    if (clickHouse && !(await hasChains(clickHouse)))
      throw new UsageError(
        `--clickhouse: database ${visible(clickHouse.address.database)} has no tables of the data service. graphloom data sync --clickhouse makes them.`,
      );
    return work(rowsIn(database, clickHouse, terminal));
  });
}

function rowsIn(database: Database, clickHouse: ClickHousePlace | undefined, { signal }: Terminal): Rows {
  if (!clickHouse)
    return { place: postgresPlace(database), open: (limit) => createPostgresStore(database, limit) };
  const world = createNodeWorld();
  return {
    place: fillingClickHouse(clickHouse),
    open: (limit) =>
      createClickHouseStore({
        ...clickHouse,
        ...{ database, limit, wait: (milliseconds) => wait(milliseconds, world, signal) },
      }),
  };
}

async function withPlace(
  { clickhouse }: RowsArguments,
  terminal: Terminal,
  work: (place: ClickHousePlace | undefined) => Promise<number>,
): Promise<number> {
  const given = clickhouse ?? (terminal.env?.GRAPHLOOM_CLICKHOUSE || undefined);
  if (given === undefined) return work(undefined);
  const address = clickHouseAddress(given);
  if (!address)
    throw new UsageError(
      "--clickhouse must be the address of a ClickHouse database: https://user:password@host:8443/database.",
    );
  const server = await openClickHouse(address);
  try {
    return await work({ server, address });
  } catch (error) {
    if (!(error instanceof ClickHouseError)) throw error;
    terminal.err(`ClickHouse cannot be used: ${visible(error.message)}\n`);
    return exitCodes.remote;
  } finally {
    await server.close();
  }
}
