import type { Shape } from "../../definition/shape.js";
import { everySink, tableSettings } from "../../definition/sink-settings.js";

export const mysqlShape = {
  ...everySink,
  ...tableSettings,
  schema: { type: "string", describe: "the database of the table; that of the secret by default" },
} as const satisfies Shape;

export type MysqlShape = typeof mysqlShape;
