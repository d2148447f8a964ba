import { parseJson } from "../../../base/text/json-value.js";
import type { Rows } from "../../changes/rows.js";
import { type ClickHouseType, clickHouseType } from "../../definition/clickhouse-type.js";
import type { StateOwner } from "../../state/state-store.js";
import type { StateRow, VersionedRows } from "../../state/versions.js";
import { type ClickHouse, quotedName } from "../clickhouse-server.js";
import { insertion } from "./interrupted-batch.js";
import { nativeBlock, type TargetColumn } from "./native-block.js";
import { hasTable, quotedTable, type TableName } from "./target-table.js";

/** The table of states. It is in the database of the rows. */
export const stateTableName = "graphloom_flow_states";

const string = clickHouseType("String") as ClickHouseType;
const uint64 = clickHouseType("UInt64") as ClickHouseType;
const columns = ["flow", "sink", "target", "kind", "source", "value", "number"].map(
  (name, index): TargetColumn =>
    name === "number"
      ? { name, index, type: uint64, from: "LONG" }
      : { name, index, type: string, from: "STRING" },
);
const rowColumns = { version: "serial", isDeleted: "is_deleted" };

const ofOwner = "flow = {flow:String} AND sink = {sink:String} AND target = {target:String}";

/** The state of a sink, as rows of a table beside the one that it writes. */
export class StateRows implements VersionedRows {
  readonly #server: ClickHouse;
  readonly #table: TableName;
  readonly #owner: Readonly<Record<"flow" | "sink" | "target", string>>;

  /** @param owner whose target is a table of the database */
  constructor(server: ClickHouse, database: string, owner: Omit<StateOwner, "columns">) {
    const { flow, sink, target } = owner;
    this.#server = server;
    this.#table = { database, name: stateTableName };
    this.#owner = { flow, sink, target };
  }

  async prepare(): Promise<void> {
    await this.#server.run(`CREATE DATABASE IF NOT EXISTS ${quotedName(this.#table.database)}`);
    await this.#server.run(
      `CREATE TABLE IF NOT EXISTS ${quotedTable(this.#table)} (
        flow String, sink String, target String, kind String, source String, number UInt64,
        value String, serial UInt64, is_deleted UInt8)
        ENGINE = ReplacingMergeTree(serial, is_deleted) ORDER BY (flow, sink, target, kind, source, number)`,
    );
  }

  exist(): Promise<boolean> {
    return hasTable(this.#server, this.#table);
  }

  async read(kinds: readonly StateRow["kind"][], source?: string): Promise<readonly StateRow[]> {
    const rows = await this.#server.query(
      `SELECT kind, source, number, value FROM ${quotedTable(this.#table)} FINAL
        WHERE ${ofOwner} AND ${among(kinds)}${source === undefined ? "" : " AND source = {source:String}"} ORDER BY number`,
      { ...this.#owner, ...(source !== undefined && { source }) },
    );
    return rows.map((row) => ({
      kind: row.kind as StateRow["kind"],
      source: String(row.source),
      number: Number(row.number),
      value: parseJson(String(row.value)),
    }));
  }

  async lastSerial(): Promise<number> {
    const [row] = await this.#server.query(
      `SELECT toString(max(serial)) AS serial FROM ${quotedTable(this.#table)} WHERE ${ofOwner}`,
      this.#owner,
    );
    return Number(row?.serial ?? 0);
  }

  async delete(kinds: readonly StateRow["kind"][] = []): Promise<void> {
    const table = quotedTable(this.#table);
    await this.#server.run(
      `INSERT INTO ${table} SELECT flow, sink, target, kind, source, number, '', serial + 1, 1
        FROM ${table} FINAL WHERE ${ofOwner}${kinds.length === 0 ? "" : ` AND ${among(kinds)}`}`,
      this.#owner,
    );
  }

  /** An insert of one block is written whole or not at all. */
  async write(rows: readonly StateRow[], serial: number, id: string): Promise<void> {
    const { flow, sink, target } = this.#owner;
    const cells: Rows["columns"] = [
      rows.map(() => flow),
      rows.map(() => sink),
      rows.map(() => target),
      rows.map(({ kind }) => kind),
      rows.map(({ source }) => source),
      rows.map(({ value }) => (value === undefined ? "" : JSON.stringify(value))),
      rows.map(({ number }) => BigInt(number)),
    ];
    const isDeleted = (row: number): boolean => rows[row]?.value === undefined;
    const kind = { names: rowColumns, version: serial, isDeleted };
    const block = nativeBlock(columns, { count: rows.length, columns: cells }, kind);
    await this.#server.insert(insertion({ ...this.#table, columns, rowColumns }), [block], id);
  }
}

function among(kinds: readonly StateRow["kind"][]): string {
  return `kind IN (${kinds.map((kind) => `'${kind}'`).join(", ")})`;
}
