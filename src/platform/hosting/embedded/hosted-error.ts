import type { DeploymentError } from "../../catalog/health.js";
import type { HostedError } from "../engine.js";

/** An error of the catalog as an engine tells it. */
export function hostedErrorOf({ block, deterministic, ...error }: DeploymentError): HostedError {
  const { message, handler, place, configPlace } = error;
  return {
    message,
    ...(block && { block: block.number }),
    ...(block?.hash !== undefined && { blockHash: block.hash }),
    ...(handler !== undefined && { handler }),
    ...(place !== undefined && { place }),
    ...(configPlace !== undefined && { configPlace }),
    isDeterministic: deterministic,
  };
}

/** Where an error was, for a line of the log: `the handler handleSwap of Pool, block 17 (subgraph.json:20:41)`. */
export function whereText({ handler, source, block, configPlace }: DeploymentError): string {
  const inBlock = block === undefined ? "" : `, block ${block.number}`;
  const place = configPlace === undefined ? "" : ` (${configPlace})`;
  return handler === undefined ? "" : `the handler ${handler} of ${source}${inBlock}${place}`;
}
