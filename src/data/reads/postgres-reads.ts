import { writtenEnds } from "../../flows/sinks/postgres/written-places.js";
import {
  bigInteger,
  boolean,
  columns,
  computed,
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
import { nativeToken } from "../chains/native-token.js";
import { flowOf, schemaOf, tableOf } from "../filling/chain-tables.js";
import type {
  BlockItem,
  BlockQuestion,
  Category,
  DataReads,
  Holding,
  Indexed,
  IndexedChain,
  Move,
  MovePlace,
  MoveQuestion,
  Price,
  PriceQuestion,
  ServedToken,
  Standing,
  TokenFilter,
} from "./data-reads.js";

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
      flowOf(chain),
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
    // Chains do not lose their tables, so each is looked up once.
    if (!this.#filled.has(chain)) {
      if (!(await findFilledChain(this.#sql, chain))) return undefined;
      this.#filled.add(chain);
    }
    const [row] = await this.#query(
      SQL`select number, hash, timestamp, coalesce((select min(b.number) from graphloom_flows.open_blocks b where ${ofTable}),
          (select max(p.next) from graphloom_flows.positions p where ${ofTable}), 0) - 1 as final
        from ${tableOf(chain, "blocks")} order by number desc limit 1`,
      ownerOf(chain, "blocks"),
    );
    return row && { head: knownBlock.read(row), final: Number(row.final) };
  }

  async block(chain: string, number: number): Promise<KnownBlock | undefined> {
    const [row] = await this.#query(
      SQL`select ${knownBlock.list} from ${tableOf(chain, "blocks")} where number = $1::bigint`,
      [number],
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

  async common(chain: string, wanted: readonly Category[]): Promise<KnownBlock | undefined> {
    // A table may still have the rows of a block that another one has replaced already.
    const [row] = await this.#query(
      SQL`select ${knownBlock.list} from ${tableOf(chain, "blocks")} known
        where number < (select case when count(*) = $3::bigint then min(p.next) end from graphloom_flows.positions p where ${ofTables})
          and not exists (select 1 from graphloom_flows.open_blocks b
            where ${ofTables} and b.number = known.number and b.hash <> known.hash)
        order by number desc limit 1`,
      [
        flowOf(chain),
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
    // What is selected is in the index of wallets, so that no other row is read, however many the wallet has.
    const rows = await this.#query(
      SQL`select t.block_number, t.sequence, t.block_timestamp, t.transaction_hash, t.counterparty, t.token, t.amount,
          ${label(name, SQL`t.counterparty`)} as label, ${label(name, own)} as own_label, ${served}
        from (select t.block_number, t.sequence from ${table} t where ${joinFragments(conditions, SQL` and `)}
          order by t.block_number ${order}, t.sequence ${order} limit ${put(limit)}::bigint) found
        join ${table} t on t.block_number = found.block_number and t.sequence = found.sequence ${knownTokens(name)}
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
    // As the index has it that the sink makes of its groups.
    const isOwn = SQL`coalesce(t.wallet, '') = ${own}::text and (t.wallet is null) = false`;
    const conditions = [isOwn, ...tokenConditions(question, put)];
    // What came after the block is taken back.
    const rows = await this.#query(
      SQL`select t.token, t.balance - coalesce(later.amount, 0) as sum, found.kind as mark, ${served}
        from ${tableOf(chain, "balances")} t
        left join (select token, sum(amount) as amount from ${tableOf(chain, "transfers")}
          where wallet = ${own}::text and block_number > ${put(block)}::bigint group by token) later on later.token = t.token
        left join graphloom.data_marks found on found.chain = ${name}::text and found.token = t.token
        ${knownTokens(name)}
        where ${joinFragments(conditions, SQL` and `)} limit ${put(most)}::bigint`,
      given,
    );
    return rows.map(holding.read);
  }

  async native(chain: string, filter: TokenFilter): Promise<ServedToken | undefined> {
    const { given, put } = parameters();
    const token = put(nativeToken);
    const conditions = [SQL`true`, ...tokenConditions(filter, put)];
    const [row] = await this.#query(
      SQL`select ${served} from (select ${token}::text as token) t ${knownTokens(put(chain))}
        where ${joinFragments(conditions, SQL` and `)}`,
      given,
    );
    return row && servedToken.read(row);
  }

  async prices(
    questions: readonly PriceQuestion[],
    window: number,
    knownAt = Number.MAX_SAFE_INTEGER,
  ): Promise<readonly (Price | undefined)[]> {
    if (questions.length === 0) return [];
    const lists = (["chain", "token", "time"] as const).map((field) =>
      arrayText(questions.map((question) => String(question[field]))),
    );
    const rows = await this.#sql.query(
      SQL`select found.usd, found.bucket, coalesce(own.is_stable, false) as is_stable
        from unnest($1::text[], $2::text[], $3::bigint[]) with ordinality as given (chain, token, time, place)
        left join graphloom.data_registry own on own.chain = given.chain and own.token = given.token
        left join lateral (
          select price.usd, price.bucket from (
            select given.chain, given.token, 0 as rank
            union all select other.chain, other.token, 1 from graphloom.data_registry other where other.canonical_id = own.canonical_id
          ) source cross join lateral (
            select usd, bucket from graphloom.data_prices p
            where p.chain = source.chain and p.token = source.token and p.bucket <= given.time and p.bucket > given.time - $4::bigint
              and p.known_at <= $5::bigint
            order by p.bucket desc limit 1
          ) price order by source.rank, price.bucket desc limit 1
        ) found on not coalesce(own.is_stable, false)
        order by given.place`,
      [...lists, String(window), String(knownAt)],
      { isFixed: true },
    );
    return rows.map(({ usd, bucket, is_stable: stable }) => {
      if (stable === "t") return { usd: "1", asOf: null };
      return usd == null ? undefined : { usd, asOf: Number(bucket) };
    });
  }

  #query(statement: SqlFragment, given: readonly (string | number)[]): Promise<readonly Row[]> {
    return this.#sql.query(statement, given.map(String), { isFixed: true });
  }
}

/** Rows about one table of a flow, and about some: parameters 1 to 3, and 1 and 2. A table belongs to one sink. */
const ofTable = SQL`flow = $1::text and sink = $2::text and target = $3::text and source <> ''`;
const ofTables = SQL`flow = $1::text and target = any($2::text[]) and source <> ''`;

/** Whose positions those of a table are, for `ofTable`. */
function ownerOf(chain: string, category: Category): readonly string[] {
  return [flowOf(chain), category, JSON.stringify([schemaOf(chain), category])];
}

type Put = (value: string | number) => SqlFragment;

/** Collects the parameters of a statement. */
function parameters(): { readonly given: (string | number)[]; readonly put: Put } {
  const given: (string | number)[] = [];
  return { given, put: (value) => SQL`$${given.push(value)}` };
}

const tokenColumns = {
  symbol: nullable(text),
  name: nullable(text),
  decimals: nullable(integer),
  logoUrl: nullable(text),
  isStable: boolean,
};
const servedToken = columns(tokenColumns);

const holding = columns({
  token: text,
  sum: bigInteger,
  mark: nullable(oneOf(markKinds)),
  ...tokenColumns,
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

/** What is known of a token: its contract comes first, and people fill in what it does not say. */
const symbol = SQL`coalesce(m.symbol, r.symbol)`;
const served = SQL`${symbol} as symbol, coalesce(m.name, r.name) as name, coalesce(m.decimals, r.decimals) as decimals,
  r.logo_url, coalesce(r.is_stable, false) as is_stable`;

function knownTokens(chain: SqlFragment): SqlFragment {
  return SQL`left join graphloom.data_tokens m on m.chain = ${chain}::text and m.token = t.token
    left join graphloom.data_registry r on r.chain = ${chain}::text and r.token = t.token`;
}

function tokenConditions({ tokens, symbols, withUnpriced }: TokenFilter, put: Put): readonly SqlFragment[] {
  return [
    ...(tokens ? [SQL`t.token = any(${put(arrayText(tokens))}::text[])`] : []),
    ...(symbols ? [SQL`lower(${symbol}) = any(${put(arrayText(symbols))}::text[])`] : []),
    ...(withUnpriced ? [] : [SQL`(r.is_stable or r.canonical_id is not null)`]),
  ];
}

/**
 * The same for rows that are not joined to what is known of tokens. Tokens are looked up in a table of those that pass, which
 * keeps the order in which rows are read.
 */
function wantedTokens(filter: TokenFilter, chain: SqlFragment, put: Put): readonly SqlFragment[] {
  const { tokens, symbols, withUnpriced } = filter;
  const named = tokens ? [SQL`t.token = any(${put(arrayText(tokens))}::text[])`] : [];
  if (withUnpriced && !symbols) return named;
  const all = withUnpriced
    ? SQL`select token from graphloom.data_tokens where chain = ${chain}::text
        union select token from graphloom.data_registry where chain = ${chain}::text`
    : SQL`select token from graphloom.data_registry where chain = ${chain}::text`;
  const conditions = tokenConditions({ symbols, withUnpriced }, put);
  return [
    ...named,
    SQL`(t.token in (select t.token from (${all}) t ${knownTokens(chain)} where ${joinFragments(conditions, SQL` and `)})) is true`,
  ];
}

/** The name of an address; one of the chain comes first. */
function label(chain: SqlFragment, address: SqlFragment): SqlFragment {
  return SQL`(select l.label from graphloom.data_labels l where l.address = ${address}::text and l.chain in ('', ${chain}::text)
    order by l.chain desc limit 1)`;
}
