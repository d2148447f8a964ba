import type { Engine, HostedChange, HostedStorage, Hosting } from "../../../src/hosting/engine.js";
import type { Database } from "../../../src/store/database/database.js";
import { type Deployment, layoutOf } from "../../../src/store/deployments/deployments.js";
import { TableFeed } from "../../../src/store/tables/table-feed.js";

/** The tables of a deployment, as an engine presents them. */
export function hostedStorage(database: Database, deployment: Deployment): HostedStorage {
  const layout = layoutOf(deployment);
  return {
    database,
    deployment,
    layout,
    feed: (reader, tables) => new TableFeed({ database, deployment: deployment.id, layout, reader, tables }),
  };
}

/** Engines that index nothing: the tests themselves write the data of the deployments. */
export class HostingDouble implements Hosting {
  readonly storages = new Map<string, HostedStorage>();
  readonly engines: readonly Engine[] = [this.#engine("embedded")];
  readonly #hearers = new Set<(change: HostedChange) => void>();

  engine(name: string): Engine {
    const found = this.engines.find((engine) => engine.name === name);
    if (!found) throw new Error(`there is no engine ${name}`);
    return found;
  }

  engineFor(): Engine | undefined {
    return this.engines[0];
  }

  async reconcile(): Promise<void> {}

  onChange(hear: (change: HostedChange) => void): () => void {
    this.#hearers.add(hear);
    return () => this.#hearers.delete(hear);
  }

  async close(): Promise<void> {}

  #engine(name: string): Engine {
    const no = async (): Promise<never> => {
      throw new Error(`the engine ${name} of the tests does not do this`);
    };
    return {
      name,
      networks: ["mainnet"],
      check: no,
      start: no,
      pause: no,
      remove: no,
      logs: no,
      answer: no,
      status: async () => new Map(),
      storage: async (deployment) => this.storages.get(deployment),
      onChange: (hear) => this.onChange(hear),
      close: async () => {},
    };
  }
}
