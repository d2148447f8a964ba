import type { Rows } from "../../changes/rows.js";
import type { RowColumn } from "../../changes/schema.js";
import { compileScript } from "../../script/compile-script.js";
import type { ScriptColumn, ScriptRunner, ScriptType } from "../../script/script-engine.js";
import { describedRow } from "../described-row.js";
import type { PlannedTransformOf, TransformWorld } from "../opening.js";
import { type RowTransform, TransformError } from "../row-transform.js";

/** A transform that calls a script for each row. */
class ScriptTransform implements RowTransform {
  readonly #name: string;
  readonly #input: readonly RowColumn[];
  readonly #runner: ScriptRunner;

  constructor(name: string, input: readonly RowColumn[], runner: ScriptRunner) {
    this.#name = name;
    this.#input = input;
    this.#runner = runner;
  }

  async apply(rows: Rows): Promise<Rows> {
    const answer = await this.#runner.run(rows);
    if (answer.kind === "rows") return answer.rows;
    const row = answer.row === undefined ? "" : ` for ${describedRow(this.#input, rows, answer.row)}`;
    throw new TransformError(`Script ${this.#name} has failed${row}: ${answer.message}`, false);
  }

  async close(): Promise<void> {
    await this.#runner.close();
  }
}

/** Opens a script. @throws TransformError */
export async function openScript(
  { name, definition: { settings }, input = [] }: PlannedTransformOf<"script">,
  world: TransformWorld,
): Promise<RowTransform> {
  const language = settings.language?.value === "javascript" ? "javascript" : "typescript";
  const { code, map, faults } = await compileScript(settings.script?.value ?? "", language);
  const [fault] = faults;
  if (fault) throw new TransformError(`Script ${name} cannot be run: ${fault.message}`, false);
  const output = (settings.schema ?? []).map(
    (column): ScriptColumn => ({ name: column.name.value, type: column.value.value as ScriptType }),
  );
  return new ScriptTransform(name, input, await world.openScript({ code, map, input, output }));
}
