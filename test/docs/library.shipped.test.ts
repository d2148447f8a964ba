import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { codeBlocks } from "../support/docs/code-blocks.js";
import { pages, proseOf, root } from "../support/docs/pages.js";
import { testFolder } from "../support/folder.js";

const all = pages();
const library = all.find(({ path }) => path === "docs/library.md")?.text ?? "";

/** The programs of README.md and the manual, and those of the example, by file names. */
function programs(): Readonly<Record<string, string>> {
  const blocks = codeBlocks(all)
    .filter(({ language }) => ["js", "ts"].includes(language))
    // AssemblyScript, which another test compiles.
    .filter(({ text }) => !text.includes("@graphprotocol/graph-ts"))
    .map(({ path, line, text }) => [`${path.replaceAll(/\W/g, "-")}-${line}.mts`, text]);
  const inSentences = all.flatMap(({ path, text }) =>
    [...proseOf(text).matchAll(/`(import [^`]+)`/g)].map(([, code = ""], index) => [
      `${path.replaceAll(/\W/g, "-")}-sentence-${index}.mts`,
      code,
    ]),
  );
  const examples = readdirSync(join(root, "examples/library"))
    .filter((name) => name.endsWith(".mjs"))
    .map((name) => [
      name.replace(".mjs", ".mts"),
      readFileSync(join(root, "examples/library", name), "utf8"),
    ]);
  return Object.fromEntries([...blocks, ...inSentences, ...examples]);
}

it("the compiler type-checks every program of the manual against the types that the package ships", async () => {
  const files = programs();
  expect(Object.keys(files).length).toBeGreaterThanOrEqual(5);
  const compilerOptions = {
    target: "ES2023",
    lib: ["ES2023"],
    module: "NodeNext",
    types: ["node"],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  };
  const cwd = testFolder({
    ...files,
    "tsconfig.json": JSON.stringify({ compilerOptions, include: ["*.mts"] }),
  });
  mkdirSync(join(cwd, "node_modules"));
  symlinkSync(root, join(cwd, "node_modules/graphloom"));
  symlinkSync(join(root, "node_modules/@types"), join(cwd, "node_modules/@types"));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const said = await promisify(execFile)(process.execPath, [tsc, "--pretty", "false"], { cwd }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { readonly stdout: string }) => stdout,
  );
  expect(said).toBe("");
});

it("library.md names nothing that the package's types do not have", () => {
  const spans = [...proseOf(library).matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code).join("\n");
  const named = [...spans.matchAll(/\b(?:[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*)\b/g)].map(([name]) => name);
  expect(named.length).toBeGreaterThan(12);
  const types = readdirSync(join(root, "dist"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".d.ts") && !file.startsWith("cli/"))
    .map((file) => readFileSync(join(root, "dist", file), "utf8"))
    .join("\n");
  expect(named.filter((name) => !new RegExp(`\\b${name}\\b`).test(types))).toEqual([]);
});

it("library.md lists every path that the package exports code at", () => {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, unknown>>;
  };
  const paths = Object.keys(exports).filter((path) => !path.endsWith(".json"));
  const listed = [...library.matchAll(/^\| `(graphloom[^`]*)` \|/gm)].map(([, path = ""]) => path);
  expect(listed.sort()).toEqual(paths.map((path) => path.replace(/^\./, "graphloom")).sort());
});
