import { sinkType } from "../sink-type.js";
import { s3Shape } from "./shape.js";

export const s3 = sinkType({
  name: "s3_sink",
  aliases: ["s3"],
  shape: s3Shape,
  place: "files",
  hasFixedColumns: true,
  load: async () => (await import("./open-s3.js")).s3Access,
});
