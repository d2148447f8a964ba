import { present } from "../../base/invariant.js";
import { SQL, type SqlFragment } from "../../store/database/database.js";
import { quoteName, quoteNames } from "../../store/database/quote.js";
import type { EntityColumn, EntityTable, Layout } from "../../store/tables/layout.js";
import { versionsSql } from "../../store/tables/versions-sql.js";

/** Rows of a table in a statement. */
export interface Rows {
  readonly table: EntityTable;
  readonly alias: SqlFragment;
}

/** The tables of a deployment by type. */
export class Tables {
  readonly #layout: Layout;

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  /** The table of a type, or of an aggregation's interval, by default its first. */
  of(type: string, interval?: string): EntityTable {
    const found = this.#layout.tables.find(
      (table) => table.type === type && (interval === undefined || table.interval === interval),
    );
    return present(found, `${type} has no table`);
  }

  /** Its name in a statement. */
  name({ name }: EntityTable): SqlFragment {
    return quoteNames(this.#layout.namespace, name);
  }
}

/** The column of a stored field. */
export function columnOf({ type, columns }: EntityTable, field: string): EntityColumn {
  const found = columns.find((column) => column.field === field);
  return present(found, `${type}.${field} has no column`);
}

/** A column of rows, by its name in the database. */
export function columnSql({ alias }: Rows, name: string): SqlFragment {
  return SQL`${alias}.${quoteName(name)}`;
}

/** The condition that a version is valid at a block. */
export function visibleSql({ table, alias }: Rows, block: SqlFragment): SqlFragment {
  return versionsSql(table, alias).visibleAt(block);
}
