import { listed, rowsOf } from "../compile/summary.js";
import type { NamedBuilds } from "../named/named-builds.js";
import { count } from "../terminal/count.js";

/** Summarizes builds in a few aligned lines. */
export function summaryOf({ builds }: NamedBuilds): string {
  const rows: [string, string][] = builds.map(({ chain, build }) => {
    const { dataSources, templates } = build.subgraph;
    const parts = [count(dataSources.length, "data source")];
    if (templates.length > 0) parts.push(count(templates.length, "template"));
    return [chain, parts.join(", ")];
  });
  const [first] = builds;
  if (first) rows.push(["entities", listed([...first.build.schema.entities.types.keys()])]);
  const modules = builds.flatMap(({ build }) => [...build.subgraph.modules.values()]);
  const bytes = modules.reduce((sum, { length }) => sum + length, 0);
  rows.push(["WASM", `${Math.ceil(bytes / 1024)} KB in ${count(modules.length, "mapping")}`]);
  return rowsOf(rows);
}
