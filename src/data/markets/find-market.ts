import { quoteForeign } from "../../base/text/quote-foreign.js";
import { openSubgraphCatalog, type SubgraphNames } from "../../pipelines/plan/open-catalog.js";
import type { Database } from "../../store/database/database.js";
import type { Deployment } from "../../store/deployments/deployments.js";
import { MarketError } from "./market-tables.js";

/**
 * Finds the subgraph that keeps a market.
 * @param wanted `<name>`, if all its versions are the same build, `<name>/<version>` or `<name>/<tag>`, or a
 * deployment id
 * @param names the names in the database
 * @throws MarketError that lists the existing ones; DatabaseError
 */
export async function findMarket(
  database: Database,
  names: SubgraphNames,
  wanted: string,
): Promise<Deployment> {
  const [name = "", version = await onlyVersion(name, names)] = wanted.split("/");
  const found = await openSubgraphCatalog(database, names).find(name, version);
  const subgraph = quoteForeign(wanted);
  switch (found.kind) {
    case "found":
      return found.deployment;
    case "unknown-name":
      throw new MarketError(
        found.names.length === 0
          ? `The database has no subgraph ${subgraph}, nor any other. Index it first, with graphloom run --database or with graphloom serve.`
          : `The database has no subgraph ${subgraph}. It has ${found.names.slice(0, 10).join(", ")}.`,
      );
    case "unknown-version":
      throw new MarketError(
        `Subgraph ${quoteForeign(name)} has no version or tag ${quoteForeign(version ?? "")}. It has ${found.versions.join(", ")}.`,
      );
    case "ambiguous":
      throw new MarketError(
        `Several builds are called ${subgraph}: in different projects, on different chains, or from graphloom run. Pass the deployment id of one of them: ${found.builds.join(" or ")}.`,
      );
    case "unreadable":
      throw new MarketError(`Subgraph ${subgraph} cannot be read: ${found.why}.`);
  }
}

/**
 * A version of a subgraph whose versions are all the same build.
 * @returns `undefined` for a deployment id, and for an unused name
 */
async function onlyVersion(name: string, names: SubgraphNames): Promise<string | undefined> {
  const versions = await names.named(name);
  if (new Set(versions.map(({ deployment }) => deployment)).size <= 1) return versions[0]?.version;
  const known = [...new Set(versions.map(({ version }) => version))];
  // Names from configurations may lack a version; then the name is the whole name.
  if (known.includes("")) return "";
  throw new MarketError(
    `Subgraph ${quoteForeign(name)} has several versions. Choose one: ${known.map((one) => `${name}/${one}`).join(", ")}.`,
  );
}
