import { spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** The result of `graph deploy`. */
export interface GraphDeployment {
  /** Exit code. */
  readonly code: number | null;
  readonly output: string;
  /** The files that it left in `build/`, by path with that folder. */
  readonly build: ReadonlyMap<string, Uint8Array>;
}

const nodeModules = fileURLToPath(new URL("../../../node_modules", import.meta.url));
const child = fileURLToPath(new URL("./graph-deploy-child.mjs", import.meta.url));

/**
 * Runs `graph codegen` and `graph deploy` of graph-cli on a project.
 * @param files the project, by path; its `build` folder is left out
 */
export async function graphDeploy(
  files: ReadonlyMap<string, string | Uint8Array>,
  to: { readonly manifest: string; readonly name: string; readonly node: string; readonly ipfs: string },
): Promise<GraphDeployment> {
  const project = mkdtempSync(join(tmpdir(), "graphloom-deploy-"));
  try {
    for (const [path, content] of files) {
      if (path.startsWith("build/")) continue;
      mkdirSync(dirname(join(project, path)), { recursive: true });
      writeFileSync(join(project, path), content);
    }
    // A link gives the same WASM bytes as an installation: the path of graph-ts, which they hold, is the same.
    symlinkSync(nodeModules, join(project, "node_modules"));
    const flags = ["--node", to.node, "--ipfs", to.ipfs, "--version-label", "v1", "--deploy-key", "key"];
    const manifest = join(project, to.manifest);
    const home = join(nodeModules, "@graphprotocol", "graph-cli");
    const { code, output } = await run([child, home, manifest, to.name, manifest, ...flags]);
    return { code, output, build: readTree(project) };
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

function run(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const process = spawn("node", args, { stdio: ["ignore", "pipe", "pipe"] });
    const chunks: Buffer[] = [];
    for (const stream of [process.stdout, process.stderr]) stream.on("data", (chunk) => chunks.push(chunk));
    process.on("close", (code) => resolve({ code, output: Buffer.concat(chunks).toString("utf8") }));
  });
}

function readTree(project: string): Map<string, Uint8Array> {
  const files = readdirSync(join(project, "build"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.map((path) => [relative(project, path).split(sep).join("/"), readFileSync(path)]));
}
