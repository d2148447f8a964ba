// Runs graph-cli's own `codegen` and `deploy` on a project; in a process of its own, since `deploy` ends the process.
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { lightenCompiler } from "../../support/judge/graph-cli-compiler.mjs";

const [home, manifest, ...args] = process.argv.slice(2);
const load = async (name) => (await import(pathToFileURL(join(home, "dist/commands", `${name}.js`)))).default;

await lightenCompiler(home);
process.chdir(dirname(manifest));
await (await load("codegen")).run([manifest], { root: home });
await (await load("deploy")).run(args, { root: home });
