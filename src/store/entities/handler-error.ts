import type { FailedHandler } from "../../runtime/store/store.js";
import { AbortError } from "../../runtime/wasm/failures.js";
import type { HandlerError } from "../deployments/health.js";

/** The failure of a handler in the catalog's form. */
export function handlerError({
  handler,
  source,
  block,
  blockHash,
  transactionHash,
  logIndex,
  error,
  isDeterministic,
}: FailedHandler): HandlerError {
  const place = error instanceof AbortError ? placeText(error) : undefined;
  return {
    message: error.message,
    block: { number: block, hash: blockHash },
    handler,
    source,
    ...(place !== undefined && { place }),
    ...(transactionHash !== undefined && { transactionHash }),
    ...(logIndex !== undefined && { logIndex }),
    deterministic: isDeterministic,
  };
}

function placeText({ file, line, column }: AbortError): string | undefined {
  return file === undefined ? undefined : [file, line, column].filter((part) => part !== 0).join(":");
}
