import { writtenPlaces } from "../../flows/sinks/postgres/written-places.js";
import { columns, computed, integer, nullable, text } from "../../store/database/columns.js";
import { joinFragments, type Row, SQL, type Sql, type SqlFragment } from "../../store/database/database.js";
import { filledChains } from "../chains/filled-chains.js";
import type { KnownBlock } from "../chains/known-block.js";
import { flowOf, schemaOf, tableOf } from "../filling/chain-tables.js";
import type { BlockItem, BlockQuestion, Category, DataReads, Indexed, IndexedChain } from "./data-reads.js";

const knownBlock = columns({ number: integer, hash: text, timestamp: integer });

const header = columns({
  number: integer,
  timestamp: integer,
  hash: text,
  parent_hash: text,
  author: text,
  size: computed(SQL`coalesce(size, 0)`, integer),
  receipts_root: text,
  transactions_root: text,
  state_root: text,
  uncles_hash: text,
  transaction_count: integer,
  base_fee_per_gas: nullable(integer),
  gas_limit: nullable(integer),
  gas_used: nullable(integer),
});

const categories: readonly Category[] = ["blocks", "transfers", "natives"];

/** The reads of the service, in a transaction of PostgreSQL. */
export class PostgresReads implements DataReads {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  chains(): Promise<readonly IndexedChain[]> {
    return filledChains(this.#sql);
  }

  async indexed(chain: string): Promise<readonly Indexed[]> {
    const places = await Promise.all(
      categories.map((category) =>
        writtenPlaces(this.#sql, {
          flow: flowOf(chain),
          sink: category,
          table: { schema: schemaOf(chain), name: category },
        }),
      ),
    );
    return categories.map((category, index) => {
      const [place] = places[index] ?? [];
      if (!place) return { category, last: undefined, final: undefined };
      const last = place.next - 1;
      return { category, last, final: (place.open[0]?.number ?? place.next) - 1 };
    });
  }

  async block(chain: string, number?: number): Promise<KnownBlock | undefined> {
    const blocks = tableOf(chain, "blocks");
    const [row] = await this.#query(
      number === undefined
        ? SQL`select ${knownBlock.list} from ${blocks} order by number desc limit 1`
        : SQL`select ${knownBlock.list} from ${blocks} where number = $1::bigint`,
      number === undefined ? [] : [number],
    );
    return row && knownBlock.read(row);
  }

  async blocks(question: BlockQuestion): Promise<readonly BlockItem[]> {
    const { chain, hash, from, to, since, until, isAscending, limit } = question;
    const blocks = tableOf(chain, "blocks");
    const given: (string | number)[] = [];
    const put = (value: string | number): SqlFragment => SQL`$${given.push(value)}`;
    const conditions = [SQL`number <= ${put(to)}::bigint`];
    if (from !== undefined) conditions.push(SQL`number >= ${put(from)}::bigint`);
    if (hash !== undefined) conditions.push(SQL`hash = ${put(hash)}::text`);
    // Timestamps never fall along a chain, so times are ranges of numbers, which are looked up in an index.
    if (since !== undefined) {
      const bound = put(since);
      conditions.push(
        SQL`number >= (select number from ${blocks} where timestamp >= ${bound}::bigint order by timestamp, number limit 1)`,
        SQL`timestamp >= ${bound}::bigint`,
      );
    }
    if (until !== undefined) {
      const bound = put(until);
      conditions.push(
        SQL`number <= (select number from ${blocks} where timestamp <= ${bound}::bigint order by timestamp desc, number desc limit 1)`,
        SQL`timestamp <= ${bound}::bigint`,
      );
    }
    const direction = isAscending ? SQL`asc` : SQL`desc`;
    const rows = await this.#query(
      SQL`select ${header.list} from ${blocks} where ${joinFragments(conditions, SQL` and `)}
        order by number ${direction} limit ${put(limit)}::bigint`,
      given,
    );
    return rows.map(header.read);
  }

  #query(statement: SqlFragment, given: readonly (string | number)[]): Promise<readonly Row[]> {
    return this.#sql.query(statement, given.map(String), { isFixed: true });
  }
}
