import { keccak256, toUtf8Bytes } from "ethers";
import type { AuditRows } from "../../../src/data/audit/audit-rows.js";
import { clickHouseAuditRows } from "../../../src/data/clickhouse/audit-rows.js";
import { addClickHouseChain } from "../../../src/data/clickhouse/clickhouse-chains.js";
import type { ClickHousePlace } from "../../../src/data/clickhouse/clickhouse-place.js";
import {
  type ClickHouseStore,
  createClickHouseStore,
} from "../../../src/data/clickhouse/clickhouse-store.js";
import { clickHouseTable, createClickHouseTables } from "../../../src/data/clickhouse/clickhouse-tables.js";
import { pipelineOf } from "../../../src/data/filling/chain-tables.js";
import type { Category, DataStore } from "../../../src/data/reads/data-reads.js";
import { noRows } from "../../../src/pipelines/changes/rows.js";
import { openClickHouse } from "../../../src/pipelines/machine/clickhouse/open-clickhouse.js";
import { StateRows } from "../../../src/pipelines/sinks/clickhouse/state-rows.js";
import type { ClickHouseAddress } from "../../../src/pipelines/sinks/clickhouse-server.js";
import { positionRow, VersionState } from "../../../src/pipelines/state/version-state.js";
import type { StateRow } from "../../../src/pipelines/state/versions.js";
import type { Database } from "../../../src/store/database/database.js";
import { hashOf, type MadeChain, type MadeTransfer, sequenceOf, timeOf } from "./made-chain.js";
import type { MadeRows } from "./made-rows.js";

/** A row by its columns. */
type ColumnsOfRow = Readonly<Record<string, string | number>>;

/** Number of databases that this test worker has made in ClickHouse. */
let made = 0;

/** How far a table was written. */
interface Written {
  readonly state: VersionState;
  version: number;
  /** Hashes of open blocks by their numbers. */
  open: ReadonlyMap<number, string>;
}

/** The rows of made chains in ClickHouse, written in the steps in which its sink does. */
export class ClickHouseRows implements MadeRows {
  readonly at: ClickHousePlace;
  readonly #database: Database;
  readonly #made = new Set<string>();
  readonly #written = new Map<string, Written>();

  private constructor(place: ClickHousePlace, database: Database) {
    this.at = place;
    this.#database = database;
  }

  /** A new ClickHouse database. @param database of the service */
  static async open(address: ClickHouseAddress, database: Database): Promise<ClickHouseRows> {
    const server = await openClickHouse(address);
    return new ClickHouseRows({ server, address: { ...address, database: `data_${made++}` } }, database);
  }

  audit(): AuditRows {
    return clickHouseAuditRows(this.#storeOf(this.at, 10_000));
  }

  store(limit = 10_000): DataStore {
    return this.#storeOf(this.at, limit);
  }

  slow(limit: number): DataStore {
    const { server, address } = this.at;
    const query: typeof server.query = (sql, parameters) =>
      server.query(
        sql.includes("_blocks`")
          ? `SELECT sleepEachRow(0.05) FROM numbers(50) ${sql.slice(sql.indexOf("SETTINGS"))}`
          : sql,
        parameters,
      );
    const { run, insert, close } = server;
    return this.#storeOf({ server: { query, run, insert, close }, address }, limit);
  }

  refusing(refusal: (statement: number) => Error | undefined): DataStore {
    const { server, address } = this.at;
    const { run, insert, close } = server;
    let statements = 0;
    const query: typeof server.query = async (...given) => {
      const error = refusal(statements++);
      if (error) throw error;
      return server.query(...given);
    };
    return this.#storeOf({ server: { query, run, insert, close }, address }, 10_000);
  }

  watched(before: (sql: string) => Promise<void>): DataStore {
    const { server, address } = this.at;
    const { run, insert, close } = server;
    const query: typeof server.query = async (sql, parameters) => {
      await before(sql);
      return server.query(sql, parameters);
    };
    return this.#storeOf({ server: { query, run, insert, close }, address }, 10_000);
  }

  async remakeBlocks(chain: string): Promise<void> {
    await this.at.server.run(`DROP TABLE ${this.#table(chain, "blocks")}`);
    await createClickHouseTables(this.at, chain);
    // Versions start again as well.
    this.#written.delete(`${chain} blocks`);
  }

  #storeOf(place: ClickHousePlace, limit: number): ClickHouseStore {
    return createClickHouseStore({
      ...place,
      database: this.#database,
      limit,
      wait: async () => undefined,
      now: Date.now,
    });
  }

  async makeChain(chain: MadeChain): Promise<void> {
    const { chain: name, firstBlock = 0 } = chain;
    if (!this.#made.has(name)) {
      await createClickHouseTables(this.at, name);
      await addClickHouseChain(this.at, { chain: name, firstBlock, natives: true });
    }
    this.#made.add(name);
    await this.interrupt(chain);
    for (const category of ["blocks", "transfers", "natives"] as const) await this.place(chain, category);
  }

