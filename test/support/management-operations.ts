import { createDeploymentOperations } from "./management-deployments.js";
import { pageOf } from "./management-pages.js";
import { Problem } from "./management-problem.js";
import type { ManagementOptions, ManagementState } from "./management-state.js";
import { createSubgraphOperations } from "./management-subgraphs.js";
import { createWebhookOperations } from "./management-webhooks.js";

/** A request that fits the contract. */
export interface Ask {
  readonly parameters: Readonly<Record<string, string | number>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly fields: Readonly<Record<string, string>>;
  readonly bundle: Uint8Array | undefined;
  /** Protocol, host and port of the server. */
  readonly origin: string;
}

/** What an operation does; what it returns is the body of the answer. */
export type Answer = (ask: Ask) => unknown;

/** What each operation does with the server's memory. */
export function createOperations(
  state: ManagementState,
  options: ManagementOptions,
): Readonly<Record<string, Answer>> {
  const { chains = ["mainnet", "base", "matic", "arbitrum-one"], pageSize = 50 } = options;
  return {
    ...createSubgraphOperations(state, options),
    ...createDeploymentOperations(state, options, chains),
    ...createWebhookOperations(state, options),
    listSubgraphChains: () => ({ data: { supported_chains: chains } }),
    listPipelines: (ask) => pageOf((options.pipelines ?? []).map(showPipeline), ask, pageSize),
    getPipelineErrorCount: ({ parameters: { name } }) => {
      const found = options.pipelines?.find((each) => each.name === name);
      if (!found)
        throw new Problem(404, "pipeline-not-found", "Pipeline not found", `There is no pipeline "${name}".`);
      return { data: { error_count: found.errors } };
    },
  };
}

function showPipeline({ name }: { readonly name: string }): object {
  return {
    name,
    type: "streaming",
    status: "RUNNING",
    definition: { sources: { one: { type: "dataset" } }, transforms: {}, sinks: {} },
    created_at: "2026-01-02T03:04:05.000Z",
    updated_at: "2026-01-02T03:04:05.000Z",
    resource_size: "s",
    version: 1,
    project_id: "project_test",
  };
}
