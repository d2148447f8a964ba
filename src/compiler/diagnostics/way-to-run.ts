/**
 * How to run a subgraph that is already built.
 * @param path of its manifest
 */
export function wayToRun(path: string, network = "<chain>"): string {
  const folder = path.includes("/") ? inShell(path.replace(/\/[^/]*$/, "")) : ".";
  return `run it as it is: graphloom serve --data data --rpc ${network}=<url>, and then graphloom subgraph deploy <name>/<version> --path ${folder}`;
}

/** A folder, if it needs no quotes in a shell. */
function inShell(folder: string): string {
  return /^[\w./-]+$/.test(folder) ? folder : "<its folder>";
}
