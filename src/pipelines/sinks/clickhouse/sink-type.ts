import { clickHouseType } from "../../definition/clickhouse-type.js";
import { sinkType } from "../sink-type.js";
import { clickhouseShape } from "./shape.js";

export const clickhouse = sinkType({
  name: "clickhouse",
  shape: clickhouseShape,
  place: "versions",
  columnTypes: {
    isType: (text) => clickHouseType(text) !== undefined,
    examples: "Nullable(String), Int256, Decimal(38, 18) or DateTime64(3)",
  },
  check({ settings: { append_only_mode: mode } }, _columns, report) {
    // ClickHouse has no transactions, so versions are what tells rows of an interrupted batch from others.
    if (mode?.value === false)
      report.error("wrong-value", mode.at, "a clickhouse sink writes only in append-only mode", {
        hint: "remove append_only_mode: rows that are deleted in place cannot be restored when a batch is interrupted",
      });
    return undefined;
  },
  load: async () => ({
    open: (await import("./open-clickhouse.js")).openClickHouseTable,
    audit: (await import("./audit-clickhouse.js")).auditClickHouse,
    reset: (await import("./open-clickhouse.js")).resetClickHouse,
    parked: (await import("./open-clickhouse.js")).parkedInClickHouse,
  }),
});
