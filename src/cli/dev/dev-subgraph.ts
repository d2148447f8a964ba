import type { HostedError, HostedStatus } from "../../hosting/engine.js";
import type { Caller } from "../../platform/people/access.js";
import { pauseSubgraph, removeSubgraph } from "../../platform/subgraphs/change-subgraphs.js";
import { type DeployPlatform, deploySubgraph } from "../../platform/subgraphs/deploy-subgraph.js";
import { listVersionsOf } from "../../platform/subgraphs/read-subgraphs.js";
import { type TagName, tagSubgraph, untagSubgraph } from "../../platform/subgraphs/tag-subgraphs.js";
import type { SubgraphVersion, VersionName } from "../../platform/subgraphs/versions.js";
import type { Build } from "../../subgraph/build.js";
import { linkBuild } from "../../subgraph/deployment/link-build.js";

/** The tag whose address stays the same over all edits. */
export const devTag = "dev";

/** Something that happens to a subgraph under development. */
export type DevEvent =
  /** A build is indexed; the first of all answers at once, another one beside what answers. */
  | { readonly kind: "indexing"; readonly isFirst: boolean }
  /** The build is what answers already. */
  | { readonly kind: "unchanged" }
  /** What answers has reached the chain head for the first time. */
  | { readonly kind: "synced"; readonly block: number }
  /** The build that was indexed beside what answered has caught up, and answers from now on. */
  | { readonly kind: "switched"; readonly block: number | undefined }
  /** A build cannot go on until something passes, such as a node that is away; or never, if that does not pass. */
  | { readonly kind: "waiting"; readonly answers: boolean; readonly why: string }
  /** A build cannot be indexed any further. */
  | {
      readonly kind: "failed";
      readonly deployment: string;
      readonly answers: boolean;
      readonly error: HostedError;
    };

/** How it goes with a subgraph. */
export interface DevStatus {
  /** Of what answers. */
  readonly current: HostedStatus | undefined;
  /** Of what is indexed beside it. */
  readonly next: HostedStatus | undefined;
}

/** A subgraph under development: one build answers, and the build of the last edit is indexed beside it. */
export class DevSubgraph {
  readonly #platform: DeployPlatform;
  /** The developer, who may do everything. */
  readonly #caller: Caller;
  readonly #name: string;
  readonly #tell: (event: DevEvent) => void;
  /** What answers, and what is indexed beside it, as far as it is known. */
  #deployments: ReadonlySet<string> = new Set();
  /** Deployments whose failure, and whose reaching the head, was told. */
  readonly #toldFailed = new Set<string>();
  readonly #toldSynced = new Set<string>();
  /** What deployments wait for, as far as it was told. */
  readonly #toldWaiting = new Map<string, string>();
  /** What is done one after the other. */
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

  /** The deployments that there is something to tell of: what answers, and what is indexed beside it. */
  get deployments(): ReadonlySet<string> {
    return this.#deployments;
  }

  /**
   * Takes the build of an edit. It takes the place of one that has not caught up yet.
   * @returns what its engine warns of
   * @throws Problem when it is refused; DatabaseError
   */
  offer(build: Build): Promise<readonly string[]> {
    return this.#inTurn(() => this.#offer(build));
  }

  /** Looks how far builds are, and lets the newer one answer when it has caught up. @throws DatabaseError */
  look(): Promise<DevStatus> {
    return this.#inTurn(() => this.#look());
  }

  /** Forgets it with all that was indexed. @throws DatabaseError */
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

  /** What answers, and what is indexed beside it. */
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
    if ((await this.#versions()).current) await untagSubgraph(this.#platform, this.#caller, this.#tag);
    await this.#dropOthers([]);
  }

  /** Deletes all versions but some. */
  async #dropOthers(kept: readonly string[]): Promise<void> {
    const { all } = await this.#versions();
    const isKept = ({ version }: SubgraphVersion): boolean => kept.includes(version);
    this.#keepOnly(new Set(all.filter(isKept).map(({ deployment }) => deployment)));
    for (const one of all) {
      if (!isKept(one)) await removeSubgraph(this.#platform, this.#caller, one, []);
    }
  }

  /** Forgets what was told of others. */
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

/** A version's name by its build, so that the same build is the same version after a restart. */
function versionOf(deployment: string): string {
  return `build-${deployment.slice(2, 14)}`;
}

/** Whether the newer build may answer: never behind what answers now, unless that cannot go on itself. */
function hasCaughtUp({ current, next }: DevStatus): boolean {
  if (!next || next.fatalError) return false;
  if (next.isFinished) return true;
  if (next.isSynced && isStuck(current)) return true;
  if (next.headBlock === undefined) return false;
  return next.headBlock >= (current?.headBlock ?? 0);
}

/** Whether it has failed, or stands on blocks that its chain does not have any more. */
function isStuck(status: HostedStatus | undefined): boolean {
  const { fatalError, waitsFor, headBlock, chainHeadBlock } = status ?? {};
  if (fatalError) return true;
  if (waitsFor === undefined || headBlock === undefined || chainHeadBlock === undefined) return false;
  return headBlock > chainHeadBlock;
}
