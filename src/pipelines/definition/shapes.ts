import type { ValueType } from "../changes/schema.js";
import { batching, description, from, headers, override, primaryKey, secret } from "./node-settings.js";
import type { Shape } from "./shape.js";

/** The names of how much memory a pipeline may use. */
export const resourceSizeNames = ["xs", "s", "m", "l", "xl", "xxl", "mem.l", "mem.xl", "mem.xxl"] as const;

/** Settings of the whole definition. */
export const topShape = {
  name: { type: "string", required: true, describe: "lower-case letters, digits and hyphens" },
  apiVersion: { type: "count", describe: "3 for a pipeline; a stream has none" },
  description: { type: "string", describe: "what it is for, for people" },
  resource_size: {
    type: "string",
    values: resourceSizeNames,
    describe: "how much memory it may use on a server",
  },
  job: { type: "boolean", default: false, describe: "end when all sources have ended" },
  use_dedicated_ip: { type: "boolean", describe: "has no effect here" },
  version: { type: "any", describe: "set by exports; has no effect" },
  status: { type: "any", describe: "set by exports; has no effect" },
  tests: { type: "any", describe: "rows of sources, and what becomes of them, for pipeline test" },
} as const satisfies Shape;

/** The longest name of a pipeline, and the characters that it may contain. */
export const longestName = 49;
export const namePattern = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/** Settings of the sources, by type. */
export const sourceShapes = {
  dataset: {
    dataset_name: { type: "string", required: true, describe: "the dataset, such as ethereum.raw_logs" },
    version: { type: "string", describe: "the version of the dataset; the current one by default" },
    start_at: {
      type: "start",
      default: "latest",
      describe: "where to start: earliest, latest or a block number",
    },
    end_block: { type: "count", describe: "the last block; without it, the source follows the chain" },
    filter: { type: "string", describe: "a condition in SQL on the dataset's columns" },
    abi: {
      type: "string",
      describe: "for decoded_logs: the events to decode, in JSON or as event Sent(address to)",
    },
    description,
    display_name: { type: "string", describe: "a name for people" },
  },
  subgraph_entity: {
    name: { type: "string", required: true, describe: "the entity, such as Transfer or its table transfer" },
    subgraphs: {
      type: "any",
      required: true,
      describe: "the subgraphs that have it, each with name and version",
    },
    start_at: {
      type: "start",
      default: "latest",
      describe: "earliest for all rows that exist, latest for changes from now on",
    },
    filter: { type: "string", describe: "a condition in SQL on the entity's columns" },
    description,
    display_name: { type: "string", describe: "a name for people" },
  },
  kafka: {
    topic: { type: "string", required: true, describe: "the topic" },
    secret_name: { ...secret, required: true },
    data_format: {
      type: "string",
      values: ["json", "debezium-json", "avro", "debezium-avro"],
      default: "json",
      describe:
        "what a message holds: a row as JSON or as Avro, or Debezium's envelope with the row before and after",
    },
    schema_registry_url: {
      type: "string",
      describe: "the address of the schema registry, for Avro; that of the secret by default",
    },
    schema: {
      type: "strings",
      required: true,
      describe: "the type of each column, by the name that it has in messages",
    },
    primary_key: {
      ...primaryKey,
      describe:
        "columns that identify a row: a message replaces the earlier one, and deletes it without a value; without it, each message is a row",
    },
    start_at: {
      type: "string",
      values: ["earliest", "latest"],
      default: "latest",
      describe: "earliest for all messages that the topic keeps, latest for messages from now on",
    },
    starting_offsets: {
      type: "string",
      values: ["earliest", "latest"],
      describe: "the same as start_at, under the name that other services have for it",
    },
    on_error: {
      type: "string",
      values: ["stop", "skip", "park"],
      default: "stop",
      describe:
        "what happens to a message that cannot be read: it stops the sinks, is named and left out, or is kept aside by the sinks",
    },
    filter: { type: "string", describe: "a condition in SQL on the columns" },
    description,
    display_name: { type: "string", describe: "a name for people" },
  },
} as const satisfies Record<string, Shape>;

