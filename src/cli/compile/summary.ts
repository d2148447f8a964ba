import { visible } from "../../base/text/visible.js";
import type { ModelOutline } from "../../compiler/model/model-outline.js";
import { count } from "../terminal/count.js";

/** Summarizes a model in a few aligned lines. */
export function summarize(model: ModelOutline, wasmSize: number | undefined): string {
  const rows: [string, string][] = model.chains.map(({ chain, dataSources, templates }) => [
    chain,
    [
      count(dataSources.length, "data source"),
      ...(templates.length > 0 ? [count(templates.length, "template")] : []),
    ].join(", "),
  ]);
  const handlers = model.modules.flatMap((module) => module.handlers);
  rows.push(["entities", listed(model.entities.map(({ name }) => name))]);
  rows.push(["handlers", `${handlers.length} in ${count(model.modules.length, "file")} under src/`]);
  if (wasmSize !== undefined) rows.push(["WASM", `${Math.ceil(wasmSize / 1024)} KB`]);
  return rowsOf(rows);
}

/** Labels and texts as aligned lines. */
export function rowsOf(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, text]) => `  ${visible(label).padEnd(width)}  ${visible(text)}\n`).join("");
}

/** The number of names, and the first of them. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, 6).join(", ");
  return names.length > 6 ? `${names.length}: ${shown}, …` : `${names.length}: ${shown}`;
}
