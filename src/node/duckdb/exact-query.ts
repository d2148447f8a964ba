import { withExactCasts } from "../../flows/sql/exact-casts.js";

/** Answers a question of one parameter with one value. */
type Ask = (sql: string, text: string) => Promise<unknown>;

const serialize = "select json_serialize_sql($1::VARCHAR)";

/**
 * A query whose casts work with exact integers, as `withExactCasts` makes them.
 * @returns `undefined` if the query has no such casts, or if DuckDB cannot print it so that it means the same
 */
export async function exactQuery(query: string, ask: Ask): Promise<string | undefined> {
  if (!/cast|::/i.test(query)) return undefined;
  const json = String(await ask(serialize, query));
  const marked = markNumbers(json);
  const tree: unknown = JSON.parse(marked.json);
  const exact = withExactCasts(tree);
  if (exact === undefined) return undefined;
  const printed = await ask("select json_deserialize_sql($1::JSON)", marked.restore(JSON.stringify(exact)));
  const again = markNumbers(String(await ask(serialize, String(printed))));
  return withoutPlaces(again.restore(again.json)) === withoutPlaces(marked.restore(JSON.stringify(exact)))
    ? String(printed)
    : undefined;
}

/** A tree without the places in the query, which differ after printing. */
function withoutPlaces(json: string): string {
  const { json: marked, restore } = markNumbers(json);
  return restore(
    JSON.stringify(JSON.parse(marked), (key, value) => (key === "query_location" ? undefined : value)),
  );
}

/** JSON in which the numbers that JavaScript would write in another way are texts until they are restored. */
function markNumbers(json: string): { readonly json: string; restore(changed: string): string } {
  let mark = "@";
  while (json.includes(`"${mark}`)) mark += "@";
  const marked = json.replaceAll(/"(?:[^"\\]|\\.)*"|-?(?:\d[\d.eE+-]*|Infinity)|NaN/g, (part) =>
    part.startsWith('"') || JSON.stringify(Number(part)) === part ? part : `"${mark}${part}"`,
  );
  return {
    json: marked,
    restore: (changed) => changed.replaceAll(new RegExp(`"${mark}([^"]+)"`, "g"), "$1"),
  };
}
