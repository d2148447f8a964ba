import { isRecord } from "../../base/text/json-value.js";
import { GraphNodeRefusal } from "../../deploy/graph-node/admin.js";
import { numberOf, type ToldStatus } from "../../deploy/graph-node/told-status.js";
import { type Database, DatabaseError } from "../../store/database/database.js";
import { defaultThreshold } from "../../store/deployments/graft.js";
import {
  type AskedDeployment,
  findAsked,
  noteAsked,
} from "../../store/deployments/graph-node-deployments.js";
import { type LinkedBuild, linkBuild } from "../../subgraph/deployment/link-build.js";
import type { HostedBuild, HostedHold } from "../engine.js";
import { type AddressWatch, foreign } from "./address-watch.js";
import type { Doors } from "./doors.js";
import type { Mirror } from "./mirror.js";
import type { SeenLog } from "./seen-log.js";

/** The state that the catalog requests for a deployment. */
export type Wish = "started" | "paused";

/** The known facts about a deployment before a step. */
export interface Situation {
  readonly wish: Wish;
  /** This server's name for it. */
  readonly name: string;
  /** graph-node's status of the deployment; `undefined` if graph-node does not have it. */
  readonly told: Pick<ToldStatus, "node" | "paused"> | undefined;
  /** The last fulfilled request of this server. */
  readonly asked: AskedDeployment | undefined;
  /** Whether it was just deployed. */
  readonly isDeployed?: boolean;
}

/** The next request to graph-node on the way to the requested state. */
export interface NextStep {
  readonly step: "deploy" | "pause" | "resume" | "none";
  /** An operator's change at graph-node, which is left alone. */
  readonly hold?: HostedHold;
}

const unassigned: HostedHold = {
  kind: "unassigned",
  why: "no graph-node node is assigned to it: an operator has unassigned it there",
};

const paused: HostedHold = {
  kind: "paused",
  why: "it was paused at graph-node, not here; to continue, start it here",
};

const resumed: HostedHold = {
  kind: "resumed",
  why: "it was resumed at graph-node, not here; to stop it, pause it here",
};

/** Why a deployment is missing at graph-node although it was requested. */
interface Setback {
  /**
   * `refused`: graph-node rejects the build as it is. `waits`: it will accept it once something else exists. `failed`:
   * it did not answer or could not do it.
   */
  readonly kind: "refused" | "waits" | "failed";
  readonly why: string;
}

/** Temporary reasons. */
const passing = [
  // The base must first advance or be deployed again.
  /graft base is invalid: deployment not found/,
  /failed to graft onto .*(?:has not processed|no blocks|reorg threshold|not healthy\. You can graft it)/s,
  // The chain must first reach the block.
  /the specified block \d+ must exist/,
];

/** Facts about a build that graph-node should have. */
interface WantedBuild {
  readonly linked: LinkedBuild;
  /** The first start block in its manifest. */
  readonly startBlock: number;
  readonly graft?: { readonly base: string; readonly block: number };
}

/** The dependencies of a follower. */
export interface FollowerParts {
  readonly database: Database;
  readonly doors: Doors;
  readonly mirror: Mirror;
  readonly log: SeenLog;
  readonly addresses: AddressWatch;
  /** The id that distinguishes this server from others at the graph-node. @throws DatabaseError */
  readonly serverId: () => Promise<string>;
  /** Uploads the files of a build to graph-node's IPFS node. */
  readonly upload: (linked: LinkedBuild) => Promise<void>;
}

/** A deployment that graph-node should have, and its known state. */
interface Followed {
  wish: Wish;
  /** Its state at graph-node when all steps were done; `undefined` while steps remain. */
  settled?: string | undefined;
  hold?: HostedHold | undefined;
  setback?: Setback | undefined;
  /** Facts about its build; `undefined` before the build was read. */
  startBlock?: number;
  graft?: WantedBuild["graft"];
  /** The block of its graft base when graph-node refused the graft. */
  baseAt?: number | undefined;
}

