import { changeOutcome } from "../web/http/change-outcome.js";
import { HttpError } from "../web/http/http-error.js";
import type { Deployment, DeployProgress, DeployRequest, DeployTarget, SubgraphVersion } from "./target.js";

/** Options of deploying several subgraphs together. */
export interface DeployOptions {
  /** Tags to point to each deployed version. */
  readonly tags: readonly string[];
  /**
   * What to do with a version that already exists, possibly with different content. `overwrite` deploys without
   * a lookup, so that even the same content is deployed again.
   */
  readonly existing: "refuse" | "keep" | "replace" | "overwrite";
  /** Called before each step. */
  readonly onStep?: (
    request: DeployRequest,
    step: DeployProgress | { readonly step: "asking" | "tagging" },
  ) => void;
}

export type DeployResult = Present | Taken | Failed | Left;

interface OfRequest {
  readonly request: DeployRequest;
  /** The tags that now point to the version. */
  readonly tags: readonly string[];
}

/**
 * `unchanged`: it was already deployed with the same content; `kept`: it was already deployed, and its content
 * was not compared.
 */
export interface Present extends OfRequest {
  readonly state: "deployed" | "unchanged" | "kept";
  readonly deployment: Deployment;
  /** Whether its description was changed. */
  readonly isDescribed?: boolean;
  /** The error of the tag, the description or the endpoint that could not be set. */
  readonly error?: unknown;
  /** The part that could not be set; present together with the error. */
  readonly missing?: Missing;
}

/** A tag, a description or an endpoint that could not be set on a deployed version. */
export interface Missing {
  /** The tag's name; absent for a description or an endpoint. */
  readonly tag?: string;
  /** Whether the public endpoint could not be closed. */
  readonly isPublic?: boolean;
  /** Whether it is certain that it was not set. */
  readonly isKnown: boolean;
}

/** The version exists with different content. */
export interface Taken extends OfRequest {
  readonly state: "taken";
  readonly deployment: Deployment;
  /** The deployment id that the request would have, if known. */
  readonly expectedId: string | undefined;
}

/** The target refused the deployment, or its outcome is unknown. */
export interface Failed extends OfRequest {
  readonly state: "failed";
  /** Whether it is certain that it was not deployed. */
  readonly isKnown: boolean;
  readonly error: unknown;
}

/** Not attempted, because another request failed or its version is taken. */
export interface Left extends OfRequest {
  readonly state: "left";
}

/**
 * Deploys subgraphs in order. Idempotent: it skips versions that are already deployed with the same content, so a
 * repeated call completes a partial one. Does not deploy if a version exists with different content, and
 * stops after a failure.
 * @returns a result for each request, in the same order
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

/** What to do with a subgraph, decided before sending. */
type Plan = Absent | Present | Taken | Failed;

/** Not deployed yet, or to be replaced. */
interface Absent {
  readonly state: "missing";
  readonly request: DeployRequest;
  readonly before?: Deployment;
}

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
      // One failed lookup ends the call before anything is deployed.
      return requests.map((each) =>
        each === request
          ? { request, state: "failed", tags: [], error, isKnown: true }
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
  if (existing === "overwrite") return { request, state: "missing" };
  const deployment = existing === "replace" ? await findIfTold(request, target) : await target.find(request);
  if (!deployment) return { request, state: "missing" };
  if (existing === "keep") return { request, state: "kept", tags: [], deployment };
  const expectedId = await target.expectedId(request);
  if (expectedId !== undefined && expectedId === deployment.deploymentId)
    return { request, state: "unchanged", tags: [], deployment };
  const asksTarget = expectedId === undefined && target.tellsSame === true;
  if (existing === "replace" || asksTarget) return { request, state: "missing", before: deployment };
  return { request, state: "taken", tags: [], deployment, expectedId };
}

/**
 * Finds the deployment to replace. Replacing works without it, so an unreachable endpoint is ignored.
 */
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
  const present = plan.state === "missing" ? await deploy(plan, target, options) : plan;
  if (present.state === "failed") return present;
  const closed = await close(present, target);
  if (closed.error !== undefined) return closed;
  const described = await describe(closed, target);
  return described.error === undefined ? setTags(described, target, options) : described;
}

