import { writtenEnds } from "../../pipelines/sinks/postgres/written-places.js";
import {
  bigInteger,
  boolean,
  columns,
  integer,
  nullable,
  oneOf,
  text,
} from "../../store/database/columns.js";
import { joinFragments, type Row, SQL, type Sql, type SqlFragment } from "../../store/database/database.js";
import { arrayText } from "../../store/database/sql-array.js";
import { markKinds } from "../catalog/token-marks.js";
import { filledChains, findFilledChain } from "../chains/filled-chains.js";
import type { KnownBlock } from "../chains/known-block.js";
import { pipelineOf, schemaOf, tableOf } from "../filling/chain-tables.js";
import {
  type BlockPage,
  type BlockQuestion,
  type Category,
  categories,
  type DataReads,
  type Holding,
  type Indexed,
  type IndexedChain,
  type KnownToken,
  type Move,
  type MovePlace,
  type MoveQuestion,
  type Price,
  type PriceQuestion,
  type ServedToken,
  type Standing,
  type TokenFilter,
  type TokenQuestion,
} from "./data-reads.js";
import { PostgresCatalog } from "./postgres-catalog.js";
import {
  hasPrice,
  isPriceable,
  knownTokens,
  label,
  lacksMoves,
  type Put,
  parameters,
  passesAll,
  priced,
  served,
  servedToken,
  tokenColumns,
  tokenConditions,
  wantedTokens,
  wrapping,
} from "./token-sql.js";

const knownBlock = columns({ number: integer, hash: text, timestamp: integer });

const standing = columns({ number: integer, hash: text, timestamp: integer, final: integer });

const blockPage = columns({
  pinnedHash: nullable(text),
  pinnedTimestamp: nullable(integer),
  items: nullable(text),
  lowest: nullable(integer),
  highest: nullable(integer),
  count: integer,
  found: integer,
});

/** The reads of the service, in a transaction of PostgreSQL. */
export class PostgresReads implements DataReads {
  readonly #sql: Sql;
  readonly #filled: Set<string>;

  /** @param filled chains that are known to have tables; others are added */
  constructor(sql: Sql, filled: Set<string> = new Set()) {
    this.#sql = sql;
    this.#filled = filled;
  }

