import { numberOf, type ToldStatus } from "../../deploy/graph-node/told-status.js";
import { type Database, DatabaseError } from "../../store/database/database.js";
import { defaultThreshold } from "../../store/deployments/graft.js";
import {
  type AskedDeployment,
  findAsked,
  noteAsked,
} from "../../store/deployments/graph-node-deployments.js";
import type { LinkedBuild } from "../../subgraph/deployment/link-build.js";
import type { HostedBuild, HostedHold } from "../engine.js";
import { type AddressWatch, foreign } from "./address-watch.js";
import type { Doors } from "./doors.js";
import type { Mirror } from "./mirror.js";
import { nextStep, type Wish } from "./next-step.js";
import { readWanted, type WantedBuild } from "./read-wanted.js";
import { type Setback, setbackOf } from "./refusals.js";
import type { SeenLog } from "./seen-log.js";

/** What a follower works with. */
export interface FollowerParts {
  readonly database: Database;
  readonly doors: Doors;
  readonly mirror: Mirror;
  readonly log: SeenLog;
  readonly addresses: AddressWatch;
  /** Tells the server from others that graph-node indexes for. @throws DatabaseError */
  readonly serverId: () => Promise<string>;
  /** Gives graph-node's IPFS node the files of a build. */
  readonly upload: (linked: LinkedBuild) => Promise<void>;
}

/** A deployment that graph-node is to have, and what is known of it. */
interface Followed {
  wish: Wish;
  /** How graph-node had it when all was done; nothing while something is to be done. */
  settled?: string | undefined;
  hold?: HostedHold | undefined;
  setback?: Setback | undefined;
  /** Of its build; nothing before that was read. */
  startBlock?: number;
  graft?: WantedBuild["graft"];
  /** Where its graft's base was when graph-node refused the graft. */
  baseAt?: number | undefined;
}

/** Has graph-node do what is wanted, by calls that may be repeated, as long as it is not as it was asked for. */
export class Follower {
  readonly #parts: FollowerParts;
  readonly #all = new Map<string, Followed>();
  #serverId: string | undefined;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
  }

  /** All that graph-node is to have. */
  deployments(): readonly string[] {
    return [...this.#all.keys()];
  }

  known(deployment: string): Pick<Followed, "startBlock" | "hold"> {
    return this.#all.get(deployment) ?? {};
  }

  /** Why graph-node does not have it; nothing when nothing has gone wrong. */
  setback(deployment: string): Setback | undefined {
    return this.#all.get(deployment)?.setback;
  }

  /** One that graph-node has blocks of; nothing without any. */
  anyIndexed(): string | undefined {
    return this.deployments().find((deployment) => this.#parts.mirror.last(deployment)?.latestBlock);
  }

  /**
   * Those that are not as they were when all was done.
   * @param isBack whether graph-node was away just now: what could not be done can be tried again
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
   * Has a deployment started or paused.
   * @param build what to deploy, where it is to be started
   * @throws what graph-node, its IPFS node or the database say
   */
  async follow(deployment: string, wish: Wish, build?: HostedBuild): Promise<void> {
    const { mirror } = this.#parts;
    const one: Followed = this.#all.get(deployment) ?? { wish };
    this.#all.set(deployment, one);
    const isAsBefore = one.settled !== undefined && one.settled === stateOf(mirror.last(deployment));
    if (one.wish === wish && isAsBefore && !mirror.absence) return;
    one.wish = wish;
    one.settled = undefined;
    try {
      const wanted = build && one.startBlock === undefined ? await readWanted(build) : undefined;
      if (wanted) note(one, wanted);
      await mirror.ask([deployment]);
      await this.#bring(deployment, one, build);
    } catch (error) {
      // That graph-node or the database does not answer is told of otherwise.
      if (!mirror.absence && !(error instanceof DatabaseError)) this.#setBack(deployment, one, error);
      throw error;
    }
    one.setback = undefined;
    one.settled = stateOf(mirror.last(deployment));
  }

  /** Takes a deployment's names away. What graph-node has of it goes with its own clean-up, unless others name it. */
  async remove(deployment: string): Promise<void> {
    const { database, doors } = this.#parts;
    const asked = await findAsked(database, deployment);
    const names = new Set([await this.#nameOf(deployment), ...(asked ? [asked.name] : [])]);
    for (const name of names) await doors.admin.remove(name);
    this.#forget(deployment);
  }

  /** Forgets what another server has removed. */
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
      // Whoever is interrupted in between does not know.
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

  /** Makes a name of this server's lead to a deployment, and the one that it had before lead nowhere. */
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
    // A pause ends with the assignment.
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

  /** Whether a graft that was refused has its base by now. */
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

  /** The name that a deployment has at graph-node: no other server's, and the same after a restart. */
  async #nameOf(deployment: string): Promise<string> {
    this.#serverId ??= await this.#parts.serverId();
    return `graphloom-${this.#serverId.slice(0, 16)}/${deployment}`;
  }
}

function note(one: Followed, { startBlock, graft }: WantedBuild): void {
  one.startBlock = startBlock;
  one.graft = graft;
}

/** What is compared to see whether something has changed. */
function stateOf(told: ToldStatus | undefined): string {
  if (!told) return "missing";
  if (told.node === null) return "unassigned";
  return told.paused === true ? "paused" : "running";
}
