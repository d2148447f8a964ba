import { Semaphore } from "../../../base/turns/semaphore.js";
import type { GraphNodeProofs, ProvenBlock, PublicProof } from "../../../deploy/graph-node/proofs.js";
import type { HostedStatus } from "../../../hosting/engine.js";
import { type ChangesOfType, changesInBlock } from "../../../query/changes-in-block.js";
import { BlockUnread, readBlock } from "../../../rpc/read-block.js";
import { type Deployment, findBlockHash, findDeployment } from "../../../store/deployments/deployments.js";
import { hasRun } from "../../../store/deployments/handler-counts.js";
import { storedProof } from "../../../store/deployments/stored-proof.js";
import { checkKept } from "../../../store/tables/kept-history.js";
import { countEntities, type TableSizes, tableSizes } from "../../../store/tables/table-facts.js";
import type { ManifestMap } from "../../../subgraph/manifest/manifest.js";
import type { DataSource } from "../../../subgraph/runnable/built-subgraph.js";
import type { ReadBuild } from "../../../subgraph/runnable/read-build.js";
import type { Platform } from "../../platform.js";
import type { PublicDeployment } from "../../subgraphs/endpoints.js";
import { storedBuild } from "../../subgraphs/stored-build.js";
import type { EndpointView } from "../public-view.js";

/** The features of a build, as graph-node lists them. */
interface SubgraphFeatures {
  readonly apiVersion: string;
  readonly specVersion: string;
  /** The features that the manifest declares, and those detected in the manifest and the schema. */
  readonly features: readonly string[];
  /** Kinds of data sources and templates. */
  readonly dataSources: readonly string[];
  /** Kinds of handlers of data sources: `event`, `call`, `block`, `block_filter_polling`, … */
  readonly handlers: readonly string[];
  readonly network: string;
}

/** A deployment that the request may see, and its status. */
export interface KnownStatus extends PublicDeployment {
  readonly status: HostedStatus;
}

const zeroAddress = `0x${"0".repeat(40)}` as const;
/** The most blocks that one request may query engines for. graph-node accepts as many public proofs per request. */
const mostProofs = 10;

/** Reads the status of the deployments that one request may see, and reads nothing twice. */
export class StatusReader {
  readonly #platform: Platform;
  readonly #view: EndpointView;
  #all: Promise<ReadonlyMap<string, KnownStatus>> | undefined;
  readonly #counts = new Map<string, Promise<string>>();
  readonly #mutex = new Semaphore(1);
  #proofs = 0;
  readonly #catalog = new Map<string, Promise<Deployment | undefined>>();

  constructor(platform: Platform, view: EndpointView) {
    this.#platform = platform;
    this.#view = view;
  }

  /** All deployments by their IDs, oldest first. */
  all(): Promise<ReadonlyMap<string, KnownStatus>> {
    this.#all ??= this.#read();
    return this.#all;
  }

  async one(deployment: string | undefined): Promise<KnownStatus | undefined> {
    return deployment === undefined ? undefined : (await this.all()).get(deployment);
  }

