import type { ChainMemory } from "../runtime/chain/chain-guard.js";
import type { SourceSubgraph } from "../runtime/indexer/composition/source-subgraph.js";
import type { Store } from "../runtime/store/store.js";
import { linkBuild } from "../subgraph/deployment/link-build.js";
import type { BuiltSubgraph } from "../subgraph/runnable/built-subgraph.js";
import type { ReadBuild } from "../subgraph/runnable/read-build.js";
import type { Database } from "./database/database.js";
import { chainMemory } from "./deployments/chain-memory.js";
import { type Deployment, findDeployment, openDeployment } from "./deployments/deployments.js";
import type { Graft } from "./deployments/graft.js";
import { clearFatalError } from "./deployments/health.js";
import { newDeployment } from "./deployments/new-deployment.js";
import { nameRun, type RunName } from "./deployments/run-names.js";
import { openStore } from "./entities/open-store.js";
import { openSource, requireSource } from "./entities/source-subgraph.js";
import { tableBytes } from "./tables/table-bytes.js";

/** A build whose entities to keep. */
export interface BuildToKeep {
  readonly build: ReadBuild;
  /** The name by which other commands find it; absent if it has none. */
  readonly name?: RunName | undefined;
  /** The first block to index, if the database does not have the build yet. */
  readonly first: number;
  /** Returns the hash of a block on the chain, if it exists. Called for a graft. */
  blockHash(number: number): Promise<string | undefined>;
}

/** The stored state of a build. */
export interface KeptStore {
  readonly store: Store;
  readonly memory: ChainMemory;
  /** The start block of its indexing. */
  readonly startBlock: number;
  /** Opens the deployment in the same database that is a source of the build. */
  openSource(deployment: string): SourceSubgraph;
  /** The current size of its tables and indexes in bytes. @throws DatabaseError */
  bytes(): Promise<number>;
}

/** The stores of builds in a database, for a process that indexes them itself. */
export class KeptStores {
  readonly #database: Database;
  readonly #proofs: boolean;

  /**
   * @param database a migrated database
   * @param proofs whether new deployments keep proofs of indexing
   */
  constructor(database: Database, proofs: boolean) {
    this.#database = database;
    this.#proofs = proofs;
  }

  /**
   * Opens the store of a build with its current contents, and the chain that it was indexed from. A failed build is
   * retried.
   * @throws DatabaseError also if its graft base or a source is not in the database; ChainError if it is grafted and the node
   *   cannot be reached
   */
  async store({ build, name, first, blockHash }: BuildToKeep): Promise<KeptStore> {
    const { deploymentId } = linkBuild(build);
    const built = build.subgraph;
    for (const { subgraph: source } of built.dataSources) {
      if (source) await requireSource(this.#database, source.deployment);
    }
    const graft = (await findDeployment(this.#database, deploymentId))
      ? {}
      : await this.#graftOf(built, blockHash);
    const wanted = newDeployment(built, deploymentId, {
      startBlock: first,
      graft,
      proofs: this.#proofs,
    });
    const found = await openDeployment(this.#database, wanted);
    // A caller that requests a different start block is refused, so nothing changes.
    const goesOn = found.startBlock === first;
    if (goesOn && name) await nameRun(this.#database, name, found);
    const deployment = goesOn && found.health === "failed" ? await this.#begunAgain(found) : found;
    return {
      store: openStore(this.#database, deployment, built),
      memory: chainMemory(this.#database, deployment),
      startBlock: deployment.startBlock,
      openSource: (source) => openSource(this.#database, source),
      bytes: () => tableBytes(this.#database, deployment.namespace),
    };
  }

  async #begunAgain(failed: Deployment): Promise<Deployment> {
    await clearFatalError(this.#database, failed.id);
    return (await findDeployment(this.#database, failed.deployment)) ?? failed;
  }

  /** The graft block's hash on the chain. With it, the block need not be final. */
  async #graftOf({ graft }: BuiltSubgraph, blockHash: BuildToKeep["blockHash"]): Promise<Partial<Graft>> {
    const base = graft && (await findDeployment(this.#database, graft.base));
    // Report other problems with the graft without asking the chain.
    if (!graft || !base?.head || base.head.number < graft.block) return {};
    const hash = await blockHash(graft.block);
    return { ...(hash !== undefined && { hash }), reorgThreshold: 0 };
  }

  /** Closes the database. */
  close(): Promise<void> {
    return this.#database.close();
  }
}
