/** Whether a path is that of a manifest, which makes tools take its folder for a subgraph or a build. */
export function isManifest(path: string): boolean {
  return /(?:^|\/)subgraph(?:\.[^/]+)?\.yaml$/.test(path);
}
