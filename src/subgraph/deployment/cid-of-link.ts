import { quoteForeign } from "../../base/text/quote-foreign.js";
import { visible } from "../../base/text/visible.js";
import { BundleError } from "../bundle-error.js";
import type { Link } from "../manifest/links.js";
import { isMap } from "../manifest/manifest.js";

/** @throws BundleError if the link is not an IPFS hash */
export function cidOfLink({ place, target }: Link): string {
  const text = isMap(target) ? target["/"] : target;
  const match = typeof text === "string" ? /^(?:ipfs:\/\/|\/?ipfs\/)?(\w+)$/.exec(text) : null;
  if (match?.[1]) return match[1];
  const shown = quoteForeign(typeof text === "string" ? text : JSON.stringify(target));
  throw new BundleError(
    `The manifest on IPFS refers to ${shown} (${visible(place)}), but a deployment's files must be IPFS hashes like "/ipfs/Qm…"`,
  );
}
