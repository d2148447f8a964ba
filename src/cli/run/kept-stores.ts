import { resolve } from "node:path";
import { visible } from "../../base/visible.js";
import { createNodeWorld } from "../../node/world.js";
import { openDeployment } from "../../platform/catalog/deployments.js";
import type { Database } from "../../platform/database/database.js";
import { migrate } from "../../platform/database/migrate.js";
import { isAddress, openDatabase } from "../../platform/database/open-database.js";
import { openStore } from "../../platform/entities/open-store.js";
import type { Store } from "../../runtime/store/store.js";
import { collectBuild } from "../../subgraph/collect-build.js";
import { linkBuild } from "../../subgraph/deployment/link-build.js";
import type { BuiltFiles, BuiltSubgraph } from "../../subgraph/runnable/built-subgraph.js";
import { UsageError } from "../terminal/usage-error.js";

/** A build whose entities are to be kept. */
export interface BuildToKeep {
  readonly chain: string;
  readonly files: BuiltFiles;
  readonly built: BuiltSubgraph;
  /** The first block to index. */
  readonly first: number;
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
   * @throws DatabaseError
   */
  static async open(place: string, cwd: string): Promise<KeptStores> {
    const database = await openDatabase(isAddress(place) ? place : resolve(cwd, place), createNodeWorld());
    try {
      await migrate(database);
      return new KeptStores(database);
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  /**
   * The store of a build, as it was left.
   * @throws DatabaseError also when what it is grafted onto is not in the database; UsageError when it was indexed from another block on
   */
  async store({ chain, files, built, first }: BuildToKeep): Promise<Store> {
    const { deploymentId } = linkBuild(collectBuild(files));
    const deployment = await openDeployment(this.#database, {
      deployment: deploymentId,
      network: built.network,
      schema: built.schema,
      startBlock: first,
      fileTypes: new Set(built.templates.flatMap(({ file }) => [...(file?.entities ?? [])])),
      sourceNames: [...built.dataSources, ...built.templates].map(({ name }) => name),
      ...(built.historyBlocks !== undefined && { historyBlocks: built.historyBlocks }),
      ...(built.graft && { graft: built.graft }),
    });
    if (deployment.startBlock !== first) {
      throw new UsageError(
        `The database has ${visible(chain)} indexed from block ${deployment.startBlock} on, not from ${first}.`,
        `Give --from-block ${deployment.startBlock}, or another --database.`,
      );
    }
    return openStore(this.#database, deployment, built);
  }

  /** Gives the database back. */
  close(): Promise<void> {
    return this.#database.close();
  }
}
