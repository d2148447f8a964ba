import { messageOf } from "../../base/text/message-of.js";
import type {
  CheckedDefinition,
  DefinitionText,
  PipelineEngine,
  PipelineHost,
  PipelineToCome,
} from "../../pipelines/host/pipeline-engine.js";
import { isBusy, Problem } from "../problem.js";

/**
 * Checks a definition.
 * @param signal ends the check
 * @param toCome as in the engine
 * @throws Problem `unprocessable` if it cannot be checked, such as when it needs too much memory
 */
export async function checkOnEngine(
  engine: Pick<PipelineEngine, "check">,
  definition: DefinitionText,
  host: PipelineHost,
  signal: AbortSignal,
  toCome?: PipelineToCome,
): Promise<CheckedDefinition> {
  try {
    return await engine.check(definition, host, signal, toCome);
  } catch (cause) {
    if (isBusy(cause)) throw cause;
    const why = messageOf(cause);
    throw new Problem("unprocessable", `The definition could not be checked. ${why}.`, { cause });
  }
}
