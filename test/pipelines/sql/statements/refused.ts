/** Statements that are refused, by the way out that the user is shown. */
export const refused: readonly { readonly hint: string; readonly statements: readonly string[] }[] = [
  {
    hint: "write regexp_matches(text, pattern, 'i')",
    statements: ["SELECT id, sender FROM transfers WHERE sender ~* 'ALI' OR sender !~ 'e'"],
  },
  {
    hint: "put it in quotes",
    statements: [
      "SELECT id, amount + 115792089237316195423570985008687907853269984665640564039457584007913129639935 AS more FROM transfers",
    ],
  },
  {
    hint: "write strlen(text)",
    statements: [
      "SELECT id, lower(sender) AS l, upper(sender) AS u, length(sender) AS n, octet_length(sender) AS bytes FROM transfers",
    ],
  },
  {
    hint: "write trim(text, characters)",
    statements: ["SELECT id, btrim(sender, ' a') AS a FROM transfers"],
  },
  {
    hint: "write array_to_string(list_transform(string_split(text, ' '), lambda word: upper(left(word, 1)) || lower(substr(word, 2))), ' ')",
    statements: ["SELECT id, initcap(sender) AS a FROM transfers"],
  },
  {
    hint: "write left(text, 1) || other || substr(text, 4)",
    statements: ["SELECT id, overlay(sender placing 'XX' from 2) AS a FROM transfers"],
  },
  {
    hint: "write regexp_extract(text, pattern, group)",
    statements: ["SELECT id, (regexp_match(sender, '([a-z]+)='))[1] AS a FROM transfers"],
  },
  {
    hint: "write len(regexp_extract_all(text, pattern))",
    statements: ["SELECT id, regexp_count(sender, 'a') AS n FROM transfers"],
  },
  {
    hint: "write encode(text)",
    statements: ["SELECT id, encode(sha256(convert_to(sender, 'UTF8')), 'hex') AS h FROM transfers"],
  },
  {
    hint: "write unhex(hex) for hex, from_base64(text) for base64, or CASE for values",
    statements: [
      "SELECT id, encode(decode(substr(transaction_hash, 3), 'hex'), 'base64') AS h FROM transfers",
    ],
  },
  {
    hint: "write strftime(time, '%Y-%m-%d') for times, or format('{:,}', number::BIGINT) for numbers",
    statements: [
      "SELECT id, to_char(amount, 'FM999,999') AS a FROM transfers",
      "SELECT id, to_char(to_timestamp(block_timestamp), 'YYYY-MM-DD') AS day FROM transfers",
    ],
  },
  {
    hint: "write json ->> '$.path', where PostgreSQL has #>> and #>",
    statements: ["SELECT id, recipient::jsonb #>> '{deep,y,2,z}' AS a FROM transfers"],
  },
  {
    hint: "write json_exists(json, '$.name')",
    statements: ["SELECT id, recipient::jsonb ? 'kind' AS a FROM transfers"],
  },
  {
    hint: "write JSON",
    statements: ['SELECT id, recipient::jsonb @> \'{"kind":"swap"}\' AS a FROM transfers'],
  },
  {
    hint: "write json_array_length(json)",
    statements: ["SELECT id, jsonb_array_length(recipient::jsonb -> 'tags') AS n FROM transfers"],
  },
  {
    hint: "write json_object('name', value, …)",
    statements: ["SELECT id, json_build_object('who', sender, 'n', log_index) AS j FROM transfers"],
  },
  {
    hint: "write json_extract_string(json, '$.path')",
    statements: ["SELECT id, jsonb_extract_path_text(recipient::jsonb, 'deep', 'x') AS a FROM transfers"],
  },
  {
    hint: "write transfers.id or e.id",
    statements: [
      "SELECT id || '/' || e.key AS id, e.value AS value FROM transfers, json_each(recipient) AS e",
    ],
  },
  {
    hint: "write json_each(json)",
    statements: ["SELECT id || '/' || key AS id, value FROM transfers, json_each_text(recipient::json)"],
  },
  {
    hint: "write time_bucket(INTERVAL '15 minutes', time)",
    statements: [
      "SELECT id, date_bin('15 minutes', to_timestamp(block_timestamp), TIMESTAMPTZ '2020-01-01') AS bin FROM transfers",
    ],
  },
  {
    hint: "write strptime(text, '%Y-%m-%d')::DATE",
    statements: ["SELECT id, to_date('2024-02-03', 'YYYY-MM-DD') AS day FROM transfers"],
  },
  {
    hint: "use the time of the row's block, such as block_timestamp",
    statements: ["SELECT id, now() AS seen FROM transfers"],
  },
  {
    hint: "use the time of the row's block, such as block_timestamp; write <table>.CURRENT_TIMESTAMP for a column of that name",
    statements: [
      "SELECT id FROM transfers WHERE to_timestamp(block_timestamp) > CURRENT_TIMESTAMP - INTERVAL '1 day'",
    ],
  },
  {
    hint: "use the id of the row, or keccak256 of its columns",
    statements: ["SELECT id, gen_random_uuid() AS u FROM transfers"],
  },
  {
    hint: "write strftime(time, '%Y-%m-%d %H:%M:%S')",
    statements: [
      "SELECT id, DATE_FORMAT(FROM_UNIXTIME(block_timestamp), 'yyyy-MM-dd') AS day FROM transfers",
    ],
  },
  {
    hint: "write strftime(to_timestamp(seconds), '%Y-%m-%d')",
    statements: ["SELECT id, FROM_UNIXTIME(block_timestamp, 'yyyy-MM-dd') AS day FROM transfers"],
  },
  {
    hint: "write regexp_matches(text, pattern)",
    statements: ["SELECT id, REGEXP(sender, '[0-9]') AS a FROM transfers"],
  },
  {
    hint: "write coalesce(value, other)",
    statements: ["SELECT id, NVL(amount, 0) AS a, DECODE(sender, 'alice', 1, 2) AS b FROM transfers"],
  },
  {
    hint: "write base64(encode(text))",
    statements: ["SELECT id, TO_BASE64(sender) AS a FROM transfers"],
  },
  {
    hint: "write strpos(text, part)",
    statements: ["SELECT id, LOCATE('a', sender) AS a, INSTR(sender, 'a') AS b FROM transfers"],
  },
  {
    hint: "write TRY_CAST(value AS type)",
    statements: ["SELECT id, SAFE_CAST(sender AS INT) AS a FROM transfers"],
  },
  {
    hint: "write epoch(time)::BIGINT",
    statements: ["SELECT id, UNIX_TIMESTAMP('2024-01-01 00:00:00') AS a FROM transfers"],
  },
  {
    hint: "write date_diff('day', start, end)",
    statements: [
      "SELECT id, TIMESTAMPDIFF(DAY, to_timestamp(block_timestamp), TIMESTAMP '2024-01-01') AS a FROM transfers",
    ],
  },
  {
    hint: "write to_timestamp(seconds), or strptime(text, '%Y-%m-%d %H:%M:%S')",
    statements: ["SELECT id, TO_TIMESTAMP('2024-01-01', 'YYYY-MM-DD') AS a FROM transfers"],
  },
  {
    hint: "write to_u256('0x' || hex) for hex, or hex(number)",
    statements: ["SELECT id, CONV(sender, 16, 10) AS a FROM transfers"],
  },
  {
    hint: "use the sink postgres_aggregate, aggregate in the database, or let Flink do it with --engine flink=<gateway>",
    statements: [
      "SELECT TUMBLE_START(block_timestamp, INTERVAL '1' HOUR) AS id FROM transfers GROUP BY TUMBLE(block_timestamp, INTERVAL '1' HOUR)",
      "SELECT sender AS id, count(*) AS n, sum(amount) AS total FROM transfers GROUP BY sender",
      "SELECT sender AS id, count(*) AS n FROM transfers GROUP BY ALL",
      "SELECT sender AS id FROM transfers GROUP BY sender HAVING count(*) > 3",
      "SELECT sender AS id, count(DISTINCT address) AS n FROM transfers GROUP BY 1",
      "SELECT sender AS id, string_agg(address, ',') AS all FROM transfers GROUP BY sender",
      "SELECT sender AS id, address, count(*) AS n FROM transfers GROUP BY ROLLUP (sender, address)",
      "SELECT time_bucket(INTERVAL '1 hour', to_timestamp(block_timestamp)) AS id, sum(amount) AS total FROM transfers GROUP BY 1",
      "SELECT max(block_number) AS id FROM transfers",
    ],
  },
  {
    hint: "compute it when you read from the sink, or let Flink do it with --engine flink=<gateway>",
    statements: [
      "SELECT id, row_number() OVER (PARTITION BY sender ORDER BY block_number) AS n FROM transfers",
      "SELECT id, amount - lag(amount) OVER (ORDER BY block_number, id) AS change FROM transfers",
      "SELECT id, sum(amount) OVER (ORDER BY block_number ROWS UNBOUNDED PRECEDING) AS total FROM transfers",
      "SELECT id FROM transfers QUALIFY row_number() OVER (PARTITION BY sender ORDER BY block_number DESC) = 1",
    ],
  },
  {
    hint: "choose a primary_key: rows with the same key become one",
    statements: [
      "SELECT DISTINCT sender AS id FROM transfers",
      "SELECT DISTINCT ON (sender) id, sender FROM transfers ORDER BY sender, block_number DESC",
    ],
  },
  {
    hint: "order the rows when you read them from the sink",
    statements: ["SELECT id FROM transfers ORDER BY block_number DESC"],
  },
  {
    hint: "filter with WHERE, or give the source an end_block",
    statements: [
      "SELECT id FROM transfers LIMIT 10",
      "SELECT id FROM transfers OFFSET 5",
      "SELECT id FROM transfers FETCH FIRST 10 ROWS ONLY",
    ],
  },
  {
    hint: "write UNION ALL",
    statements: ["SELECT id, sender FROM transfers UNION SELECT id, recipient FROM transfers"],
  },
  {
    hint: "filter with WHERE",
    statements: [
      "SELECT id FROM transfers EXCEPT SELECT id FROM transfers WHERE amount < 5",
      "SELECT id FROM transfers INTERSECT SELECT id FROM transfers WHERE amount < 5",
    ],
  },
  {
    hint: "join with a list of rows, LEFT JOIN (VALUES ('key', 'value'), …) AS t(key, value) ON t.key = <column>, look values up in a dynamic_table, join in the database, or let Flink do it with --engine flink=<gateway>",
    statements: [
      "SELECT a.id, b.id AS other FROM transfers a JOIN transfers b ON a.sender = b.recipient",
      "SELECT a.id FROM transfers a LEFT JOIN transfers b USING (sender) WHERE b.id IS NULL",
      "SELECT t.id, x.n FROM transfers t, LATERAL (SELECT count(*) AS n FROM transfers o WHERE o.sender = t.sender) x",
      "SELECT a.id FROM transfers a ASOF JOIN transfers b ON a.sender = b.sender AND a.block_number >= b.block_number",
      "SELECT a.id FROM transfers a ANTI JOIN transfers b ON a.sender = b.recipient",
    ],
  },
  {
    hint: "join with a list of rows, look values up in a dynamic_table, or give every source an end_block and write job: true",
    statements: [
      "SELECT id FROM transfers WHERE sender IN (SELECT recipient FROM transfers)",
      "SELECT id FROM transfers t WHERE EXISTS (SELECT 1 FROM transfers o WHERE o.recipient = t.sender)",
      "SELECT id, (SELECT max(amount) FROM transfers) AS most FROM transfers",
    ],
  },
  {
    hint: "write the query without recursion",
    statements: [
      "WITH RECURSIVE r AS (SELECT id, 1 AS n FROM transfers UNION ALL SELECT id, n + 1 FROM r WHERE n < 3) SELECT id || n AS id FROM r",
    ],
  },
  {
    hint: "filter by a column",
    statements: ["SELECT * FROM transfers USING SAMPLE 10"],
  },
  {
    hint: "write a CASE for each column, and aggregate in a job",
    statements: ["PIVOT transfers ON address USING sum(amount) GROUP BY sender"],
  },
  {
    hint: "write only a SELECT: a sink takes the rows of the transform that its from names",
    statements: ["INSERT INTO out SELECT id FROM transfers", "CREATE TABLE out AS SELECT id FROM transfers"],
  },
  {
    hint: "write 'alice' for a text: double quotes are for names",
    statements: ['SELECT id FROM transfers WHERE sender = "alice"'],
  },
  {
    hint: "write FROM instead of FORM",
    statements: ["SELECT id, amount FORM transfers"],
  },
  {
    hint: "write transfers",
    statements: ["SELECT id FROM transfer"],
  },
  {
    hint: "write sender",
    statements: ["SELECT id, sendr FROM transfers"],
  },
  {
    hint: "write time + INTERVAL '1 day'",
    statements: ["SELECT id, DATEADD(day, 1, to_timestamp(block_timestamp)) AS a FROM transfers"],
  },
  {
    hint: "write CAST(value AS type)",
    statements: ["SELECT id, CONVERT(VARCHAR, amount) AS a FROM transfers"],
  },
  {
    hint: "filter with WHERE, or write LIMIT at the end of the query of a job",
    statements: ["SELECT TOP 10 id FROM transfers"],
  },
  {
    hint: "the types are VARCHAR, BOOLEAN, BIGINT, BIGNUM for integers of 256 bits, DECIMAL(38, s), DOUBLE, TIMESTAMP, DATE, JSON, and lists such as VARCHAR[]",
    statements: ["SELECT id, amount::money AS a FROM transfers"],
  },
  {
    hint: "transfers has id, sender, recipient, amount, address, block_number, block_hash, block_timestamp, transaction_hash, transaction_index, log_index",
    statements: ["SELECT id FROM transfers WHERE ROWNUM < 10", "SELECT id, UNNEST(tags) FROM transfers"],
  },
  {
    hint: "read FROM a source or a transform",
    statements: ["SELECT id FROM read_parquet('x.parquet')"],
  },
];
