import { reportFailure } from "../../base/failures.js";
import { repeat } from "../../base/text/repeat.js";
import { guarded, inBackground } from "../../base/turns/guarded.js";
import type { World } from "../../base/world.js";
import type { GraphNodeProofs } from "../../deploy/graph-node/proofs.js";
import { numberOf, type ToldStatus } from "../../deploy/graph-node/told-status.js";
import { uploadBuild } from "../../deploy/graph-node/upload-build.js";
import { checkFileSize } from "../../deploy/ipfs/largest-file.js";
import type { Spend } from "../../query/engine.js";
import type { QueryBody } from "../../query/query-body.js";
import type { SayLine } from "../../rpc/node-watch.js";
import type { Database, Sql } from "../../store/database/database.js";
import { defaultThreshold } from "../../store/deployments/graft.js";
import { layOut } from "../../store/tables/lay-out.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import { linkBuild } from "../../subgraph/deployment/link-build.js";
import { buildWarnings, judgeBuild } from "../../subgraph/runnable/judge-build.js";
import type { ReadBuild } from "../../subgraph/runnable/read-build.js";
import type { SendOptions } from "../../web/http/send.js";
import { checkModules } from "../embedded/check-modules.js";
import type { Engine, HostedBuild, HostedChange, OfferedBuild } from "../engine.js";
import { AddressWatch } from "./address-watch.js";
import { type Doors, type GraphNodeEngineAddresses, openDoors } from "./doors.js";
import { Follower } from "./follower.js";
import type { GraphNodeTables } from "./graph-node-tables.js";
import { hostedStatus, unknownStatus } from "./hosted-status.js";
import { type Absence, Mirror } from "./mirror.js";
import { SeenLog } from "./seen-log.js";

/** The dependencies of an engine besides addresses. */
export interface GraphNodeEngineOptions extends SendOptions {
  /** The database that records requests. The engine does not close it. */
  readonly database: Database;
  /**
   * The id that distinguishes this server from others at the graph-node. Read once there is a deployment.
   * @throws DatabaseError
   */
  readonly serverId: () => Promise<string>;
  /** graph-node's own database, if it is readable. It is closed with the engine. */
  readonly tables?: GraphNodeTables;
  /** Writes to the server's own log. */
  readonly say?: SayLine | undefined;
}

/** Milliseconds between polls of graph-node's state. */
const lookInterval = 2_000;
/** The number of polls before wrong addresses are checked again. */
const looksBetweenVisits = 5;

/**
 * Creates an engine that is a graph-node or a cluster of them. It polls graph-node's state and repeats requests until
 * the state matches. Changes that an operator made there by hand stay and are reported.
 * @throws GraphNodeError or IpfsError if an address is not a web URL
 */
export function createGraphNodeEngine(
  addresses: GraphNodeEngineAddresses,
  world: World,
  { database, serverId, tables, say = () => undefined, ...options }: GraphNodeEngineOptions,
): Engine {
  const closing = new AbortController();
  const ending: World = {
    ...world,
    fetch: (url, request) => {
      const signals = [closing.signal, ...(request.signal ? [request.signal] : [])];
      return world.fetch(url, { ...request, signal: AbortSignal.any(signals) });
    },
  };
  const doors = openDoors(addresses, ending, options);
  return new GraphNodeEngine({ doors, world, database, serverId, tables, say, closing });
}

interface Parts {
  readonly doors: Doors;
  readonly world: World;
  readonly database: Database;
  readonly serverId: () => Promise<string>;
  readonly tables: GraphNodeTables | undefined;
  readonly say: SayLine;
  /** Aborts requests to graph-node. */
  readonly closing: AbortController;
}

class GraphNodeEngine implements Engine {
  readonly name = "graph-node";
  readonly networks = [];
  readonly takesAny = true;
  readonly feedless = "is indexed by a graph-node, whose changes this server cannot follow";
  readonly storageless?: string;
  readonly proofs: GraphNodeProofs;
  readonly #parts: Parts;
  readonly #mirror: Mirror;
  readonly #log: SeenLog;
  readonly #addresses: AddressWatch;
  readonly #follower: Follower;
  readonly #hearers = new Set<(change: HostedChange) => void>();
  readonly #driftHearers = new Set<(deployments: readonly string[]) => void>();
  /** Whether graph-node has been silent since its last answer to a look. */
  #wasAway = false;