/** Brings graph-node into the requested state with repeatable calls, until it matches. */
export class Follower {
  readonly #parts: FollowerParts;
  readonly #all = new Map<string, Followed>();
  #serverId: string | undefined;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
  }

  /** All deployments that graph-node should have. */
  deployments(): readonly string[] {
    return [...this.#all.keys()];
  }

  known(deployment: string): Pick<Followed, "startBlock" | "hold"> {
    return this.#all.get(deployment) ?? {};
  }

  /** Why graph-node does not have it; `undefined` if there was no problem. */
  setback(deployment: string): Setback | undefined {
    return this.#all.get(deployment)?.setback;
  }

  /** A deployment for which graph-node has blocks; `undefined` if there is none. */
  anyIndexed(): string | undefined {
    return this.deployments().find((deployment) => this.#parts.mirror.last(deployment)?.latestBlock);
  }

  /**
   * The deployments whose state has changed since everything was done.
   * @param isBack whether graph-node has just come back, so that failed calls can be retried
   */
  drifted(isBack: boolean): readonly string[] {
    const { mirror } = this.#parts;
    return [...this.#all].flatMap(([deployment, one]) => {
      if (one.settled === undefined) return isBack || this.#hasBase(one) ? [deployment] : [];
      if (one.settled === stateOf(mirror.last(deployment))) return [];
      one.settled = undefined;
      return [deployment];
    });
  }

  /**
   * Starts or pauses a deployment.
   * @param build the build to deploy, for a start
   * @throws errors of graph-node, its IPFS node or the database
   */
  async follow(deployment: string, wish: Wish, build?: HostedBuild): Promise<void> {
    const { mirror } = this.#parts;
    const one: Followed = this.#all.get(deployment) ?? { wish };
    this.#all.set(deployment, one);
    const isAsBefore = one.settled !== undefined && one.settled === stateOf(mirror.last(deployment));
    // A change by hand is left alone only until someone asks for something here, even for the same again.
    if (one.wish === wish && isAsBefore && !one.hold && !mirror.absence) return;
    one.wish = wish;
    one.settled = undefined;
    try {
      const wanted = build && one.startBlock === undefined ? await readWanted(build) : undefined;
      if (wanted) note(one, wanted);
      await mirror.ask([deployment]);
      await this.#bring(deployment, one, build);
    } catch (error) {
      // A silent graph-node or database is reported elsewhere.
      if (!mirror.absence && !(error instanceof DatabaseError)) this.#setBack(deployment, one, error);
      throw error;
    }
    one.setback = undefined;
    one.settled = stateOf(mirror.last(deployment));
  }

  /** Removes a deployment's names. graph-node's own clean-up removes its data, unless it has other names. */
  async remove(deployment: string): Promise<void> {
    const { database, doors } = this.#parts;
    const asked = await findAsked(database, deployment);
    const names = new Set([await this.#nameOf(deployment), ...(asked ? [asked.name] : [])]);
    for (const name of names) await doors.admin.remove(name);
    this.#forget(deployment);
  }

  /** Drops deployments that another server has removed. */
  keepOnly(deployments: ReadonlySet<string>): void {
    for (const deployment of this.#all.keys()) if (!deployments.has(deployment)) this.#forget(deployment);
  }

  #forget(deployment: string): void {
    const { mirror, log } = this.#parts;
    this.#all.delete(deployment);
    mirror.forget(deployment);
    log.drop(deployment);
  }

  async #bring(deployment: string, one: Followed, build: HostedBuild | undefined): Promise<void> {
    const { database, mirror, doors, log, addresses } = this.#parts;
    const name = await this.#nameOf(deployment);
    const { wish } = one;
    let asked = await findAsked(database, deployment);
    let next = nextStep({ wish, name, told: mirror.last(deployment), asked });
    if (next.step === "deploy" && build) {
      asked = await this.#deploy(build, name, asked);
      await mirror.ask([deployment]);
      const told = mirror.last(deployment);
      if (!told) {
        addresses.note("status", foreign("status"));
        throw new Error(foreign("status"));
      }
      addresses.note("status", undefined);
      next = nextStep({ wish, name, told, asked, isDeployed: true });
    }
    if (next.step === "pause" || next.step === "resume") {
      const isPaused = next.step === "pause";
      // After an interruption in between, the state is unknown.
      await noteAsked(database, deployment, { name: asked?.name ?? name });
      await (isPaused ? doors.admin.pause(deployment) : doors.admin.resume(deployment));
      log.add(deployment, "info", isPaused ? "paused" : "resumed");
      await mirror.ask([deployment]);
    }
    this.#hold(deployment, one, next.hold);
    const told = mirror.last(deployment);
    if (next.hold || !told || told.node === null) return;
    const now = { name: asked?.name ?? name, isPaused: wish === "paused" };
    if (asked?.name !== now.name || asked.isPaused !== now.isPaused || next.step !== "none") {
      await noteAsked(database, deployment, now);
    }
  }

  /** Points a name of this server to a deployment, and removes its earlier name. */
  async #deploy(
    build: HostedBuild,
    name: string,
    asked: AskedDeployment | undefined,
  ): Promise<AskedDeployment> {
    const { database, doors, mirror, log, upload } = this.#parts;
    const { deployment } = build;
    const before = mirror.last(deployment);
    await upload((await readWanted(build)).linked);
    await doors.admin.create(name);
    await doors.deploying.deploy(name, deployment);
    if (asked && asked.name !== name) await doors.admin.remove(asked.name);
    // Unassigning a deployment ends its pause.
    const isKept = before !== undefined && before.node !== null;
    const now = { name, ...(isKept && { isPaused: asked?.isPaused }) };
    await noteAsked(database, deployment, now);
    const again = before ? ", which already had it" : "";
    log.add(deployment, "info", `deployed to graph-node${again}`);
    if (!before)
      log.add(deployment, "info", "the lines that its mappings log are only in graph-node's own log");
    return now;
  }

  #setBack(deployment: string, one: Followed, error: unknown): void {
    const { doors, mirror, log } = this.#parts;
    const { graft } = one;
    const setback = setbackOf(error, graft !== undefined && this.#all.has(graft.base), doors.whyOf);
    const base = graft && mirror.last(graft.base);
    one.baseAt = base && numberOf(base.latestBlock);
    if (one.setback?.why !== setback.why) {
      log.add(deployment, setback.kind === "waits" ? "warn" : "error", setback.why);
    }
    one.setback = setback;
  }

  /** Whether a refused graft now has its base. */
  #hasBase({ setback, graft, baseAt = -1 }: Followed): boolean {
    if (setback?.kind !== "waits" || !graft) return false;
    const base = this.#parts.mirror.last(graft.base);
    const head = (base && numberOf(base.latestBlock)) ?? -1;
    return head > baseAt && head >= graft.block + defaultThreshold;
  }

  #hold(deployment: string, one: Followed, hold: HostedHold | undefined): void {
    const { log } = this.#parts;
    if (one.hold?.kind !== hold?.kind) {
      if (hold) log.add(deployment, "warn", hold.why);
      else log.add(deployment, "info", "graph-node again has it as requested");
    }
    one.hold = hold;
  }

  /** The name of a deployment at graph-node: unique to this server, and the same after a restart. */
  async #nameOf(deployment: string): Promise<string> {
    this.#serverId ??= await this.#parts.serverId();
    return `graphloom-${this.#serverId.slice(0, 16)}/${deployment}`;
  }
}

