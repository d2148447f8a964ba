import type { FailedHandler } from "../../runtime/store/store.js";
import type { HandlerError } from "../catalog/health.js";

/** The failure of a handler as the catalog keeps it. */
export function handlerError({
  handler,
  source,
  block,
  blockHash,
  transactionHash,
  logIndex,
  error,
}: FailedHandler): HandlerError {
  return {
    message: error.message,
    block: { number: block, hash: blockHash },
    handler,
    source,
    ...(transactionHash !== undefined && { transactionHash }),
    ...(logIndex !== undefined && { logIndex }),
    deterministic: true,
  };
}
