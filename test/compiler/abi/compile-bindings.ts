import { existsSync, readFileSync } from "node:fs";
import { assemblyText } from "../../../src/compiler/abi/assembly-type.js";
import type { BoundAbi, BoundParameter } from "../../../src/compiler/abi/bound-abi.js";
import { arrayDepth } from "../../../src/compiler/abi/solidity-type.js";
import { loadAsc } from "../../../src/compiler/asc/load-asc.js";
import { printAbiBindings } from "../../../src/compiler/emit/bindings/print-abi-bindings.js";

interface AscModule {
  main(args: readonly string[], options: object, done: (error: Error | null) => number): void;
}

interface AscDiagnostic {
  readonly code: number;
  readonly category: number;
  readonly message: string;
  readonly range: { readonly source: { readonly normalizedPath: string } } | null;
}

// Loaded the way graphloom loads it: a process holds one compiler and one optimizer.
const loaded = loadAsc(() => Promise.resolve());
const project = new URL("../../../", import.meta.url);

/**
 * Compiles bindings together with code that uses everything they offer.
 * @returns the compiler's errors
 */
export async function compileBindings(bindings: readonly BoundAbi[]): Promise<string[]> {
  const asc: AscModule = (await loaded).asc;
  const files = new Map<string, string>();
  bindings.forEach((bound, at) => {
    files.set(`b${at}.ts`, printAbiBindings(bound));
    files.set(`u${at}.ts`, useOf(bound, `./b${at}`));
  });
  const exported = bindings.map(
    (_, at) => `import { use as use${at} } from "./u${at}";\nexport { use${at} };\n`,
  );
  files.set("entry.ts", exported.join(""));
  return errorsOf(asc, files);
}

function errorsOf(asc: AscModule, files: ReadonlyMap<string, string>): string[] {
  const errors: string[] = [];
  const args =
    "--explicitStart --exportRuntime --runtime stub entry.ts --baseDir . --lib node_modules --noEmit";
  const sink = { write: () => undefined };
  asc.main(
    args.split(" "),
    {
      stdout: sink,
      stderr: sink,
      listFiles: () => [],
      writeFile: () => undefined,
      readFile: (name: string, folder: string) => files.get(name) ?? graphTs(name, folder),
      reportDiagnostic: ({ code, category, message, range }: AscDiagnostic) => {
        const path = range?.source.normalizedPath ?? "";
        if (category === 3) errors.push(`${path} ${code} ${message}\n${files.get(path) ?? ""}`);
      },
    },
    (error) => (error ? 1 : 0),
  );
  return errors;
}

function graphTs(name: string, folder: string): string | null {
  const path = new URL(folder === "node_modules" ? `node_modules/${name}` : name, project);
  return path.pathname.includes("/graph-ts/") && existsSync(path) ? readFileSync(path, "utf8") : null;
}

/** A module that calls every method and reads every value of a binding. */
function useOf(bound: BoundAbi, file: string): string {
  const functions = [
    ...bound.events.map(({ className, params }) => [`v: B.${className}`, reads("v.params", params)] as const),
    ...bound.calls.map(({ className, inputs, outputs }) => {
      return [`v: B.${className}`, [...reads("v.inputs", inputs), ...reads("v.outputs", outputs)]] as const;
    }),
    ...bound.methods.map(({ name, tryName, inputs, outputs, resultClass }) => {
      const parameters = [
        `c: B.${bound.className}`,
        ...inputs.map((input, at) => `a${at}: ${typeOf(input)}`),
      ];
      const args = inputs.map((_, at) => `a${at}`).join(", ");
      const results = [`c.${name}(${args})`, `c.${tryName}(${args}).value`];
      const parts = outputs.map((output) => ({ ...output, name: getterOf(output.name) }));
      return [
        parameters.join(", "),
        results.flatMap((result) =>
          resultClass ? [`${result}.toMap()`, ...reads(result, parts)] : [result],
        ),
      ] as const;
    }),
  ];
  const texts = functions.map(([parameters, statements], at) => {
    const body = statements.map((statement) => `  ${statement};\n`).join("");
    return `export function use${at}(${parameters}): void {\n${body}}\n`;
  });
  const imports = `import * as G from "@graphprotocol/graph-ts";\nimport * as B from "${file}";\n`;
  const uses = functions.map((_, at) => `  use${at};\n`).join("");
  return `${imports}${texts.join("")}export function use(): void {\n${uses}}\n`;
}

function getterOf(name: string): string {
  return `get${name.charAt(0).toUpperCase()}${name.slice(1)}()`;
}

function reads(owner: string, values: readonly BoundParameter[]): string[] {
  return values.flatMap(({ name, type, struct }) => {
    const value = `${owner}.${name}`;
    return struct ? [value, ...reads(value + "[0]".repeat(arrayDepth(type)), struct.components)] : [value];
  });
}

const prefixes = { language: "", "graph-ts": "G.", binding: "B." };

function typeOf({ assemblyType }: BoundParameter): string {
  return assemblyText(assemblyType, ({ kind, name }) => prefixes[kind] + name);
}
