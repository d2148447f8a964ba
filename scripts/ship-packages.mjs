// Makes packages a part of dist/, so that users do not install what graphloom leaves out: of packages with modules, it keeps
// what our modules import, and of graph-ts the sources, without the second compiler that it brings along.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const place = join(dist, "packages");

/** Packages with modules. Names of those that our modules load on demand cannot be seen there, so they are here. */
const shipped = {
  "@fastify/cors": [],
  "@fastify/multipart": [],
  "@fastify/swagger": [],
  "@modelcontextprotocol/server": [],
  "@noble/hashes": [],
  "@opentelemetry/api": [],
  "@opentelemetry/core": [],
  "@opentelemetry/exporter-trace-otlp-proto": [],
  "@opentelemetry/resources": [],
  "@opentelemetry/sdk-trace-base": [],
  ethers: [],
  "hash-wasm": [],
  "lru-cache": [],
  marked: [],
  nodemailer: ["createTransport"],
  "openid-client": [
    "allowInsecureRequests",
    "authorizationCodeGrant",
    "buildAuthorizationUrl",
    "calculatePKCECodeChallenge",
    "customFetch",
    "discovery",
    "enableNonRepudiationChecks",
    "randomNonce",
    "randomPKCECodeVerifier",
    "randomState",
  ],
  "prom-client": [],
};
const graphTs = join(root, "node_modules/@graphprotocol/graph-ts");
/** The only package whose types our exports name. */
const ethersTypes = join(root, "node_modules/ethers/lib.esm");

/** The folders of the packages that modules belong to. */
export function packagesOf(moduleIds) {
  return new Set(moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? []));
}