  async interrupt(chain: MadeChain): Promise<void> {
    const { chain: name, firstBlock = 0, head } = chain;
    const numbers = Array.from({ length: head - firstBlock + 1 }, (_, index) => firstBlock + index);
    const gone = await this.at.server.query(
      `SELECT number FROM ${this.#table(name, "blocks")} FINAL WHERE number < {from:Int64} OR number > {to:Int64}`,
      { from: String(firstBlock), to: String(head) },
    );
    await this.#replace(name, "blocks", [
      ...gone.map(({ number }) => ({ number: Number(number), is_deleted: 1 })),
      ...numbers.map((number) => ({
        number,
        timestamp: timeOf(number),
        hash: hashOf(chain, number),
        parent_hash: hashOf(chain, number - 1),
        author: `0x${"1".repeat(40)}`,
        size: 500,
        receipts_root: "0xr",
        transactions_root: "0xt",
        state_root: "0xs",
        uncles_hash: "0xu",
        transaction_count: 2,
        base_fee_per_gas: 7,
        gas_limit: 30_000_000,
        gas_used: 21_000,
      })),
    ]);
  }

  async place(chain: MadeChain, category: Category, head = chain.head): Promise<void> {
    const written = await this.#of(chain.chain, category);
    const numbers = Array.from({ length: Math.max(0, head - chain.final) }, (_, n) => chain.final + 1 + n);
    const open = new Map(numbers.map((number) => [number, hashOf(chain, number)]));
    const blocks: StateRow[] = [...open].map(([number, hash]) => blockRow(number, { hash, rows: "" }));
    for (const number of written.open.keys()) if (!open.has(number)) blocks.push(blockRow(number, undefined));
    written.open = open;
    await written.state.write([positionRow("source", head + 1), ...blocks], written.version);
  }

  async putTransfers(chain: string, transfers: readonly MadeTransfer[]): Promise<void> {
    const halves = transfers.flatMap((transfer) =>
      [transfer.from, transfer.to].map((wallet, half) => ({
        category: transfer.log === undefined ? ("natives" as const) : ("transfers" as const),
        row: {
          wallet,
          block_number: transfer.block,
          sequence: sequenceOf(transfer) + half,
          token: transfer.token,
          block_timestamp: timeOf(transfer.block),
          transaction_hash: keccak256(toUtf8Bytes(`${chain} ${transfer.block} ${transfer.transaction}`)),
          counterparty: half === 0 ? transfer.to : transfer.from,
          amount: String(transfer.amount),
        },
      })),
    );
    for (const category of ["transfers", "natives"] as const) {
      const rows = halves.filter((half) => half.category === category).map(({ row }) => row);
      if (rows.length === 0) continue;
      await this.#insert(chain, category, rows);
      const { state, version } = await this.#of(chain, category);
      await state.write([], version);
    }
  }

  async cutTransfers(chain: string, last: number): Promise<void> {
    const gone = await this.at.server.query(
      `SELECT wallet, block_number, sequence, token FROM ${this.#table(chain, "transfers")} FINAL
        WHERE block_number > {last:Int64}`,
      { last: String(last) },
    );
    await this.#replace(
      chain,
      "transfers",
      gone.map((row) => ({ ...(row as ColumnsOfRow), is_deleted: 1 })),
    );
    const { state, version } = await this.#of(chain, "transfers");
    await state.write([], version);
  }

  async hideBlocks(chain: string, isHidden: boolean): Promise<void> {
    const names = [this.#table(chain, "blocks"), `${this.at.address.database}.gone`] as const;
    const [from, to] = isHidden ? names : [names[1], names[0]];
    await this.at.server.run(`RENAME TABLE ${from} TO ${to}`);
  }

  async drop(): Promise<void> {
    await this.at.server.run(`DROP DATABASE IF EXISTS ${this.at.address.database}`);
    await this.at.server.close();
  }

  /** Writes rows over others, up to the step before the last: their position. */
  async #replace(chain: string, category: Category, rows: readonly ColumnsOfRow[]): Promise<void> {
    const written = await this.#of(chain, category);
    await written.state.writeBefore(written.version + 1, noRows(0));
    await this.#insert(chain, category, rows);
  }

  async #insert(chain: string, category: Category, rows: readonly ColumnsOfRow[]): Promise<void> {
    const written = await this.#of(chain, category);
    written.version += 1;
    const lines = rows.map(
      (row) => `${JSON.stringify({ is_deleted: 0, ...row, version: written.version })}\n`,
    );
    await this.at.server.insert(
      `INSERT INTO ${this.#table(chain, category)} FORMAT JSONEachRow`,
      [new TextEncoder().encode(lines.join(""))],
      `made-${written.version}`,
    );
  }

  async #of(chain: string, category: Category): Promise<Written> {
    const key = `${chain} ${category}`;
    const known = this.#written.get(key);
    if (known) return known;
    const target = clickHouseTable(chain, category);
    const owner = { flow: pipelineOf(chain), sink: category, target, columns: [] };
    const rows = new StateRows(this.at.server, this.at.address.database, owner);
    const state = new VersionState(rows, owner, { token: "made", began: 0 });
    await state.read();
    const written = { state, version: 0, open: new Map() };
    this.#written.set(key, written);
    return written;
  }

  #table(chain: string, category: Category): string {
    return `${this.at.address.database}.${clickHouseTable(chain, category)}`;
  }
}

function blockRow(number: number, value: unknown): StateRow {
  return { kind: "block", source: "source", number, value };
}
