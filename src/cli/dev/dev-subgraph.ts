import type { HostedError, HostedStatus } from "../../hosting/engine.js";
import type { Caller } from "../../platform/people/access.js";
import { pauseSubgraph, removeSubgraph } from "../../platform/subgraphs/change-subgraphs.js";
import { type DeployPlatform, deploySubgraph } from "../../platform/subgraphs/deploy-subgraph.js";
import { listVersionsOf } from "../../platform/subgraphs/read-subgraphs.js";
import { type TagName, tagSubgraph, untagSubgraph } from "../../platform/subgraphs/tag-subgraphs.js";
import type { SubgraphVersion, VersionName } from "../../platform/subgraphs/versions.js";
import type { Build } from "../../subgraph/build.js";
import { linkBuild } from "../../subgraph/deployment/link-build.js";

/** The tag whose address stays the same across all edits. */
export const devTag = "dev";

/** Something that happens to a subgraph under development. */
export type DevEvent =
  /**
   * Indexing of a build has started. The first build answers at once; a later one is indexed while the earlier one
   * answers.
   */
  | { readonly kind: "indexing"; readonly isFirst: boolean }
  /** The build is the one that already answers. */
  | { readonly kind: "unchanged" }
  /** The answering build has reached the chain head for the first time. */
  | { readonly kind: "synced"; readonly block: number }
  /** The newer build has caught up, and answers from now on. */
  | { readonly kind: "switched"; readonly block: number | undefined }
  /** A build cannot continue until a condition clears, such as an unreachable node; it may never clear. */
  | { readonly kind: "waiting"; readonly answers: boolean; readonly why: string }
  /** Indexing of a build has stopped with an error. */
  | {
      readonly kind: "failed";
      readonly deployment: string;
      readonly answers: boolean;
      readonly error: HostedError;
    };

/** The status of a subgraph under development. */
export interface DevStatus {
  /** The status of the build that answers. */
  readonly current: HostedStatus | undefined;
  /** The status of the newer build, which is indexed at the same time. */
  readonly next: HostedStatus | undefined;
}

/** A subgraph under development. One build answers; the build of the last edit is indexed at the same time. */
export class DevSubgraph {
  readonly #platform: DeployPlatform;
  /** The developer, who has all permissions. */
  readonly #caller: Caller;
  readonly #name: string;
  readonly #tell: (event: DevEvent) => void;
  /** The known deployments: the one that answers, and the newer one. */
  #deployments: ReadonlySet<string> = new Set();
  /** The deployments whose failure, or whose arrival at the head, was reported. */
  readonly #toldFailed = new Set<string>();
  readonly #toldSynced = new Set<string>();
  /** The reported reasons for which deployments wait. */
  readonly #toldWaiting = new Map<string, string>();
  /** The last of the operations, which run one by one. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    platform: DeployPlatform,
    { project, name }: Omit<VersionName, "version">,
    tell: (event: DevEvent) => void,
  ) {
    this.#platform = platform;
    this.#caller = { kind: "user", id: "dev", name: "dev", project, role: "Owner" };
    this.#name = name;
    this.#tell = tell;
  }

  /** The deployments that events are reported for: the one that answers, and the newer one. */
  get deployments(): ReadonlySet<string> {
    return this.#deployments;
  }

  /**
   * Accepts the build of an edit. It replaces a build that has not caught up yet.
   * @returns the warnings of its engine
   * @throws Problem when the engine rejects it; DatabaseError
   */
  offer(build: Build): Promise<readonly string[]> {
    return this.#inTurn(() => this.#offer(build));
  }

  /** Checks the builds' progress, and switches to the newer one when it has caught up. @throws DatabaseError */
  look(): Promise<DevStatus> {
    return this.#inTurn(() => this.#look());
  }

  /** Deletes the subgraph with all indexed data. @throws DatabaseError */
  drop(): Promise<void> {
    return this.#inTurn(() => this.#drop());
  }

