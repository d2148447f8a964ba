import type { Routes } from "../http/app.js";
import type { References } from "../subgraphs/references.js";
import { subgraphChanges } from "./change-subgraphs.js";
import { acceptForms } from "./deploy-form.js";
import { deploying } from "./deploy-subgraph.js";
import { downloading } from "./download-build.js";
import { edgeOperations } from "./edge-operations.js";
import { addOperations } from "./operations.js";
import { subgraphReads } from "./read-subgraphs.js";
import { subgraphFacts } from "./subgraph-facts.js";

/**
 * The operations of the management API, except those of webhooks, and downloads of builds.
 * @param references find what refers to versions and tags, besides tags
 */
export function managementRoutes(references: readonly References[] = []): Routes {
  return async (app, platform) => {
    addOperations(app, {
      ...subgraphReads(platform),
      ...subgraphFacts(platform),
      ...subgraphChanges(platform, references),
      ...edgeOperations(platform),
    });
    downloading(app, platform);
    await app.register(async (scope) => {
      addOperations(scope, deploying(platform));
      await acceptForms(scope);
    });
  };
}
