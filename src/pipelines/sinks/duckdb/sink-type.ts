import { duckdbTypes, overrideType } from "../../definition/override-type.js";
import { sinkType } from "../sink-type.js";
import { duckdbShape } from "./shape.js";

export const duckdb = sinkType({
  name: "duckdb",
  shape: duckdbShape,
  place: "table",
  columnTypes: {
    isType: (text) => overrideType(text, duckdbTypes) !== undefined,
    examples: "hugeint, decimal(38,0) or varchar",
  },
  load: async () => (await import("./duckdb-table.js")).duckdbAccess,
});
