import { entityColumns } from "../../../src/pipelines/sources/entities/entity-columns.js";
import type {
  EntityPart,
  EntitySourceOptions,
} from "../../../src/pipelines/sources/entities/entity-source.js";
import type { Store } from "../../../src/runtime/store/store.js";
import type { Database } from "../../../src/store/database/database.js";
import { openDeployment } from "../../../src/store/deployments/deployments.js";
import { readableEntities } from "../../../src/store/deployments/readable-entities.js";
import { openStore } from "../../../src/store/entities/open-store.js";
import type { EntityChange } from "../../../src/subgraph/schema/entity.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { block } from "../../runtime/store/values.js";

/** A subgraph that a test indexes itself. */
export interface IndexedSubgraph {
  readonly store: Store;
  readonly build: string;
  /** Writes the next block. @param number its number, if blocks are left out before it */
  commit(changes: readonly EntityChange[], number?: number): Promise<void>;
  /** Undoes the last blocks. */
  undo(count: number): Promise<void>;
  /** Goes on from what the database has, in a new process, after that has gone back to an earlier state. */
  goOn(): Promise<void>;
  /** How many blocks there are. */
  readonly length: number;
  /** An entity of the subgraph. */
  part(entity: string): EntityPart;
}

let made = 0;

/** A subgraph in a migrated database. */
export async function indexedSubgraph(
  database: Database,
  schema: string,
  network = "mainnet",
): Promise<IndexedSubgraph> {
  made += 1;
  const build = `QmIndexed${made}`;
  const wanted = { deployment: build, network, schema, startBlock: 0 };
  const deployment = await openDeployment(database, wanted);
  const content = { entities: readEntitySchema(schema), dataSources: [], templates: [] };
  let store = openStore(database, deployment, content);
  const { layout } = readableEntities(deployment);
  const blocks: ReturnType<typeof block>[] = [];
  let forks = 0;
  return {
    build,
    get store() {
      return store;
    },
    get length() {
      return blocks.length;
    },
    commit: async (changes, number = (blocks.at(-1)?.number ?? 0) + 1) => {
      const next = block(number, `f${forks}`);
      await store.commit(next, { changes, dataSources: [] });
      blocks.push(next);
    },
    undo: async (count) => {
      forks += 1;
      blocks.length = Math.max(0, blocks.length - count);
      await store.revert(blocks.at(-1));
    },
    goOn: async () => {
      forks += 1;
      store = openStore(database, await openDeployment(database, wanted), content);
      const known = [...(await store.recentBlocks(1_000))].reverse();
      blocks.splice(0, blocks.length, ...known);
    },
    part: (entity) => {
      const table = layout.tables.find(({ type }) => type === entity);
      if (!table) throw new Error(`the schema has no entity ${entity}`);
      return { label: build, build, deployment: deployment.id, isPaused: false, network, layout, table };
    },
  };
}

/** The options of a source that reads everything that there is and ends. */
export function readingOf(
  database: Database,
  parts: readonly EntityPart[],
  options: Partial<EntitySourceOptions> = {},
): EntitySourceOptions {
  const [first] = parts;
  if (!first) throw new Error("there is no part");
  return {
    database,
    parts,
    owner: { flow: "test", sink: "out", source: "entity" },
    columns: entityColumns(first.table, new Map(), parts.length > 1),
    withRows: true,
    withHistory: false,
    finalOnly: false,
    isKept: true,
    ends: true,
    wait: async () => false,
    say: () => undefined,
    ...options,
  };
}
