import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { buildProject } from "../../../src/machine/compiler/build-project.js";
import { createNodeHost } from "../../../src/machine/files/host.js";
import { asc } from "../../support/compiler/asc.js";
import { testFolder } from "../../support/folder.js";

/** A folder with a subgraph in each of its folders: its files, and its packages in `node_modules`. */
const folder = process.env.GRAPHLOOM_SUBGRAPHS;
const root = folder === undefined ? undefined : resolve(folder);
const subgraphs =
  root === undefined ? [] : readdirSync(root).filter((name) => existsSync(join(root, name, "subgraph.yaml")));

const scope = join("node_modules", "@graphprotocol");
const graphCli = join(fileURLToPath(new URL("../../..", import.meta.url)), scope, "graph-cli");

/** A copy with its packages linked, and with our graph-cli unless it has its own. */
function copyOf(project: string): string {
  const copy = testFolder();
  const isSource = (path: string): boolean =>
    !/(?:^|\/)(?:node_modules|build|\.git)(?:\/|$)/.test(relative(project, path));
  cpSync(project, copy, { recursive: true, filter: isSource });
  mkdirSync(join(copy, scope), { recursive: true });
  for (const path of [...packagesIn(project, "node_modules"), ...packagesIn(project, scope)])
    if (!existsSync(join(copy, path))) symlinkSync(join(project, path), join(copy, path));
  if (!existsSync(join(copy, scope, "graph-cli"))) symlinkSync(graphCli, join(copy, scope, "graph-cli"));
  return copy;
}

function packagesIn(project: string, path: string): readonly string[] {
  const there = join(project, path);
  return existsSync(there) ? readdirSync(there).map((name) => join(path, name)) : [];
}

/** Runs graph-cli. */
function graph(copy: string, ...args: readonly string[]): { readonly ok: boolean; readonly output: string } {
  const home = join(copy, scope, "graph-cli");
  const { bin } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as {
    bin: string | { graph: string };
  };
  const file = join(home, typeof bin === "string" ? bin : bin.graph);
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], {
    cwd: copy,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { ok: status === 0, output: stdout + stderr };
}

/** The files of a folder by path. */
function filesIn(path: string): Map<string, Buffer> {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map(({ parentPath, name }) => {
      const file = join(parentPath, name);
      return [relative(path, file), readFileSync(file)];
    }),
  );
}

describe.skipIf(root === undefined)("subgraphs in the folder that GRAPHLOOM_SUBGRAPHS names", () => {
  it("the folder contains subgraphs", () => {
    expect(subgraphs.length).toBeGreaterThan(0);
  });

  it.each(subgraphs)("%s gets the types, the build and the manifest of its graph-cli", {
    timeout: 600_000,
  }, async (name) => {
    const copy = copyOf(join(root ?? "", name));
    const manifest = join(copy, "subgraph.yaml");
    const ours = await buildProject(manifest, createNodeHost({ cwd: copy }), { asc });
    const [types = "generated"] = ours.typesFolders;
    const theirs = [graph(copy, "codegen", "--output-dir", types), graph(copy, "build")];
    const said = theirs.map(({ output }) => output).join("");
    expect(ours.ok, JSON.stringify(ours.diagnostics.map(({ message }) => message)) + said).toBe(
      theirs.every(({ ok }) => ok),
    );
    if (!ours.ok) return;
    for (const [path, text] of ours.types)
      expect(readFileSync(join(copy, types, path), "utf8"), path).toBe(text);
    const built = [...ours.files].map(([path, content]) => [path, Buffer.from(content)] as const);
    expect(filesIn(join(copy, "build"))).toEqual(new Map(built));
    const before = readFileSync(join(root ?? "", name, "subgraph.yaml"), "utf8");
    expect(readFileSync(manifest, "utf8")).toBe(ours.manifest ?? before);
  });
});
