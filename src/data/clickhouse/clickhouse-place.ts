import type { ClickHouse, ClickHouseAddress } from "../../pipelines/sinks/clickhouse-server.js";

/** The ClickHouse database that holds the rows of chains. */
export interface ClickHousePlace {
  readonly server: ClickHouse;
  readonly address: ClickHouseAddress;
}
