import type { Engine, OfferedBuild } from "../../hosting/engine.js";
import { DatabaseError } from "../../store/database/database.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import { SchemaError } from "../../subgraph/schema/entity-schema.js";
import { Problem } from "../problem.js";

/**
 * Asks an engine whether it takes a build, before anything is recorded.
 * @throws Problem `unprocessable` with the engine's reason; whatever else went wrong in the engine
 */
export async function checkOnEngine(engine: Engine, build: OfferedBuild): Promise<void> {
  try {
    await engine.check(build);
  } catch (error) {
    throw refusalOf(error);
  }
}

/** What is told of an error that a build has led to: `unprocessable` when the build is to blame, or the error itself. */
export function refusalOf(error: unknown): unknown {
  if (error instanceof Problem || !(error instanceof Error) || !isReason(error)) return error;
  const hint = error instanceof DatabaseError && error.hint !== undefined ? `. ${error.hint}` : "";
  return new Problem("unprocessable", `${error.message}${hint}`, { cause: error });
}

/** Whether an error is about the build: not a database that is away, and not a mistake of the program. */
function isReason(error: Error): boolean {
  if (error instanceof BundleError || error instanceof SchemaError) return true;
  if (error instanceof DatabaseError) return error.code === undefined && error.cause === undefined;
  const mistakes = ["TypeError", "RangeError", "ReferenceError", "InternalError", "AssertionError"];
  return !mistakes.includes(error.name);
}
