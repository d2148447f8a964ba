const part = /^(?=.*[a-z])[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$/i;
/** `pools`, or `pools/1.0.0-rc.1+7`: our names of subgraphs, versions and tags. */
const ours = /^[a-z][\w-]*(?:\/[a-z0-9][\w+.-]*)?$/i;

/** Whether a name is valid by graph-node's rules, or by ours, which allow dots in versions. */
export function isSubgraphName(name: string): boolean {
  return isGraphNodeName(name) || (ours.test(name) && isShort(name) && !hasReserved(name));
}

/** Whether a name is valid by graph-node's rules: `org/pools`. */
export function isGraphNodeName(name: string): boolean {
  return isShort(name) && !hasReserved(name) && name.split("/").every((one) => part.test(one));
}

function isShort(name: string): boolean {
  return name !== "" && name.length <= 255;
}

/** The addresses of query pages end with this word. */
function hasReserved(name: string): boolean {
  return name.split("/").some((one) => one.toLowerCase() === "graphql");
}

/** Whether a deployment id is valid. */
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

/** Splits a path into a subgraph's name and a version or tag; undefined when more follows. */
export function splitName(path: string): { readonly name: string; readonly version?: string } | undefined {
  const [name = "", version, ...more] = path.split("/");
  if (more.length > 0) return undefined;
  return version === undefined ? { name } : { name, version };
}

/** Whether an address in a project could exist. The parts may contain anything. */
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
