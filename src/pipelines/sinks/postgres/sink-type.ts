import { overrideType, postgresTypes } from "../../definition/override-type.js";
import { sinkType } from "../sink-type.js";
import { postgresShape } from "./shape.js";

export const postgres = sinkType({
  name: "postgres",
  shape: postgresShape,
  place: "table",
  columnTypes: {
    isType: (text) => overrideType(text, postgresTypes) !== undefined,
    examples: "text, jsonb, numeric(78,0) or timestamptz",
  },
  load: async () => (await import("./open-postgres.js")).postgresAccess,
});
