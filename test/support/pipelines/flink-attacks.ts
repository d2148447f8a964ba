import { refusedQueries } from "./lexer-corpus.js";

/** A query that a thief's pipeline may run, and the text that it makes of every row. */
interface HarmlessQuery {
  readonly sql: string;
  readonly v: string;
}

/**
 * Queries with live SQL wherever Flink's lexer would see some and DuckDB's sees none. They read the thief's own rows.
 * @param topic the victim's
 * @param brokers where nothing must connect
 */
export function harmlessQueries(topic: string, brokers: string): readonly HarmlessQuery[] {
  const stolen = `SELECT id, secret FROM graphloom.topics.mine /*+ OPTIONS('topic'='${topic}') */`;
  const forged = `INSERT INTO graphloom.topics.mine /*+ OPTIONS('topic'='${topic}') */ SELECT 'forged', 'forged'`;
  const led = `/*+ OPTIONS('properties.bootstrap.servers'='${brokers}') */`;
  const table = `graphloom.topics.mine /*+ OPTIONS('topic'='${topic}') */`;
  const doubled = (text: string): string => text.replaceAll("'", "''");
  return [
    { sql: `SELECT id, 'nested' AS v FROM mine /* /* */ UNION ALL ${stolen} -- */`, v: "nested" },
    {
      sql: `SELECT id, 'forged' /* /* */ AS v FROM mine); ${forged}; INSERT INTO x (SELECT id, 'x' -- */ AS v FROM mine`,
      v: "forged",
    },
    { sql: `SELECT id, 'hint' AS v FROM mine /*+ OPTIONS('topic'='${topic}') */ AS m ${led}`, v: "hint" },
    { sql: `SELECT ${led} id, 'led' AS v FROM mine`, v: "led" },
    { sql: `SELECT id, '${doubled(`') ${stolen} --`)}' AS v FROM mine`, v: `') ${stolen} --` },
    { sql: `SELECT id, '\\'' ${doubled(stolen)} --' AS v FROM mine`, v: `\\' ${stolen} --` },
    { sql: `SELECT id, $$'; ${forged} --$$ AS v FROM mine`, v: `'; ${forged} --` },
    { sql: `SELECT id, E'e\\' ; ${doubled(forged)} --' AS v FROM mine`, v: `e' ; ${forged} --` },
    { sql: `SELECT id, v FROM (SELECT id, 'name' AS "v" FROM mine) AS "x\`) ${forged}; --"`, v: "name" },
    { sql: `SELECT id, "${table}" AS v FROM (SELECT id, 'column' AS "${table}" FROM mine)`, v: "column" },
    { sql: `WITH "${table}" AS (SELECT id FROM mine) SELECT id, 'with' AS v FROM "${table}"`, v: "with" },
    { sql: "SELECT id, 'minus' || CAST(CAST(\"-\"(-2e0) AS BIGINT) AS VARCHAR) AS v FROM mine", v: "minus2" },
    {
      sql: `SELECT id, ${"upper(".repeat(60)}'deep'${")".repeat(60)} AS v FROM mine`,
      v: "DEEP",
    },
  ];
}

/** Queries that a thief's pipeline is refused. @param topic the victim's */
export function attacks(topic: string): readonly string[] {
  const of = (name: string): string => `SELECT id, 'x' AS v FROM ${name}`;
  return [
    ...refusedQueries.map((sql) => sql.replaceAll("played", "mine").replaceAll("who", "secret")),
    of("graphloom.topics.mine"),
    of("`graphloom`.`topics`.`mine`"),
    of("topics.mine"),
    of(`"${topic}"`),
    of(`mine; ${of("mine")}`),
    of("mine TABLESAMPLE BERNOULLI (10)"),
    of("mine FOR SYSTEM_TIME AS OF now()"),
    of("mine MATCH_RECOGNIZE (PATTERN (a) DEFINE a AS true)"),
    of("TABLE(TUMBLE(TABLE mine, DESCRIPTOR(id), INTERVAL '1' DAY))"),
    of("query_table('mine')"),
    of("glob('*')"),
    of("duckdb_settings()"),
    of("information_schema.tables"),
    of("mine, LATERAL TABLE(f(id))"),
    "PIVOT mine ON secret USING count(*) GROUP BY id",
    "UNPIVOT mine ON secret",
    "VALUES ('x', 'y')",
    "SELECT id, _UTF16'x' AS v FROM mine",
    "SELECT id, U&'\\0027' AS v FROM mine",
    "SELECT id, {'a': id}.a AS v FROM mine",
    "SELECT id, (mine).id AS v FROM mine",
    "SELECT id, map_from_entries([('a', 1)]) AS v FROM mine",
    "SELECT id, list_reduce([1], (a, b) -> a) AS v FROM mine",
    "SELECT id, current_database() AS v FROM mine",
    "SELECT id, system.main.lower(id) AS v FROM mine",
    "SELECT id, PARSE_URL(id, 'HOST') AS v FROM mine",
    "SELECT id, JSON_VALUE(id, '$') AS v FROM mine",
    'SELECT id, id COLLATE "x" AS v FROM mine',
    "SELECT id, $1 AS v FROM mine",
    "SET 'table.dynamic-table-options.enabled' = 'true'",
    "CREATE TABLE t AS SELECT 1",
    "ATTACH 'x'",
  ];
}