  chains(): Promise<readonly IndexedChain[]> {
    return filledChains(this.#sql);
  }

  async indexed(chain: string): Promise<readonly Indexed[]> {
    const ends = await writtenEnds(
      this.#sql,
      pipelineOf(chain),
      Object.fromEntries(
        categories.map((category) => [category, { schema: schemaOf(chain), name: category }]),
      ),
    );
    return categories.map((category) => {
      const end = ends.find(({ sink }) => sink === category);
      return { category, last: end?.last, final: end?.final };
    });
  }

  async standing(chain: string): Promise<Standing | undefined> {
    if (!(await this.#isFilled(chain))) return undefined;
    const [row] = await this.#query(standingOf(chain), ownerOf(chain, "blocks"));
    return row && standingIn(row);
  }

  /** Whether a chain has tables. Chains do not lose them, so each is looked up once. */
  async #isFilled(chain: string): Promise<boolean> {
    if (this.#filled.has(chain)) return true;
    if (!(await findFilledChain(this.#sql, chain))) return false;
    this.#filled.add(chain);
    return true;
  }

  async block(chain: string, number: number): Promise<KnownBlock | undefined> {
    const [row] = await this.#query(
      SQL`select ${knownBlock.list} from ${tableOf(chain, "blocks")} where number = $1::bigint`,
      [number],
    );
    return row && knownBlock.read(row);
  }

  async blocks(question: BlockQuestion): Promise<BlockPage | undefined> {
    const { chain, shownAs, pinned, hash, from, to, since, until, isAscending, limit } = question;
    if (!(await this.#isFilled(chain))) return undefined;
    const blocks = tableOf(chain, "blocks");
    const given: (string | number)[] = [...ownerOf(chain, "blocks")];
    const put = (value: string | number): SqlFragment => SQL`$${given.push(value)}`;
    const conditions = [from === to ? SQL`number = ${put(to)}::bigint` : SQL`number <= ${put(to)}::bigint`];
    if (from !== undefined && from !== to) conditions.push(SQL`number >= ${put(from)}::bigint`);
    if (hash !== undefined) conditions.push(SQL`hash = ${put(hash)}::text`);
    // Timestamps never decrease along a chain, so an index finds times as ranges of numbers.
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
    const order = SQL`order by number ${isAscending ? SQL`asc` : SQL`desc`}`;
    const most = SQL`${put(limit)}::bigint`;
    const prefix = put(`{"chain":${JSON.stringify(shownAs)},"number":`);
    const own = pinned === undefined ? SQL`null` : SQL`${put(pinned)}::bigint`;
    const [row] = await this.#query(
      SQL`select head.*, pinned.hash as pinned_hash, pinned.timestamp as pinned_timestamp, page.*
        from (${standingOf(chain)}) head
        left join ${blocks} pinned on pinned.number = ${own}
        cross join (select string_agg(item, ',') filter (where place <= ${most}) as items,
            min(number) filter (where place <= ${most}) as lowest, max(number) filter (where place <= ${most}) as highest,
            count(*) filter (where place <= ${most}) as count, count(*) as found
          from (select * from (select number, row_number() over (${order}) as place, ${itemAfter(prefix)} as item from ${blocks}
            where ${joinFragments(conditions, SQL` and `)} ${order} ${plannedLimit(limit)}) planned
            limit (select ${most} + 1)) rows) page`,
      given,
    );
    return row && { standing: standingIn(row), ...pageIn(row, pinned) };
  }

  async common(chain: string, wanted: readonly Category[]): Promise<KnownBlock | undefined> {
    // A table may still hold the rows of a block that another table has already replaced.
    const [row] = await this.#query(
      SQL`select ${knownBlock.list} from ${tableOf(chain, "blocks")} known
        where number < (select case when count(*) = $3::bigint then min(p.next) end from graphloom_flows.positions p where ${ofTables})
          and not exists (select 1 from graphloom_flows.open_blocks b
            where ${ofTables} and b.number = known.number and b.hash <> known.hash)
        order by number desc limit 1`,
      [
        pipelineOf(chain),
        arrayText(wanted.map((category) => JSON.stringify([schemaOf(chain), category]))),
        wanted.length,
      ],
    );
    return row && knownBlock.read(row);
  }

  async moves(question: MoveQuestion): Promise<readonly Move[]> {
    const found = await Promise.all(question.types.map((type) => this.#movesOf(type, question)));
    return found.flat();
  }

  async #movesOf(type: "erc20" | "native", question: MoveQuestion): Promise<readonly Move[]> {
    const { chain, wallet, direction, from, to, since, until, below, above, limit } = question;
    const table = tableOf(chain, type === "erc20" ? "transfers" : "natives");
    const blocks = tableOf(chain, "blocks");
    const { given, put } = parameters();
    const [own, name] = [put(wallet), put(chain)];
    const conditions = [
      SQL`t.wallet = ${own}::text`,
      SQL`t.block_number <= ${put(to)}::bigint`,
      ...wantedTokens(question, name, put),
    ];
    if (from !== undefined) conditions.push(SQL`t.block_number >= ${put(from)}::bigint`);
    if (direction !== undefined)
      conditions.push(direction === "in" ? SQL`t.sequence % 2 = 1` : SQL`t.sequence % 2 = 0`);
    if (since !== undefined)
      conditions.push(
        SQL`t.block_number >= (select number from ${blocks} where timestamp >= ${put(since)}::bigint order by timestamp, number limit 1)`,
      );
    if (until !== undefined)
      conditions.push(
        SQL`t.block_number <= (select number from ${blocks} where timestamp <= ${put(until)}::bigint order by timestamp desc, number desc limit 1)`,
      );
    const place = (at: MovePlace): SqlFragment =>
      SQL`(${put(at.block)}::bigint, ${put(at.sequence)}::bigint)`;
    if (below) conditions.push(SQL`(t.block_number, t.sequence) < ${place(below)}`);
    if (above) conditions.push(SQL`(t.block_number, t.sequence) >= ${place(above)}`);
    const order = above ? SQL`asc` : SQL`desc`;
    // The index of wallets contains all selected columns, so that no other row is read, for wallets of any size.
    const rows = await this.#query(
      SQL`select t.block_number, t.sequence, t.block_timestamp, t.transaction_hash, t.counterparty, t.token, t.amount,
          ${label(name, SQL`t.counterparty`)} as label, ${label(name, own)} as own_label, ${served}
        from (select t.block_number, t.sequence from ${table} t where ${joinFragments(conditions, SQL` and `)}
          order by t.block_number ${order}, t.sequence ${order} limit ${put(limit)}::bigint) found
        join ${table} t on t.block_number = found.block_number and t.sequence = found.sequence ${knownTokens(name, SQL`t.block_number`)}
        order by t.block_number ${order}, t.sequence ${order}`,
      given,
    );
    return rows.map((row) => ({ ...move.read(row), type }));
  }

  async holdings(
    question: TokenFilter & { readonly chain: string; readonly wallet: string; readonly block: number },
    most: number,
  ): Promise<readonly Holding[]> {
    const { chain, wallet, block } = question;
    const { given, put } = parameters();
    const own = put(wallet);
    const name = put(chain);
    const isKnown = !passesAll(question);
    const rows = await this.#query(
      // Subtracts transfers after the block.
      SQL`select t.token, t.balance - coalesce(later.amount, 0) as sum, found.kind as mark, ${isPriceable} as is_priceable,
          ${lacksMoves} as lacks_moves${isKnown ? SQL`, ${served}` : SQL``}
        from (${ownBalances(tableOf(chain, "balances"), { own, name, filter: question, put })}) t
        left join (select token, sum(amount) as amount from ${tableOf(chain, "transfers")}
          where wallet = ${own}::text and block_number > ${put(block)}::bigint group by token) later on later.token = t.token
        left join graphloom.data_marks found on found.chain = ${name}::text and found.token = t.token
        ${isKnown ? knownTokens(name, SQL`${put(block)}::bigint`) : SQL``} ${priced(name, isKnown)} ${wrapping(name)}
        where ${joinFragments([SQL`true`, ...tokenConditions(question, put)], SQL` and `)} limit ${put(most)}::bigint`,
      given,
    );
    return rows.map((row) => ({ ...holding.read(row), known: isKnown ? servedToken.read(row) : undefined }));
  }

  native(chain: string, filter: TokenFilter): Promise<ServedToken | undefined> {
    return new PostgresCatalog(this.#sql).native(chain, filter);
  }

  prices(
    questions: readonly PriceQuestion[],
    window: number,
    knownAt?: number,
  ): Promise<readonly (Price | undefined)[]> {
    return new PostgresCatalog(this.#sql).prices(questions, window, knownAt);
  }

  known(chain: string, questions: readonly TokenQuestion[]): Promise<readonly KnownToken[]> {
    return new PostgresCatalog(this.#sql).known(chain, questions);
  }

  priceable(...given: Parameters<PostgresCatalog["priceable"]>): ReturnType<PostgresCatalog["priceable"]> {
    return new PostgresCatalog(this.#sql).priceable(...given);
  }

  #query(statement: SqlFragment, given: readonly (string | number)[]): Promise<readonly Row[]> {
    return this.#sql.query(statement, given.map(String), { isFixed: true });
  }
}

/**
 * The state of one table of a pipeline (parameters 1 to 3), and of several (1 and 2). A table belongs to one sink.
 */
const ofTable = SQL`flow = $1::text and sink = $2::text and target = $3::text and source <> ''`;
const ofTables = SQL`flow = $1::text and target = any($2::text[]) and source <> ''`;

/** The newest block, and the last one that stays unchanged. Parameters as for `ofTable`. */
function standingOf(chain: string): SqlFragment {
  return SQL`select number, hash, timestamp, coalesce((select min(b.number) from graphloom_flows.open_blocks b where ${ofTable}),
      (select max(p.next) from graphloom_flows.positions p where ${ofTable}), 0) - 1 as final
    from ${tableOf(chain, "blocks")} order by number desc limit 1`;
}

function standingIn(row: Row): Standing {
  const { final, ...head } = standing.read(row);
  return { head, final };
}

/**
 * A limit of a page and one row, as a number in the text of the statement. With a parameter, PostgreSQL would plan
 * the statement each time, because the value allows a better plan, and planning takes as long as reading the page.
 * Only four limits exist, so there are few statements. A subquery, whose value PostgreSQL does not know when it
 * plans, then limits the rows exactly.
 */
function plannedLimit(limit: number): SqlFragment {
  return plannedLimits.find(([most]) => limit <= most)?.[1] ?? SQL``;
}

const plannedLimits = [
  [1, SQL`limit 2`],
  [10, SQL`limit 11`],
  [100, SQL`limit 101`],
  [1_000, SQL`limit 1001`],
] as const;

/**
 * A header as JSON, after a prefix for its number. All texts are hex, since nodes' answers are checked, so they need
 * no escaping. PostgreSQL's JSON functions would take twice the time.
 */
function itemAfter(prefix: SqlFragment): SqlFragment {
  const hex = (name: SqlFragment): SqlFragment => SQL`',"${name}":"', ${name}, '"'`;
  const number = (name: SqlFragment): SqlFragment => SQL`',"${name}":', coalesce(${name}::text, 'null')`;
  return SQL`concat(${prefix}::text, number, ',"timestamp":', timestamp, ${hex(SQL`hash`)}, ${hex(SQL`parent_hash`)},
    ${hex(SQL`author`)}, ',"size":', coalesce(size, 0), ${hex(SQL`receipts_root`)}, ${hex(SQL`transactions_root`)},
    ${hex(SQL`state_root`)}, ${hex(SQL`uncles_hash`)}, ',"transaction_count":', transaction_count,
    ${number(SQL`base_fee_per_gas`)}, ${number(SQL`gas_limit`)}, ${number(SQL`gas_used`)}, '}')`;
}

/** @param pinned the number of the requested block */
function pageIn(row: Row, pinned: number | undefined): Omit<BlockPage, "standing"> {
  const { pinnedHash: hash, pinnedTimestamp: timestamp, items, ...page } = blockPage.read(row);
  const { lowest, highest, count, found } = page;
  return {
    pinned:
      pinned !== undefined && hash !== null && timestamp !== null
        ? { number: pinned, hash, timestamp }
        : undefined,
    items: items ?? "",
    numbers: lowest === null || highest === null ? undefined : { lowest, highest },
    count,
    hasMore: found > count,
  };
}

/** The owner of a table's positions, for `ofTable`. */
function ownerOf(chain: string, category: Category): readonly string[] {
  return [pipelineOf(chain), category, JSON.stringify([schemaOf(chain), category])];
}

const holding = columns({
  token: text,
  sum: bigInteger,
  mark: nullable(oneOf(markKinds)),
  isPriceable: boolean,
  lacksMoves: boolean,
});

const moveRow = columns({
  blockNumber: integer,
  sequence: integer,
  blockTimestamp: integer,
  transactionHash: text,
  counterparty: text,
  token: text,
  amount: bigInteger,
  label: nullable(text),
  ownLabel: nullable(text),
  ...tokenColumns,
});
const move = {
  read(row: Row): Omit<Move, "type"> {
    const { blockNumber, blockTimestamp, transactionHash, ...rest } = moveRow.read(row);
    return { block: blockNumber, timestamp: blockTimestamp, transaction: transactionHash, ...rest };
  },
};

/**
 * The balances of a wallet that can pass a filter. A busy wallet has thousands of tokens, few of them with a price.
 * If it has more tokens than have prices, the priced tokens are looked up one by one.
 */
function ownBalances(table: SqlFragment, { own, name, filter, put }: OwnBalances): SqlFragment {
  // Written like the expressions of the sink's index, so that the index is used.
  const isOwn = SQL`coalesce(t.wallet, '') = ${own}::text and (t.wallet is null) is false`;
  const all = SQL`select t.token, t.balance from ${table} t where ${isOwn}`;
  const some = (tokens: SqlFragment): SqlFragment =>
    SQL`${all} and coalesce(t.token, '') = any(${tokens}) and (t.token is null) is false`;
  if (filter.tokens) return some(SQL`${put(arrayText(filter.tokens))}::text[]`);
  if (filter.withUnpriced) return all;
  const priced = SQL`select token from graphloom.data_registry r where r.chain = ${name}::text and ${hasPrice}`;
  return SQL`with priced as materialized (${priced}),
      few as materialized (select count(*) < (select count(*) from priced) as are_few
        from (${all} limit (select count(*) from priced)) t)
    ${all} and (select are_few from few)
    union all ${some(SQL`array(select token from priced)`)} and not (select are_few from few)`;
}

/** The parameters of `ownBalances`. */
interface OwnBalances {
  readonly own: SqlFragment;
  readonly name: SqlFragment;
  readonly filter: TokenFilter;
  readonly put: Put;
}
