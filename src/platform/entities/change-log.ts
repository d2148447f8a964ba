import type { Sql } from "../database/database.js";
import { quoteNames, quoteText } from "../database/quote.js";
import { arrayText, plainArrayText } from "../database/sql-array.js";
import { changeLogName } from "../tables/create-tables.js";
import { rowJson } from "../tables/row-json.js";
import type { LoggedChange } from "./batch.js";
import type { EntityTable } from "./entity-table.js";
import { sqlId } from "./entity-values.js";

/** Tells feeds what happened to the entities of one type. */
export class ChangeLog {
  readonly #log: string;
  readonly #table: EntityTable;

  constructor(namespace: string, table: EntityTable) {
    this.#log = quoteNames(namespace, changeLogName);
    this.#table = table;
  }

  /**
   * Adds changes; their versions must be written already.
   * @param seq the last number given away before
   */
  async add(sql: Sql, seq: bigint, changes: readonly LoggedChange[]): Promise<void> {
    const { name, layout, idType, type } = this.#table;
    const old = layout.immutable
      ? "left join (select null::bigint as vid, null::jsonb as row) o on true"
      : `left join lateral (select vid, ${this.#row("t")} as row from ${name} t
          where t.id = c.id and upper(t.block_range) = c.block) o on true`;
    await sql.query(
      `${this.#insertion} select c.seq, c.block, ${operation("o.row", "n.row")}, ${quoteText(layout.name)},
          coalesce(n.vid, o.vid), o.row, n.row
        from unnest($1::bigint[], $2::integer[], $3::${idType}[], $4::bigint[]) as c(seq, block, id, vid)
        left join lateral (select vid, ${this.#row("t")} as row from ${name} t where t.vid = c.vid) n on true
        ${old} where n.vid is not null or o.vid is not null`,
      [
        plainArrayText(changes.map(({ order }) => seq + BigInt(order) + 1n)),
        plainArrayText(changes.map(({ block }) => block)),
        arrayText(changes.map(({ id }) => sqlId(type.idKind, id))),
        plainArrayText(changes.map(({ vid }) => vid ?? null)),
      ],
    );
  }

  /**
   * What going back to a block undoes, newest first, before it is done: rows of the block, of the vid they are ordered
   * by, and of a statement's value for each of `op`, `old` and `new`.
   * @param to the parameter that holds the block
   */
  undoing(to: string): string {
    const { name, layout } = this.#table;
    const own = quoteText(layout.name);
    if (layout.immutable) {
      return `select block$ as block, vid, ${own} as table_name, ${this.#row("t")} as old, null::jsonb as new
        from ${name} t where block$ > ${to}`;
    }
    return `select lower(b.block_range) as block, b.vid, ${own} as table_name, ${this.#row("b")} as old,
        (select ${this.#row("p")} from ${name} p
          where p.id = b.id and upper(p.block_range) = lower(b.block_range)) as new
        from ${name} b where lower(b.block_range) > ${to}
      union all select upper(r.block_range), r.vid, ${own}, null::jsonb, ${this.#row("r")}
        from ${name} r where upper(r.block_range) > ${to} and not exists (
          select 1 from ${name} s where s.id = r.id and lower(s.block_range) = upper(r.block_range))`;
  }

  get #insertion(): string {
    return `insert into ${this.#log} (seq, block, op, table_name, vid, old, new)`;
  }

  #row(alias: string): string {
    return rowJson(this.#table.layout, alias);
  }
}

function operation(old: string, fresh: string): string {
  return `case when ${old} is null then 'i' when ${fresh} is null then 'd' else 'u' end`;
}

/**
 * Tells feeds that everything after a block is taken back, before it is.
 * @param seq the last number given away before
 */
export async function logReversal(
  sql: Sql,
  namespace: string,
  tables: Iterable<EntityTable>,
  to: number,
  seq: bigint,
): Promise<void> {
  const undone = [...tables].map((table) => new ChangeLog(namespace, table).undoing("$1::integer"));
  if (undone.length === 0) return;
  await sql.query(
    `insert into ${quoteNames(namespace, changeLogName)} (seq, block, op, table_name, vid, old, new)
      select $2::bigint + row_number() over (order by block desc, vid desc), block, ${operation("old", "new")},
        table_name, vid, old, new
      from (${undone.join("\nunion all ")}) undone`,
    [String(to), String(seq)],
  );
}
