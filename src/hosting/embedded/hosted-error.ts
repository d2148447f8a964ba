import type { DeploymentError } from "../../store/deployments/health.js";
import type { HostedError } from "../engine.js";

/** An error of the catalog as an engine tells it. */
export function hostedErrorOf({ block, deterministic, ...error }: DeploymentError): HostedError {
  const { message, handler, place, since, attempts } = error;
  const isRetried = since !== undefined && attempts !== undefined;
  return {
    message: isRetried ? `${message} (${retriedText(since, attempts)})` : message,
    ...(isRetried && { isRetried, failingSince: since, attempts }),
    ...(block && { block: block.number }),
    ...(block?.hash !== undefined && { blockHash: block.hash }),
    ...(handler !== undefined && { handler }),
    ...(place !== undefined && { place }),
    isDeterministic: deterministic,
  };
}

function retriedText(since: number, attempts: number): string {
  const times = attempts === 1 ? "once" : `${attempts} times`;
  return `tried ${times} since ${new Date(since).toISOString()}, and will be tried again`;
}

/** What has failed, and where, for a line of the log. */
export function failureText(error: DeploymentError): string {
  const where = whereText(error);
  return `Failed${where === "" ? "" : ` in ${where}`}: ${error.message}`;
}

/**
 * Where an error was, for a line of the log: `the handler handleSwap of Pool, block 17 (src/pool.ts:12:3)`. It is shown
 * with the place in the configuration of the project that looks (`placedLines`).
 */
function whereText({ handler, source, block, place }: DeploymentError): string {
  if (handler === undefined) return block === undefined ? "" : `block ${block.number}`;
  const inBlock = block === undefined ? "" : `, block ${block.number}`;
  const at = place === undefined ? "" : ` (${place})`;
  return `the handler ${handler} of ${source}${inBlock}${at}`;
}
