import { primaryKey, secret } from "../../definition/node-settings.js";
import type { Shape } from "../../definition/shape.js";
import { everySink, schemaChanges, tableSettings } from "../../definition/sink-settings.js";

export const postgresAggregateShape = {
  ...everySink,
  schema: tableSettings.schema,
  landing_table: { type: "string", required: true, describe: "the table that rows arrive in" },
  agg_table: { type: "string", required: true, describe: "the table of the aggregates" },
  primary_key: primaryKey,
  schema_changes: schemaChanges,
  secret_name: { ...secret, required: true },
  group_by: {
    type: "any",
    decides: ["form"],
    required: true,
    describe: "the columns that groups are made of, by name, each with type if it is another one",
  },
  aggregate: {
    type: "any",
    decides: ["form"],
    required: true,
    describe: "the aggregates by name, each with fn (sum, count, avg, min or max), from and type",
  },
} as const satisfies Shape;

export type PostgresAggregateShape = typeof postgresAggregateShape;
