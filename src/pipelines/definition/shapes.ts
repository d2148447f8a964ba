import type { Shape } from "./shape.js";

const description = { type: "string", describe: "what it is for, for people" } as const;
const from = {
  type: "string",
  required: true,
  describe: "the source or transform whose rows it takes",
} as const;
const primaryKey = {
  type: "names",
  describe: "columns that identify a row; several are separated by commas",
} as const;
const secret = {
  type: "string",
  describe: "the name of the secret with the address and the credentials",
} as const;
const headers = { type: "strings", describe: "HTTP headers of every request, by name" } as const;
const override = {
  type: "overrides",
  describe: "types by column; null leaves the column out",
} as const;

/** How many rows are written at once, and how long rows wait for others. */
const batching = {
  batch_size: { type: "count", default: 1_000, describe: "most rows that are written at once" },
  batch_flush_interval: { type: "duration", default: "1s", describe: "longest wait for a full batch" },
} as const satisfies Shape;

/** Settings that every sink has. */
const sink = {
  from,
  description,
  ...batching,
  finalized: {
    type: "boolean",
    default: false,
    describe: "take only rows of final blocks, which no reorganisation deletes",
  },
  on_error: {
    type: "string",
    values: ["stop", "park"],
    default: "stop",
    describe: "what happens to a row that the sink refuses: it stops the sink, or is kept aside",
  },
} as const satisfies Shape;

const schemaChanges = {
  type: "string",
  values: ["freeze", "evolve"],
  default: "freeze",
  describe: "what happens when the table lacks columns of the rows: the sink stops, or adds them",
} as const;

const table = {
  schema: { type: "string", default: "public", describe: "the schema of the table" },
  table: { type: "string", required: true, describe: "the table, which is created if it does not exist" },
  secret_name: { ...secret, required: true },
  primary_key: primaryKey,
  schema_override: override,
  on_conflict: {
    type: "string",
    values: ["update", "nothing"],
    default: "update",
    describe: "what happens to a row whose key the table already has",
  },
  schema_changes: schemaChanges,
} as const satisfies Shape;

/** How files of rows are divided. */
const fileParts = {
  blocks_per_file: {
    type: "count",
    default: 10_000,
    describe: "most blocks of the source that a file covers",
  },
  partition_columns: {
    type: "names",
    describe: "columns whose values name the folders of files, as in Hive; several are separated by commas",
  },
} as const satisfies Shape;

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

/** The longest name of a pipeline, and what it is made of. */
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
    cache_refresh_debounce_ms: {
      type: "count",
      default: 1_000,
      describe: "milliseconds between two looks at changes from outside",
    },
    description,
  },
} as const satisfies Record<string, Shape>;

