import { visible } from "../../base/visible.js";
import { count } from "../terminal/count.js";

/** As many are named; of more only how many. */
const mostNamed = 10;

/** Says which files of IPFS were not found, a line for each; nothing when none is missing. */
export function missingFilesText(chain: string, paths: readonly string[]): string {
  if (paths.length === 0) return "";
  const named = paths.slice(0, mostNamed).map((path) => `  ${visible(path)}\n`);
  const rest = paths.length > mostNamed ? `  and ${paths.length - mostNamed} more\n` : "";
  return `${visible(chain)}: ${count(paths.length, "file")} not found on IPFS yet; the next run looks for them again:\n${named.join("")}${rest}`;
}
