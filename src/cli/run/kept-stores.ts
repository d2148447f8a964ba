import { resolve } from "node:path";
import { visible } from "../../base/visible.js";
import { createNodeWorld } from "../../node/world.js";
import type { ChainMemory } from "../../runtime/chain/chain-guard.js";
import type { Store } from "../../runtime/store/store.js";
import type { Database } from "../../store/database/database.js";
import { migrate } from "../../store/database/migrate.js";
import { isAddress, openDatabase } from "../../store/database/open-database.js";
import type { ImageStore } from "../../store/database/pglite/images.js";
import { chainMemory } from "../../store/deployments/chain-memory.js";
import { type Deployment, findDeployment, openDeployment } from "../../store/deployments/deployments.js";
import type { Graft } from "../../store/deployments/graft.js";
import { clearFatalError } from "../../store/deployments/health.js";
import { newDeployment } from "../../store/deployments/new-deployment.js";
import { openStore } from "../../store/entities/open-store.js";
import { linkBuild } from "../../subgraph/deployment/link-build.js";
import type { BuiltSubgraph } from "../../subgraph/runnable/built-subgraph.js";
import type { ReadBuild } from "../../subgraph/runnable/read-build.js";
import { UsageError } from "../terminal/usage-error.js";

/** A build whose entities are to be kept. */
export interface BuildToKeep {
  readonly chain: string;
  readonly build: ReadBuild;
  /** The first block to index. */
  readonly first: number;
  /** The hash of a block of the chain, where there is one: asked for when it is grafted. */
  blockHash(number: number): Promise<string | undefined>;
}

/** What a database keeps of a build. */
export interface KeptStore {
  readonly store: Store;
  readonly memory: ChainMemory;
}

/** A database that keeps what was indexed. */
export class KeptStores {
  readonly #database: Database;

  private constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Opens a database and brings it up to date.
   * @param place the address of a server's database, or a folder
   * @param images what a new database in a folder begins with
   * @throws DatabaseError
   */
  static async open(place: string, cwd: string, images?: ImageStore): Promise<KeptStores> {
    const found = isAddress(place) ? place : resolve(cwd, place);
    const database = await openDatabase(found, createNodeWorld(), images);
    try {
      await migrate(database);
      return KeptStores.in(database);
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  /** @param database is up to date */
  static in(database: Database): KeptStores {
    return new KeptStores(database);
  }

  /**
   * The store of a build, as it was left, and the chain that it was indexed from.
   * @throws DatabaseError also when what it is grafted onto is not in the database; UsageError when it was indexed from
   * another block on; ChainError when it is grafted and the node cannot be reached
   */
  async store({ chain, build, first, blockHash }: BuildToKeep): Promise<KeptStore> {
    const { deploymentId } = linkBuild(build);
    const built = build.subgraph;
    const graft = (await findDeployment(this.#database, deploymentId))
      ? {}
      : await this.#graftOf(built, blockHash);
    const wanted = newDeployment(built, deploymentId, { startBlock: first, graft });
    const found = await openDeployment(this.#database, wanted);
    const deployment = found.health === "failed" ? await this.#begunAgain(found) : found;
    if (deployment.startBlock !== first) {
      throw new UsageError(
        `The database has ${visible(chain)} indexed from block ${deployment.startBlock} on, not from ${first}.`,
        `Give --from-block ${deployment.startBlock}, or another --database.`,
      );
    }
    const memory = chainMemory(this.#database, deployment);
    return { store: openStore(this.#database, deployment, built), memory };
  }

  /** What has failed is tried again. */
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
