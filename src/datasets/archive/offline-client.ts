import { ChainError } from "../../runtime/chain/chain.js";
import type { RpcClient } from "../../runtime/chain/rpc/rpc-client.js";

/** The archive lacks requested data, and no node may be asked. */
export class NotArchivedError extends ChainError {
  override readonly name = "NotArchivedError";
}

/**
 * Replaces a node that must not be asked. Every request fails with a `NotArchivedError` that names the missing data.
 */
export const offlineClient: RpcClient = {
  request: async (method, parameters) => {
    throw new NotArchivedError(
      `the archive lacks the answer to ${method} ${shortJson(parameters)}. Run once without --offline to fetch it`,
    );
  },
};

function shortJson(parameters: readonly unknown[]): string {
  const text = JSON.stringify(parameters);
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
