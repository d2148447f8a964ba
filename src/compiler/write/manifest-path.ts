/** Whether a path leads to a manifest. Tools take a folder with a manifest for a subgraph or a build. */
export function isManifest(path: string): boolean {
  return /(?:^|\/)subgraph(?:\.[^/]+)?\.yaml$/.test(path);
}
