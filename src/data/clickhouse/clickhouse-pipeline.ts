import { chainPipeline, databaseSecret, type Filling, rowsOf } from "../filling/chain-pipeline.js";
import type { Category } from "../reads/data-reads.js";
import { clickHouseTable, movesKey } from "./clickhouse-tables.js";

/** The definition of the pipeline that fills the tables of a chain in ClickHouse. */
export function clickHousePipeline(filling: Filling): ReturnType<typeof chainPipeline> {
  const sink = (category: Category): object => ({
    type: "clickhouse",
    from: rowsOf[category],
    table: clickHouseTable(filling.chain, category),
    secret_name: databaseSecret,
  });
  return chainPipeline(filling, {
    movesKey,
    isSigned: false,
    sinks: { blocks: sink("blocks"), transfers: sink("transfers"), natives: sink("natives") },
  });
}
