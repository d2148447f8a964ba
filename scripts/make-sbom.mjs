// Writes what the package consists of, in the form of CycloneDX: what its users install with it, and what the build has made
// a part of it. The same sources give the same bytes. Run after a build: node scripts/make-sbom.mjs [file]
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const [file = join(root, "dist/sbom.cdx.json")] = process.argv.slice(2);

/** The packages within dist, as their licences name them: `name@version`. */
function shippedPackages() {
  const notices = readdirSync(join(root, "dist"), { recursive: true }).filter((name) =>
    name.endsWith(".licences.txt"),
  );
  const titles = notices.flatMap((name) => [
    ...readFileSync(join(root, "dist", name), "utf8").matchAll(
      /^((?:@[\w.-]+\/)?[\w.-]+) (\d+\.\d+\.\d+\S*) \(/gm,
    ),
  ]);
  return new Set(titles.map(([, name, version]) => `${name}@${version}`));
}

const all = JSON.parse(
  execFileSync("npm", ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    shell: process.platform === "win32",
  }),
);
const shipped = shippedPackages();
const isShipped = ({ name, group, version }) => shipped.has(`${group ? `${group}/` : ""}${name}@${version}`);
const development = "cdx:npm:package:development";
const isForDevelopment = ({ properties = [] }) => properties.some(({ name }) => name === development);
const components = all.components
  .filter((one) => !isForDevelopment(one) || isShipped(one))
  .map((one) => ({ ...one, properties: one.properties?.filter(({ name }) => name !== development) }));
const kept = new Set([all.metadata.component, ...components].map((one) => one["bom-ref"]));
const { serialNumber: _, ...rest } = all;
const { timestamp: __, ...metadata } = all.metadata;
// npm takes the name from the folder, which the sources do not determine.
const { name } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const sbom = {
  ...rest,
  metadata: { ...metadata, component: { ...metadata.component, name } },
  components,
  dependencies: all.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) })),
};
writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