function note(one: Followed, { startBlock, graft }: WantedBuild): void {
  one.startBlock = startBlock;
  one.graft = graft;
}

/** The facts compared to detect a change. */
function stateOf(told: ToldStatus | undefined): string {
  if (!told) return "missing";
  if (told.node === null) return "unassigned";
  return told.paused === true ? "paused" : "running";
}

/** Reads a build. @throws BundleError */
async function readWanted(build: Pick<HostedBuild, "read">): Promise<WantedBuild> {
  const read = await build.read();
  const { dataSources, graft } = read.manifest;
  const blocks = Array.isArray(dataSources) ? dataSources.map(startOf) : [];
  return {
    linked: linkBuild(read),
    startBlock: blocks.length === 0 ? 0 : Math.min(...blocks),
    ...(isRecord(graft) &&
      typeof graft.base === "string" &&
      typeof graft.block === "number" && { graft: { base: graft.base, block: graft.block } }),
  };
}

function startOf(dataSource: unknown): number {
  const source = isRecord(dataSource) && isRecord(dataSource.source) ? dataSource.source : {};
  const { startBlock } = source;
  return typeof startBlock === "number" && Number.isSafeInteger(startBlock) ? startBlock : 0;
}

/**
 * Interprets a failed attempt to deploy.
 * @param isBaseHere whether the graft's base should be at graph-node too
 * @param whyOf describes the error
 */
function setbackOf(error: unknown, isBaseHere: boolean, whyOf: (error: unknown) => string): Setback {
  const why = whyOf(error);
  if (!(error instanceof GraphNodeRefusal) || error.outcome !== "undone") return { kind: "failed", why };
  const isOfGraft = /graft/.test(error.said);
  const passes = passing.some((pattern) => pattern.test(error.said)) && (!isOfGraft || isBaseHere);
  return { kind: passes ? "waits" : "refused", why };
}

/**
 * Compares the requested state with the actual one. If graph-node once had the requested state and now
 * differs, someone changed it by hand. That change is left alone until the deployment is paused or resumed
 * here.
 */
export function nextStep({ wish, name, told, asked, isDeployed = false }: Situation): NextStep {
  const isIndexed = told !== undefined && told.node !== null;
  if (wish === "paused" && !isIndexed) return { step: "none" };
  const isOurs = asked?.name === name;
  if (!isDeployed && wish === "started" && (!isIndexed || !isOurs)) return { step: "deploy" };
  if (!isIndexed) return { step: "none", hold: unassigned };
  const isPaused = told.paused === true;
  if (isPaused === (wish === "paused")) return { step: "none" };
  if (wish === "paused") {
    return asked?.isPaused === true ? { step: "none", hold: resumed } : { step: "pause" };
  }
  return asked?.isPaused === false ? { step: "none", hold: paused } : { step: "resume" };
}
