import { madeUpId, readBundle } from "./management-bundle.js";
import { tagOf, versionOf } from "./management-memory.js";
import type { Answer } from "./management-operations.js";
import { badRequest, conflict, unprocessable } from "./management-problem.js";
import { showEntry } from "./management-show.js";
import type { ManagementOptions, ManagementState, TestVersion } from "./management-state.js";

/** Deploying versions and deleting them. */
export function createDeploymentOperations(
  state: ManagementState,
  options: ManagementOptions,
  chains: readonly string[],
): Readonly<Record<string, Answer>> {
  const now = options.now ?? (() => Date.now());
  return {
    deploySubgraph: ({ parameters: { name, version }, fields, bundle: zip, origin }) => {
      if (!zip) throw badRequest({ field: "bundle", message: "is required" });
      if (fields.overwrite === "1")
        throw badRequest({ field: "overwrite", message: "is not possible any more" });
      if (
        tagOf(state, name, version) ||
        state.versions.some((each) => each.name === name && each.version === version)
      ) {
        throw conflict(`"${name}/${version}" is there already; delete it first, or choose another version.`);
      }
      const bundle = readBundle(zip, chains);
      checkGraft(state, fields.graft_from);
      const startBlock = fields.start_block === undefined ? bundle.startBlock : Number(fields.start_block);
      const entry: TestVersion = {
        name: String(name),
        version: String(version),
        deploymentId: (options.deploymentId ?? madeUpId)(new Map(bundle.files), fields),
        createdAt: new Date(now()).toISOString(),
        bundle,
        startBlock,
        fields,
        headBlock: startBlock,
        chainHead: options.head ?? startBlock + 1000,
        paused: false,
        fatalError: null,
        nonFatalErrors: [],
        description: fields.description ?? null,
        publicEnabled: true,
        privateEnabled: false,
        logs: [],
      };
      state.versions.push(entry);
      return showEntry(state, entry, origin);
    },
    deleteSubgraphDeployment: ({ parameters: { name, version } }) => {
      const entry = versionOf(state, name, version);
      const tags = state.tags.filter((each) => each.name === name && each.target === version);
      const hooks = state.webhooks.filter(
        (each) => each.subgraph_name === name && each.subgraph_version === version,
      );
      const users = [
        ...tags.map(({ tag }) => `the tag "${tag}"`),
        ...hooks.map((hook) => `the webhook "${hook.name}"`),
      ];
      if (users.length > 0) throw unprocessable(`"${name}/${version}" is still used by ${users.join(", ")}.`);
      state.versions.splice(state.versions.indexOf(entry), 1);
      return {};
    },
  };
}

function checkGraft(state: ManagementState, base: string | undefined): void {
  if (base === undefined) return;
  const parts = base.split("/");
  if (parts.length !== 2) throw badRequest({ field: "graft_from", message: "is no name/version" });
  versionOf(state, parts[0], parts[1]);
}