  /** The deployment that queries for a name reach. */
  async current(path: string): Promise<KnownStatus | undefined> {
    return this.one((await this.#view.byName(path))?.deployment);
  }

  /** The deployments of a name, newest first. A name with a version has only that version's. */
  async versions(path: string): Promise<readonly KnownStatus[]> {
    const ids = await this.#view.versionsOf(path);
    const all = await this.all();
    return ids.flatMap((id) => all.get(id) ?? []);
  }

  /** The catalog's entry of a deployment; undefined for deployments indexed elsewhere. */
  catalog(deployment: string): Promise<Deployment | undefined> {
    const known = this.#catalog.get(deployment) ?? findDeployment(this.#platform.database, deployment);
    this.#catalog.set(deployment, known);
    return known;
  }

  /** Counts entities, one deployment at a time since it can take long. @throws Error when they cannot be read */
  countEntities(known: KnownStatus): Promise<string> {
    const { deployment } = known;
    const counted = this.#counts.get(deployment) ?? this.#mutex.run(() => this.#count(known));
    this.#counts.set(deployment, counted);
    return counted;
  }

  /** The features of a public deployment's build. @throws Error for an unknown deployment; BundleError */
  async features(deployment: string): Promise<SubgraphFeatures> {
    await this.#require(deployment);
    const read = await storedBuild(this.#platform.database, deployment);
    if (!read) throw new Error(`the build of ${deployment} is unknown`);
    return subgraphFeatures(read);
  }

  /** The entity changes of a block in a public deployment. @throws Error for an unknown deployment; DatabaseError */
  async changesInBlock(deployment: string, block: number): Promise<readonly ChangesOfType[]> {
    const { engine } = await this.#require(deployment);
    const storage = await this.#platform.hosting.engine(engine).storage(deployment);
    if (!storage) throw new Error("entityChangesInBlock is unavailable for this subgraph");
    const changes = await changesInBlock(storage.database, storage.layout, block);
    if (!storage.isForeign) await checkKept(storage.database, storage.deployment.id, block - 1);
    return changes;
  }

  /**
   * The hash of a block without 0x: from the latest blocks of a deployment, from a graph-node that indexes a visible
   * deployment of the network, or from the network's node if there is such a deployment; null when none knows it.
   * @throws DatabaseError, or the error of graph-node
   */
  async blockHash(network: string, block: number): Promise<string | null> {
    const own = await findBlockHash(this.#platform.database, network, block);
    if (own !== undefined) return withoutPrefix(own);
    const visible = [...(await this.all()).values()];
    for (const one of visible.filter(({ status }) => status.told?.network === network)) {
      const proofs = this.#proofsOf(one);
      if (!proofs) continue;
      this.#spend(1);
      const found = await proofs.blockHash(network, block);
      return found === null ? null : withoutPrefix(found);
    }
    if (!visible.some((one) => one.network === network)) return null;
    this.#spend(1);
    const read = await readBlockHash(this.#platform, network, block);
    return read === undefined ? null : withoutPrefix(read);
  }

  /**
   * The proof of indexing, as hex, of a deployment that the request may see; null when there is none.
   * @param hash the block's hash, as hex
   * @param indexer the requested indexer: null or an address, which must be zero unless the request comes from a member
   * @throws Error for any other indexer, and the error of graph-node
   */
  async proof(of: ProvenBlock, hash: string, indexer: unknown): Promise<string | null> {
    const known = await this.one(of.deployment);
    if (!known) return null;
    // Anyone with an indexer's proof can claim its work. A graph-node with a token does not reveal proofs, either.
    if (indexer !== null && (typeof indexer !== "string" || !/^(?:0x)?[0-9a-f]{40}$/i.test(indexer)))
      throw new Error("the indexer must be an address: 0x and 40 hex digits");
    if (indexer !== null && indexer !== zeroAddress && !this.#view.isOfMember) {
      throw new Error(
        "an indexer's proofs are for members of the project: use graphloom poi <name>/<version>, or query graph-node directly",
      );
    }
    this.#spend(1);
    const proofs = this.#proofsOf(known);
    if (proofs) return proofs.proof(of, hash, indexer);
    const proof = await storedProof(this.#platform.database, {
      ...of,
      blockHash: Buffer.from(withoutPrefix(hash), "hex"),
      indexer: indexer === null ? undefined : Buffer.from(withoutPrefix(indexer), "hex"),
    });
    return proof ?? null;
  }

  /** The proofs of blocks whose deployments are public, for the zero address. @throws the error of graph-node */
  async publicProofs(of: readonly ProvenBlock[]): Promise<ReadonlyMap<ProvenBlock, PublicProof>> {
    const asked = new Map<GraphNodeProofs, ProvenBlock[]>();
    const own: (readonly [ProvenBlock, KnownStatus])[] = [];
    for (const one of of) {
      const known = await this.one(one.deployment);
      const proofs = this.#proofsOf(known);
      if (proofs) asked.set(proofs, [...(asked.get(proofs) ?? []), one]);
      else if (known) own.push([one, known]);
    }
    this.#spend([...asked.values()].flat().length + own.length);
    const found = [...asked].map(async ([proofs, blocks]) =>
      (await proofs.publicProofs(blocks)).flatMap((proof, index) => {
        const block = blocks[index];
        return block ? [[block, proof] as const] : [];
      }),
    );
    const ofGraphNodes = (await Promise.all(found)).flat();
    const stored: (readonly [ProvenBlock, PublicProof])[] = [];
    for (const [one, { network }] of own) {
      const proof = await this.#ownProof(one, network);
      if (proof) stored.push([one, proof]);
    }
    return new Map([...ofGraphNodes, ...stored]);
  }

  async #ownProof(of: ProvenBlock, network: string): Promise<PublicProof | undefined> {
    const hash = await this.blockHash(network, of.block);
    if (hash === null) return undefined;
    const blockHash = Buffer.from(hash, "hex");
    const { database } = this.#platform;
    const proof = await storedProof(database, { ...of, blockHash, indexer: new Uint8Array(20) });
    return proof === undefined ? undefined : { hash, proof };
  }

  /** The sizes of a deployment's tables. @throws Error when they cannot be read */
  async size({ engine, deployment }: KnownStatus): Promise<TableSizes> {
    const storage = await this.#platform.hosting.engine(engine).storage(deployment);
    if (!storage) throw new Error("subgraphSize is unavailable for this subgraph");
    return tableSizes(storage.database, storage.layout);
  }

  /** Undefined for deployments whose status did not come from a graph-node, and for engines without proofs. */
  #proofsOf(known: KnownStatus | undefined): GraphNodeProofs | undefined {
    return known?.status.told && this.#platform.hosting.engine(known.engine).proofs;
  }

  /** @throws Error when the request exceeds `mostProofs` */
  #spend(blocks: number): void {
    this.#proofs += blocks;
    if (this.#proofs > mostProofs) throw new Error("query is too expensive");
  }

  async #require(deployment: string): Promise<KnownStatus> {
    const known = await this.one(deployment);
    if (known) return known;
    throw new Error(`deployment \`${deployment}\` does not exist`);
  }

  /** graph-node also counts its proof of indexing, which exists as soon as a handler has run. */
  async #count({ engine, deployment, status }: KnownStatus): Promise<string> {
    const storage = await this.#platform.hosting.engine(engine).storage(deployment);
    if (!storage && status.headBlock === undefined) return "0";
    if (!storage) throw new Error("entityCount is unavailable for this subgraph");
    const { database, layout, deployment: opened } = storage;
    const count = await countEntities(database, layout);
    const isProved = count > 0n || status.fatalError?.isDeterministic || (await hasRun(database, opened.id));
    return String(isProved ? count + 1n : count);
  }

