import { basename, dirname, resolve } from "node:path";
import { parseProjectName } from "../subgraph/project-name.js";
import type { Named } from "./find-named.js";

/**
 * A name for a subgraph without one: the name of its folder, of its zip, or of its version on a server.
 * @param cwd absolute
 * @returns `undefined` if this is not a valid subgraph name
 */
export function subgraphNameOf(named: Named, cwd: string): string | undefined {
  if (named.kind === "version") return named.name;
  if (named.kind === "zip") return parseProjectName(basename(named.path).replace(/\.[^.]*$/, ""))?.name;
  if (named.kind !== "project" && named.kind !== "build") return undefined;
  const path = resolve(cwd, named.path);
  const folder = /\.(?:ya?ml|json)$/i.test(path) ? dirname(path) : path;
  // A build is usually in a folder of this name, inside its project's folder.
  return parseProjectName(basename(basename(folder) === "build" ? dirname(folder) : folder))?.name;
}