/** The texts of the licences of packages. @param folders the packages */
export function licencesOf(folders) {
  const texts = [...folders].sort().map((folder) => {
    const {
      name,
      version,
      license = "see below",
    } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return `${name} ${version} (${license})\n\n${licenceIn(folder)}`.trim();
  });
  return `${texts.join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

/** The text of a licence: a file of its own, or what the README says. */
function licenceIn(folder) {
  const names = readdirSync(folder);
  const own = names.find((name) => /^licen[cs]e/i.test(name));
  if (own) return readFileSync(join(folder, own), "utf8").trim();
  const readme = names.includes("README.md") ? readFileSync(join(folder, "README.md"), "utf8") : "";
  const [section = ""] = readme.split(/^## Licen[cs]e$/m).slice(1);
  return section.split(/^## /m)[0].trim();
}

/**
 * Puts packages into dist/packages, and lets the modules of dist import them from there.
 * @param required packages that modules require
 */
export async function shipPackages(required) {
  const modules = filesOf(dist, ".js");
  const names = importedNames(modules);
  const folders = await bundleEntries(names);
  for (const name of required) for (const folder of await bundleRequired(name)) folders.add(folder);
  for (const file of modules)
    rewriteImports(file, (specifier) => (names.has(specifier) ? join(place, `${specifier}.js`) : undefined));
  shipTypes();
  shipGraphTs();
  writeFileSync(join(place, "packages.licences.txt"), licencesOf([...folders, graphTs]));
}

/** Names that modules import from shipped packages, by specifier. */
function importedNames(modules) {
  const found = new Map();
  const add = (specifier, names) => {
    const name = packageIn(specifier);
    if (name !== undefined)
      found.set(specifier, new Set([...(found.get(specifier) ?? []), ...shipped[name], ...names]));
  };
  for (const file of modules) {
    const text = readFileSync(file, "utf8");
    for (const [, main, list = "", specifier] of text.matchAll(
      /^(?:im|ex)port (?:(\w+),? )?(?:\{([^}]*)\} )?from "([^"]+)";$/gm,
    ))
      add(specifier, [
        ...(main ? ["default"] : []),
        ...list.split(",").flatMap((one) => one.trim().split(" ")[0] || []),
      ]);
    for (const [, specifier] of text.matchAll(/\bimport\("([^"]+)"\)/g)) add(specifier, []);
  }
  return found;
}

function packageIn(specifier) {
  return Object.keys(shipped).find((name) => specifier === name || specifier.startsWith(`${name}/`));
}

/** Bundles what is imported from packages. @returns the folders of all packages that are within */
async function bundleEntries(names) {
  // Inside the project, whose packages they import.
  const drafts = join(dist, "drafts");
  mkdirSync(drafts);
  try {
    const input = {};
    for (const [specifier, exported] of names) {
      input[specifier] = join(drafts, `${specifier.replaceAll("/", "+")}.mjs`);
      const list = [...exported].sort().join(", ");
      writeFileSync(input[specifier], `export { ${list} } from ${JSON.stringify(specifier)};\n`);
    }
    // Only of modules can the bundler leave out what nobody imports.
    const resolve = { mainFields: ["module", "main"] };
    const bundled = await rolldown({ input, platform: "node", logLevel: "warn", resolve });
    const { output } = await bundled.write({
      dir: place,
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "shared/[name].js",
      minify: true,
    });
    return packagesOf(output.flatMap(({ moduleIds = [] }) => moduleIds));
  } finally {
    rmSync(drafts, { recursive: true });
  }
}

/** Bundles a whole package in one file. @returns the folders of all packages that are within */
async function bundleRequired(name) {
  const input = createRequire(import.meta.url).resolve(name);
  const bundled = await rolldown({ input, platform: "node", logLevel: "warn" });
  const { output } = await bundled.write({ file: join(place, `${name}.cjs`), format: "cjs", minify: true });
  return packagesOf(output.flatMap(({ moduleIds = [] }) => moduleIds));
}

/** Drops declarations that no export needs, and ships those of packages that the others need. */
function shipTypes() {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const needed = declarationsFrom(
    Object.values(exports).flatMap(({ types }) => (types ? [join(root, types)] : [])),
  );
  for (const file of filesOf(dist, ".d.ts")) if (!needed.has(file)) rmSync(file);
  const entries = new Set();
  for (const file of needed)
    rewriteImports(file, (specifier) => {
      if (packageIn(specifier) === undefined) return undefined;
      const part = /^ethers\/(\w+)$/.exec(specifier)?.[1];
      if (part === undefined) throw new Error(`${file}: the types of ${specifier} are not shipped`);
      entries.add(join(ethersTypes, part, "index.d.ts"));
      return join(place, "types/ethers", part, "index.js");
    });
  for (const file of declarationsFrom([...entries])) {
    // The variant for browsers needs no types of Node.js.
    const source = file.replace(/provider-ipcsocket\.d\.ts$/, "provider-ipcsocket-browser.d.ts");
    cpSync(source, join(place, "types/ethers", relative(ethersTypes, file)));
  }
}

/** Declarations, and all that they import from files beside them. */
function declarationsFrom(entries) {
  const found = new Set(entries);
  for (const file of found) {
    const text = readFileSync(file, "utf8");
    for (const [, specifier] of text.matchAll(/(?:\bfrom |\bimport\()"(\.[^"]+)"/g))
      found.add(join(dirname(file), specifier.replace(/\.js$/, ".d.ts")));
  }
  return found;
}

/** @param placeOf the file that a specifier stands for; `undefined` if it stays as it is */
function rewriteImports(file, placeOf) {
  const text = readFileSync(file, "utf8");
  const changed = text.replaceAll(/(\bfrom |\bimport\()"([^".][^"]*)"/g, (whole, before, specifier) => {
    const target = placeOf(specifier);
    if (target === undefined) return whole;
    const path = relative(dirname(file), target);
    return `${before}"${path.startsWith(".") ? path : `./${path}`}"`;
  });
  if (changed !== text) writeFileSync(file, changed);
}

function shipGraphTs() {
  const foreign = new Set(["node_modules", "test"]);
  for (const name of filesOf(graphTs, "", foreign).map((file) => relative(graphTs, file))) {
    if (!/(?:\.ts|\.json)$/.test(name)) continue;
    const target = join(place, "@graphprotocol/graph-ts", name);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(graphTs, name), target);
  }
}

function filesOf(folder, ending, without = new Set()) {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !without.has(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesOf(path, ending, without);
      return entry.name.endsWith(ending) ? [path] : [];
    });
}
