import type { Shape } from "../../definition/shape.js";
import { everySink, tableSettings } from "../../definition/sink-settings.js";

/** Settings of a sink of type mysql_sink. */
export const mysqlShape = {
  ...everySink,
  ...tableSettings,
  schema: { type: "string", describe: "the database of the table; that of the secret by default" },
} as const satisfies Shape;

export type MysqlShape = typeof mysqlShape;
