import type { Subgraph } from "../../api/contract.js";
import type { ManagementApi } from "../../api/management-api.js";
import { visible } from "../../base/text/visible.js";
import type { SubgraphVersion } from "../../deploy/target.js";
import { explainFailure } from "../remote/run-remote.js";

/** A version or tag as the server lists it. */
export interface OnServer {
  /** Absent if it cannot be looked up. */
  readonly own: Subgraph | undefined;
  /** Other versions with the same content, and so the same deployment. */
  readonly sharing: readonly Subgraph[];
}

/**
 * Looks up a version or tag, and the versions that share its deployment. It runs after a change, so a server that does
 * not answer is not an error.
 */
export async function findOnServer(
  api: Pick<ManagementApi, "listSubgraphs">,
  { name, version }: SubgraphVersion,
): Promise<OnServer> {
  try {
    const all = await api.listSubgraphs();
    const own = all.find((each) => each.name === name && each.version === version);
    const id = own && idOf(own);
    const sharing = all.filter(
      (each) =>
        id !== undefined &&
        !each.tag &&
        idOf(each) === id &&
        !(each.name === name && isSame(each, own, version)),
    );
    return { own, sharing };
  } catch (error) {
    if (!explainFailure(error)) throw error;
    return { own: undefined, sharing: [] };
  }
}

/** Whether an entry is the version itself, or the tag's target. */
function isSame(each: Subgraph, own: Subgraph | undefined, version: string): boolean {
  return each.version === (own?.tag?.target_version ?? version);
}

function idOf({ deployments }: Subgraph): string | undefined {
  return deployments[0]?.deployment_id;
}

/** `pools/1.0.0 and pools/1.1.0 share one deployment` */
export function sharingNote(own: SubgraphVersion, sharing: readonly Subgraph[]): string {
  return `${listed([labelOf(own), ...sharing.map(labelOf)])} share one deployment`;
}

/** `pools/1.0.0` */
export function labelOf({ name, version }: SubgraphVersion): string {
  return visible(`${name}/${version}`);
}

/** `a, b and c` */
export function listed(labels: readonly string[]): string {
  const last = labels.at(-1) ?? "";
  return labels.length < 2 ? last : `${labels.slice(0, -1).join(", ")} and ${last}`;
}
