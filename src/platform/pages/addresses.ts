import type { SubgraphVersion } from "../subgraphs/versions.js";

/** The address of the page of a version or a tag. */
export function pageOf({ name, version }: Pick<SubgraphVersion, "name" | "version">): string {
  return `/dashboard/${encodeURIComponent(name)}/${encodeURIComponent(version)}`;
}
