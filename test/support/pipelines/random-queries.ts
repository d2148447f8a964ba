/** A source of chance: a whole number from 0 to below a limit. */
type Roll = (below: number) => number;

/** Names and texts that end something in one of the two lexers, or look like something else. */
const oddNames = [
  "a`b",
  "a``b",
  "x'y",
  'q"q',
  "--",
  "/*",
  "*/",
  "a;b",
  "select",
  "A b",
  "ü😀",
  "\\",
  "$$",
  "U&",
  "null",
];
const oddTexts = [
  "",
  "it's",
  "''",
  "--",
  "/* */",
  "*/",
  ";",
  "`",
  '"',
  "\\",
  "\\'",
  "\n",
  "\r\n",
  "\t",
  "ü",
  "😀",
  "\u2028",
  "\u0001",
  "$$",
  "U&'x'",
  "\\0041",
  "%_",
  "NULL",
  "'/*+ OPTIONS('a'='b') */'",
];

const columns = ["id", "who", "amount", "block_number"];

/**
 * A query over `played` and `things`, of everything that queries are made of: also of what has no form in Flink's SQL.
 * @param roll decides
 */
export function randomQuery(roll: Roll): string {
  return new Writer(roll).query(3);
}

class Writer {
  readonly #roll: Roll;
  #names = 0;

  constructor(roll: Roll) {
    this.#roll = roll;
  }

  query(depth: number): string {
    if (depth > 1 && this.#chance(5)) {
      const name = this.#name();
      return `WITH ${name} AS (${this.#body(depth - 1)}) ${this.#body(depth - 1, name)}`;
    }
    return this.#body(depth);
  }

