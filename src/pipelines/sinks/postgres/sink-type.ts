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
  load: async () => ({
    open: (await import("./open-postgres.js")).openPostgres,
    audit: (await import("./audit-postgres.js")).auditPostgres,
    reset: (await import("./reset-postgres.js")).resetPostgres,
    parked: (await import("./read-parked.js")).readParkedOfPostgres,
  }),
});