async function deploy(
  plan: Absent,
  target: DeployTarget,
  { onStep }: DeployOptions,
): Promise<Present | Failed> {
  const { request } = plan;
  try {
    const deployment = await target.deploy(request, (progress) => onStep?.(request, progress));
    return {
      request,
      state: isSame(plan, deployment, target) ? "unchanged" : "deployed",
      tags: [],
      deployment,
    };
  } catch (error) {
    const outcome = changeOutcome(error);
    if (outcome === "undone") return { request, state: "failed", tags: [], error, isKnown: true };
    onStep?.(request, { step: "asking" });
    return askAgain(plan, target, error, outcome === "ended");
  }
}

function isSame({ before }: Absent, { deploymentId }: Deployment, target: DeployTarget): boolean {
  return target.tellsSame === true && deploymentId !== undefined && deploymentId === before?.deploymentId;
}

/**
 * Finds out whether a version exists after its deployment failed with an unknown outcome.
 * @param isOver whether the target has finished handling the request
 */
async function askAgain(
  { request, before }: Absent,
  target: DeployTarget,
  error: unknown,
  isOver: boolean,
): Promise<Present | Failed> {
  const failed = { request, state: "failed", tags: [], error } as const;
  try {
    const deployment = await target.find(request);
    const isNew = deployment?.deploymentId !== before?.deploymentId;
    const expectedId = await target.expectedId(request);
    const isOurs = deployment && (expectedId === undefined ? isNew : deployment.deploymentId === expectedId);
    if (isOurs) return { request, state: "deployed", tags: [], deployment };
    return { ...failed, isKnown: isOver && !isNew };
  } catch {
    // Report the first failure rather than that of the lookup.
    return { ...failed, isKnown: false };
  }
}

/** Closes the public endpoint of a version that should be private; an existing version may be public. */
async function close(present: Present, target: DeployTarget): Promise<Present> {
  const { request, deployment } = present;
  if (!request.isPrivate || !deployment.isPublic || !target.close) return present;
  try {
    return { ...present, deployment: await target.close(request) };
  } catch (error) {
    const isKnown = changeOutcome(error) === "undone";
    return { ...present, error, missing: { isPublic: true, isKnown } };
  }
}

/** Updates the description of an unchanged version, if it changed. */
async function describe(present: Present, target: DeployTarget): Promise<Present> {
  const { request, state, deployment } = present;
  const { description } = request;
  const isWanted = state === "unchanged" && description !== undefined && deployment.description !== undefined;
  if (!isWanted || description === deployment.description || !target.describe) return present;
  try {
    await target.describe(request, description);
    return { ...present, isDescribed: true };
  } catch (error) {
    const isMade = (): Promise<boolean> =>
      target.find(request).then((found) => found?.description === description);
    const outcome = await settle(error, isMade);
    if (outcome === "made") return { ...present, isDescribed: true };
    return { ...present, error, missing: { isKnown: outcome === "undone" } };
  }
}

async function setTags(
  present: Present,
  target: DeployTarget,
  { tags, onStep }: DeployOptions,
): Promise<Present> {
  const { request, deployment } = present;
  const set: string[] = [];
  for (const tag of tags) {
    onStep?.(request, { step: "tagging" });
    try {
      await target.tag(request, tag);
    } catch (error) {
      const outcome = await settle(error, () => pointsTo(target, { ...request, version: tag }, deployment));
      if (outcome !== "made")
        return { ...present, tags: set, error, missing: { tag, isKnown: outcome === "undone" } };
    }
    set.push(tag);
  }
  return { ...present, tags: set };
}

async function pointsTo(
  target: DeployTarget,
  tag: SubgraphVersion,
  { deploymentId }: Deployment,
): Promise<boolean> {
  const found = await target.find(tag);
  return deploymentId !== undefined && found?.deploymentId === deploymentId;
}

/** Finds out whether a failed change was made after all. */
async function settle(
  error: unknown,
  isMade: () => Promise<boolean>,
): Promise<"made" | "undone" | "unknown"> {
  const outcome = changeOutcome(error);
  if (outcome === "undone") return outcome;
  try {
    if (await isMade()) return "made";
    return outcome === "ended" ? "undone" : "unknown";
  } catch {
    // The lookup failed too.
    return "unknown";
  }
}
