import { LRUCache } from "lru-cache";
import type { World } from "../../base/world.js";
import { answerBody, type BodyAnswer } from "../../query/answer-body.js";
import { catalogDeployment } from "../../query/catalog-deployment.js";
import { createQueryEngine, type QueryEngine, type Spend } from "../../query/engine.js";
import type { QueryBody } from "../../query/query-body.js";
import { type Database, SQL } from "../../store/database/database.js";
import { type Deployment, findDeployment, layoutOf } from "../../store/deployments/deployments.js";
import type { Layout } from "../../store/tables/layout.js";
import { TableFeed } from "../../store/tables/table-feed.js";
import type { HostedStorage } from "../engine.js";

/** The number of cached query engines. Each holds its compiled schema. */
const mostKept = 200;

interface Kept {
  readonly deployment: Deployment;
  readonly layout: Layout;
  readonly engine: QueryEngine;
  /** How often the entities' tables were missing. */
  missed: number;
}

/** Answers queries to the deployments of a database, and finds their tables. */
export class DeploymentQueries {
  readonly #database: Database;
  readonly #world: Pick<World, "now">;
  readonly #kept = new LRUCache<string, Kept>({ max: mostKept });

  constructor(database: Database, world: Pick<World, "now">) {
    this.#database = database;
    this.#world = world;
  }

  /** Like an engine's `answer`. @throws DatabaseError */
  async answer(deployment: string, body: QueryBody, spend?: Spend, gone?: AbortSignal): Promise<BodyAnswer> {
    const first = this.#kept.get(deployment) ?? (await this.#find(deployment));
    if (!first) return notStarted(deployment);
    const { missed } = first;
    const answer = await answerBody(body, first.engine, spend, gone);
    // A removed deployment has no state, so there is no need to check its existence before each answer.
    if (first.missed === missed) return answer;
    const second = await this.#find(deployment);
    if (second === first) return answer;
    return second ? answerBody(body, second.engine, spend, gone) : notStarted(deployment);
  }

  /** @returns `undefined` if it was never indexed @throws DatabaseError */
  async storage(deployment: string): Promise<HostedStorage | undefined> {
    // Its progress changes constantly, so it is not cached.
    const found = await findDeployment(this.#database, deployment);
    if (!found) return undefined;
    const layout = (await this.#find(deployment))?.layout ?? layoutOf(found);
    const database = this.#database;
    return {
      database,
      deployment: found,
      layout,
      feed: (reader, tables) => new TableFeed({ database, deployment: found.id, layout, reader, tables }),
    };
  }

  /** Drops the cached state of a removed deployment. */
  drop(deployment: string): void {
    this.#kept.delete(deployment);
  }

  async #find(deployment: string): Promise<Kept | undefined> {
    const known = this.#kept.get(deployment);
    if (known && (await this.#isThere(known))) return known;
    this.#kept.delete(deployment);
    const found = await findDeployment(this.#database, deployment);
    if (!found) return undefined;
    const layout = layoutOf(found);
    const catalog = catalogDeployment(found, layout);
    const engine = createQueryEngine({
      database: this.#database,
      deployment: {
        ...catalog,
        state: async (sql) => {
          const state = await catalog.state(sql);
          if (!state) kept.missed += 1;
          return state;
        },
      },
      world: this.#world,
    });
    const kept: Kept = { deployment: found, layout, engine, missed: 0 };
    this.#kept.set(deployment, kept);
    return kept;
  }

  /** On a server, another process may have removed and recreated it. */
  async #isThere({ deployment }: Kept): Promise<boolean> {
    if (this.#database.provider === "pglite") return true;
    const rows = await this.#database.query(
      SQL`select 1 as one from graphloom.deployments where id = $1::integer and deployment = $2::text`,
      [String(deployment.id), deployment.deployment],
    );
    return rows.length > 0;
  }
}

/** With graph-node's message. */
function notStarted(deployment: string): BodyAnswer {
  const message =
    `Store error: query execution failed: Subgraph \`${deployment}\` has not started syncing yet. ` +
    "Wait for it to ingest a few blocks before querying it";
  return {
    status: 200,
    body: JSON.stringify({ errors: [{ message }] }),
    headers: { "graph-attestable": "false", "graph-indexed": "null" },
  };
}