/** Settings of the transforms, by type. */
export const transformShapes = {
  sql: {
    sql: { type: "string", required: true, describe: "a SELECT from sources and other transforms" },
    primary_key: { ...primaryKey, required: true },
    from: { type: "string", describe: "what the query reads; for people, since the query says it" },
    description,
  },
  handler: {
    url: { type: "string", required: true, describe: "the address that rows are posted to" },
    from,
    primary_key: { ...primaryKey, required: true },
    headers,
    schema_override: override,
    payload_columns: { type: "names", describe: "the only columns that are sent" },
    batch_size: { type: "count", default: 100, describe: "most rows of a request" },
    batch_flush_interval: batching.batch_flush_interval,
    timeout_ms: { type: "count", default: 300_000, describe: "milliseconds that an answer may take" },
    one_row_per_request: { type: "boolean", default: false, describe: "post one row instead of a list" },
    secret_name: { ...secret, describe: "the name of an httpauth secret, whose header is sent" },
    description,
  },
  script: {
    language: {
      type: "string",
      values: ["typescript", "javascript"],
      default: "typescript",
      describe: "the language of the script",
    },
    from,
    primary_key: { ...primaryKey, required: true },
    schema: {
      type: "strings",
      required: true,
      describe: "the columns of the result: string, uint64, int64, float64, boolean or bytes, by name",
    },
    script: { type: "string", required: true, describe: "the script, with a function invoke(data)" },
    description,
  },
  dynamic_table: {
    backend_type: {
      type: "string",
      required: true,
      values: ["InMemory", "Postgres"],
      describe: "where the values are kept",
    },
    backend_entity_name: { type: "string", required: true, describe: "the name of the table" },
    secret_name: { ...secret, describe: "the name of a jdbc secret, for Postgres" },
    sql: { type: "string", describe: "a SELECT of one column, whose values are added" },
    primary_key: {
      ...primaryKey,
      describe: "columns by which joins look rows up; the SELECT then has more columns, and block_number",
    },
    cache_refresh_debounce_ms: {
      type: "count",
      default: 1_000,
      describe: "milliseconds between two looks at changes from outside",
    },
    description,
  },
} as const satisfies Record<string, Shape>;

/** Settings of a table in a database, in which rows are looked up while the pipeline runs. */
const databaseLookup = {
  table: { type: "string", required: true, describe: "the table or view" },
  key: { ...primaryKey, required: true, describe: "the columns by which rows are looked up" },
  columns: {
    type: "strings",
    required: true,
    describe: "the columns to look up: string, uint64, int64, uint256, float64 or boolean, by name",
  },
  valid_from: {
    type: "string",
    describe: "the column with the block from which on a row counts, for a table with several rows of a key",
  },
  secret_name: { ...secret, required: true },
  cache_ttl: { type: "duration", default: "1m", describe: "how long a row that was looked up is used again" },
  cache_rows: { type: "count", default: 100_000, describe: "about how many rows are kept in memory" },
  description,
} as const satisfies Shape;

/** Settings of the tables in which queries look rows up, by type. */
export const lookupShapes = {
  file: {
    path: {
      type: "string",
      required: true,
      describe: "a CSV or JSON file, from the folder of the definition",
    },
    key: { ...primaryKey, required: true, describe: "the columns by which rows are looked up" },
    columns: {
      type: "strings",
      describe: "types of columns: string, uint64, int64, uint256, float64 or boolean, by name",
    },
    description,
  },
  postgres: {
    schema: { type: "string", default: "public", describe: "the schema of the table" },
    ...databaseLookup,
  },
  mysql: {
    schema: { type: "string", describe: "the database of the table; that of the address by default" },
    ...databaseLookup,
  },
} as const satisfies Record<string, Shape>;

/** The types that columns of a lookup can have. */
export const lookupTypes: Readonly<Record<string, ValueType | undefined>> = {
  string: "STRING",
  uint64: "DECIMAL",
  int64: "LONG",
  uint256: "DECIMAL",
  float64: "DOUBLE",
  boolean: "BOOLEAN",
};

/** Sinks that other services have, and this program does not. */
export const missingSinks: ReadonlySet<string> = new Set([
  "dynamodb",
  "pubsub",
  "s2_sink",
  "timescale",
  "opensearch",
]);

export type SourceType = keyof typeof sourceShapes;
export type TransformType = keyof typeof transformShapes;
export type LookupType = keyof typeof lookupShapes;
