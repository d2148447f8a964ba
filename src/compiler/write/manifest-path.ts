/** Whether a path leads to a manifest. Tools treat a folder with a manifest as a subgraph or a build. */
export function isManifest(path: string): boolean {
  return /(?:^|\/)subgraph(?:\.[^/]+)?\.yaml$/.test(path);
}
