import type { DeploymentError } from "../../store/deployments/health.js";
import type { HostedError } from "../engine.js";

/** Converts an error of the catalog to the engine's form. */
export function hostedErrorOf({ block, deterministic, ...error }: DeploymentError): HostedError {
  const { message, handler, transactionHash, logIndex, place, at, since, attempts } = error;
  const isRetried = since !== undefined && attempts !== undefined;
  return {
    message: isRetried ? `${message} (${retriedText(since, attempts)})` : message,
    ...(isRetried && { isRetried, reason: message, failingSince: since, attempts }),
    ...(at !== undefined && { failedAt: at }),
    ...(block && { block: block.number }),
    ...(block?.hash !== undefined && { blockHash: block.hash }),
    ...(handler !== undefined && { handler }),
    ...(transactionHash !== undefined && { transactionHash }),
    ...(logIndex !== undefined && { logIndex }),
    ...(place !== undefined && { place }),
    isDeterministic: deterministic,
  };
}

function retriedText(since: number, attempts: number): string {
  const times = attempts === 1 ? "once" : `${attempts} times`;
  return `tried ${times} since ${new Date(since).toISOString()}, and will be tried again`;
}

/** Describes a failure and its place for the log. */
export function failureText(error: DeploymentError): string {
  const where = whereText(error);
  return `Failed${where === "" ? "" : ` in ${where}`}: ${error.message}`;
}

/**
 * Describes the place of an error for the log: `the handler handleSwap of Pool, block 17 (src/pool.ts:12:3)`. When it
 * is shown, the place in the viewing project's configuration is added (`placedLines`).
 */
function whereText({ handler, source, block, place }: DeploymentError): string {
  if (handler === undefined) return block === undefined ? "" : `block ${block.number}`;
  const inBlock = block === undefined ? "" : `, block ${block.number}`;
  const at = place === undefined ? "" : ` (${place})`;
  return `the handler ${handler} of ${source}${inBlock}${at}`;
}
