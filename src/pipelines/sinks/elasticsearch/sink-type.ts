import { sinkType } from "../sink-type.js";
import { elasticsearchShape } from "./shape.js";

export const elasticsearch = sinkType({
  name: "elasticsearch",
  aliases: ["elastic_search"],
  shape: elasticsearchShape,
  place: "documents",
  load: async () => ({
    open: (await import("./open-elasticsearch.js")).openElasticsearch,
    audit: (await import("./audit-elasticsearch.js")).auditElasticsearch,
    reset: (await import("./open-elasticsearch.js")).resetElasticsearch,
    parked: (await import("./open-elasticsearch.js")).parkedOfElasticsearch,
  }),
});
