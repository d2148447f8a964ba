import { compileScript } from "../../script/compile-script.js";
import type { ScriptColumn, ScriptType } from "../../script/script-engine.js";
import type { PlannedTransformOf, TransformWorld } from "../opening.js";
import { type RowTransform, TransformError } from "../row-transform.js";
import { ScriptTransform } from "./script-transform.js";

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
