import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { everything } from "../write/harness.js";

/** A folder with a target deep inside it, surrounded by foreign files. */
export interface Sandbox {
  /** The path for a configuration. */
  readonly cwd: string;
  /** The folder to write to, as seen from `cwd`; it holds a foreign file. */
  readonly target: string;
  /** All of its files, with or without the target. */
  contents(part: "all" | "outside"): Readonly<Record<string, string>>;
  /** The initial content of the target. */
  reset(): void;
  close(): void;
}

/** @param files the files beside the configuration */
export function openSandbox(files: Readonly<Record<string, string>> = {}): Sandbox {
  const root = mkdtempSync(join(tmpdir(), "graphloom-sandbox-"));
  const cwd = join(root, "a", "b", "c");
  const target = join(cwd, "out");
  const theirs = ["sentinel", "a/schema.graphql", "a/b/x", "a/b/c/subgraph.yaml", "a/b/c/src/mapping.ts"];
  for (const folder of ["src", "abis"]) mkdirSync(join(cwd, folder), { recursive: true });
  for (const path of theirs) writeFileSync(join(root, path), "theirs");
  for (const [path, text] of Object.entries(files)) writeFileSync(join(cwd, path), text);
  const reset = (): void => {
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target);
    writeFileSync(join(target, "notes.txt"), "theirs");
  };
  reset();
  return {
    cwd,
    target: "out",
    reset,
    contents(part) {
      const all = Object.entries(everything(root));
      return Object.fromEntries(
        part === "all" ? all : all.filter(([path]) => !path.startsWith("a/b/c/out/")),
      );
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}
