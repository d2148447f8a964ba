import { changeOutcome } from "../web/http/change-outcome.js";
import { HttpError } from "../web/http/http-error.js";
import type { Deployment, DeployProgress, DeployRequest, DeployTarget, SubgraphVersion } from "./target.js";

/** How to deploy several subgraphs as one. */
export interface DeployOptions {
  /** Tags that shall point to each of them. */
  readonly tags: readonly string[];
  /**
   * What to do with a version that is deployed already, and may hold something else; `overwrite` replaces it without
   * asking whether it is there, so that even one with the same content is deployed again.
   */
  readonly existing: "refuse" | "keep" | "replace" | "overwrite";
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
  /** Whether it got another description. */
  readonly isDescribed?: boolean;
  /** What could not be done about it. */
  readonly error?: unknown;
  /** What that was: the tag, or the description; there with the error. */
  readonly missing?: Missing;
}

/** What could not be done about a deployed version. */
export interface Missing {
  /** Its name; absent when it was the description. */
  readonly tag?: string;
  /** Whether it is known that it was not done. */
  readonly isKnown: boolean;
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
  /** Whether it is known that it was not deployed. */
  readonly isKnown: boolean;
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
type Plan = Absent | Present | Taken | Failed;

/** To be deployed. */
interface Absent {
  readonly state: "missing";
  readonly request: DeployRequest;
  /** What is there and shall be replaced. */
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
      // What the target refuses to tell about one, it refuses for all.
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
  if (existing === "replace") return { request, state: "missing", before: deployment };
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
  const present = plan.state === "missing" ? await deploy(plan, target, options) : plan;
  if (present.state === "failed") return present;
  const described = await describe(present, target);
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
    return { request, state: "deployed", tags: [], deployment };
  } catch (error) {
    const outcome = changeOutcome(error);
    if (outcome === "undone") return { request, state: "failed", tags: [], error, isKnown: true };
    onStep?.(request, { step: "asking" });
    return askAgain(plan, target, error, outcome === "ended");
  }
}

/**
 * Finds out whether a version is there whose deployment seems to have failed.
 * @param isOver whether the target does nothing more about it
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
    // The first failure says more than that nobody answers now.
    return { ...failed, isKnown: false };
  }
}

/** An unchanged version may have got another description. */
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

/** What became of a change that seems to have failed, after a look at it. */
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
    // Nobody answers.
    return "unknown";
  }
}
