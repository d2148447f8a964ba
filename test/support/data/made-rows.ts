import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { type AuditRows, postgresAuditRows } from "../../../src/data/audit/audit-rows.js";
import { schemaOf, tableOf } from "../../../src/data/filling/chain-tables.js";
import type { Category, DataStore } from "../../../src/data/reads/data-reads.js";
import { createPostgresStore } from "../../../src/data/reads/postgres-store.js";
import { type Database, SQL, type Sql } from "../../../src/store/database/database.js";
import { quoteName } from "../../../src/store/database/quote.js";
import { describeDatabase } from "../database/databases.js";
import { lackOfClickHouse, startClickHouse } from "../servers/clickhouse.js";
import { ClickHouseRows } from "./clickhouse-rows.js";
import { type MadeChain, type MadeTransfer, makeChain, place, putTransfers } from "./made-chain.js";

/** The rows of made chains, in either database that the service reads. */
export interface MadeRows {
  /** The store of a service over them. @param limit milliseconds for a statement */
  store(limit?: number): DataStore;
  /** What an audit reads of them. */
  audit(): AuditRows;
  /** A store with statements about blocks that take longer than the limit. */
  slow(limit: number): DataStore;
  /** A store over a server that refuses statements by their number, from 0 on; absent where a read is one transaction. */
  readonly refusing?: (refusal: (statement: number) => Error | undefined) => DataStore;
  /** A store that tells of each statement before it is sent, and waits; absent where a read is one transaction. */
  readonly watched?: (before: (sql: string) => Promise<void>) => DataStore;
  /** Drops the table of blocks, and makes an empty one; absent where a table has no state besides it. */
  readonly remakeBlocks?: (chain: string) => Promise<void>;
  /** Writes the blocks of a chain, and how far each table is filled. What was there is gone. */
  makeChain(made: MadeChain): Promise<void>;
  /** Writes how far a table is filled. @param head its last block, if it is another one than the chain's */
  place(made: MadeChain, category: Category, head?: number): Promise<void>;
  putTransfers(chain: string, transfers: readonly MadeTransfer[]): Promise<void>;
  /** Replaces the blocks of a chain without the last step, as a process that is killed; absent where there are no steps. */
  readonly interrupt?: (made: MadeChain) => Promise<void>;
  /** Removes the token transfers after a block. */
  cutTransfers(chain: string, last: number): Promise<void>;
  /** Takes the table of blocks away, or brings it back. */
  hideBlocks(chain: string, isHidden: boolean): Promise<void>;
  /** Removes the tables of chains. */
  drop(...chains: readonly string[]): Promise<void>;
}

/** What a test of both databases gets. */
export interface RowsUnderTest {
  /** Of the service, in its initial state; it holds the catalog. */
  readonly database: Database;
  readonly rows: MadeRows;
}

/**
 * Describes tests of what is read of chains, on PostgreSQL and on ClickHouse if it is installed.
 * @param body gets whether to include the tests that read no rows, which run once
 */
export function describeRows(
  name: string,
  body: (fresh: () => Promise<RowsUnderTest>, isFirst: boolean) => void,
): void {
  describeDatabase(name, false, (databases) => {
    body(async () => {
      const database = await databases.fresh();
      return { database, rows: new PostgresRows(database) };
    }, true);
  });
  const lack = lackOfClickHouse();
  if (lack !== undefined) describe(`${name}, on ClickHouse`, () => test.skip(lack, () => undefined));
  else
    describeDatabase(`${name}, with rows in ClickHouse`, false, (databases) => {
      let started: Awaited<ReturnType<typeof startClickHouse>>;
      const folder = mkdtempSync(join(tmpdir(), "graphloom-rows-"));
      beforeAll(async () => {
        started = await startClickHouse(folder);
      });
      afterAll(async () => {
        await started.stop();
        rmSync(folder, { recursive: true, force: true });
      });
      body(async () => {
        const database = await databases.fresh();
        return { database, rows: await ClickHouseRows.open(started.address, database) };
      }, false);
    });
}

class PostgresRows implements MadeRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  store(limit = 10_000): DataStore {
    return createPostgresStore(this.#database, limit);
  }

  audit(): AuditRows {
    return postgresAuditRows(this.#database);
  }

  slow(limit: number): DataStore {
    const slow = (sql: Sql): Sql => ({
      ...sql,
      query: (statement, ...given) =>
        statement.includes("graphloom_data_")
          ? sql.query(SQL`select pg_sleep(5)`)
          : sql.query(statement, ...given),
    });
    const database: Pick<Database, "transaction"> = {
      transaction: (work, options) => this.#database.transaction((sql) => work(slow(sql)), options),
    };
    return createPostgresStore(database as Database, limit);
  }

  makeChain(made: MadeChain): Promise<void> {
    return makeChain(this.#database, made);
  }

  place(made: MadeChain, category: Category, head?: number): Promise<void> {
    return place(this.#database, made, category, head);
  }

  putTransfers(chain: string, transfers: readonly MadeTransfer[]): Promise<void> {
    return putTransfers(this.#database, chain, transfers);
  }

  async cutTransfers(chain: string, last: number): Promise<void> {
    const transfers = tableOf(chain, "transfers");
    await this.#database.query(
      SQL`update ${tableOf(chain, "balances")} b set balance = balance - gone.amount
        from (select wallet, token, sum(amount) as amount from ${transfers} where block_number > $1::bigint group by 1, 2) gone
        where b.wallet = gone.wallet and b.token = gone.token`,
      [String(last)],
    );
    await this.#database.query(SQL`delete from ${transfers} where block_number > $1::bigint`, [String(last)]);
  }

  async hideBlocks(chain: string, isHidden: boolean): Promise<void> {
    const names = [SQL`blocks`, SQL`gone`] as const;
    const [from, to] = isHidden ? names : [names[1], names[0]];
    await this.#database.run(SQL`alter table ${quoteName(schemaOf(chain))}.${from} rename to ${to}`);
  }

  async drop(...chains: readonly string[]): Promise<void> {
    for (const chain of chains)
      await this.#database.run(SQL`drop schema if exists ${quoteName(schemaOf(chain))} cascade`);
  }
}
