import { batching, primaryKey, secret } from "../../definition/node-settings.js";
import type { Shape } from "../../definition/shape.js";
import { everySink, schemaChanges, sharedSettings, tableSettings } from "../../definition/sink-settings.js";

/** Settings of a sink of type clickhouse. */
export const clickhouseShape = {
  ...everySink,
  // ClickHouse takes few large inserts, rather than many small ones.
  batch_size: { ...batching.batch_size, default: 100_000 },
  table: tableSettings.table,
  database: { type: "string", describe: "the database; that of the secret by default" },
  primary_key: primaryKey,
  secret_name: { ...secret, required: true },
  append_only_mode: {
    type: "boolean",
    decides: ["rows"],
    default: true,
    describe: "write deletions as rows of a ReplacingMergeTree, which are hidden when it is read with FINAL",
  },
  version_column_name: {
    type: "string",
    decides: ["form", "reading"],
    default: "version",
    describe: "the column of the version, which graphloom adds",
  },
  schema_override: sharedSettings.schema_override,
  schema_changes: schemaChanges,
} as const satisfies Shape;

export type ClickhouseShape = typeof clickhouseShape;
