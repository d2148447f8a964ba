import type { HostedError, HostedStatus } from "../../hosting/engine.js";
import type { Platform } from "../../platform/platform.js";
import { isShownBy } from "../../platform/subgraphs/shown-builds.js";
import {
  addVersion,
  deleteTag,
  deleteVersion,
  findVersion,
  listVersions,
  renewCarried,
  type SubgraphVersion,
  setPaused,
  setTag,
  type VersionName,
} from "../../platform/subgraphs/versions.js";
import type { Sql } from "../../store/database/database.js";
import { type Build, manifestPath, networkOf } from "../../subgraph/build.js";
import { takeCarried } from "../../subgraph/carried-files.js";
import { linkBuild } from "../../subgraph/deployment/link-build.js";
import { zipBuild } from "../../subgraph/zip-build.js";

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
  readonly #platform: Pick<Platform, "database" | "hosting">;
  readonly #name: Omit<VersionName, "version">;
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
    platform: Pick<Platform, "database" | "hosting">,
    name: Omit<VersionName, "version">,
    tell: (event: DevEvent) => void,
  ) {
    this.#platform = platform;
    this.#name = name;
    this.#tell = tell;
  }

  /** The deployments that there is something to tell of: what answers, and what is indexed beside it. */
  get deployments(): ReadonlySet<string> {
    return this.#deployments;
  }

  /**
   * Takes the build of an edit. It takes the place of one that has not caught up yet.
   * @throws BundleError, SchemaError and the like when the engine refuses it; DatabaseError
   */
  offer(build: Build): Promise<void> {
    return this.#inTurn(() => this.#offer(build));
  }

  /** Looks how far builds are, and lets the newer one answer when it has caught up. @throws DatabaseError */
  look(): Promise<DevStatus> {
    return this.#inTurn(() => this.#look());
  }

  /** Forgets it with all that was indexed. @throws DatabaseError */
  drop(): Promise<void> {
    return this.#inTurn(() => this.#drop([]));
  }

  async #offer(offeredBuild: Build): Promise<void> {
    const { build, carried } = takeCarried(offeredBuild);
    const { database, hosting } = this.#platform;
    const network = networkOf(build);
    const engine = hosting.engineFor(network);
    if (!engine) throw new Error(`no engine for ${network}`);
    const { deploymentId: deployment } = linkBuild(build);
    const { files } = build;
    const offered = async () => ({ manifest: manifestPath, files });
    await engine.check({
      ...{ deployment, network, files: offered },
      mayGraftOnto: (base) => isShownBy(database, this.#name.project, base),
    });
    const version = versionOf(deployment);
    const current = await findVersion(database, this.#named(devTag));
    await database.transaction(async (sql) => {
      const added = { ...this.#named(version), deployment, network, engine: engine.name, description: null };
      if (!(await addVersion(sql, { ...added, bundle: zipBuild(build), carried })))
        await renewCarried(sql, added, carried);
      await setPaused(sql, this.#named(version), false);
      if (!current) await setTag(sql, this.#named(devTag), version);
    });
    await this.#drop([version, current?.target ?? version]);
    this.#toldFailed.delete(deployment);
    this.#tell(current?.target === version ? { kind: "unchanged" } : { kind: "indexing", isFirst: !current });
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
    await this.#platform.database.transaction((sql) => setTag(sql, this.#named(devTag), next.version));
    await this.#drop([next.version]);
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
  async #versions(sql: Sql = this.#platform.database) {
    const { project, name } = this.#name;
    const all = await listVersions(sql, project, { name, limit: 1_000 });
    const target = all.find(({ version }) => version === devTag)?.target;
    return {
      all: all.filter((one) => one.target === undefined),
      current: all.find((one) => one.target === undefined && one.version === target),
      next: all.find((one) => one.target === undefined && one.version !== target),
    };
  }

  /** Deletes all versions but some; the tag too when nothing is left for it. */
  async #drop(kept: readonly string[]): Promise<void> {
    const { database, hosting } = this.#platform;
    const left = await database.transaction(async (sql) => {
      if (kept.length === 0) await deleteTag(sql, this.#named(devTag));
      const { all } = await this.#versions(sql);
      for (const { version } of all)
        if (!kept.includes(version)) await deleteVersion(sql, this.#named(version));
      return all.filter(({ version }) => kept.includes(version));
    });
    this.#keepOnly(new Set(left.map(({ deployment }) => deployment)));
    await hosting.reconcile();
  }

  /** Forgets what was told of others. */
  #keepOnly(deployments: ReadonlySet<string>): void {
    this.#deployments = deployments;
    for (const told of [this.#toldFailed, this.#toldSynced, this.#toldWaiting]) {
      for (const deployment of told.keys()) if (!deployments.has(deployment)) told.delete(deployment);
    }
  }

  #named(version: string): VersionName {
    return { ...this.#name, version };
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
