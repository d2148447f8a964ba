// One command as the command line carries it out, without the cache; prints the milliseconds of each step.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const steps = [];
let last = 0;
/** Ends a step. */
function done(step) {
  const now = performance.now();
  steps.push({ step, ms: now - last });
  last = now;
}

done("node starts");
const [, , command, config] = process.argv;
const dist = new URL("../dist/", import.meta.url);
const load = (path) => import(new URL(path, dist));

await load("cli/program.js");
done("load the command line");
const { startAsc } = await load("machine/compiler/asc.js");
const asc = startAsc();
const { createNodeHost } = await load("machine/files/host.js");
const host = createNodeHost({ cwd: process.cwd() });
host.packageSources("@graphprotocol/graph-ts").then((sources) => asc.prepare(sources));
const pipeline = await load("compiler/pipeline.js");
const { loadWithCode } = await load("machine/script.js");
const { typescriptFile } = await load("compiler/syntax/typescript-file.js");
done("load the pipeline");

const folder = mkdtempSync(join(tmpdir(), "graphloom-profile-"));
const cold = await once(true);
const warm = await once(false);
rmSync(folder, { recursive: true });
console.log(JSON.stringify({ cold, warm }));
await asc.close();

/** Carries the command out; the steps until its end. */
async function once(isFirst) {
  if (!isFirst) {
    steps.length = 0;
    last = performance.now();
  }
  const run = command === "init --build" ? pipeline.build : pipeline.check;
  let isEmitting = false;
  const { files } = await run(
    config,
    {
      ...host,
      readTemplate(name) {
        if (!isEmitting) done("resolve: expressions, names, handlers");
        isEmitting = true;
        return host.readTemplate(name);
      },
    },
    {
      asc: {
        ...asc,
        async compile(input) {
          done("emit the sources");
          const output = await asc.compile(input);
          done("compile them, in the other thread");
          return output;
        },
      },
      async parser() {
        done("load and validate");
        await loadWithCode(typescriptFile(), undefined);
        const parser = await load("compiler/syntax/parse-expression.js");
        if (isFirst) done("load the parser of expressions");
        return parser;
      },
    },
  );
  done("judge what the compiler said");
  const target = join(folder, command.replaceAll(/\W/g, ""));
  if (command === "check") return [...steps];
  const { writeProject } = await load("compiler/write/write-project.js");
  if (command === "init --build") {
    await writeProject(target, files, { force: true });
    done("write");
    return [...steps];
  }
  if (isFirst) await writeProject(target, files, { force: true });
  last = performance.now();
  const { compareProject } = await load("compiler/write/compare-project.js");
  await compareProject(target, files);
  done("compare");
  return [...steps];
}
