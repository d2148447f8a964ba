import type { VersionName } from "./versions.js";

/** The addresses for queries to a version or a tag. @param base the server's address for clients */
export function queryAddresses(
  { project, name, version }: VersionName,
  base: string,
): { readonly public: string; readonly private: string } {
  const path = `${[project, "subgraphs", name, version].map(encodeURIComponent).join("/")}/gn`;
  return { public: `${base}/api/public/${path}`, private: `${base}/api/private/${path}` };
}
