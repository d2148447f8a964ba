import { visible } from "../../base/text/visible.js";
import type { Compilation } from "../../compiler/compilation.js";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import type { DeploymentStatus } from "../../deploy/target.js";
import { AbortError } from "../../runtime/wasm/failures.js";
import { expressionsOf } from "../run/expressions-of.js";
import { blame } from "../run/failure.js";

/** The error of a failed deployment as its target returns it. */
export type DeploymentFailure = Pick<DeploymentStatus, "fatalError" | "failedHandler">;

/**
 * Converts the failure of a deployment to a diagnostic about its configuration: at the expression where the
 * mapping aborted, or else with the expressions of the failed handler.
 * @returns `undefined` when the target names neither
 */
export function deploymentFailure(
  subgraph: string,
  { fatalError = "", failedHandler }: DeploymentFailure,
  origins: Compilation["origins"],
): Diagnostic | undefined {
  const abort = abortIn(fatalError);
  const blamed = abort && blame(abort, origins);
  const handler = handlerIn(`${failedHandler ?? ""} ${fatalError}`, origins);
  if (!blamed && handler === undefined) return undefined;
  return {
    code: "handler-failed",
    severity: "error",
    message: blamed ? `a handler failed at ${blamed.what}` : `the handler ${handler} failed`,
    ...(blamed && { at: blamed.at, label: visible(abort.reason ?? "it aborted") }),
    related: blamed || handler === undefined ? [] : expressionsOf(handler, origins),
    notes: [
      `${subgraph} has stopped indexing`,
      ...(blamed && handler !== undefined ? [`the handler is ${handler}`] : []),
    ],
  };
}

/** Extracts the abort of a mapping from graph-node's error message. */
function abortIn(text: string): AbortError | undefined {
  const found =
    /Mapping aborted at ([^\s,]+), line (\d+), column (\d+), with (?:no message|message: (.*?))(?=[\t\n]| in handler `| wasm backtrace:|$)/.exec(
      text,
    );
  return found ? new AbortError(found[4], found[1], Number(found[2]), Number(found[3])) : undefined;
}

/** The first word of a string, such as a backtrace, that is the name of a handler with expressions. */
function handlerIn(text: string, origins: Compilation["origins"]): string | undefined {
  const known = new Set([...origins.values()].flat().map(({ handler }) => handler));
  return text.match(/\w+/g)?.find((word) => known.has(word));
}
