import { posix } from "node:path";
import { quoteForeign } from "../base/text/quote-foreign.js";
import { visible } from "../base/text/visible.js";
import { manifestPath } from "./build.js";
import { BundleError } from "./bundle-error.js";
import type { Link } from "./manifest/links.js";
import { isMap } from "./manifest/manifest.js";

/**
 * The normalized path of a link in a build, relative to the manifest.
 * @param manifest the path to show in messages
 * @throws BundleError if it is not a path inside the manifest's folder
 */
export function linkPath(link: Link, manifest: string): string {
  const { target } = link;
  const refuse = (fact: string): BundleError => linkError(manifest, link, fact);
  checkLocal(link, refuse);
  if (typeof target !== "string" || target === "") throw refuse("does not name a file");
  if (/\.ts$/.test(target)) {
    throw refuse(
      `refers to the source ${quoteForeign(target)}: it is the manifest of a project, not of a build; ` +
        'build the project first and use the manifest in its build folder, usually "build/subgraph.yaml"',
    );
  }
  if (target.includes("\\")) {
    throw refuse(`refers to ${quoteForeign(target)}; separate folders with "/"`);
  }
  const path = posix.normalize(target);
  if (posix.isAbsolute(path) || path === ".." || path.startsWith("../")) {
    throw refuse(`refers to ${quoteForeign(target)}, which is outside the manifest's folder; move it inside`);
  }
  if (path === manifestPath) throw refuse(`refers to ${quoteForeign(target)}, which is the manifest's name`);
  return path;
}

/** An error about a link, with its place in the manifest. */
export function linkError(manifest: string, link: Link, fact: string): BundleError {
  return new BundleError(`${quoteForeign(manifest)} ${fact} (${visible(link.place)})`);
}

function checkLocal({ target }: Link, refuse: (fact: string) => BundleError): void {
  const ipfs = isMap(target) ? target["/"] : target;
  if (!isMap(target) && !(typeof target === "string" && /^(?:\/ipfs\/|ipfs:)/.test(target))) return;
  const where = typeof ipfs === "string" ? ` (${quoteForeign(ipfs)})` : "";
  throw refuse(
    `refers to IPFS${where}: it is the manifest of a deployment, not of a build; deploy it by its IPFS hash`,
  );
}
