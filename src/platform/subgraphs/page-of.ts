import type { VersionName } from "./versions.js";

/** The path of the page of a version or a tag. */
export function pageOf({ name, version }: Pick<VersionName, "name" | "version">): string {
  return `/dashboard/${encodeURIComponent(name)}/${encodeURIComponent(version)}`;
}