  async #read(): Promise<ReadonlyMap<string, KnownStatus>> {
    const { hosting } = this.#platform;
    const found = await this.#view.list();
    const statuses = await Promise.all(
      hosting.engines.map((engine) => {
        const own = found.filter((one) => one.engine === engine.name).map(({ deployment }) => deployment);
        return own.length === 0 ? undefined : engine.status(own);
      }),
    );
    return new Map(
      found.flatMap((one) => {
        const status = statuses.map((known) => known?.get(one.deployment)).find((known) => known);
        // The state of a deployment is unknown if its engine does not answer and never reported it before.
        return status && (status.told || !status.engineState)
          ? [[one.deployment, { ...one, status }] as const]
          : [];
      }),
    );
  }
}

function withoutPrefix(hash: string): string {
  return hash.replace(/^0x/, "");
}

/** @throws BundleError, SchemaError for builds that cannot run */
function subgraphFeatures({ manifest, subgraph }: ReadBuild): SubgraphFeatures {
  const { apiVersion, network, entities, features, dataSources } = subgraph;
  const types = [...entities.types.values()];
  const found = {
    declaredEthCalls: dataSources.some(({ eventHandlers, subgraph }) =>
      [...eventHandlers, ...(subgraph?.handlers ?? [])].some(({ calls }) => calls.length > 0),
    ),
    aggregations: entities.aggregations.length > 0,
    immutableEntities: types.some(({ immutable }) => immutable),
    bytesAsIds: types.some(({ idKind }) => idKind === "Bytes"),
  };
  const detected = Object.entries(found).flatMap(([name, isThere]) => (isThere ? [name] : []));
  const sources: readonly ManifestMap[] = [...manifest.dataSources, ...(manifest.templates ?? [])];
  return {
    apiVersion,
    specVersion: String(manifest.specVersion),
    features: [...new Set([...features, ...detected])],
    dataSources: [...new Set(sources.map(({ kind }) => String(kind)))],
    handlers: [...new Set(dataSources.flatMap(handlerKinds))],
    network,
  };
}

function handlerKinds({
  blockHandlers,
  callHandlers,
  eventHandlers,
  subgraph,
}: DataSource): readonly string[] {
  return [
    ...blockHandlers.map(({ filter: { kind } }) => (kind === "all" ? "block" : `block_filter_${kind}`)),
    ...(callHandlers.length > 0 ? ["call"] : []),
    ...(eventHandlers.length > 0 ? ["event"] : []),
    ...(subgraph && subgraph.handlers.length > 0 ? ["entity"] : []),
  ];
}

/**
 * The hash of a block as a node of the network tells it, with 0x. Anyone may ask, so this takes the turns of edge
 * endpoints.
 * @returns undefined if there is no node, if it does not answer in time, or if it does not know the block
 */
async function readBlockHash(
  { nodes, world }: Pick<Platform, "nodes" | "world">,
  network: string,
  block: number,
): Promise<string | undefined> {
  const gateway = nodes.of(network);
  if (!gateway || !Number.isSafeInteger(block) || block < 0) return undefined;
  const asker = { kind: "edge", project: "", name: "indexing status", longestKept: 60_000 } as const;
  try {
    return (await readBlock(gateway, asker, world, block))?.hash;
  } catch (error) {
    if (error instanceof BlockUnread) return undefined;
    throw error;
  }
}
