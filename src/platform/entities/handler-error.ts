import type { FailedHandler } from "../../runtime/store/store.js";
import { AbortError } from "../../runtime/wasm/failures.js";
import { type ConfigPlaces, configPlaceOf, type MappingPlace } from "../../subgraph/config-places.js";
import type { HandlerError } from "../catalog/health.js";

/**
 * The failure of a handler as the catalog keeps it.
 * @param places where the mappings come from in a configuration, where that is known
 */
export function handlerError(
  { handler, source, block, blockHash, transactionHash, logIndex, error, isDeterministic }: FailedHandler,
  places: ConfigPlaces | undefined,
): HandlerError {
  const at = error instanceof AbortError ? placeOf(error) : undefined;
  const configPlace = places && configPlaceOf(places, at, handler);
  return {
    message: error.message,
    block: { number: block, hash: blockHash },
    handler,
    source,
    ...(at && { place: [at.file, at.line, at.column].filter((part) => part !== 0).join(":") }),
    ...(configPlace !== undefined && { configPlace }),
    ...(transactionHash !== undefined && { transactionHash }),
    ...(logIndex !== undefined && { logIndex }),
    deterministic: isDeterministic,
  };
}

function placeOf({ file, line, column }: AbortError): MappingPlace | undefined {
  return file === undefined ? undefined : { file, line, column };
}
