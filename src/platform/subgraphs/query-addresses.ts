import type { VersionName } from "./versions.js";

/** The addresses that queries to a version or a tag are sent to. @param base what clients reach the server by */
export function queryAddresses(
  { project, name, version }: VersionName,
  base: string,
): { readonly public: string; readonly private: string } {
  const path = `${[project, "subgraphs", name, version].map(encodeURIComponent).join("/")}/gn`;
  return { public: `${base}/api/public/${path}`, private: `${base}/api/private/${path}` };
}
