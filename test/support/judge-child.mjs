// Runs graph-cli's own commands, one project after the other, in a process the judge can afford to lose:
// graph-cli installs process-wide handlers, and the AssemblyScript compiler exits the process when it crashes.
import { writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const home = process.argv[2];
const load = async (name) => (await import(pathToFileURL(join(home, "dist/commands", `${name}.js`)))).default;

/** What the commands have printed about the project at hand; told to the judge even when the process dies. */
let output = [];
process.on("exit", () => writeSync(2, output.join("")));
process.on("disconnect", () => process.exit());

const commands = [await load("codegen"), await load("build")];
for (const stream of [process.stdout, process.stderr]) {
  stream.write = (chunk) =>
    output.push(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString()) > 0;
}

process.on("message", async (manifest) => {
  process.chdir(dirname(manifest));
  const ok = await runAll(manifest);
  process.send({ ok, output: output.join("") });
  output = [];
});

async function runAll(manifest) {
  for (const command of commands) {
    process.exitCode = undefined;
    try {
      await command.run([manifest], { root: home });
    } catch (error) {
      output.push(`${error instanceof Error ? error.message : error}\n`);
      return false;
    }
    if (process.exitCode) return false;
  }
  return true;
}