  constructor(parts: Parts) {
    const { doors, world, database, serverId, tables, say } = parts;
    this.#parts = parts;
    if (!tables) {
      this.storageless =
        "are in the database of a graph-node, and this server does not have its address (the fifth address of serve --engine)";
    }
    this.#log = new SeenLog(world);
    this.#mirror = new Mirror(
      (ids) => doors.status.tell(ids),
      doors.whyOf,
      world,
      (absence) => {
        this.#wasAway = true;
        if (absence) say("warn", `graph-node does not answer: ${absence.why}`);
        else say("info", "graph-node answers again");
      },
      ({ subgraph, node }) => this.#log.place(subgraph, node),
    );
    this.proofs = toldProofs(doors, () => this.#mirror.absence);
    this.#addresses = new AddressWatch(doors, tables, say);
    this.#follower = new Follower({
      database,
      serverId,
      mirror: this.#mirror,
      log: this.#log,
      addresses: this.#addresses,
      doors,
      upload: (linked) => uploadBuild(linked, doors.ipfs, () => undefined),
    });
    inBackground(this.#watch(), reportFailure);
  }

  async check(build: OfferedBuild): Promise<void> {
    const graft = await checkBuild(await build.read());
    if (!graft || build.skipsGraftCheck) return;
    await this.#mirror.glance([graft.base]);
    checkBase(graft, this.#mirror.last(graft.base), this.#mirror.absence);
  }

  start(build: HostedBuild): Promise<void> {
    return this.#follower.follow(build.deployment, "started", build);
  }

  pause(deployment: string): Promise<void> {
    return this.#follower.follow(deployment, "paused");
  }

  async remove(deployment: string, mayRemove: (sql: Sql) => Promise<boolean>): Promise<void> {
    if (await mayRemove(this.#parts.database)) await this.#follower.remove(deployment);
  }

  absence() {
    return this.#mirror.absence;
  }

  troubles() {
    return this.#addresses.troubles;
  }

  refusal(deployment: string): string | undefined {
    const setback = this.#follower.setback(deployment);
    return setback?.kind === "refused" ? setback.why : undefined;
  }

  warnings(build: ReadBuild): readonly string[] {
    return buildWarnings(build);
  }

  async keepOnly(deployments: ReadonlySet<string>): Promise<void> {
    this.#follower.keepOnly(deployments);
  }

  async status(deployments: readonly string[]) {
    await this.#mirror.glance(deployments);
    return new Map(
      deployments.flatMap((deployment) => {
        const status = this.#statusOf(deployment);
        return status ? [[deployment, status] as const] : [];
      }),
    );
  }

  async logs(deployment: string, query: Parameters<Engine["logs"]>[1]) {
    return this.#log.page(deployment, query);
  }

  answer(deployment: string, body: QueryBody, spend?: Spend, gone?: AbortSignal) {
    return this.#parts.doors.query.answer(deployment, body.text, spend, gone);
  }

  async storage(deployment: string) {
    return this.#parts.tables?.storage(deployment);
  }

  onChange(hear: (change: HostedChange) => void): () => void {
    this.#hearers.add(hear);
    return () => this.#hearers.delete(hear);
  }

  onDrift(hear: (deployments: readonly string[]) => void): () => void {
    this.#driftHearers.add(hear);
    return () => this.#driftHearers.delete(hear);
  }

  interrupt(): void {
    this.#parts.closing.abort();
  }

  async close(): Promise<void> {
    this.interrupt();
    await this.#parts.tables?.close();
  }

  #statusOf(deployment: string) {
    const { absence } = this.#mirror;
    const told = this.#mirror.last(deployment);
    const { startBlock, hold } = this.#follower.known(deployment);
    if (told) return hostedStatus(told, { startBlock, hold, absence });
    const setback = this.#follower.setback(deployment);
    if (!setback) return absence && unknownStatus({ startBlock, absence });
    const status = unknownStatus({ startBlock, absence });
    const { kind, why } = setback;
    if (kind === "waits") {
      return {
        ...status,
        waitsFor: why,
        nonFatalErrors: [...status.nonFatalErrors, { message: why, isDeterministic: false }],
      };
    }
    return { ...status, health: "failed" as const, fatalError: { message: why } };
  }

  /** Looks repeatedly until it is closed. */
  async #watch(): Promise<void> {
    const { closing, world } = this.#parts;
    let looks = 0;
    const look = async (): Promise<void> => {
      // Status requests report that it is away.
      await this.#look().catch(() => undefined);
      if (looks++ % looksBetweenVisits === 0) await this.#addresses.look(this.#follower.anyIndexed());
    };
    await look().catch(reportFailure);
    await repeat(lookInterval, world, closing.signal, look, reportFailure);
  }

  async #look(): Promise<void> {
    const deployments = this.#follower.deployments();
    await this.#mirror.ask(deployments);
    for (const deployment of deployments) this.#tell(deployment);
    const drifted = this.#follower.drifted(this.#wasAway);
    this.#wasAway = false;
    if (drifted.length > 0) for (const hear of this.#driftHearers) guarded(hear, reportFailure)(drifted);
  }

  #tell(deployment: string): void {
    const told = this.#mirror.last(deployment);
    const status = told && this.#statusOf(deployment);
    const change = status && this.#log.see(deployment, status);
    if (change) for (const hear of this.#hearers) guarded(hear, reportFailure)(change);
  }
}

