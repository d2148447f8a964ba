// Runs graph-cli's own commands, one project after the other, in a process the judge can afford to lose:
// graph-cli installs process-wide handlers, and the AssemblyScript compiler exits the process when it crashes.
import { writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { lightenCompiler } from "./graph-cli-compiler.mjs";

const home = process.argv[2];
const load = async (name) => (await import(pathToFileURL(join(home, "dist/commands", `${name}.js`)))).default;

/** What the commands have printed about the project at hand; passed to the judge even when the process dies. */
let output = [];
process.on("exit", () => writeSync(2, output.join("")));
process.on("disconnect", () => process.exit());

const optimizeBy = await lightenCompiler(home);
const [codegen, build] = [await load("codegen"), await load("build")];
for (const stream of [process.stdout, process.stderr]) {
  stream.write = (chunk) =>
    output.push(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString()) > 0;
}

process.on("message", async ({ manifest, all, recipe }) => {
  optimizeBy(recipe);
  process.chdir(dirname(manifest));
  let [ok, hasFailed] = [true, false];
  for (const prepared of all) {
    const before = output.length;
    if (await succeeds(codegen, prepared)) continue;
    hasFailed = true;
    if (prepared === manifest) ok = false;
    // What is wrong with another manifest is said when that one is judged.
    else output.length = before;
  }
  ok &&= await succeeds(build, manifest);
  process.send({ ok, output: output.join(""), hasFailed: hasFailed || !ok });
  output = [];
});

async function succeeds(command, manifest) {
  process.exitCode = undefined;
  try {
    await command.run([manifest], { root: home });
  } catch (error) {
    output.push(`${error instanceof Error ? error.message : error}\n`);
    return false;
  }
  return !process.exitCode;
}
