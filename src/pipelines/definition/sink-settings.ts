import { batching, description, from, headers, override, primaryKey, secret } from "./node-settings.js";
import type { Shape } from "./shape.js";

/** Settings that every sink has. */
export const everySink = {
  from,
  description,
  ...batching,
  parallelism: {
    type: "count",
    idle: "each sink has one writer, so that changes of a key stay in order",
    describe: "has no effect here: each sink has one writer",
  },
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
  retry: {
    type: "string",
    values: ["passing", "all", "none"],
    default: "passing",
    describe: "which failures the sink tries again after a pause: passing ones, all, or none",
  },
  retry_for: {
    type: "duration",
    describe:
      "how long a sink that keeps failing tries again before it stops; without it, it does not give up",
  },
} as const satisfies Shape;

/** Settings that several types of sinks have, and that mean the same in each. */
export const sharedSettings = {
  headers,
  on_conflict: {
    type: "string",
    values: ["update", "nothing"],
    default: "update",
    decides: ["rows"],
    describe: "what happens to a row whose key the table already has",
  },
  partition_columns: {
    type: "names",
    describe: "columns whose values name the folders of files, as in Hive; several are separated by commas",
  },
  primary_key: primaryKey,
  schema_override: { ...override, decides: ["form"] },
  secret_name: secret,
} as const satisfies Shape;

export const schemaChanges = {
  type: "string",
  values: ["freeze", "evolve"],
  default: "freeze",
  describe: "what happens when the table lacks columns of the rows: the sink stops, or adds them",
} as const;

/** Settings of a sink that writes a table. */
export const tableSettings = {
  schema: { type: "string", default: "public", describe: "the schema of the table" },
  table: { type: "string", required: true, describe: "the table, which is created if it does not exist" },
  secret_name: { ...secret, required: true },
  primary_key: sharedSettings.primary_key,
  schema_override: sharedSettings.schema_override,
  on_conflict: sharedSettings.on_conflict,
  schema_changes: schemaChanges,
} as const satisfies Shape;

/** How files of rows are divided. */
export const fileParts = {
  blocks_per_file: {
    type: "count",
    default: 10_000,
    describe: "most blocks of the source that a file covers",
  },
  rows_per_file: {
    type: "count",
    default: 500_000,
    describe: "most rows of a file, unless its one block has more; without a limit if bytes_per_file is set",
  },
  bytes_per_file: {
    type: "count",
    describe: "most bytes of a file's values before compression, unless its one block has more",
  },
  compression: {
    type: "string",
    values: ["snappy", "zstd", "gzip", "brotli", "none"],
    default: "snappy",
    describe: "how the values in files are compressed",
  },
  row_group_size: { type: "count", describe: "rows of a row group" },
  partition_columns: sharedSettings.partition_columns,
} as const satisfies Shape;
