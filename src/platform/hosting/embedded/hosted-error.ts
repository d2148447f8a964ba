import type { DeploymentError } from "../../catalog/health.js";
import type { HostedError } from "../engine.js";

/** An error of the catalog as an engine tells it. */
export function hostedErrorOf({ block, deterministic, ...error }: DeploymentError): HostedError {
  const { message, handler, place, configPlace, since, attempts } = error;
  const isRetried = since !== undefined && attempts !== undefined;
  return {
    message: isRetried ? `${message} (${retriedText(since, attempts)})` : message,
    ...(isRetried && { isRetried }),
    ...(block && { block: block.number }),
    ...(block?.hash !== undefined && { blockHash: block.hash }),
    ...(handler !== undefined && { handler }),
    ...(place !== undefined && { place }),
    ...(configPlace !== undefined && { configPlace }),
    isDeterministic: deterministic,
  };
}

function retriedText(since: number, attempts: number): string {
  const times = attempts === 1 ? "once" : `${attempts} times`;
  return `tried ${times} since ${new Date(since).toISOString()}, and is tried again`;
}

/** What has failed, and where, for a line of the log. */
export function failureText(error: DeploymentError): string {
  const where = whereText(error);
  return `Failed${where === "" ? "" : ` in ${where}`}: ${error.message}`;
}

/** Where an error was, for a line of the log: `the handler handleSwap of Pool, block 17 (subgraph.json:20:41)`. */
export function whereText({ handler, source, block, configPlace }: DeploymentError): string {
  if (handler === undefined) return block === undefined ? "" : `block ${block.number}`;
  const inBlock = block === undefined ? "" : `, block ${block.number}`;
  const place = configPlace === undefined ? "" : ` (${configPlace})`;
  return `the handler ${handler} of ${source}${inBlock}${place}`;
}
