import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the shipped examples. */
export const examples = fileURLToPath(new URL("../../../examples/", import.meta.url));

/** The shipped examples that have a configuration; another folder shows how to run a server. */
export const exampleNames: readonly string[] = readdirSync(examples)
  .filter((name) => existsSync(join(examples, name, "subgraph.json")))
  .sort();
