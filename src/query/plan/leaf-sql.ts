import type { EntityColumn } from "../../store/tables/layout.js";

/** A value in JSON: numbers that JSON could not hold are texts. */
export function leafSql({ sqlType, list }: EntityColumn, sql: string): string {
  const isPlain = sqlType === "integer" || sqlType === "boolean";
  if (sqlType === "timestamptz") return list ? timesSql(sql) : microsSql(sql);
  if (list) return isPlain ? sql : `${sql}::text[]`;
  return isPlain ? sql : `${sql}::text`;
}

/** Microseconds since 1970. */
function microsSql(sql: string): string {
  return `(extract(epoch from ${sql}) * 1000000)::int8::text`;
}

function timesSql(sql: string): string {
  const items = `array(select ${microsSql("i.v")} from unnest(${sql}) with ordinality i(v, n) order by i.n)`;
  return `case when ${sql} is not null then ${items} end`;
}
