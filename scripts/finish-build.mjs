// Copies what is no script and lies beside one. Replaces modules of dist/ so that a command starts sooner: by one file with
// all they consist of the parser of the command line, what all commands are stated as, and the thread of a deployment; by
// what they make when they are loaded the validator of configurations and the compiler of templates. The query page's
// scripts become part of the package. Beside the modules it leaves what this version of Node makes of the largest scripts.
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import standaloneCode from "ajv/dist/standalone/index.js";
import Handlebars from "handlebars";
import { rolldown } from "rolldown";
import { licencesOf, packagesOf, shipPackages } from "./ship-packages.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = (path) => join(root, "dist", path);

/** Puts a module and all it imports into one file, but for what is external: that stays where it is. */
async function bundle(input, file, external = () => false) {
  const bundled = await rolldown({ input, platform: "node", external, logLevel: "warn" });
  return bundled.write({ file, format: "esm", minify: true });
}

/** Makes packages a part of ours, in the module that exports them, with their licences beside it. */
async function ship(path, external = () => false) {
  const [{ moduleIds }] = (await bundle(dist(path), dist(path), external)).output;
  writeFileSync(dist(path.replace(/\.js$/, ".licences.txt")), licencesOf(packagesOf(moduleIds)));
}

/** Keeps the texts that a module exports compressed, which is a quarter of their size. */
async function compressTexts(path) {
  const texts = { ...(await import(dist(path))) };
  const file = path.replace(/\.js$/, ".json.gz");
  writeFileSync(dist(file), gzipSync(JSON.stringify(texts), { level: 9 }));
  writeFileSync(
    dist(path),
    `import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
const packed = readFileSync(new URL("./${basename(file)}", import.meta.url));
export const { ${Object.keys(texts).sort().join(", ")} } = JSON.parse(gunzipSync(packed).toString());
`,
  );
}

/**
 * Puts what a thread or a child process runs into one file, or a few, so that it starts several times as fast. Packages of `pg` stay where they
 * are, and so does what is named besides.
 */
async function bundleThread(path, ...besides) {
  const name = basename(path, ".js");
  const bundled = await rolldown({
    input: dist(path),
    platform: "node",
    external: [/^pg(?:-|$)/, ...besides],
    logLevel: "warn",
  });
  await bundled.write({
    dir: dirname(dist(path)),
    format: "esm",
    entryFileNames: `${name}.js`,
    chunkFileNames: `${name}-[name].js`,
    minify: true,
  });
}

/** Puts a text in the place of a module, with all that the text imports. */
async function replace(path, text) {
  const draft = join(dirname(dist(path)), "draft.mjs");
  writeFileSync(draft, text);
  await bundle(draft, dist(path));
  rmSync(draft);
}

async function replaceValidator() {
  const path = "compiler/validate/schema-validator.js";
  const { ajv, validator } = await import(dist(path));
  const made = dist("compiler/validate/made-validator.cjs");
  writeFileSync(made, standaloneCode.default(ajv, validator));
  await replace(path, 'import made from "./made-validator.cjs";\nexport const validator = made;\n');
  rmSync(made);
}

async function replaceTemplates() {
  const path = "compiler/emit/compile-templates.js";
  const { templateOptions } = await import(dist(path));
  const folder = join(root, "templates");
  const templates = readdirSync(folder).map((file) => {
    const text = readFileSync(join(folder, file), "utf8");
    return `[${JSON.stringify(text)}, ${Handlebars.precompile(text, templateOptions)}]`;
  });
  const text = `
    import { createRequire } from "node:module";
    import Handlebars from "handlebars/runtime.js";
    export const templateOptions = ${JSON.stringify(templateOptions)};
    const known = new Map([${templates.join(",\n")}]);
    export function compileTemplates(texts) {
      const all = [...texts];
      const handlebars = all.every(([, text]) => known.has(text))
        ? Handlebars.create()
        : createRequire(import.meta.url)("../../packages/handlebars.cjs").create();
      const compiled = new Map();
      for (const [name, text] of all) {
        const made = known.get(text);
        const template = made ? handlebars.template(made) : handlebars.compile(text, templateOptions);
        if (name.startsWith("_")) handlebars.registerPartial(name.slice(1), template);
        else compiled.set(name, template);
      }
      return compiled;
    }`;
  await replace(path, text);
}

/** Leaves what this version of Node makes of the largest scripts, by way of using them as they will be used. */
async function keepCode() {
  const { loadWithCode, builtCodePath } = await import(dist("machine/script.js"));
  const { typescriptFile } = await import(dist("compiler/syntax/typescript-file.js"));
  rmSync(dirname(builtCodePath(typescriptFile())), { recursive: true, force: true });
  const kept = [];
  const load = async (file) => {
    const path = builtCodePath(file);
    const put = async (_, code) => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, code);
    };
    kept.push(await loadWithCode(file, { get: async () => undefined, put }));
  };
  await load(typescriptFile());
  const { loadAsc } = await import(dist("compiler/asc/load-asc.js"));
  const { runAsc } = await import(dist("compiler/asc/asc-run.js"));
  const { build } = await import(dist("machine/compiler/compile.js"));
  const { createNodeHost } = await import(dist("machine/files/host.js"));
  const loaded = await loadAsc(load);
  const asc = { compile: async (input) => runAsc(loaded, input, []), prepare() {}, async close() {} };
  await build(join(root, "examples/uniswap-v3/subgraph.json"), createNodeHost({ cwd: root }), { asc });
  for (const keep of kept) await keep();
}

const kept = [
  "store/database/migrations",
  ...["endpoints", "http", "pages"].map((part) => `platform/${part}/assets`),
];
for (const folder of kept) {
  cpSync(join(root, "src", folder), dist(folder), { recursive: true });
}
await shipPackages(["handlebars"]);
await bundle(dist("cli/terminal/usage/yargs.js"), dist("cli/terminal/usage/yargs.js"));
const commands = dist("cli/commands.js");
// What carries a command out is loaded when it is asked for, and what both need is loaded once.
await bundle(commands, commands, (id) => id !== commands && !/-commands?\.js$/.test(id));
await ship("platform/http/fastify.js", (id) => /^(?:pino|ajv)(?:\/|$)/.test(id));
await ship("platform/endpoints/graphiql.js");
await compressTexts("platform/endpoints/graphiql.js");
await bundleThread("hosting/embedded/deployment-worker.js");
await bundleThread("hosting/datasets/dataset-worker.js");
// Users install these packages themselves, and the thread of a script is found beside the module that starts it.
const { peerDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
await bundleThread(
  "pipelines/host/pipeline-worker.js",
  ...Object.keys(peerDependencies),
  /script-thread\.js$/,
);
await replaceValidator();
await replaceTemplates();
await keepCode();
// npm makes the command executable when it installs; a build after that has written it anew.
chmodSync(dist("cli/main.js"), 0o755);
