import type { RowValue } from "../../../src/pipelines/changes/rows.js";
import type { RowColumn, ValueType } from "../../../src/pipelines/changes/schema.js";
import { compileScript } from "../../../src/pipelines/script/compile-script.js";
import type {
  ScriptAnswer,
  ScriptColumn,
  ScriptProgram,
  ScriptType,
} from "../../../src/pipelines/script/script-engine.js";
import { objectsOf } from "./row-objects.js";

export type RowObject = Readonly<Record<string, RowValue>>;

/** A column of each type, and one with a name that objects treat specially. */
export const scriptInput: readonly RowColumn[] = (
  [
    ["id", "STRING"],
    ["long", "LONG"],
    ["wide", "DECIMAL"],
    ["exact", "NUMERIC"],
    ["real", "DOUBLE"],
    ["flag", "BOOLEAN"],
    ["time", "TIMESTAMP"],
    ["list", "ARRAY<STRING>"],
    ["json", "JSON"],
    ["__proto__", "STRING"],
  ] as const satisfies readonly (readonly [string, ValueType])[]
).map(([name, type]) => ({ name, type, nullable: true }));

/** A script in TypeScript that takes such rows. */
export async function scriptProgram(
  script: string,
  schema: Readonly<Record<string, ScriptType>>,
): Promise<ScriptProgram> {
  const { code, map } = await compileScript(script, "typescript");
  const output = Object.entries(schema).map(([name, type]): ScriptColumn => ({ name, type }));
  return { code, map, input: scriptInput, output };
}

/** The rows of an answer, or which row has failed and why. */
export function outcomeOf(
  answer: ScriptAnswer,
  columns: readonly { readonly name: string }[],
): readonly RowObject[] | string {
  if (answer.kind === "failed") return `${answer.row ?? "all"}: ${answer.message}`;
  return objectsOf(
    columns.map(({ name }) => ({ name, type: "STRING", nullable: true })),
    answer.rows,
  );
}
