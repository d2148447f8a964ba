import type { Database, Sql } from "../../store/database/database.js";
import { type Deployment, findDeployment } from "../../store/deployments/deployments.js";
import { readSnapshot } from "../reads/postgres-store.js";
import type { Market } from "./market.js";
import { MarketError } from "./market-tables.js";
import { createPostgresMarket } from "./postgres-market.js";

/** The client's market, or a sentence that says why there is none. */
export type FoundMarket = { readonly market: Market } | { readonly why: string };

/** A build with its name in a project. */
export interface ProjectBuild {
  readonly name: string;
  /** A version, or a tag. */
  readonly version: string;
  /** The deployment id. */
  readonly deployment: string;
}

/** How to find the markets of projects. */
export interface ProjectMarketsOptions {
  /** The versions and tags of a project whose entities are in the database. @throws DatabaseError */
  builds(sql: Sql, project: string): Promise<readonly ProjectBuild[]>;
  /** Milliseconds that a statement may take. */
  readonly limit: number;
  /** Called once for each market, before it is read. */
  onFound?(deployment: Deployment): void;
}

/** The tag that chooses one of several markets. */
const marketTag = "market";
/** The most builds to remember, and the most names in a message. */
const mostKnown = 10_000;
const mostNames = 10;

/**
 * The markets of projects. A project's market is one of its own subgraphs, never another project's.
 * @returns finds the market of a project @throws Refusal if the database does not answer, or not in time
 */
export function createProjectMarkets(
  database: Database,
  { builds, limit, onFound }: ProjectMarketsOptions,
): (project: string) => Promise<FoundMarket> {
  /** By deployment id; a build that keeps no market never will. */
  const known = new Map<string, Market | undefined>();

  async function marketOf(sql: Sql, build: string): Promise<Market | undefined> {
    if (known.has(build)) return known.get(build);
    const deployment = await findDeployment(sql, build);
    // Its indexing has not started.
    if (!deployment) return undefined;
    const market = unlessUnfit(() => createPostgresMarket(database, { subgraph: build, deployment, limit }));
    if (known.size >= mostKnown) known.clear();
    known.set(build, market);
    if (market) onFound?.(deployment);
    return market;
  }

  return (project) =>
    readSnapshot(database, limit, async (sql) => {
      const shown: { readonly label: string; readonly isTagged: boolean; readonly market: Market }[] = [];
      for (const { name, version, deployment } of await builds(sql, project)) {
        const market = await marketOf(sql, deployment);
        if (market) shown.push({ label: `${name}/${version}`, isTagged: version === marketTag, market });
      }
      const tagged = shown.filter(({ isTagged }) => isTagged);
      const meant = tagged.length > 0 ? tagged : shown;
      const [first] = meant;
      if (!first)
        return {
          why: "This project has no market: none of its subgraphs has the entity types Activity, Balance and Position. Deploy one, such as examples/market.",
        };
      if (new Set(meant.map(({ market }) => market.build)).size > 1) {
        const labels = meant.slice(0, mostNames).map(({ label }) => label);
        return {
          why: `This project has several markets: ${labels.join(", ")}. Point the tag ${marketTag} to the version to use.`,
        };
      }
      return { market: { ...first.market, subgraph: first.label } };
    });
}

function unlessUnfit(make: () => Market): Market | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof MarketError) return undefined;
    throw error;
  }
}
