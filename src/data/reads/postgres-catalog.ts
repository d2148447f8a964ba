import { boolean, columns, integer, nullable, oneOf, text } from "../../store/database/columns.js";
import { joinFragments, type Row, SQL, type Sql, type SqlFragment } from "../../store/database/database.js";
import { arrayText, plainArrayText } from "../../store/database/sql-array.js";
import { markKinds } from "../catalog/token-marks.js";
import { nativeToken } from "../chains/native-token.js";
import type {
  Catalog,
  HeldToken,
  KnownToken,
  Price,
  PriceQuestion,
  ServedToken,
  TokenFilter,
  TokenQuestion,
} from "./data-reads.js";
import {
  hasPrice,
  isPriceable,
  knownTokens,
  label,
  lacksMoves,
  parameters,
  passesAll,
  passingTokens,
  priced,
  served,
  servedToken,
  tokenColumns,
  tokenConditions,
  wrapping,
} from "./token-sql.js";

/** A question with a price, by its position among the questions, from 1. */
const priceRow = columns({
  place: integer,
  isStable: nullable(boolean),
  usd: nullable(text),
  bucket: nullable(integer),
});
const heldToken = columns({
  token: text,
  mark: nullable(oneOf(markKinds)),
  isPriceable: boolean,
  lacksMoves: boolean,
});
const knownToken = columns({ token: text, mark: nullable(oneOf(markKinds)), ...tokenColumns });

/** Operators' and contracts' facts about tokens and addresses, in a transaction of PostgreSQL. */
export class PostgresCatalog implements Catalog {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
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
    const priceOf = (token: SqlFragment): SqlFragment =>
      SQL`select p.usd, p.bucket from graphloom.data_prices p
        where p.chain = ${token}.chain and p.token = ${token}.token
          and p.bucket <= given.time and p.bucket > given.time - $4::bigint and p.known_at <= $5::bigint
        order by p.bucket desc limit 1`;
    // Only tokens with a price are returned: most tokens of a busy wallet have none.
    const rows = await this.#sql.query(
      SQL`select given.place, own.is_stable, coalesce(direct.usd, related.usd) as usd,
          case when direct.usd is null then related.bucket else direct.bucket end as bucket
        from unnest($1::text[], $2::text[], $3::bigint[]) with ordinality as given (chain, token, time, place)
        left join graphloom.data_registry own on own.chain = given.chain and own.token = given.token
        left join lateral (${priceOf(SQL`given`)}) direct on not coalesce(own.is_stable, false)
        left join lateral (
          select price.usd, price.bucket
          from graphloom.data_registry other cross join lateral (${priceOf(SQL`other`)}) price
          where direct.usd is null and not own.is_stable and own.canonical_id is not null
            and other.canonical_id = own.canonical_id
          order by price.bucket desc limit 1
        ) related on true
        where own.is_stable or direct.usd is not null or related.usd is not null`,
      [
        arrayText(questions.map(({ chain }) => chain)),
        arrayText(questions.map(({ token }) => token)),
        plainArrayText(questions.map(({ time }) => time)),
        String(window),
        String(knownAt),
      ],
      { isFixed: true },
    );
    const prices = questions.map((): Price | undefined => undefined);
    for (const row of rows) {
      const { place, isStable, usd, bucket } = priceRow.read(row);
      if (isStable) prices[place - 1] = { usd: "1", asOf: null };
      else if (usd !== null) prices[place - 1] = { usd, asOf: bucket };
    }
    return prices;
  }

  async passing(chain: string, filter: TokenFilter): Promise<readonly string[] | undefined> {
    if (passesAll(filter)) return filter.tokens;
    const { given, put } = parameters();
    const rows = await this.#query(passingTokens(filter, put(chain), put), given);
    return rows.map(({ token }) => token ?? "");
  }

  async known(chain: string, questions: readonly TokenQuestion[]): Promise<readonly KnownToken[]> {
    if (questions.length === 0) return [];
    const { given, put } = parameters();
    const name = put(chain);
    const tokens = put(arrayText(questions.map(({ token }) => token)));
    const blocks = put(plainArrayText(questions.map(({ block }) => block)));
    const rows = await this.#query(
      SQL`select t.token, found.kind as mark, ${served}
        from unnest(${tokens}::text[], ${blocks}::bigint[]) with ordinality as t (token, block, place)
        left join graphloom.data_marks found on found.chain = ${name}::text and found.token = t.token
        ${knownTokens(name, SQL`t.block`)} order by t.place`,
      given,
    );
    return rows.map(knownToken.read);
  }

  async priceable(
    chain: string,
    filter: TokenFilter,
    most: number,
  ): Promise<readonly (HeldToken & { readonly token: string })[]> {
    const { given, put } = parameters();
    const name = put(chain);
    // Tokens named in the request are read even without a price.
    const named =
      filter.tokens && filter.withUnpriced
        ? SQL`union select unnest(${put(arrayText(filter.tokens))}::text[])`
        : SQL``;
    const conditions = [SQL`t.token <> ${put(nativeToken)}::text`, ...tokenConditions(filter, put)];
    const rows = await this.#query(
      SQL`select t.token, found.kind as mark, ${isPriceable} as is_priceable, ${lacksMoves} as lacks_moves
        from (select r.token from graphloom.data_registry r where r.chain = ${name}::text and ${hasPrice}
          union select token from graphloom.data_priced where chain = ${name}::text ${named}) t
        left join graphloom.data_marks found on found.chain = ${name}::text and found.token = t.token
        ${knownTokens(name)} ${priced(name, true)} ${wrapping(name)}
        where ${joinFragments(conditions, SQL` and `)} order by t.token limit ${put(most)}::bigint`,
      given,
    );
    return rows.map(heldToken.read);
  }

  async held(chain: string, tokens: readonly string[]): Promise<ReadonlyMap<string, HeldToken>> {
    if (tokens.length === 0) return new Map();
    const { given, put } = parameters();
    const name = put(chain);
    const rows = await this.#query(
      SQL`select t.token, found.kind as mark, ${isPriceable} as is_priceable, ${lacksMoves} as lacks_moves
        from unnest(${put(arrayText(tokens))}::text[]) as t (token)
        left join graphloom.data_marks found on found.chain = ${name}::text and found.token = t.token
        ${priced(name, false)} ${wrapping(name)} where found.kind is not null or ${isPriceable} or ${lacksMoves}`,
      given,
    );
    return new Map(rows.map(heldToken.read).map(({ token, ...held }) => [token, held]));
  }

  async labels(chain: string, addresses: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (addresses.length === 0) return new Map();
    const { given, put } = parameters();
    const name = put(chain);
    const rows = await this.#query(
      SQL`select * from (select t.address, ${label(name, SQL`t.address`)} as label
        from unnest(${put(arrayText(addresses))}::text[]) as t (address)) named where label is not null`,
      given,
    );
    return new Map(rows.map(({ address, label: found }) => [address ?? "", found ?? ""]));
  }

  #query(statement: SqlFragment, given: readonly (string | number)[]): Promise<readonly Row[]> {
    return this.#sql.query(statement, given.map(String), { isFixed: true });
  }
}
