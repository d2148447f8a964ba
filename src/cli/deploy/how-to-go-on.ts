import { ApiProblem } from "../../api/problem.js";
import type { DeployResult } from "../../deploy/deploy-all.js";
import { changeOutcome } from "../../web/http/change-outcome.js";
import { HttpError, type HttpFailure } from "../../web/http/http-error.js";

/**
 * Advice after an incomplete deployment: what is deployed, what is not, and whether it helps to repeat the
 * command.
 * @returns whole lines; empty when there is nothing to add
 */
export function howToGoOn(results: readonly DeployResult[]): string {
  if (results.some(({ state }) => state === "taken")) return "Nothing was deployed.\n";
  const there = results.filter(isThere);
  const failed = results.find((result) => "error" in result);
  const command = "the same command again";
  const helps = failed !== undefined && mayPass(failed);
  if (there.length === results.length) return helps ? `Run ${command} to complete it.\n` : "";
  const goal = "to deploy the rest; what is already deployed stays as it is";
  if (results.length === 1) return helps ? `Run ${command} ${goal}.\n` : "";
  return `${summary(results)}${helps ? "Run" : "Fix that, then run"} ${command} ${goal}.\n`;
}

/** Whether it is unknown if a subgraph was deployed. */
export function isUncertain(result: DeployResult): boolean {
  return result.state === "failed" && !result.isKnown;
}

function summary(results: readonly DeployResult[]): string {
  const there = results.filter(isThere);
  const uncertain = results.filter(isUncertain);
  const missing = results.filter((result) => !there.includes(result) && !uncertain.includes(result));
  const list = (what: string, some: readonly DeployResult[]): string =>
    some.length === 0
      ? ""
      : `${what}: ${some.map(({ request }) => `${request.name}/${request.version}`).join(", ")}.\n`;
  return list("Deployed", there) + list("Unknown", uncertain) + list("Not deployed", missing);
}

function isThere({ state }: DeployResult): boolean {
  return state === "deployed" || state === "unchanged" || state === "kept";
}

const lasting: ReadonlySet<HttpFailure> = new Set(["unsendable", "redirected", "too-large"]);

/** Whether a retry may succeed. */
function mayPass(result: DeployResult): boolean {
  if (!("error" in result)) return false;
  const { error } = result;
  if (isUncertain(result) || changeOutcome(error) !== "undone") return true;
  if (error instanceof HttpError) return !lasting.has(error.kind);
  return error instanceof ApiProblem && (error.status >= 500 || error.status === 429);
}
