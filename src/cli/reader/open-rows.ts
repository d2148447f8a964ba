import { visible } from "../../base/text/visible.js";
import { type AuditRows, postgresAuditRows } from "../../data/audit/audit-rows.js";
import { clickHouseAuditRows } from "../../data/clickhouse/audit-rows.js";
import { hasChains } from "../../data/clickhouse/clickhouse-chains.js";
import type { ClickHousePlace } from "../../data/clickhouse/clickhouse-place.js";
import { type ClickHouseStore, createClickHouseStore } from "../../data/clickhouse/clickhouse-store.js";
import { fillingClickHouse } from "../../data/clickhouse/filling-clickhouse.js";
import type { FillingPlace } from "../../data/filling/filling-place.js";
import { postgresPlace } from "../../data/filling/postgres-place.js";
import type { DataStore } from "../../data/reads/data-reads.js";
import { createPostgresStore } from "../../data/reads/postgres-store.js";
import { pause } from "../../machine/world.js";
import { openClickHouse } from "../../pipelines/machine/clickhouse/open-clickhouse.js";
import { clickHouseAddress } from "../../pipelines/sinks/clickhouse/clickhouse-address.js";
import { type ClickHouseAddress, ClickHouseError } from "../../pipelines/sinks/clickhouse-server.js";
import type { Database } from "../../store/database/database.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** Arguments that say where the rows of chains are. */
export interface RowsArguments {
  /** The address of a ClickHouse database; by default, rows are in the database of the service. */
  readonly clickhouse?: string | undefined;
}

/**
 * The ClickHouse database that a command names, or its environment. @throws UsageError for something other
 * than an address
 */
export function clickHouseIn(
  { clickhouse }: RowsArguments,
  { env }: Pick<Terminal, "env">,
): ClickHouseAddress | undefined {
  const given = clickhouse ?? (env?.GRAPHLOOM_CLICKHOUSE || undefined);
  if (given === undefined) return undefined;
  const address = clickHouseAddress(given);
  if (address) return address;
  throw new UsageError(
    "--clickhouse must be the address of a ClickHouse database: https://user:password@host:8443/database.",
  );
}

/**
 * Does the work of a command with the store of the chains' rows: ClickHouse, or the database of the service. Reports
 * when ClickHouse cannot be used.
 * @param database of the service; it holds the catalog in any case
 * @returns the exit code
 * @throws PackageMissingError
 */
export function withRows(
  clickHouse: ClickHouseAddress | undefined,
  database: Database,
  terminal: Terminal,
  work: (place: FillingPlace) => Promise<number>,
): Promise<number> {
  return withClickHouse(clickHouse, terminal, undefined, (place) =>
    work(place ? fillingClickHouse(place) : postgresPlace(database)),
  );
}

/**
 * Like `withRows`, for reading tables that `data sync` has filled.
 * @param limit milliseconds that a statement may take
 * @throws UsageError if there are none; PackageMissingError
 */
export function withFilledRows(
  clickHouse: ClickHouseAddress | undefined,
  { database, limit }: { readonly database: Database; readonly limit: number },
  terminal: Terminal,
  work: (store: DataStore) => Promise<number>,
): Promise<number> {
  return withClickHouse(clickHouse, terminal, limit + slack, async (place) => {
    if (!place) return work(createPostgresStore(database, limit));
    return work(await filledStore(place, { database, limit }, terminal.signal));
  });
}

/**
 * Opens the tables that `data sync` has filled in ClickHouse. The caller closes them.
 * @param limit the most milliseconds that a statement may take
 * @throws UsageError if there are none; ClickHouseError, PackageMissingError
 */
export async function openFilledRows(
  address: ClickHouseAddress,
  { database, limit }: { readonly database: Database; readonly limit: number },
  signal: AbortSignal,
): Promise<{ readonly store: DataStore; close(): Promise<void> }> {
  const server = await openClickHouse(address, limit + slack);
  try {
    const store = await filledStore({ server, address }, { database, limit }, signal);
    return { store, close: () => server.close() };
  } catch (error) {
    await server.close();
    throw error;
  }
}

async function filledStore(
  place: ClickHousePlace,
  { database, limit }: { readonly database: Database; readonly limit: number },
  signal: AbortSignal,
): Promise<ClickHouseStore> {
  if (!(await hasChains(place)))
    throw new UsageError(
      `--clickhouse: database ${visible(place.address.database)} has no tables of the data service. graphloom data sync --clickhouse makes them.`,
    );
  const wait = (milliseconds: number): Promise<void> => pause(milliseconds, signal);
  return createClickHouseStore({ ...place, database, limit, wait, now: Date.now });
}

/**
 * Does the work of an audit with the rows of chains.
 * @param database of the service
 * @returns the exit code
 * @throws UsageError if there are no tables; PackageMissingError
 */
export function withAuditRows(
  clickHouse: ClickHouseAddress | undefined,
  database: Database,
  terminal: Terminal,
  work: (rows: AuditRows) => Promise<number>,
): Promise<number> {
  return withClickHouse(clickHouse, terminal, auditTime + slack, async (place) => {
    if (!place) return work(postgresAuditRows(database));
    return work(
      clickHouseAuditRows(await filledStore(place, { database, limit: auditTime }, terminal.signal)),
    );
  });
}

/** The most milliseconds for ClickHouse to draw wallets, for which it reads all rows. */
const auditTime = 600_000;

/** Milliseconds that a server has to report that a statement took too long. */
const slack = 2_000;

/** @param silence milliseconds without a byte, after which a statement has failed */
async function withClickHouse(
  address: ClickHouseAddress | undefined,
  terminal: Terminal,
  silence: number | undefined,
  work: (place: ClickHousePlace | undefined) => Promise<number>,
): Promise<number> {
  if (!address) return work(undefined);
  const server = await openClickHouse(address, silence);
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
