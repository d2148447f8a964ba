import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const src = fileURLToPath(new URL("../src", import.meta.url));

/** What a folder (or a file of the root) may import values from: folders and files; `type:` means types only. */
const allowed: Record<string, readonly string[]> = {
  source: ["source", "diagnostics"],
  diagnostics: ["diagnostics", "source"],
  names: ["names"],
  abi: ["abi", "source", "diagnostics"],
  model: ["model", "type:abi", "type:source"],
  load: ["load", "source", "diagnostics", "type:host.ts"],
  validate: ["validate", "source", "diagnostics", "abi", "type:load"],
  syntax: ["syntax", "type:diagnostics"],
  resolve: ["resolve", "source", "diagnostics", "abi", "names", "model", "type:validate", "syntax"],
  emit: ["emit", "model", "abi", "names", "diagnostics", "source"],
  build: ["build", "node-script.ts", "emit", "model", "diagnostics", "source"],
  verdict: ["verdict", "syntax", "emit", "diagnostics", "source", "type:build", "type:model"],
  write: ["write", "diagnostics"],
  fix: ["fix", "source", "diagnostics", "type:host.ts"],
  runtime: ["runtime", "diagnostics/invariant.ts", "ipfs", "http"],
  scaffold: ["scaffold", "load", "validate", "abi", "source", "diagnostics", "type:host.ts"],
  cache: [
    "cache",
    "diagnostics",
    "type:source",
    "type:build",
    "type:emit",
    "type:model",
    "type:host.ts",
    "type:pipeline.ts",
  ],
  ipfs: ["ipfs"],
  http: ["http", "diagnostics"],
  bundle: ["bundle", "ipfs", "diagnostics"],
  api: ["api", "http", "diagnostics"],
  deploy: ["deploy", "api", "bundle", "ipfs", "http", "diagnostics"],
  cli: [
    "cli",
    "write",
    "fix",
    "source",
    "diagnostics",
    "pipeline.ts",
    "build",
    "emit",
    "runtime",
    "node-host.ts",
    "node-rpc.ts",
    "memory-store.ts",
    "scaffold",
    "bundle",
    "api",
    "deploy",
    "http",
    "node-http.ts",
    "node-credentials.ts",
    "node-build-folder.ts",
    "node-watch.ts",
    "node-script.ts",
    "node-cache.ts",
    "type:node-cache-entries.ts",
    "cache",
    "syntax/typescript-file.ts",
    "type:host.ts",
    "type:model",
  ],
  "host.ts": [],
  "node-http.ts": ["http"],
  "node-credentials.ts": [],
  "node-watch.ts": [],
  "node-script.ts": ["type:cache"],
  "node-cache.ts": ["cache", "node-cache-entries.ts", "node-identity.ts"],
  "node-cache-entries.ts": [],
  "node-identity.ts": [],
  "node-build-folder.ts": ["bundle", "diagnostics", "type:host.ts"],
  "node-host.ts": ["type:host.ts"],
  "node-rpc.ts": ["runtime"],
  "memory-store.ts": ["runtime"],
  "pipeline.ts": [
    "cache",
    "load",
    "validate",
    "resolve",
    "emit",
    "build",
    "verdict",
    "syntax",
    "diagnostics",
    "type:model",
    "type:host.ts",
    "type:source",
  ],
  "index.ts": [
    "pipeline.ts",
    "node-cache.ts",
    "type:cache",
    "type:node-cache-entries.ts",
    "api",
    "bundle",
    "deploy",
    "http",
    "node-http.ts",
    "node-build-folder.ts",
    "node-host.ts",
    "node-rpc.ts",
    "memory-store.ts",
    "runtime",
    "build",
    "diagnostics",
    "fix",
    "source",
    "type:emit",
    "type:host.ts",
  ],
};

/** Node modules that touch the world, and the only places that may. */
const worldly: Record<string, readonly string[]> = {
  "node:fs": [
    "node-host.ts",
    "node-watch.ts",
    "node-script.ts",
    "node-cache.ts",
    "node-cache-entries.ts",
    "node-identity.ts",
    "write",
    "fix/replace-file.ts",
    "cli/main.ts",
  ],
  "node:fs/promises": [
    "node-host.ts",
    "node-credentials.ts",
    "node-build-folder.ts",
    "node-cache.ts",
    "node-cache-entries.ts",
    "write",
    "fix/replace-file.ts",
  ],
  "node:readline": ["cli/ask.ts"],
  "node:timers/promises": ["node-rpc.ts", "node-http.ts", "node-watch.ts", "write"],
  "node:http": [],
  "node:https": [],
  "node:worker_threads": ["build/asc.ts", "build/asc-worker.ts"],
  "node:child_process": [],
};

