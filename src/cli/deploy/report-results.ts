import { networkOf } from "../../bundle/build.js";
import type { DeployResult, Taken } from "../../deploy/deploy-all.js";
import type { DeployTarget } from "../../deploy/target.js";
import { visible } from "../../diagnostics/visible.js";
import { printJson } from "../remote/print-json.js";
import { explain } from "../remote/run-remote.js";
import { count } from "../summary.js";
import { exitCodes, type World } from "../world.js";

/** Says what became of every subgraph; the exit code. */
export function reportResults(
  results: readonly DeployResult[],
  target: DeployTarget,
  output: "table" | "json",
  world: World,
): number {
  if (output === "json") printJson(results.map(asJson), world);
  let code: number = exitCodes.clean;
  for (const result of results) {
    if (output === "table") world.out(success(result, target));
    code = Math.max(code, complain(result, world));
  }
  if (code !== exitCodes.clean) world.err(conclusion(results));
  return code;
}

/** The lines about a subgraph that is where it shall be; empty for others. */
function success(result: DeployResult, { label }: DeployTarget): string {
  if (!("deployment" in result) || result.state === "taken") return "";
  const { deploymentId, queryUrl } = result.deployment;
  const heads = {
    deployed: `Deployed ${nameOf(result)} to ${label}.`,
    unchanged: `${nameOf(result)} is deployed already, unchanged.`,
    kept: `${nameOf(result)} is deployed already, and was left as it is.`,
  };
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["deployment", deploymentId],
    ["queries", queryUrl],
    ["tags", result.tags.length > 0 ? result.tags.join(", ") : undefined],
  ];
  return [
    `${heads[result.state]}\n`,
    ...rows.flatMap(([name, value]) =>
      value === undefined ? [] : [`  ${name.padEnd(10)}  ${visible(value)}\n`],
    ),
  ].join("");
}

/** Says what went wrong with a subgraph; its exit code. */
function complain(result: DeployResult, world: World): number {
  if (result.state === "taken") {
    world.err(taken(result));
    return exitCodes.remote;
  }
  if (!("error" in result)) return exitCodes.clean;
  const failure = explain(result.error);
  if (!failure) throw result.error;
  const what =
    result.state === "failed"
      ? `${nameOf(result)} was not deployed`
      : `Not all tags of ${nameOf(result)} are set`;
  world.err(`${what}: ${failure.text}`);
  return failure.code;
}

function taken({ request, deployment, expectedId }: Taken): string {
  const { name, version } = request;
  const ids =
    expectedId === undefined || deployment.deploymentId === undefined
      ? ", and whether it holds the same cannot be told from here"
      : `, with another content (${visible(deployment.deploymentId)}, not ${expectedId})`;
  return (
    `${name}/${version} is deployed already${ids}.\n` +
    `Choose another version, delete that one with graphloom subgraph delete ${name}/${version}, ` +
    "or keep it with --skip-deployed.\n"
  );
}

/** What is deployed and what is not, and how to go on. */
function conclusion(results: readonly DeployResult[]): string {
  const there = results.filter(
    ({ state }) => state === "deployed" || state === "unchanged" || state === "kept",
  );
  const missing = results.filter((result) => !there.includes(result));
  if (missing.length === 0) return "Run the same command again to set the rest of the tags.\n";
  if (results.some(({ state }) => state === "taken")) return "Nothing was deployed.\n";
  if (results.length === 1) return "";
  return (
    `Deployed: ${there.map(nameOf).join(", ") || "nothing"}.\n` +
    `Not deployed: ${missing.map(nameOf).join(", ")}.\n` +
    `Run the same command again to deploy the other ${count(missing.length, "subgraph")}; ` +
    "what is deployed is left as it is.\n"
  );
}

function nameOf({ request }: DeployResult): string {
  return `${request.name}/${request.version}`;
}

/** The shape of `--output json`: one object for each subgraph. */
function asJson(result: DeployResult): object {
  const { request, state, tags } = result;
  const deployment = "deployment" in result ? result.deployment : undefined;
  return {
    name: request.name,
    version: request.version,
    chain: networkOf(request.build),
    state,
    deployment_id: deployment?.deploymentId ?? null,
    query_url: deployment?.queryUrl ?? null,
    tags,
  };
}
