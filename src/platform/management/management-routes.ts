import type { Routes } from "../http/app.js";
import { type References, subgraphChanges } from "./change-subgraphs.js";
import { acceptForms } from "./deploy-form.js";
import { deploying } from "./deploy-subgraph.js";
import { edgeOperations } from "./edge-operations.js";
import { notYet, pipelines } from "./not-there-yet.js";
import { addOperations } from "./operations.js";
import { subgraphReads } from "./read-subgraphs.js";
import { subgraphFacts } from "./subgraph-facts.js";

/** Families of operations that have routes of their own elsewhere; what is left out answers that it is not there yet. */
export interface OtherFamilies {
  readonly webhooks?: boolean;
}

/**
 * The operations of the management API.
 * @param references who refers to versions besides tags
 * @param others the families that others add
 */
export function managementRoutes(references: readonly References[] = [], others: OtherFamilies = {}): Routes {
  return async (app, platform) => {
    addOperations(app, {
      ...subgraphReads(platform),
      ...subgraphFacts(platform),
      ...subgraphChanges(platform, references),
      ...pipelines(),
      ...edgeOperations(platform),
      ...(others.webhooks ? {} : notYet("/subgraphs/webhooks", "Webhooks")),
    });
    await app.register(async (scope) => {
      addOperations(scope, deploying(platform));
      await acceptForms(scope);
    });
  };
}
