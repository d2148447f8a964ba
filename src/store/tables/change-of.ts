import { cell } from "../database/columns.js";
import type { Row } from "../database/database.js";
import type { RowChange } from "./feed.js";
import { cursorOf } from "./feed-reader.js";

/** A change from its row in the change log. */
export function changeOf(row: Row): RowChange {
  return {
    cursor: cursorOf(row.seq),
    op: row.op === "i" || row.op === "d" ? row.op : "u",
    table: cell(row, "table_name"),
    block: Number(row.block),
    vid: BigInt(cell(row, "vid")),
    ...(row.origin != null && { origin: row.origin }),
    ...(row.old != null && { old: JSON.parse(row.old) }),
    ...(row.new != null && { new: JSON.parse(row.new) }),
  };
}
