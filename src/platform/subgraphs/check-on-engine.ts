import type { Engine, OfferedBuild } from "../../hosting/engine.js";
import { DatabaseError } from "../../store/database/database.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import { SchemaError } from "../../subgraph/schema/entity-schema.js";
import { Problem } from "../problem.js";

/**
 * Asks an engine whether it accepts a build, before anything is recorded.
 * @throws Problem `unprocessable` with the engine's reason; any other error of the engine
 */
export async function checkOnEngine(engine: Engine, build: OfferedBuild): Promise<void> {
  try {
    await engine.check(build);
  } catch (error) {
    throw refusalOf(error);
  }
}

/** Turns an error into a Problem `unprocessable` when the build caused it; otherwise returns the error itself. */
export function refusalOf(error: unknown): unknown {
  if (error instanceof Problem || !(error instanceof Error) || !isReason(error)) return error;
  const hint = error instanceof DatabaseError && error.hint !== undefined ? `. ${error.hint}` : "";
  return new Problem("unprocessable", `${error.message}${hint}`, { cause: error });
}

/** Whether the build caused an error, rather than an unreachable database or a bug in the program. */
function isReason(error: Error): boolean {
  if (error instanceof BundleError || error instanceof SchemaError) return true;
  if (error instanceof DatabaseError) return error.code === undefined && error.cause === undefined;
  const mistakes = ["TypeError", "RangeError", "ReferenceError", "InternalError", "AssertionError"];
  return !mistakes.includes(error.name);
}
