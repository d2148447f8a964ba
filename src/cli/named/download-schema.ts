import { downloadBuild } from "../../deploy/ipfs/download.js";
import { IpfsError } from "../../deploy/ipfs/ipfs-error.js";
import { createNodeWorld } from "../../machine/world.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import { linksOf } from "../../subgraph/manifest/links.js";
import { HttpError } from "../../web/http/http-error.js";

/** Downloads a deployed subgraph and returns its schema, or why it cannot be loaded. */
export async function downloadSchema(
  deployment: string,
  gateway: string,
  signal: AbortSignal,
): Promise<{ readonly text: string } | { readonly reason: string }> {
  try {
    const { manifest, files } = await downloadBuild(deployment, gateway, createNodeWorld(signal));
    const link = linksOf(manifest).find(({ role }) => role.kind === "schema")?.target;
    const schema = typeof link === "string" ? files.get(link) : undefined;
    if (schema) return { text: new TextDecoder().decode(schema) };
    return { reason: "its manifest names no schema" };
  } catch (error) {
    if (error instanceof IpfsError || error instanceof BundleError || error instanceof HttpError)
      return { reason: error.message };
    throw error;
  }
}
