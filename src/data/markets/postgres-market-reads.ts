import { present } from "../../base/invariant.js";
import {
  bigInteger,
  type Column,
  type Columns,
  columns,
  computed,
  integer,
  nullable,
  text,
} from "../../store/database/columns.js";
import { joinFragments, SQL, type Sql, type SqlFragment } from "../../store/database/database.js";
import { quoteName } from "../../store/database/quote.js";
import type { Deployment } from "../../store/deployments/deployments.js";
import { oldestRemembered, rememberedHash } from "../../store/deployments/head.js";
import { keptSince } from "../../store/tables/kept-history.js";
import { versionsSql } from "../../store/tables/versions-sql.js";
import type {
  Activity,
  ActivityQuestion,
  BalanceQuestion,
  MarketBalance,
  MarketReads,
  MarketState,
  PageQuestion,
  Position,
  PositionQuestion,
} from "./market-reads.js";
import type { MarketTable, MarketTables } from "./market-tables.js";

const activityFields = {
  id: text,
  block: integer,
  timestamp: nullable(integer),
  transactionHash: nullable(text),
  logIndex: integer,
  part: integer,
  eventType: text,
  side: text,
  orderType: text,
  address: nullable(text),
  counterparty: nullable(text),
  tokenId: nullable(bigInteger),
  amountUsdc: nullable(bigInteger),
  amountShares: nullable(bigInteger),
  fee: nullable(bigInteger),
  feeAsset: nullable(text),
  orderId: nullable(text),
  builder: nullable(text),
} as const;

const balanceFields = {
  address: text,
  contractAddress: text,
  tokenId: bigInteger,
  balance: bigInteger,
  block: nullable(integer),
  timestamp: nullable(integer),
} as const;

const positionFields = {
  address: text,
  tokenId: bigInteger,
  amount: nullable(bigInteger),
  avgPrice: nullable(bigInteger),
  realizedPnl: nullable(bigInteger),
  totalBought: nullable(bigInteger),
  block: nullable(integer),
  timestamp: nullable(integer),
} as const;

/** The reads of a market, in a transaction of PostgreSQL. */
export class PostgresMarketReads implements MarketReads {
  readonly #sql: Sql;
  readonly #market: { readonly deployment: Deployment; readonly tables: MarketTables } | undefined;

  /** @param market `undefined` if the subgraph was removed */
  constructor(
    sql: Sql,
    market: { readonly deployment: Deployment; readonly tables: MarketTables } | undefined,
  ) {
    this.#sql = sql;
    this.#market = market;
  }

  async state(): Promise<MarketState | undefined> {
    if (!this.#market) return undefined;
    const { id, startBlock, head, isSynced, health, isRetried, firstErrorBlock } = this.#market.deployment;
    const { number, hash, timestamp } = head ?? {};
    return {
      startBlock,
      isSynced,
      firstErrorBlock,
      head:
        number === undefined || hash === undefined
          ? undefined
          : { number, hash, ...(timestamp !== undefined && { timestamp: Number(timestamp) }) },
      failure: health !== "failed" ? undefined : isRetried ? "retried" : "failed",
      keptFrom: await keptSince(this.#sql, id, -1),
    };
  }

  hashOf(block: number): Promise<string | undefined> {
    return rememberedHash(this.#sql, this.#id, block);
  }

  oldestHash(): Promise<number | undefined> {
    return oldestRemembered(this.#sql, this.#id);
  }

  activity(question: ActivityQuestion): Promise<readonly Activity[]> {
    const { address, tokenId, eventType, side, orderType, since, until, from, to, minAmountUsdc } = question;
    const { name } = this.#tables.Activity;
    return this.#page("Activity", activityFields, question, (where, column) => {
      const [block, timestamp] = [column("block"), column("timestamp")];
      where.equals("address", address);
      where.equals("tokenId", tokenId);
      where.equals("eventType", eventType);
      where.equals("side", side);
      where.equals("orderType", orderType);
      if (from !== undefined) where.add(SQL`${block} >= ${where.put(from)}::numeric`);
      if (to !== undefined) where.add(SQL`${block} <= ${where.put(to)}::numeric`);
      // Timestamps never decrease along a chain, so an index finds times as ranges of blocks.
      if (since !== undefined) {
        const bound = SQL`${where.put(since)}::numeric`;
        where.add(
          SQL`${block} >= (select ${block} from ${name} where ${timestamp} >= ${bound} order by ${timestamp}, ${block} limit 1)`,
        );
        where.add(SQL`${timestamp} >= ${bound}`);
      }
      if (until !== undefined) {
        const bound = SQL`${where.put(until)}::numeric`;
        where.add(
          SQL`${block} <= (select ${block} from ${name} where ${timestamp} <= ${bound} order by ${timestamp} desc, ${block} desc limit 1)`,
        );
        where.add(SQL`${timestamp} <= ${bound}`);
      }
      if (minAmountUsdc !== undefined)
        where.add(SQL`${column("amountUsdc")} >= ${where.put(minAmountUsdc)}::numeric`);
    });
  }

  balances(question: BalanceQuestion): Promise<readonly MarketBalance[]> {
    const { address, tokenId, contractAddress, minBalance } = question;
    return this.#page("Balance", balanceFields, question, (where, column) => {
      where.equals("address", address);
      where.equals("tokenId", tokenId);
      where.equals("contractAddress", contractAddress);
      where.add(SQL`${column("balance")} >= ${where.put(minBalance)}::numeric`);
    });
  }

