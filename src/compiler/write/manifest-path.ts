/** Whether a path is that of a manifest: tools take a folder that holds one for a subgraph or a build of one. */
export function isManifest(path: string): boolean {
  return /(?:^|\/)subgraph(?:\.[^/]+)?\.yaml$/.test(path);
}
