import { ApiAnswerError } from "../../api/answers/answer-error.js";
import { ApiProblem, renderProblem } from "../../api/answers/problem.js";
import { visible } from "../../base/text/visible.js";
import { EndpointFailure } from "../../compare/endpoint-failure.js";
import { EndpointError } from "../../deploy/deployed-at.js";
import { GraphNodeError } from "../../deploy/graph-node/graph-node-error.js";
import { IpfsError } from "../../deploy/ipfs/ipfs-error.js";
import { CredentialsError } from "../../machine/logins/credentials.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import { HttpError } from "../../web/http/http-error.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UnknownChange } from "./unknown-change.js";

/**
 * Runs a command that talks to servers, and reports their failures.
 * @returns the command's exit code, or that of the failure
 * @throws any other error of the command
 */
export async function runRemote(terminal: Terminal, command: () => Promise<number>): Promise<number> {
  try {
    return await command();
  } catch (error) {
    if (terminal.signal.aborted) return exitCodes.interrupted;
    const failure = explainFailure(error);
    if (!failure) throw error;
    terminal.err(failure.text);
    return failure.code;
  }
}

const remoteErrors = [ApiAnswerError, HttpError, EndpointFailure, EndpointError, GraphNodeError, IpfsError];

/**
 * Explains a failure of a server or a build for people, in whole lines, with the exit code; `undefined` for
 * other errors.
 */
export function explainFailure(error: unknown): { readonly text: string; readonly code: number } | undefined {
  if (error instanceof UnknownChange) return explainDoubt(error);
  if (error instanceof BundleError || error instanceof CredentialsError)
    return { text: `${visible(error.message)}\n`, code: exitCodes.diagnostics };
  if (error instanceof ApiProblem)
    return { text: `${renderProblem(error).trimEnd()}\n`, code: exitCodes.remote };
  if (remoteErrors.some((kind) => error instanceof kind))
    return { text: `${visible((error as Error).message)}\n`, code: exitCodes.remote };
  return undefined;
}

function explainDoubt({ message, advice, cause }: UnknownChange): ReturnType<typeof explainFailure> {
  const why = explainFailure(cause);
  return why && { text: `${visible(message)}: ${why.text}${visible(advice)}\n`, code: why.code };
}
