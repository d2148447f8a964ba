import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { workFile } from "./answer.js";
import { graphloom, type Row, shortened } from "./product.js";
import { type Place, Unsolved } from "./task.js";

/** Validates a definition. @throws Unsolved if it has errors or warnings */
export async function mustValidate(place: Place, file: string): Promise<void> {
  workFile(place, file);
  const { code, out, err } = await graphloom(place, ["pipeline", "validate", file]);
  if (code !== 0 || /^(error|warning)\[/m.test(out + err))
    throw new Unsolved(`${file} is not valid: ${shortened(err + out)}`);
}

/** The sinks of a definition in the form with maps or in the older one with lists. @throws Unsolved if there are none */
export function sinksOf(place: Place, file: string): readonly Row[] {
  const { sinks } = definitionOf(place, file);
  if (typeof sinks !== "object" || sinks === null) throw new Unsolved(`${file} has no sinks`);
  return Object.values(sinks).filter((sink) => typeof sink === "object" && sink !== null);
}

/**
 * Runs a definition with sinks that print in place of its own.
 * @returns the rows that are left in the end, of all sinks
 * @throws Unsolved if it fails or does not end
 */
export async function printedRows(place: Place, file: string): Promise<readonly Row[]> {
  const { sinks, ...definition } = definitionOf(place, file);
  const names = ["from", "referenceName", "sourceStreamName"];
  const printing = (sink: unknown): Row => ({
    ...Object.fromEntries(Object.entries(sink as Row).filter(([name]) => names.includes(name))),
    type: "print",
  });
  const printed = Array.isArray(sinks)
    ? sinks.map(printing)
    : Object.fromEntries(Object.entries(sinks as Row).map(([name, sink]) => [name, printing(sink)]));
  const copy = join(place.hidden, "printing.json");
  // JSON is YAML as well.
  writeFileSync(copy, JSON.stringify({ ...definition, sinks: printed }));
  const { code, out, err } = await graphloom(place, ["pipeline", "run", copy]);
  if (code !== 0) throw new Unsolved(`${file} ended with ${code}: ${shortened(err)}`);
  const lines = out.split("\n").filter((line) => line.startsWith("{"));
  return lines.map((line) => JSON.parse(line) as Row).filter(({ op }) => op !== "d");
}

function definitionOf(place: Place, file: string): Row {
  try {
    const definition = load(workFile(place, file));
    if (typeof definition === "object" && definition !== null) return definition as Row;
  } catch (error) {
    throw new Unsolved(`${file} cannot be parsed: ${error}`);
  }
  throw new Unsolved(`${file} has no definition`);
}
