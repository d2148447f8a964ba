import { visible } from "../../base/text/visible.js";
import { count } from "../terminal/count.js";

/** Limit of the named files; the rest is only counted. */
const mostNamed = 10;

/** Lists the IPFS files that were not found, one per line; empty if none is missing. */
export function missingFilesText(chain: string, paths: readonly string[]): string {
  if (paths.length === 0) return "";
  const named = paths.slice(0, mostNamed).map((path) => `  ${visible(path)}\n`);
  const rest = paths.length > mostNamed ? `  and ${paths.length - mostNamed} more\n` : "";
  return `${visible(chain)}: ${count(paths.length, "file")} not found on IPFS yet; the next run looks for them again:\n${named.join("")}${rest}`;
}
