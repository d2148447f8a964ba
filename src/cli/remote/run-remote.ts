import { ApiAnswerError } from "../../api/answer-error.js";
import { ApiProblem, renderProblem } from "../../api/problem.js";
import { visible } from "../../base/visible.js";
import { EndpointError } from "../../deploy/deployed-at.js";
import { GraphNodeError } from "../../deploy/graph-node/graph-node-error.js";
import { IpfsError } from "../../deploy/ipfs/ipfs-error.js";
import { CredentialsError } from "../../node/credentials.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import { HttpError } from "../../web/http/http-error.js";
import { UsageError } from "../terminal/usage-error.js";
import { exitCodes, type World } from "../terminal/world.js";

/** A command ready to run: its exit code, or an error that `explain` knows. */
export type FailableCommand = () => Promise<number>;

/**
 * Runs a command that talks to servers, and says what went wrong with them.
 * @returns its exit code, or that of what it could not do
 */
export async function runRemote(world: World, command: FailableCommand): Promise<number> {
  try {
    return await command();
  } catch (error) {
    if (world.signal.aborted) return exitCodes.interrupted;
    const failure = explain(error);
    if (!failure) throw error;
    world.err(failure.text);
    return failure.code;
  }
}

const remoteErrors = [ApiAnswerError, HttpError, EndpointError, GraphNodeError, IpfsError];

/** A failure in words for people, whole lines, and its exit code; nothing for a bug of ours. */
export function explain(error: unknown): { readonly text: string; readonly code: number } | undefined {
  if (error instanceof UsageError) return { text: `${visible(error.message)}\n`, code: exitCodes.usage };
  if (error instanceof BundleError || error instanceof CredentialsError)
    return { text: `${visible(error.message)}\n`, code: exitCodes.diagnostics };
  if (error instanceof ApiProblem)
    return { text: `${renderProblem(error).trimEnd()}\n`, code: exitCodes.remote };
  if (remoteErrors.some((kind) => error instanceof kind))
    return { text: `${visible((error as Error).message)}\n`, code: exitCodes.remote };
  return undefined;
}
