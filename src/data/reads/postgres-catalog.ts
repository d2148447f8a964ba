import { columns, nullable, oneOf, text } from "../../store/database/columns.js";
import { joinFragments, type Row, SQL, type Sql, type SqlFragment } from "../../store/database/database.js";
import { arrayText } from "../../store/database/sql-array.js";
import { markKinds } from "../catalog/token-marks.js";
import { nativeToken } from "../chains/native-token.js";
import type { Catalog, KnownToken, Price, PriceQuestion, ServedToken, TokenFilter } from "./data-reads.js";
import {
  knownTokens,
  label,
  parameters,
  passesAll,
  passingTokens,
  served,
  tokenColumns,
  tokenConditions,
} from "./token-sql.js";

const servedToken = columns(tokenColumns);
const knownToken = columns({ token: text, mark: nullable(oneOf(markKinds)), ...tokenColumns });

/** What people and contracts say about tokens and addresses, in a transaction of PostgreSQL. */
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

  async passing(chain: string, filter: TokenFilter): Promise<readonly string[] | undefined> {
    if (passesAll(filter)) return filter.tokens;
    const { given, put } = parameters();
    const rows = await this.#query(passingTokens(filter, put(chain), put), given);
    return rows.map(({ token }) => token ?? "");
  }

  async known(chain: string, tokens: readonly string[]): Promise<readonly KnownToken[]> {
    if (tokens.length === 0) return [];
    const { given, put } = parameters();
    const name = put(chain);
    const rows = await this.#query(
      SQL`select t.token, found.kind as mark, ${served}
        from unnest(${put(arrayText(tokens))}::text[]) with ordinality as t (token, place)
        left join graphloom.data_marks found on found.chain = ${name}::text and found.token = t.token
        ${knownTokens(name)} order by t.place`,
      given,
    );
    return rows.map(knownToken.read);
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
