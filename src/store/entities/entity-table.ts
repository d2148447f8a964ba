import type { Entity, StoreValue } from "../../subgraph/schema/entity.js";
import type { EntityType, Field } from "../../subgraph/schema/entity-schema.js";
import { type Row, SQL, type SqlFragment } from "../database/database.js";
import { quoteName, quoteNames } from "../database/quote.js";
import { type ScalarCodec, scalarCodecs } from "../tables/field-codecs.js";
import type { EntityColumn, EntityTable as TableLayout } from "../tables/layout.js";
import { lexemesSql } from "../tables/lexemes.js";
import { type VersionsSql, versionColumn, versionsSql } from "../tables/versions-sql.js";

/** A field and its column. */
export interface StoredField {
  readonly field: Field;
  readonly column: EntityColumn;
}

/** A version, read from a row. */
export interface StoredVersion {
  readonly id: string;
  readonly entity: Entity;
  readonly from: number;
  readonly to?: number;
  readonly vid: bigint;
  /** Causality region; absent for the chain's. */
  readonly region?: number;
}

/** The number of versions of an entity that are checked one by one. */
const fewVersions = 8;

/** The statements that write and read the versions of one entity type. */
export class EntityTable {
  readonly type: EntityType;
  readonly layout: TableLayout;
  /** The quoted name of the table. */
  readonly name: SqlFragment;
  /** Sorted by the names of the fields, as entities are. */
  readonly fields: readonly StoredField[];
  /** The select list for a version. */
  readonly selection: SqlFragment;
  readonly versions: VersionsSql;
  /** Whether a version was written by the chain's data sources. */
  readonly isOfChain: SqlFragment;
  readonly ids: ScalarCodec;

  constructor(namespace: string, layout: TableLayout, type: EntityType) {
    this.type = type;
    this.layout = layout;
    this.name = quoteNames(namespace, layout.name);
    const columns = new Map(layout.columns.map((column) => [column.field, column]));
    this.fields = type.stored.flatMap((field) => {
      const column = columns.get(field.name);
      return column ? [{ field, column }] : [];
    });
    this.versions = versionsSql(layout);
    this.ids = scalarCodecs[type.idKind];
    const { begins, ends } = this.versions;
    const values = this.fields.map(({ column }, index) => SQL`${quoteName(column.name)} as c${index}`);
    const region = layout.causalityRegion ? SQL`nullif(causality_region, 0)` : SQL`null`;
    this.selection = SQL`vid, ${begins} as "from", ${ends} as "to", ${region} as region, ${values}`;
    this.isOfChain = layout.causalityRegion ? SQL`causality_region = 0` : SQL`true`;
  }

  /** Reads a version from a row. */
  version(row: Row): StoredVersion {
    const entity = new Map<string, StoreValue>();
    for (const [index, { field, column }] of this.fields.entries()) {
      const text = row[`c${index}`];
      if (text != null) entity.set(field.name, column.codec.fromSql(text));
    }
    const { from, to, vid, region } = row;
    return {
      id: idOf(entity),
      entity,
      from: Number(from),
      ...(to != null && { to: Number(to) }),
      vid: BigInt(vid ?? 0),
      ...(region != null && { region: Number(region) }),
    };
  }

  /**
   * Reads current versions for an array of ids.
   *
   * The index of ids and blocks takes 25 microseconds to find a version. The index of ids takes 2 but does not know
   * blocks. Most entities have few versions, so a few are checked first. Only if none of them is current, the other
   * index is used. The planner would use the other index at once for `id = x`, but not for `id between x and x`.
   */
  get currentOfMany(): SqlFragment {
    const ids = SQL`$1::${this.ids.sqlType}[]`;
    if (this.layout.immutable) return SQL`select ${this.selection} from ${this.name} where id = any(${ids})`;
    const { isCurrent } = this.versions;
    const all = SQL`select * from ${this.name} r`;
    const some = SQL`${all} where r.id >= i.wanted and r.id <= i.wanted order by r.id desc limit ${fewVersions}`;
    return SQL`select ${this.selection} from (select distinct unnest(${ids}) as wanted) i cross join lateral (
      select * from (${some}) r where ${isCurrent}
      union all ${all} where r.id = i.wanted and ${isCurrent} limit 1) v`;
  }

  /**
   * Inserts versions. Parameters: arrays of vids, first blocks, end blocks, and the values of every field, with list
   * items in text form. If file data sources write the type, causality regions come last.
   */
  get insertion(): SqlFragment {
    const { causalityRegion, fulltext } = this.layout;
    const names = this.fields.map(({ column }) => quoteName(column.name));
    const values = this.fields.map(({ column: { list, sqlType } }, index) =>
      list ? SQL`c${index}::${sqlType}[]` : SQL`c${index}`,
    );
    const arrays = this.fields.map(
      ({ column: { list, sqlType } }, index) => SQL`$${index + 4}::${list ? SQL`text` : sqlType}[]`,
    );
    if (causalityRegion) arrays.push(SQL`$${arrays.length + 4}::integer[]`);
    const aliases = this.fields.map((_, index) => SQL`c${index}`);
    if (causalityRegion) aliases.push(SQL`region`);
    const searched = fulltext.map(({ configuration, sources }) => this.#lexemes(configuration, sources));
    const columns = [
      SQL`vid`,
      versionColumn(this.layout).name,
      ...(causalityRegion ? [SQL`causality_region`] : []),
      ...names,
      ...fulltext.map(({ name }) => quoteName(name)),
    ];
    const selected = [
      SQL`r.vid`,
      this.versions.valid(SQL`r.begun`, SQL`r.ended`),
      ...(causalityRegion ? [SQL`r.region`] : []),
      ...values,
      ...searched,
    ];
    return SQL`insert into ${this.name} (${columns})
      select ${selected} from unnest($1::bigint[], $2::integer[], $3::integer[], ${arrays})
        as r(vid, begun, ended, ${aliases})`;
  }

  /**
   * Ends current versions. Parameters: arrays of ids, and of the first blocks in which the versions are no longer
   * valid.
   */
  get ending(): SqlFragment {
    const { begins, isCurrent, valid } = versionsSql(this.layout, "t");
    return SQL`update ${this.name} t set ${versionColumn(this.layout).name} = ${valid(begins, SQL`c.ended`)}
      from unnest($1::${this.ids.sqlType}[], $2::integer[]) as c(id, ended)
      where t.id = c.id and ${isCurrent}`;
  }

  /**
   * Ends current versions and counts them. Parameters: the same, and an array of their vids. Finding a version by its vid takes
   * a third of the time.
   */
  get endingOfVids(): SqlFragment {
    const { begins, isCurrent, valid } = versionsSql(this.layout, "t");
    return SQL`with ended as (
      update ${this.name} t set ${versionColumn(this.layout).name} = ${valid(begins, SQL`c.ended`)}
        from unnest($1::${this.ids.sqlType}[], $2::integer[], $3::bigint[]) as c(id, ended, vid)
        where t.vid = c.vid and t.id = c.id and ${isCurrent} returning 1)
      select count(*) as count from ended`;
  }

  #lexemes(configuration: string, sources: readonly string[]): SqlFragment {
    const positions = sources.map((source) => this.fields.findIndex(({ column }) => column.name === source));
    return lexemesSql(
      configuration,
      positions.map((position) => SQL`c${position}`),
    );
  }
}

function idOf(entity: Entity): string {
  const id = entity.get("id");
  return id === undefined || id.kind === "Null" || id.kind === "Array" || id.kind === "BigDecimal"
    ? ""
    : String(id.value);
}
