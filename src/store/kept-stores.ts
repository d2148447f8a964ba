import type { ChainMemory } from "../runtime/chain/chain-guard.js";
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
import { openStore } from "./entities/open-store.js";

/** A build whose entities are to be kept. */
export interface BuildToKeep {
  readonly build: ReadBuild;
  /** The first block to index, where the database does not have the build yet. */
  readonly first: number;
  /** The hash of a block of the chain, where there is one: asked for when it is grafted. */
  blockHash(number: number): Promise<string | undefined>;
}

/** What a database keeps of a build. */
export interface KeptStore {
  readonly store: Store;
  readonly memory: ChainMemory;
  /** The block that it was indexed from, or is to be. */
  readonly startBlock: number;
}

/** The stores of builds in a database, for a process that indexes them itself. */
export class KeptStores {
  readonly #database: Database;

  /** @param database is up to date */
  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * The store of a build, as it was left, and the chain that it was indexed from. What has failed is tried again.
   * @throws DatabaseError also when what it is grafted onto is not in the database; ChainError when it is grafted and the
   * node cannot be reached
   */
  async store({ build, first, blockHash }: BuildToKeep): Promise<KeptStore> {
    const { deploymentId } = linkBuild(build);
    const built = build.subgraph;
    const graft = (await findDeployment(this.#database, deploymentId))
      ? {}
      : await this.#graftOf(built, blockHash);
    const wanted = newDeployment(built, deploymentId, { startBlock: first, graft });
    const found = await openDeployment(this.#database, wanted);
    // Whoever asks for another start is refused: nothing changes for them.
    const goesOn = found.startBlock === first;
    const deployment = goesOn && found.health === "failed" ? await this.#begunAgain(found) : found;
    return {
      store: openStore(this.#database, deployment, built),
      memory: chainMemory(this.#database, deployment),
      startBlock: deployment.startBlock,
    };
  }

  async #begunAgain(failed: Deployment): Promise<Deployment> {
    await clearFatalError(this.#database, failed.id);
    return (await findDeployment(this.#database, failed.deployment)) ?? failed;
  }

  /** What the chain says of the block that is grafted at: with that, it need not be one that is settled. */
  async #graftOf({ graft }: BuiltSubgraph, blockHash: BuildToKeep["blockHash"]): Promise<Partial<Graft>> {
    const base = graft && (await findDeployment(this.#database, graft.base));
    // Whatever else is wrong with the graft is said without asking the chain.
    if (!graft || !base?.head || base.head.number < graft.block) return {};
    const hash = await blockHash(graft.block);
    return { ...(hash !== undefined && { hash }), reorgThreshold: 0 };
  }

  /** Gives the database back. */
  close(): Promise<void> {
    return this.#database.close();
  }
}
