import { sinkType } from "../sink-type.js";
import { elasticsearchShape } from "./shape.js";

export const elasticsearch = sinkType({
  name: "elasticsearch",
  aliases: ["elastic_search"],
  shape: elasticsearchShape,
  place: "documents",
  load: async () => (await import("./open-elasticsearch.js")).elasticsearchAccess,
});
