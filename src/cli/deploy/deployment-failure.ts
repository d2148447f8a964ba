import { visible } from "../../base/visible.js";
import type { Compilation } from "../../compiler/compilation.js";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import type { DeploymentStatus } from "../../deploy/target.js";
import { AbortError } from "../../runtime/wasm/failures.js";
import { expressionsOf } from "../run/expressions-of.js";
import { blame } from "../run/failure.js";

/** What a deployment failed with, by what its target says. */
export type DeploymentFailure = Pick<DeploymentStatus, "fatalError" | "failedHandler">;

/**
 * A deployment that failed, as a finding about the configuration it was made from: at the expression where its mapping
 * gave up, or else with the expressions of the handler that is named.
 * @returns nothing when the target says neither
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
      `${subgraph} has stopped where it is deployed`,
      ...(blamed && handler !== undefined ? [`the handler is ${handler}`] : []),
    ],
  };
}

/** What a mapping said when it gave up, as graph-node writes it in its errors. */
function abortIn(text: string): AbortError | undefined {
  const found =
    /Mapping aborted at ([^\s,]+), line (\d+), column (\d+), with (?:no message|message: (.*?))(?=[\t\n]| in handler `| wasm backtrace:|$)/.exec(
      text,
    );
  return found ? new AbortError(found[4], found[1], Number(found[2]), Number(found[3])) : undefined;
}

/** The first word of a text that is a handler with expressions of the configuration: backtraces name functions so. */
function handlerIn(text: string, origins: Compilation["origins"]): string | undefined {
  const known = new Set([...origins.values()].flat().map(({ handler }) => handler));
  return text.match(/\w+/g)?.find((word) => known.has(word));
}