  async #offer(build: Build): Promise<readonly string[]> {
    const version = versionOf(linkBuild(build).deploymentId);
    const named = { name: this.#name, version };
    const { current } = await this.#versions();
    const { entry, warnings } = await deploySubgraph(this.#platform, this.#caller, named, { build });
    if (entry.isPaused) await pauseSubgraph(this.#platform, this.#caller, named, false);
    if (!current) await this.#answerFrom(version);
    await this.#dropOthers([version, current?.version ?? version]);
    this.#toldFailed.delete(entry.deployment);
    const isUnchanged = current?.version === version;
    this.#tell(isUnchanged ? { kind: "unchanged" } : { kind: "indexing", isFirst: !current });
    return warnings;
  }

  async #look(): Promise<DevStatus> {
    const { hosting } = this.#platform;
    const { current, next } = await this.#versions();
    if (!current) return { current: undefined, next: undefined };
    const engine = hosting.engine(current.engine);
    const states = await engine.status([current, next].flatMap((one) => one?.deployment ?? []));
    const status = { current: states.get(current.deployment), next: next && states.get(next.deployment) };
    this.#report(current, status.current, true);
    if (!next) return status;
    this.#report(next, status.next, false);
    if (!hasCaughtUp(status)) return status;
    await this.#answerFrom(next.version);
    await this.#dropOthers([next.version]);
    this.#toldSynced.add(next.deployment);
    this.#tell({ kind: "switched", block: status.next?.headBlock });
    return { current: status.next, next: undefined };
  }

  #report({ deployment }: SubgraphVersion, status: HostedStatus | undefined, answers: boolean): void {
    const error = status?.fatalError;
    if (error && !this.#toldFailed.has(deployment)) {
      this.#toldFailed.add(deployment);
      this.#tell({ kind: "failed", deployment, answers, error });
    }
    const why = status?.waitsFor;
    if (why !== undefined && this.#toldWaiting.get(deployment) !== why) {
      this.#toldWaiting.set(deployment, why);
      this.#tell({ kind: "waiting", answers, why });
    }
    if (answers && status?.isSynced && status.headBlock !== undefined && !this.#toldSynced.has(deployment)) {
      this.#toldSynced.add(deployment);
      this.#tell({ kind: "synced", block: status.headBlock });
    }
  }

  /** The version that answers, and the newer one. */
  async #versions() {
    const all = await listVersionsOf(this.#platform, this.#caller, this.#name);
    const target = all.find(({ version }) => version === devTag)?.target;
    return {
      all: all.filter((one) => one.target === undefined),
      current: all.find((one) => one.target === undefined && one.version === target),
      next: all.find((one) => one.target === undefined && one.version !== target),
    };
  }

  async #answerFrom(version: string): Promise<void> {
    await tagSubgraph(this.#platform, this.#caller, this.#tag, version);
  }

  async #drop(): Promise<void> {
    if ((await this.#versions()).current) await untagSubgraph(this.#platform, this.#caller, this.#tag, []);
    await this.#dropOthers([]);
  }

  /** Deletes all versions except some. */
  async #dropOthers(kept: readonly string[]): Promise<void> {
    const { all } = await this.#versions();
    const isKept = ({ version }: SubgraphVersion): boolean => kept.includes(version);
    this.#keepOnly(new Set(all.filter(isKept).map(({ deployment }) => deployment)));
    for (const one of all) {
      if (!isKept(one)) await removeSubgraph(this.#platform, this.#caller, one, []);
    }
  }

  /** Forgets what was reported about other deployments. */
  #keepOnly(deployments: ReadonlySet<string>): void {
    this.#deployments = deployments;
    for (const told of [this.#toldFailed, this.#toldSynced, this.#toldWaiting]) {
      for (const deployment of told.keys()) if (!deployments.has(deployment)) told.delete(deployment);
    }
  }

  get #tag(): TagName {
    return { name: this.#name, tag: devTag };
  }

  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.#last;
    const own = (async () => {
      await before.catch(() => undefined);
      return work();
    })();
    this.#last = own;
    return own;
  }
}

/** Derives a version's name from its build, so that the same build is the same version after a restart. */
export function versionOf(deployment: string): string {
  return `build-${deployment.slice(2, 14)}`;
}

/** Whether the newer build may answer: never at an earlier block, unless the answering build cannot continue. */
function hasCaughtUp({ current, next }: DevStatus): boolean {
  if (!next || next.fatalError) return false;
  if (next.isFinished) return true;
  if (next.isSynced && isStuck(current)) return true;
  if (next.headBlock === undefined) return false;
  return next.headBlock >= (current?.headBlock ?? 0);
}

/** Whether a build has failed, or is at a block that its chain no longer has. */
function isStuck(status: HostedStatus | undefined): boolean {
  const { fatalError, waitsFor, headBlock, chainHeadBlock } = status ?? {};
  if (fatalError) return true;
  if (waitsFor === undefined || headBlock === undefined || chainHeadBlock === undefined) return false;
  return headBlock > chainHeadBlock;
}
