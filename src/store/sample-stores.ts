import type { Store } from "../runtime/store/store.js";
import type { BuiltSubgraph } from "../subgraph/runnable/built-subgraph.js";
import type { Database } from "./database/database.js";
import { openDeployment } from "./deployments/deployments.js";
import { dropDeployment } from "./deployments/drop-deployment.js";
import { newDeployment } from "./deployments/new-deployment.js";
import { openStore } from "./entities/open-store.js";
import { rowBytes, tableBytes } from "./tables/table-bytes.js";

/** How much space a sample takes in a database, in bytes. */
export interface SampleBytes {
  /** Its tables and indexes before the first row. */
  readonly empty: number;
  /** Its tables and indexes now. */
  readonly size: number;
  /** The share of its rows and their index entries in large tables. */
  readonly rows: number;
}

export interface SampleStore {
  /** Empty at first. */
  readonly store: Store;
  /** Measures the sample. @throws DatabaseError */
  bytes(): Promise<SampleBytes>;
  /** Removes the sample from the database. @throws DatabaseError */
  drop(): Promise<void>;
}

/** Stores for samples of a build, in a database that nothing else uses. */
export class SampleStores {
  readonly #database: Database;
  #samples = 0;

  /** @param database a migrated database */
  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Opens an empty store.
   * @throws DatabaseError; SchemaError when the schema has no layout
   */
  async open({ graft: _, ...built }: BuiltSubgraph): Promise<SampleStore> {
    this.#samples += 1;
    const wanted = newDeployment(built, `sample ${this.#samples}`, { proofs: false });
    const deployment = await openDeployment(this.#database, wanted);
    const { namespace } = deployment;
    const empty = await tableBytes(this.#database, namespace);
    return {
      store: openStore(this.#database, deployment, built),
      bytes: async () => ({
        empty,
        size: await tableBytes(this.#database, namespace),
        rows: await rowBytes(this.#database, namespace),
      }),
      drop: async () => {
        await dropDeployment(this.#database, wanted.deployment);
      },
    };
  }

  /** Closes the database. */
  close(): Promise<void> {
    return this.#database.close();
  }
}
