import { HttpError } from "../web/http/http-error.js";
import type { Deployment, DeployProgress, DeployRequest, DeployTarget } from "./target.js";

/** How to deploy several subgraphs as one. */
export interface DeployOptions {
  /** Tags that shall point to each of them. */
  readonly tags: readonly string[];
  /** What to do with a version that is deployed already, and may hold something else. */
  readonly existing: "refuse" | "keep" | "replace";
  /** Told of every step, before it is taken. */
  readonly onStep?: (
    request: DeployRequest,
    step: DeployProgress | { readonly step: "asking" | "tagging" },
  ) => void;
}

/** What became of one subgraph. */
export type DeployResult = Present | Taken | Failed | Left;

interface OfRequest {
  readonly request: DeployRequest;
  /** The tags that point to it now. */
  readonly tags: readonly string[];
}

/** `unchanged`: it was deployed already, with the same content; `kept`: with a content nobody compared. */
export interface Present extends OfRequest {
  readonly state: "deployed" | "unchanged" | "kept";
  readonly deployment: Deployment;
  /** Why not all tags point to it. */
  readonly error?: unknown;
}

/** The name and version are taken by another content. */
export interface Taken extends OfRequest {
  readonly state: "taken";
  readonly deployment: Deployment;
  /** The deployment id of what was to be deployed, if it is known. */
  readonly expectedId: string | undefined;
}

/** The target refused, or nobody knows what it did. */
export interface Failed extends OfRequest {
  readonly state: "failed";
  readonly error: unknown;
}

/** Not tried, because of another one. */
export interface Left extends OfRequest {
  readonly state: "left";
}

/**
 * Deploys subgraphs in order. What is deployed already with the same content is left as it is, so that the same call
 * finishes what one before it could not. Nothing is sent when one of them is taken; after a failure nothing more is.
 * @returns a result for each, in the same order
 */
export async function deployAll(
  requests: readonly DeployRequest[],
  target: DeployTarget,
  options: DeployOptions,
): Promise<readonly DeployResult[]> {
  const plans = await lookUp(requests, target, options);
  if (plans.some(({ state }) => state === "taken" || state === "failed")) return plans.map(asResult);
  const results: DeployResult[] = [];
  for (const [index, plan] of plans.entries()) {
    const result = await carryOut(plan, target, options);
    results.push(result);
    if (!("error" in result)) continue;
    return [...results, ...plans.slice(index + 1).map(asResult)];
  }
  return results;
}

/** What is to be done about a subgraph, before anything is. */
type Plan = { readonly state: "missing"; readonly request: DeployRequest } | Present | Taken | Failed;

async function lookUp(
  requests: readonly DeployRequest[],
  target: DeployTarget,
  options: DeployOptions,
): Promise<readonly Plan[]> {
  const plans: Plan[] = [];
  for (const request of requests) {
    options.onStep?.(request, { step: "asking" });
    try {
      plans.push(await planOf(request, target, options));
    } catch (error) {
      // What the target refuses to tell about one, it refuses for all.
      return requests.map((each) =>
        each === request
          ? { request, state: "failed", tags: [], error }
          : { request: each, state: "missing" },
      );
    }
  }
  return plans;
}

async function planOf(
  request: DeployRequest,
  target: DeployTarget,
  { existing }: DeployOptions,
): Promise<Plan> {
  const deployment = existing === "replace" ? await findIfTold(request, target) : await target.find(request);
  if (!deployment) return { request, state: "missing" };
  if (existing === "keep") return { request, state: "kept", tags: [], deployment };
  const expectedId = await target.expectedId(request);
  if (expectedId !== undefined && expectedId === deployment.deploymentId)
    return { request, state: "unchanged", tags: [], deployment };
  if (existing === "replace") return { request, state: "missing" };
  return { request, state: "taken", tags: [], deployment, expectedId };
}

/** What is there decides nothing where it is replaced anyway: whoever is out of reach for that question is not needed. */
async function findIfTold(request: DeployRequest, target: DeployTarget): Promise<Deployment | undefined> {
  try {
    return await target.find(request);
  } catch (error) {
    if (error instanceof HttpError && error.kind === "unreachable") return undefined;
    throw error;
  }
}

function asResult(plan: Plan): DeployResult {
  return plan.state === "missing" ? { request: plan.request, state: "left", tags: [] } : plan;
}

async function carryOut(plan: Plan, target: DeployTarget, options: DeployOptions): Promise<DeployResult> {
  if (plan.state === "taken" || plan.state === "failed") return plan;
  const { request } = plan;
  try {
    const deployment =
      plan.state === "missing"
        ? await target.deploy(request, (progress) => options.onStep?.(request, progress))
        : plan.deployment;
    const state = plan.state === "missing" ? "deployed" : plan.state;
    return { request, state, deployment, ...(await setTags(request, target, options)) };
  } catch (error) {
    return { request, state: "failed", tags: [], error };
  }
}

async function setTags(
  request: DeployRequest,
  target: DeployTarget,
  { tags, onStep }: DeployOptions,
): Promise<{ readonly tags: readonly string[]; readonly error?: unknown }> {
  const set: string[] = [];
  for (const tag of tags) {
    onStep?.(request, { step: "tagging" });
    try {
      await target.tag(request, tag);
    } catch (error) {
      return { tags: set, error };
    }
    set.push(tag);
  }
  return { tags: set };
}