  #body(depth: number, table?: string): string {
    if (depth > 1 && this.#chance(8)) {
      const kind = this.#mostly(["UNION BY NAME"], "UNION ALL", "UNION", "EXCEPT", "INTERSECT");
      return `${this.#select(depth - 1, table)} ${kind} ${this.#select(depth - 1)}`;
    }
    return `${this.#select(depth, table)}${this.#end(depth)}`;
  }

  #end(depth: number): string {
    const order = this.#chance(5)
      ? ` ORDER BY ${this.#expression(depth - 1)}${this.#of("", " DESC", " NULLS FIRST", " DESC NULLS LAST")}`
      : "";
    return `${order}${this.#chance(6) ? this.#mostly([" LIMIT 1 + 1", " LIMIT 5%"], " LIMIT 3", " LIMIT 3 OFFSET 1", " OFFSET 2") : ""}`;
  }

  #select(depth: number, table?: string): string {
    const items = this.#list(3, () =>
      this.#chance(10)
        ? this.#mostly(["* EXCLUDE (id)", "* REPLACE (1 AS id)", "COLUMNS('i.*')"], "*")
        : `${this.#expression(depth)}${this.#chance(2) ? ` AS ${this.#name()}` : ""}`,
    );
    const where = this.#chance(3) ? ` WHERE ${this.#condition(depth)}` : "";
    const group = this.#chance(5)
      ? ` GROUP BY ${this.#mostly(["ALL"], "id, who", "ROLLUP (id, who)", "GROUPING SETS ((id), (who), ())", "CUBE (id)", "()")}${this.#chance(2) ? ` HAVING ${this.#condition(depth)}` : ""}`
      : "";
    const from = ` FROM ${table ?? this.#relation(depth)}`;
    const qualify = this.#chance(25) ? " QUALIFY row_number() OVER (ORDER BY id) = 1" : "";
    return `SELECT ${this.#chance(6) ? this.#mostly(["DISTINCT ON (id) "], "DISTINCT ") : ""}${items}${from}${where}${group}${qualify}`;
  }

  #relation(depth: number): string {
    const plain = (): string =>
      `${this.#of("played", "things", "PLAYED")}${this.#chance(2) ? ` AS ${this.#name()}` : ""}`;
    if (depth <= 1) return plain();
    switch (this.#roll(9)) {
      case 0:
        return `(${this.query(depth - 1)}) AS ${this.#name()}`;
      case 1:
        return `(VALUES (${this.#literal()}), (${this.#literal()})${this.#chance(8) ? " ORDER BY 1 LIMIT 1" : ""}) AS ${this.#name()} (id)`;
      case 2:
        return `${plain()}, ${plain()}`;
      case 3:
        return `${plain()} ${this.#mostly(["SEMI JOIN", "ASOF JOIN"], "JOIN", "LEFT JOIN", "FULL JOIN")} ${plain()} ON ${this.#condition(depth - 1)}`;
      case 4:
        return `${plain()} JOIN ${plain()} USING (id)`;
      case 5:
        return `${plain()} ${this.#of(",", "CROSS JOIN")} unnest([${this.#literal()}]) AS ${this.#name()} (u)`;
      case 6:
        return `${plain()} JOIN unnest([${this.#literal()}]) AS ${this.#name()} (u) ON ${this.#mostly(["1 = 2"], "TRUE")}`;
      case 7:
        return this.#mostly(
          ["played TABLESAMPLE 10%", "main.played", "read_csv('x')", "played NATURAL JOIN things"],
          "played AS p LEFT JOIN things AS t ON p.id = t.id",
        );
      default:
        return plain();
    }
  }

  #condition(depth: number): string {
    const value = (): string => this.#expression(depth - 1);
    switch (this.#roll(9)) {
      case 0:
        return `(${this.#condition(depth - 1)} ${this.#of("AND", "OR")} ${this.#condition(depth - 1)})`;
      case 1:
        return `NOT ${this.#condition(depth - 1)}`;
      case 2:
        return `${value()} ${this.#of("IN", "NOT IN")} (${this.#list(2, value)})`;
      case 3:
        return depth > 1 ? `${value()} IN (SELECT ${this.#column()} FROM things)` : "TRUE";
      case 4:
        return `EXISTS (SELECT 1 FROM things${depth > 1 ? ` WHERE ${this.#condition(depth - 1)}` : ""})`;
      case 5:
        return `${value()} BETWEEN ${value()} AND ${value()}`;
      case 6:
        return `${value()} ${this.#mostly(["~ 'a'"], "IS NULL", "IS NOT NULL", "IS DISTINCT FROM 1", "LIKE 'a%'")}`;
      default:
        return `${value()} ${this.#of("=", "<>", "<", ">=", "!=", "==")} ${value()}`;
    }
  }

  #expression(depth: number): string {
    const inner = (): string => this.#expression(depth - 1);
    if (depth <= 0) return this.#chance(2) ? this.#column() : this.#literal();
    switch (this.#roll(14)) {
      case 0:
        return `(${inner()} ${this.#mostly(["//", "^"], "+", "-", "*", "/", "%", "||")} ${inner()})`;
      case 1:
        return `${this.#of("- ", "+ ", '"-"')}(${inner()})`;
      case 2:
        return `${this.#mostly(["hex", "greatest"], "upper", "lower", "abs", "length", "coalesce", "md5", "sum", "min", "count", "list_value")}(${inner()})`;
      case 3:
        return `${this.#of("count(DISTINCT ", "sum(DISTINCT ", "max(")}${inner()})${this.#chance(3) ? ` FILTER (WHERE ${this.#condition(depth - 1)})` : ""}`;
      case 4:
        return `CASE WHEN ${this.#condition(depth - 1)} THEN ${inner()}${this.#chance(2) ? ` ELSE ${inner()}` : ""} END`;
      case 5:
        return `${this.#of("CAST", "TRY_CAST")}(${inner()} AS ${this.#mostly(["BLOB"], "VARCHAR", "BIGINT", "DOUBLE", "DECIMAL(20, 3)", "BOOLEAN", "DATE")})`;
      case 6:
        return `${this.#of("row_number()", "rank()", "lag(id, 1)", "sum(amount)", "count(*)")} OVER (PARTITION BY ${this.#column()} ORDER BY ${this.#column()}${this.#mostly([" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING EXCLUDE TIES"], "", " DESC", " ROWS BETWEEN 2 PRECEDING AND CURRENT ROW")})`;
      case 7:
        return `(SELECT ${this.#of("max", "min")}(id) FROM things)`;
      case 8:
        return this.#mostly(
          ["{'a': 1}", "[x + 1 for x in [1]]", "(played).id", "id[1]", "INTERVAL 1 DAY"],
          "count(*)",
          "[1, 2]",
        );
      case 9:
        return `substring(${inner()}, 1, 2)`;
      default:
        return this.#chance(2) ? this.#column() : this.#literal();
    }
  }

  #column(): string {
    return this.#chance(6) ? this.#name() : this.#of(...columns);
  }

  /** A name in quotes, of its own, which may be odd. */
  #name(): string {
    this.#names += 1;
    const name = this.#chance(2) ? `n${this.#names}` : `${this.#of(...oddNames)}${this.#names}`;
    return `"${name.replaceAll('"', '""')}"`;
  }

  #literal(): string {
    if (this.#chance(2)) return `'${this.#of(...oddTexts).replaceAll("'", "''")}'`;
    return this.#of(
      "0",
      "1",
      "-1",
      "- -1",
      "1.50",
      "-0.5",
      "1e0",
      "-1e0",
      "2.5e-7",
      "-1e300",
      "1_000",

      "TRUE",
      "FALSE",
      "NULL",
      "9007199254740993",
      "-9223372036854775808",
      "1e999",
      "E'\\n\\''",
      "$$a'b$$",
      "DATE '2024-01-31'",
      "TIMESTAMP '2024-01-31 01:02:03'",
    );
  }

  #list(most: number, make: () => string): string {
    return Array.from({ length: 1 + this.#roll(most) }, make).join(
      this.#of(", ", " , ", ", /* /* */ -- */ "),
    );
  }

  #of(...choices: readonly string[]): string {
    return choices[this.#roll(choices.length)] ?? "";
  }

  /** Seldom one of the first, which are refused. */
  #mostly(odd: readonly string[], ...usual: readonly string[]): string {
    return this.#of(...(this.#chance(8) ? odd : usual));
  }

  /** Whether one of so many cases is the one. */
  #chance(cases: number): boolean {
    return this.#roll(cases) === 0;
  }
}
