import { overrideType, postgresTypes } from "../../definition/override-type.js";
import { sinkType } from "../sink-type.js";
import { fileShape } from "./shape.js";

export const file = sinkType({
  name: "file",
  shape: fileShape,
  place: "files",
  columnTypes: {
    isType: (text) => overrideType(text, postgresTypes) !== undefined,
    examples: "text, jsonb, numeric(78,0) or timestamptz",
  },
  hasFixedColumns: true,
  load: async () => ({
    open: (await import("./open-file.js")).openFile,
    audit: (await import("./audit-file.js")).auditFile,
  }),
});
