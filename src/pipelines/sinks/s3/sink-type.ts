import { sinkType } from "../sink-type.js";
import { s3Shape } from "./shape.js";

export const s3 = sinkType({
  name: "s3_sink",
  aliases: ["s3"],
  shape: s3Shape,
  place: "files",
  hasFixedColumns: true,
  load: async () => ({
    open: (await import("./open-s3.js")).openS3,
    audit: (await import("./audit-s3.js")).auditS3,
  }),
});
