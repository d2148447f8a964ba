import { ApiProblem } from "../../api/answers/problem.js";
import { visible } from "../../base/text/visible.js";
import type { DeployResult, Failed, Present, Taken } from "../../deploy/deploy-all.js";
import type { DeployTarget } from "../../deploy/target.js";
import { changeOutcome } from "../../web/http/change-outcome.js";
import { HttpError, type HttpFailure } from "../../web/http/http-error.js";
import { explainFailure } from "../remote/run-remote.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import type { WaitEnd } from "./await-indexing.js";
import type { Sharing } from "./sharing.js";

const lasting: ReadonlySet<HttpFailure> = new Set(["unsendable", "redirected", "too-large"]);

/** Further facts about the results. */
export interface ResultFacts {
  /** How waiting ended, for each result that was waited for. */
  readonly ends: ReadonlyMap<DeployResult, WaitEnd>;
  readonly sharing: Sharing;
}

/** Prints every deployed subgraph for people. */
export function reportDeployed(
  results: readonly DeployResult[],
  target: DeployTarget,
  facts: ResultFacts,
  terminal: Terminal,
): void {
  for (const result of results) terminal.out(success(result, target, facts));
}

/** Prints failures for people, and how to continue; returns the exit code. */
export function reportFailures(results: readonly DeployResult[], terminal: Terminal): number {
  const code = Math.max(exitCodes.clean, ...results.map((result) => complain(result, terminal)));
  if (code !== exitCodes.clean) terminal.err(howToGoOn(results));
  return code;
}

/** The lines about a deployed subgraph; empty for any other result. */
function success(result: DeployResult, { label }: DeployTarget, { ends, sharing }: ResultFacts): string {
  if (!("deployment" in result) || result.state === "taken") return "";
  const { deploymentId, queryUrl, pageUrl, graftBlock, warnings = [] } = result.deployment;
  const { graftFrom } = result.request;
  const hasFailed = ends.get(result)?.state === "failed";
  const heads = {
    deployed: `Deployed ${fullName(result)} to ${label}${hasFailed ? ", where indexing has failed" : ""}.`,
    unchanged: `${fullName(result)} is already deployed, unchanged${hasFailed ? "; indexing has failed" : ""}.`,
    kept: `${fullName(result)} is already deployed and was left as it is.`,
  };
  const others = sharing(result);
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["deployment", deploymentId],
    ["same as", others.length > 0 ? `${others.join(", ")} (they share one deployment)` : undefined],
    ["queries", queryUrl],
    ["dashboard", pageUrl],
    [
      "graft",
      graftFrom && graftBlock !== undefined
        ? `${graftFrom.name}/${graftFrom.version} up to block ${graftBlock}`
        : undefined,
    ],
    ["about", result.isDescribed ? result.request.description : undefined],
    ["tags", result.tags.length > 0 ? result.tags.join(", ") : undefined],
    ...warnings.map((warning) => ["warning", warning] as const),
  ];
  return [
    `${heads[result.state]}\n`,
    ...rows.flatMap(([name, value]) =>
      value === undefined ? [] : [`  ${name.padEnd(10)}  ${visible(value)}\n`],
    ),
  ].join("");
}

/** Reports the failure of a subgraph; returns its exit code. */
function complain(result: DeployResult, terminal: Terminal): number {
  if (result.state === "taken") {
    terminal.err(takenText(result));
    return exitCodes.remote;
  }
  if (!("error" in result)) return exitCodes.clean;
  const failure = explainFailure(result.error);
  if (!failure) throw result.error;
  terminal.err(`${shortfall(result)}: ${failure.text}`);
  return failure.code;
}

/** The part of a request that failed or whose outcome is unknown, as a sentence. */
function shortfall(result: Failed | Present): string {
  const name = fullName(result);
  if (result.state === "failed")
    return result.isKnown ? `${name} was not deployed` : `It is unknown whether ${name} was deployed`;
  const { missing } = result;
  if (missing?.isPublic)
    return missing.isKnown
      ? `${name} still has its public endpoint`
      : `It is unknown whether ${name} still has its public endpoint`;
  if (missing?.tag === undefined)
    return missing?.isKnown === false
      ? `It is unknown whether ${name} has its new description`
      : `The description of ${name} was not changed`;
  return missing.isKnown
    ? `Not all tags of ${name} were set`
    : `It is unknown whether the tag ${missing.tag} points to ${name}`;
}

/** Why a subgraph failed, in a sentence for people; null when it did not. */
export function reasonOf(result: DeployResult): string | null {
  if (result.state === "taken") return takenText(result).trimEnd();
  return "error" in result ? (explainFailure(result.error)?.text.trimEnd() ?? null) : null;
}

function takenText({ request, deployment, expectedId }: Taken): string {
  const { name, version } = request;
  const ids =
    expectedId === undefined || deployment.deploymentId === undefined
      ? ", and its content cannot be compared from here"
      : `, with different content (${visible(deployment.deploymentId)}, not ${expectedId})`;
  return (
    `${name}/${version} is already deployed${ids}.\n` +
    `Choose a different version, delete this one with graphloom subgraph delete ${name}/${version}, ` +
    "or keep it with --skip-deployed.\n"
  );
}

function fullName({ request }: DeployResult): string {
  return `${request.name}/${request.version}`;
}

/**
 * Advice after an incomplete deployment: what is deployed, what is missing, and whether repeating the command helps.
 * @returns whole lines; empty when there is nothing to add
 */
function howToGoOn(results: readonly DeployResult[]): string {
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
function isUncertain(result: DeployResult): boolean {
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

/** Whether a retry may succeed. */
function mayPass(result: DeployResult): boolean {
  if (!("error" in result)) return false;
  const { error } = result;
  if (isUncertain(result) || changeOutcome(error) !== "undone") return true;
  if (error instanceof HttpError) return !lasting.has(error.kind);
  return error instanceof ApiProblem && (error.status >= 500 || error.status === 429);
}
