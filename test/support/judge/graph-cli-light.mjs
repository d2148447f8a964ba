// To be imported before the `graph` command: NODE_OPTIONS names it, which all processes of a script inherit.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { lightenCompiler } from "./graph-cli-compiler.mjs";

const home = fileURLToPath(new URL("../../../node_modules/@graphprotocol/graph-cli", import.meta.url));
const command = process.argv[1] ?? "";
const isGraph = [join(".bin", "graph"), join("graph-cli", "bin", "run.js")].some((end) =>
  command.endsWith(end),
);
if (isGraph && ["build", "deploy"].includes(process.argv[2])) {
  const optimizeBy = await lightenCompiler(home);
  // How it optimizes in the place of graph-cli's flag, if the test says so.
  if (process.env.GRAPHLOOM_TEST_RECIPE) optimizeBy(JSON.parse(process.env.GRAPHLOOM_TEST_RECIPE));
}