/** Settings of the sinks that there are, by type. */
export const sinkShapes = {
  print: {
    ...sink,
    format: {
      type: "string",
      values: ["table", "json"],
      default: "table",
      describe: "rows in columns, or a JSON object for each row",
    },
  },
  blackhole: { ...sink },
  file: {
    ...sink,
    path: { type: "string", required: true, describe: "the folder that the files are written to" },
    format: { type: "string", values: ["parquet"], default: "parquet", describe: "the format of the files" },
    ...fileParts,
    schema_override: override,
  },
  s3_sink: {
    ...sink,
    endpoint: { type: "string", required: true, describe: "the address of the service" },
    bucket: { type: "string", required: true, describe: "the bucket, which must exist" },
    prefix: { type: "string", default: "", describe: "what the names of objects begin with" },
    region: {
      type: "string",
      describe: "the region that requests are signed for; that of the secret, or us-east-1",
    },
    address_style: {
      type: "string",
      values: ["path", "virtual"],
      default: "path",
      describe: "whether addresses have the bucket in their path, or at the beginning of their host",
    },
    secret_name: { ...secret, required: true },
    ...fileParts,
  },
  postgres: {
    ...sink,
    ...table,
  },
  mysql_sink: {
    ...sink,
    ...table,
    schema: { type: "string", describe: "the database of the table; that of the secret by default" },
  },
  postgres_aggregate: {
    ...sink,
    schema: table.schema,
    landing_table: { type: "string", required: true, describe: "the table that rows arrive in" },
    agg_table: { type: "string", required: true, describe: "the table of the aggregates" },
    primary_key: primaryKey,
    schema_changes: schemaChanges,
    secret_name: { ...secret, required: true },
    group_by: {
      type: "any",
      required: true,
      describe: "the columns that groups are made of, by name, each with type if it is another one",
    },
    aggregate: {
      type: "any",
      required: true,
      describe: "the aggregates by name, each with fn (sum, count, avg, min or max), from and type",
    },
  },
  clickhouse: {
    ...sink,
    // ClickHouse takes few large inserts, rather than many small ones.
    batch_size: { ...batching.batch_size, default: 100_000 },
    table: table.table,
    database: { type: "string", describe: "the database; that of the secret by default" },
    primary_key: primaryKey,
    secret_name: { ...secret, required: true },
    append_only_mode: {
      type: "boolean",
      default: true,
      describe:
        "write deletions as rows of a ReplacingMergeTree, which are hidden when it is read with FINAL",
    },
    version_column_name: {
      type: "string",
      default: "version",
      describe: "the column of the version, which graphloom adds",
    },
    schema_override: override,
    schema_changes: schemaChanges,
  },
  kafka: {
    ...sink,
    topic: { type: "string", required: true, describe: "the topic" },
    topic_partitions: { type: "count", describe: "partitions of the topic, if it is created" },
    data_format: {
      type: "string",
      values: ["json", "debezium-json", "avro"],
      default: "json",
      describe:
        "the format of the messages: the row as JSON or as Avro, or Debezium's envelope with the row before and after",
    },
    schema_registry_url: {
      type: "string",
      describe: "the address of the schema registry, for Avro; that of the secret by default",
    },
    deletions: {
      type: "string",
      values: ["row", "tombstone"],
      default: "row",
      describe:
        "what the message of a deletion holds: the row that is gone, or nothing, as compaction expects",
    },
    primary_key: primaryKey,
    secret_name: { ...secret, required: true },
  },
  webhook: {
    ...sink,
    url: { type: "string", required: true, describe: "the address that rows are posted to" },
    headers,
    one_row_per_request: { type: "boolean", default: false, describe: "post one row instead of a list" },
    secret_name: { ...secret, describe: "the name of an httpauth secret, whose header is sent" },
  },
  sqs_sink: {
    ...sink,
    queue_url: { type: "string", required: true, describe: "the address of the queue" },
    region: { type: "string", describe: "the region of the queue" },
    secret_name: { ...secret, required: true },
  },
  elasticsearch: {
    ...sink,
    index: { type: "string", required: true, describe: "the index" },
    primary_key: primaryKey,
    secret_name: { ...secret, required: true },
  },
} as const satisfies Record<string, Shape>;

/** Other names of sinks. */
export const sinkAliases: ReadonlyMap<string, keyof typeof sinkShapes> = new Map([
  ["mysql", "mysql_sink"],
  ["sqs", "sqs_sink"],
  ["s3", "s3_sink"],
  ["elastic_search", "elasticsearch"],
]);

/** Sinks that other services have, and this program does not. */
export const missingSinks: ReadonlySet<string> = new Set([
  "dynamodb",
  "pubsub",
  "s2_sink",
  "timescale",
  "opensearch",
]);

/** Sinks that only add rows: they hold each row of the query, whatever its key. */
export const addingSinks: ReadonlySet<SinkType> = new Set(["file", "s3_sink"]);

/** Sinks that can keep rows aside: they keep changes with their positions, so that neither is lost without the other. */
export const parkingSinks: ReadonlySet<SinkType> = new Set(["postgres", "mysql_sink", "postgres_aggregate"]);

/** Sinks that this version writes. */
export const availableSinks = [
  "print",
  "blackhole",
  "file",
  "kafka",
  "s3_sink",
  "postgres",
  "mysql_sink",
  "elasticsearch",
  "sqs_sink",
  "postgres_aggregate",
  "webhook",
  "clickhouse",
] as const satisfies readonly SinkType[];

export type SourceType = keyof typeof sourceShapes;
export type TransformType = keyof typeof transformShapes;
export type SinkType = keyof typeof sinkShapes;
