// Puts the command line's parser and all it consists of into one file, in the place of the module that names it.
import { fileURLToPath } from "node:url";
import { defineConfig } from "rolldown";

const parser = fileURLToPath(new URL("./dist/cli/yargs.js", import.meta.url));

export default defineConfig({
  input: parser,
  platform: "node",
  output: { file: parser, format: "esm", minify: true },
});