/**
 * Checks a build as the embedded engine does, and the sizes of its files.
 * @returns its graft, if it has one
 * @throws BundleError, SchemaError, DatabaseError that says why graph-node would refuse it
 */
async function checkBuild(
  build: ReadBuild,
): Promise<{ readonly base: string; readonly block: number } | undefined> {
  for (const { path, bytes } of linkBuild(build).files) checkFileSize(path, bytes.length);
  judgeBuild(build);
  const { graft, entities, templates, modules } = build.subgraph;
  const fileTypes = new Set(templates.flatMap(({ file }) => [...(file?.entities ?? [])]));
  layOut(entities, "sgd0", { fileTypes });
  await checkModules(modules);
  return graft;
}

/**
 * Checks a graft by graph-node's rule before graph-node is asked. It refuses blocks that may still be
 * replaced.
 * @param told graph-node's status of the base; `undefined` if it does not have it
 * @throws BundleError
 */
function checkBase(
  { base, block }: { readonly base: string; readonly block: number },
  told: ToldStatus | undefined,
  absence: Absence | undefined,
): void {
  const refuse = (why: string): BundleError =>
    new BundleError(`graph-node would refuse to graft onto ${base} at block ${block}: ${why}`);
  if (!told) {
    throw refuse(
      absence
        ? `it does not answer, so the state of the base is unknown: ${absence.why}`
        : "it does not have the base",
    );
  }
  const head = numberOf(told.latestBlock);
  if (head === undefined) throw refuse("it has not indexed any block of the base yet");
  const settled = head - defaultThreshold;
  if (block <= settled) return;
  throw refuse(
    `the base has reached block ${head}, and the chain may still replace the last ${defaultThreshold} blocks. ` +
      (settled < 0 ? "Wait until it has more blocks" : `Graft at block ${settled} or earlier, or wait`) +
      ". Set skip_graft_validation to ask graph-node anyway: its setting may differ",
  );
}

/**
 * A graph-node's proofs for people who must not see its addresses.
 * @param absenceOf returns since when it has not answered, and why; it gets no request then
 */
function toldProofs(
  { proofs, whyOf }: Pick<Doors, "proofs" | "whyOf">,
  absenceOf: () => Absence | undefined,
): GraphNodeProofs {
  const ask = async <Told>(question: () => Promise<Told>): Promise<Told> => {
    const absence = absenceOf();
    if (absence) throw new Error(`graph-node does not answer: ${absence.why}`);
    try {
      return await question();
    } catch (error) {
      throw new Error(whyOf(error), { cause: error });
    }
  };
  return {
    proof: (of, hash, indexer) => ask(() => proofs.proof(of, hash, indexer)),
    publicProofs: (of) => ask(() => proofs.publicProofs(of)),
    blockHash: (network, block) => ask(() => proofs.blockHash(network, block)),
  };
}