  positions(question: PositionQuestion): Promise<readonly Position[]> {
    const { address, tokenId, minAmount, withZero } = question;
    return this.#page("Position", positionFields, question, (where, column) => {
      where.equals("address", address);
      where.equals("tokenId", tokenId);
      if (minAmount !== undefined) where.add(SQL`${column("amount")} >= ${where.put(minAmount)}::numeric`);
      if (!withZero) where.add(SQL`${column("amount")} is distinct from 0`);
    });
  }

  get #id(): number {
    return present(this.#market, "the subgraph was removed").deployment.id;
  }

  get #tables(): MarketTables {
    return present(this.#market, "the subgraph was removed").tables;
  }

  /** The rows of a page, after the keys of the row before the page. */
  async #page<const Fields extends Readonly<Record<string, Column<unknown>>>>(
    type: keyof MarketTables,
    fields: Fields,
    { at, order, after, limit }: PageQuestion<string>,
    restrict: (where: Conditions, column: (field: string) => SqlFragment) => void,
  ): Promise<readonly ReturnType<Columns<RowIn<Fields>>["read"]>[]> {
    const table = this.#tables[type];
    const column = (field: string): SqlFragment => quoteName(table.column(field).name);
    const selected = Object.fromEntries(
      Object.entries(fields).map(([field, kind]) => [field, computed(column(field), kind)]),
    );
    const rows = columns(selected) as unknown as Columns<RowIn<Fields>>;
    const where = new Conditions(table);
    where.add(versionsSql(table.table).visibleAt(SQL`${where.put(at)}::integer`));
    restrict(where, column);
    const keys = order.map(({ field, isDescending }) => sortKey(table, field, isDescending));
    if (after)
      where.add(
        beyond(
          keys,
          after.map((value) => where.put(value)),
        ),
      );
    const found = await this.#sql.query(
      SQL`select ${rows.list} from ${table.name} where ${where.all}
        order by ${keys.map(({ sql, isDescending }) => (isDescending ? SQL`${sql} desc` : sql))}
        limit ${where.put(limit)}::bigint`,
      where.given,
    );
    return found.map(rows.read);
  }
}

type RowIn<Fields> = {
  readonly [Field in keyof Fields]: Fields[Field] extends Column<infer Value> ? Value : never;
};

/** The conditions of a statement, with its parameters. */
class Conditions {
  readonly given: string[] = [];
  readonly #all: SqlFragment[] = [];
  readonly #table: MarketTable;

  constructor(table: MarketTable) {
    this.#table = table;
  }

  get all(): SqlFragment {
    return joinFragments(this.#all, SQL` and `);
  }

  /** Adds a parameter. */
  put(value: string | number | bigint): SqlFragment {
    return SQL`$${this.given.push(String(value))}`;
  }

  add(condition: SqlFragment): void {
    this.#all.push(condition);
  }

  /** The condition that a field has a value, in its indexed form. */
  equals(field: string, value: string | undefined): void {
    if (value === undefined) return;
    const { name, sqlType, codec } = this.#table.column(field);
    const column = quoteName(name);
    this.add(SQL`${codec.prefix?.sql(column) ?? column} = ${this.put(value)}::${sqlType}`);
  }
}

/** A sort key in a statement. */
interface KeySql {
  readonly sql: SqlFragment;
  readonly sqlType: SqlFragment;
  readonly isDescending: boolean;
}

function sortKey(table: MarketTable, field: string, isDescending: boolean): KeySql {
  const { name, sqlType, nonNull, scalar } = table.column(field);
  const column = quoteName(name);
  if (scalar === "BigInt" || scalar === "Int")
    return { sql: nonNull ? column : SQL`coalesce(${column}, 0)`, sqlType, isDescending };
  return { sql: SQL`${column} collate "C"`, sqlType, isDescending };
}

/** The condition that a row follows the given key values. */
function beyond([key, ...later]: readonly KeySql[], [value, ...more]: readonly SqlFragment[]): SqlFragment {
  if (!key || value === undefined) return SQL`false`;
  const { sql, sqlType, isDescending } = key;
  const given = SQL`${value}::${sqlType}`;
  const isBeyond = isDescending ? SQL`${sql} < ${given}` : SQL`${sql} > ${given}`;
  if (later.length === 0) return isBeyond;
  // The first comparison follows from the second one. It lets the database use an index.
  const isNotBefore = isDescending ? SQL`${sql} <= ${given}` : SQL`${sql} >= ${given}`;
  return SQL`${isNotBefore} and (${isBeyond} or (${sql} = ${given} and ${beyond(later, more)}))`;
}
