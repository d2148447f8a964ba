import { ChainError } from "../../runtime/chain/chain.js";
import type { RpcClient } from "../../runtime/chain/rpc/rpc-client.js";

/** The archive does not have what is asked for, and no node may be asked. */
export class NotArchivedError extends ChainError {
  override readonly name = "NotArchivedError";
}

/** In place of a node that must not be asked. Every request is a `NotArchivedError` that tells what is missing. */
export const offlineClient: RpcClient = {
  request: async (method, parameters) => {
    throw new NotArchivedError(
      `the archive lacks the answer to ${method} ${shown(parameters)}. Run once without --offline to fetch it`,
    );
  },
};

function shown(parameters: readonly unknown[]): string {
  const text = JSON.stringify(parameters);
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