interface Import {
  readonly file: string;
  readonly line: number;
  readonly specifier: string;
  readonly typesOnly: boolean;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name));
}

function importsOf(path: string): Import[] {
  const text = readFileSync(path, "utf8");
  const found: Import[] = [];
  const pattern = /(?:^|\n)(?:import|export)\s+(type\s+)?([^;]*?)\s*from\s*"([^"]+)"|import\("([^"]+)"\)/g;
  for (const match of text.matchAll(pattern)) {
    const [, typeKeyword, names = "", from, dynamic] = match;
    const named = /^\{(.*)\}$/s
      .exec(names)?.[1]
      ?.split(",")
      .filter((name) => name.trim() !== "");
    const typesOnly = typeKeyword !== undefined || (named?.every((name) => /^\s*type\s/.test(name)) ?? false);
    found.push({
      file: relative(src, path),
      line: text.slice(0, match.index).split("\n").length + (match[0].startsWith("\n") ? 1 : 0),
      specifier: from ?? dynamic ?? "",
      typesOnly: typesOnly && dynamic === undefined,
    });
  }
  return found;
}

/** The folder under src, or the file itself when it lies in the root. */
function unitOf(file: string): string {
  return file.split("/")[0] as string;
}

function breach({ file, line, specifier, typesOnly }: Import): string | undefined {
  if (specifier.startsWith("node:")) {
    const places = worldly[specifier];
    const fits = places?.some((place) => file === place || file.startsWith(`${place}/`)) ?? true;
    return fits ? undefined : `${file}:${line} imports ${specifier}`;
  }
  if (!specifier.startsWith(".")) return undefined;
  const path = relative(src, resolve(join(src, dirname(file)), specifier)).replace(/\.js$/, ".ts");
  const target = unitOf(path);
  const rules = allowed[unitOf(file)] ?? [];
  const fits =
    rules.includes(target) || rules.includes(path) || (typesOnly && rules.includes(`type:${target}`));
  return fits ? undefined : `${file}:${line} imports ${typesOnly ? "types" : "values"} of ${target}`;
}

describe("the import rules", () => {
  const files = sourceFiles(src);
  const imports = files.flatMap(importsOf);

  it("hold for every file", () => {
    expect(imports.length).toBeGreaterThan(100);
    expect(imports.map(breach).filter((found) => found !== undefined)).toEqual([]);
  });

  it("cover every folder", () => {
    const units = new Set(files.map((file) => unitOf(relative(src, file))));
    expect([...units].filter((unit) => !(unit in allowed))).toEqual([]);
  });

  it("know a breach when there is one", () => {
    const bad = { file: "emit/emit.ts", line: 1, specifier: "../cli/run.js", typesOnly: false };
    expect(breach(bad)).toBe("emit/emit.ts:1 imports values of cli");
    expect(breach({ ...bad, specifier: "node:fs" })).toBe("emit/emit.ts:1 imports node:fs");
    expect(breach({ ...bad, specifier: "../source/source.js", typesOnly: true })).toBeUndefined();
  });

  it("leave clock and chance to whoever brings them", () => {
    const worldly =
      /\b(?:globalThis|setTimeout|setInterval|setImmediate|Date\.now|new Date|performance\.|Math\.random)/;
    const offenders = files
      .map((file) => relative(src, file))
      .filter((file) => file.startsWith("runtime/"))
      .filter((file) => {
        const code = readFileSync(join(src, file), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
        return worldly.test(code);
      });
    expect(offenders).toEqual([]);
  });

  it("leave process and console to the command line", () => {
    const offenders = files
      .map((file) => relative(src, file))
      // The worker silences the compiler in its own thread; the writers' own files hold the process id.
      .filter((file) => !/^(?:cli\/|write\/|fix\/replace-file\.ts|build\/asc-(?:worker|run)\.ts)/.test(file))
      .filter((file) =>
        /\b(?:process\.(?!arch)|console\.)/.test(
          readFileSync(join(src, file), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, ""),
        ),
      );
    expect(offenders).toEqual([]);
  });
});
