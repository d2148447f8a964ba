const part = /^(?=.*[a-z])[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$/i;
/** `pools`, or `pools/1.0.0-rc.1+7`: what subgraphs, versions and tags are called here. */
const ours = /^[a-z][\w-]*(?:\/[a-z0-9][\w+.-]*)?$/i;

/** Whether something can have a name: by graph-node's rules, or by ours, which let versions have points. */
export function isSubgraphName(name: string): boolean {
  if (name === "" || name.length > 255) return false;
  const parts = name.split("/");
  if (parts.some((one) => one.toLowerCase() === "graphql")) return false;
  return ours.test(name) || parts.every((one) => part.test(one));
}

/** Whether something can have an id. */
export function isDeploymentId(id: string): boolean {
  return /^\w{1,46}$/.test(id) && id !== "subgraphs";
}

/** A path without empty parts. */
export function joinedPath(path: string): string {
  return path
    .split("/")
    .filter((one) => one !== "")
    .join("/");
}

/** The name of a subgraph and what follows it: a version or tag; nothing when more than that follows. */
export function splitName(path: string): { readonly name: string; readonly version?: string } | undefined {
  const [name = "", version, ...more] = path.split("/");
  if (more.length > 0) return undefined;
  return version === undefined ? { name } : { name, version };
}

/** Whether there could be something at an address in a project: anything can stand in it. */
export function isAddress({
  project,
  name,
  version,
}: {
  readonly project: string;
  readonly name: string;
  readonly version: string;
}): boolean {
  return /^[\w-]+$/.test(project) && ours.test(`${name}/${version}`);
}
