import type { CatalogEntry } from "./entry.js";

/** Codes for definitions of pipelines and streams. */
export const pipelineCodes = {
  "unset-variable": {
    title: "a variable in a definition has no value",
    explanation:
      "A definition may contain a name in braces after a dollar sign, which stands for a value that is given when it is run. This name has no value. Pass it with --var, or set an environment variable of the name. Templates have placeholders of other forms, such as {{chain}}, __CHAIN__ or <chain>: replace these by values first.",
    example: {
      wrong: "graphloom pipeline run transfers.yaml",
      right: "graphloom pipeline run transfers.yaml --var CHAIN=base",
    },
  },
  "unstorable-text": {
    title: "a text in a definition contains what no database can store",
    explanation:
      "Databases cannot store zero bytes or halves of surrogate pairs, and definitions are kept in one. In quotes, YAML and JSON allow both as escapes. Remove the escape.",
    example: { wrong: 'path: "a\\0b"', right: "path: ab" },
  },
  "old-form": {
    title: "a definition is in the older form, with lists",
    explanation:
      "Older definitions list their sources, transforms and sinks, each with a referenceName. graphloom reads them as if the names were keys. No action is needed; write maps of names to use newer settings.",
    example: {
      wrong: "sources: [{ referenceName: logs, type: dataset, … }]",
      right: "sources: { logs: { type: dataset, … } }",
    },
  },
  "unknown-node": {
    title: "no source or transform has this name",
    explanation:
      "Queries and sinks refer to sources and transforms by their keys in the definition. This name is not one of them. Correct the name, or add the source.",
    example: { wrong: "sql: SELECT * FROM transfer", right: "sql: SELECT * FROM transfers" },
  },
  "node-cycle": {
    title: "transforms read each other in a circle",
    explanation:
      "A transform needs the rows of what it reads before it can make its own. Here each waits for another one, so none can start. Let one of them read a source.",
    example: {
      wrong: "a: SELECT * FROM b, b: SELECT * FROM a",
      right: "a: SELECT * FROM logs, b: SELECT * FROM a",
    },
  },
  "unused-node": {
    title: "a source or transform does not lead to a sink",
    explanation:
      "Nothing reads its rows, so it would be read for nothing. Usually the name is misspelled where it should be read. Let a transform or a sink read it, or remove it.",
    example: {
      wrong: "sinks: { out: { type: print, from: logs } }",
      right: "sinks: { out: { type: print, from: large_transfers } }",
    },
  },
  "unknown-dataset": {
    title: "the dataset or its version does not exist",
    explanation:
      "A dataset's name is a chain, a dot and a kind, such as ethereum.raw_logs. The command graphloom dataset list shows all of them with their versions. Some chains have other names there than in subgraphs.",
    example: { wrong: "dataset_name: polygon.transactions", right: "dataset_name: matic.raw_transactions" },
  },
  "other-version": {
    title: "the current version of a dataset is read in place of another",
    explanation:
      "Later versions of a dataset have more columns, and the same rows. A definition that names an older or a newer version than graphloom has reads the current one. If a query reads a column that only a newer version has, it is refused. Write the current version, or leave it out.",
    example: { wrong: "version: 1.0.0", right: "version: 1.2.0" },
  },
  "no-effect": {
    title: "a setting has no effect here",
    explanation:
      "Another service has the setting, and a definition may keep it. graphloom does the same with it and without it.",
    example: { wrong: "parallelism: 4", right: "resource_size: l" },
  },
  "unknown-subgraph": {
    title: "the subgraph or its version is not in the database",
    explanation:
      "A subgraph_entity source reads a database that graphloom run, dev or serve keeps. Subgraphs that were deployed have a name, and versions and tags. A build that graphloom run has indexed has only its deployment id, which stands in place of the name. Correct the name, or index the subgraph first.",
    example: {
      wrong: "subgraphs: [{ name: pool, version: 1.0.0 }]",
      right: "subgraphs: [{ name: pools, version: 1.0.0 }]",
    },
  },
  "unknown-entity": {
    title: "the subgraph has no entity with this name",
    explanation:
      "An entity is named as in the subgraph's schema, such as PoolCreated, or as its table, pool_created. An interface has no rows of its own: read the types that implement it. An aggregation has a table for each interval, such as stats_hour.",
    example: { wrong: "name: Poolcreated", right: "name: PoolCreated" },
  },
  "subgraphs-differ": {
    title: "the subgraphs of a source do not fit together",
    explanation:
      "A source with several subgraphs puts the entities of several chains into the same rows, with a column for the chain. So each subgraph must be of another chain, and the entity must have the same columns in all of them. Otherwise write a source for each subgraph, and combine what they share with UNION ALL.",
    example: {
      wrong: "subgraphs: [{ name: pools, version: 1.0.0 }, { name: pools, version: 2.0.0 }]",
      right: "subgraphs: [{ name: pools-mainnet, version: 1.0.0 }, { name: pools-base, version: 1.0.0 }]",
    },
  },
  "subgraph-unread": {
    title: "an entity was not checked, because its subgraph cannot be looked up",
    explanation:
      "The columns of an entity are in the database that keeps its subgraph. Without that database, this source and all that reads it are not checked. Pass --database or --data to check them.",
    example: {
      wrong: "graphloom pipeline validate pools.yaml",
      right: "graphloom pipeline validate pools.yaml --database postgres://…",
    },
  },
  "table-fill": {
    title: "a dynamic table cannot be filled like this",
    explanation:
      "What a table that a query fills holds for a row is what blocks up to that of the row have put in. So the query gives one column, of rows of one dataset, whose chain is also that of all rows which are looked up. Every run fills a table in memory again, so its source starts at the same block each time.",
    example: {
      wrong: "backend_type: InMemory, sql: SELECT pool FROM logs   # start_at: latest",
      right: "backend_type: InMemory, sql: SELECT pool FROM logs   # start_at: earliest",
    },
  },
  "script-syntax": {
    title: "a script cannot be parsed",
    explanation:
      "The text is not TypeScript, or not JavaScript if the transform has language: javascript. The marked part is where the parser stopped; the mistake is there or shortly before. Types are not checked. Correct it.",
    example: {
      wrong: "function invoke(data) { return { id: data.id; }",
      right: "function invoke(data) { return { id: data.id }; }",
    },
  },
  "script-forbidden": {
    title: "a script does something that scripts must not do",
    explanation:
      "A script computes a row from a row and reaches nothing else: no network, no files, no modules, no timers. It gives the same result for the same row, whenever it runs, so it has no clock and no random numbers. Use what the hint says.",
    example: { wrong: "seen: Date.now()", right: "seen: data.block_timestamp" },
  },
  "script-entry": {
    title: "a script has no function that takes a row",
    explanation:
      "graphloom calls the function invoke of a script for each row. It returns an object with the columns of the schema, or null to drop the row. It cannot wait, so it must not be async. Write such a function at the top level of the script.",
    example: {
      wrong: "const transform = (data) => ({ id: data.id });",
      right: "function invoke(data) { return { id: data.id }; }",
    },
  },
  "unknown-column": {
    title: "the rows have no column with this name",
    explanation:
      "The setting names a column that the rows do not have at this place. A query has the columns of its SELECT; a dataset has the columns that graphloom dataset get shows. Correct the name, or add the column to the query.",
    example: { wrong: "primary_key: log_id", right: "primary_key: id" },
  },
  "sql-syntax": {
    title: "a query cannot be parsed",
    explanation:
      "The text is not a query in DuckDB's SQL, which is close to PostgreSQL's. The marked part is where the parser stopped; the mistake is there or shortly before. Correct it.",
    example: {
      wrong: "sql: SELECT id, FROM WHERE address = '0x…'",
      right: "sql: SELECT id FROM logs WHERE address = '0x…'",
    },
  },
  "sql-error": {
    title: "a query does not fit its tables",
    explanation:
      "The query is well formed, but it uses a column or function that does not exist, or values of types that do not match. The message quotes DuckDB. Correct the query; integers of 256 bits have the type BIGNUM.",
    example: { wrong: "sql: SELECT id, adress FROM logs", right: "sql: SELECT id, address FROM logs" },
  },
  "sql-not-streaming": {
    title: "a query needs more than one row at a time",
    explanation:
      "Rows arrive one batch after the other, and a reorganisation may delete them again. A query can follow that only if each of its rows comes from a single row of what it reads: it may choose, compute, filter, unnest, combine with UNION ALL, and join with a list of rows by its key. Aggregates, other joins, DISTINCT, ORDER BY, LIMIT and window functions need all rows at once: a job whose sources all have an end_block may use them, and so may a pipeline whose queries Flink runs. The hint says what else to do.",
    example: {
      wrong: "sql: SELECT sum(amount) FROM transfers",
      right: "sql: SELECT id, amount FROM transfers",
    },
  },
  "lookup-list": {
    title: "rows cannot be looked up in a list",
    explanation:
      "A query that joins rows with a list looks each row up by its key. So a key is in the list once: with two rows of one key, one row would become two. A key consists of texts or integers, and is compared with an expression of the same kind.",
    example: {
      wrong:
        "LEFT JOIN (VALUES ('0xa', 'USDC'), ('0xa', 'DAI')) AS t(address, symbol) ON t.address = logs.address",
      right:
        "LEFT JOIN (VALUES ('0xa', 'USDC'), ('0xb', 'DAI')) AS t(address, symbol) ON t.address = logs.address",
    },
  },
  "lookup-file": {
    title: "the file of a lookup cannot be used",
    explanation:
      "A lookup reads its rows from a file when the definition is read: CSV with the names of the columns in the first line, or a list of objects in JSON. Each row has a key of its own, which is not empty. All rows are kept in memory, so there are limits. A server has no files: write the rows into the query as a VALUES list there.",
    example: {
      wrong: "address,symbol\n0xa,USDC\n0xa,DAI",
      right: "address,symbol\n0xa,USDC\n0xb,DAI",
    },
  },
  "lookup-table": {
    title: "rows of a database cannot be looked up here",
    explanation:
      "The rows of a table in a database may change, so a row that was computed with them may not be computed the same way again. A pipeline keeps what it has written of each block until the block is final, so that a reorganisation deletes exactly these rows. Other rows cannot be kept: rows of an entity or of an envelope of Debezium from before a change, values of dynamic tables, and rows of a job that is interrupted. Look up in a file there: its rows belong to the definition.",
    example: {
      wrong:
        "sources: { pools: { type: subgraph_entity, … } } with lookups: { tokens: { type: postgres, … } }",
      right: "sources: { pools: { type: subgraph_entity, … } } with lookups: { tokens: { type: file, … } }",
    },
  },
  "flink-cannot": {
    title: "Flink cannot run a part of the definition",
    explanation:
      "With --engine flink, graphloom writes rows into topics, Flink runs the queries, and writes the sinks that it has connectors for. Scripts, handlers and queries with functions of graphloom run before the topics, so they cannot read what Flink computes. The hint says what to change.",
    example: { wrong: "type: postgres_aggregate", right: "type: postgres" },
  },
  "sql-undetermined": {
    title: "a query takes any rows",
    explanation:
      "LIMIT takes the first rows of an order. Without ORDER BY there is no order, so other rows may be taken when the job is run again, or verified with another version. Order by columns that no two rows have in common.",
    example: {
      wrong: "sql: SELECT id FROM transfers LIMIT 10",
      right: "sql: SELECT id FROM transfers ORDER BY id LIMIT 10",
    },
  },
  "sql-forbidden": {
    title: "a query does something that queries must not do",
    explanation:
      "A query reads the sources of its flow and nothing else: no files, no addresses, no settings of the database. It is a single SELECT, and gives the same result for the same rows. Use what the hint says.",
    example: { wrong: "sql: SELECT * FROM read_csv('prices.csv')", right: "sql: SELECT * FROM logs" },
  },
  "sql-too-large": {
    title: "a query stands for too much",
    explanation:
      "DuckDB replaces every transform, WITH query, alias and star in a query by what it stands for before it runs the query. A short definition in which each step reads the one before twice can so become larger than any machine. graphloom computes the size first, and refuses a query beyond 1,000 tables, 2,000 columns, 5,000 conditions joined with AND or OR, or 250,000 names, values and operators. All queries of a definition together may have ten times as many tables, and as many names, values and operators.",
    example: {
      wrong: "sql: SELECT id FROM a UNION ALL SELECT id FROM a",
      right: "sql: SELECT id FROM a",
    },
  },
  "sql-inexact": {
    title: "a number in a query is rounded",
    explanation:
      "DuckDB reads a number of 39 digits or more as a floating-point number, which keeps only the first 16 digits. Comparisons and sums with it would be wrong without a word. Put the number in quotes: next to an integer of 256 bits it is then exact. A cast to NUMERIC or DECIMAL without a width gives a warning: DuckDB means DECIMAL(18, 3), which holds 15 digits before the point. CAST fails for larger numbers, and TRY_CAST makes them null.",
    example: {
      wrong: "WHERE amount > 340282366920938463463374607431768211456",
      right: "WHERE amount > '340282366920938463463374607431768211456'",
    },
  },
  "sink-missing": {
    title: "this version has no such sink",
    explanation:
      "Other services write to this place; graphloom does not yet. The hint lists the sinks that there are. Often a webhook or Kafka is a way to get there.",
    example: { wrong: "type: dynamodb", right: "type: postgres" },
  },
  "sink-cannot-delete": {
    title: "a sink cannot delete rows",
    explanation:
      "A reorganisation deletes rows that were already written, and this sink can only add rows. Take only rows of final blocks, with finalized: true. They come later, by some minutes on most chains. A topic with primary_key tells only the keys of deleted rows, so its sink must have the same key, and must not need the rest of the row.",
    example: { wrong: "type: file, path: ./out", right: "type: file, path: ./out, finalized: true" },
  },
  "sink-cannot-park": {
    title: "a sink cannot keep rows aside",
    explanation:
      "With on_error: park, a row that the sink refuses is kept aside, and so are later changes of its key. This must be as certain as the position of the sink, so only sinks that can keep changes with their position do it. Leave rows that do not fit out in the query, or write to another sink.",
    example: { wrong: "type: print, on_error: park", right: "type: print" },
  },
  "dead-letters": {
    title: "a sink cannot get the refused rows of another one",
    explanation:
      "A sink whose from names another sink gets the rows that this one refuses, as dead letters. The other sink parks them: on_error: park. Dead letters come one by one and belong to no range of blocks, so files and aggregates cannot hold them. One sink gets the refused rows of another.",
    example: {
      wrong: "stored: { …, on_error: stop }, letters: { from: stored, … }",
      right: "stored: { …, on_error: park }, letters: { from: stored, … }",
    },
  },
  "unknown-secret": {
    title: "there is no secret of the name",
    explanation:
      "On a server, a definition names the secrets of its project, which hold addresses and passwords. Create the secret, or correct the name. Names are compared letter by letter, and capitals count.",
    example: { wrong: "secret_name: pools_db", right: "secret_name: POOLS_DB" },
  },
  "duplicate-header": {
    title: "a header is set twice",
    explanation:
      "A secret of the type httpauth is a header with its value. The settings of the sink or handler have the same header, so one of the two values would be lost. Remove it from headers, where everybody who reads the definition sees it.",
    example: {
      wrong: "secret_name: API_KEY, headers: { authorization: Bearer … }",
      right: "secret_name: API_KEY",
    },
  },
} as const satisfies Record<string, CatalogEntry>;
