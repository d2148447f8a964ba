import type { Asc, AscMessage, AscOutput } from "../../compiler/asc/asc.js";
import type { TestLine, TestPlace } from "../outcome.js";
import { collectSources, type ReadText } from "./collect-sources.js";
import { SourcePlaces } from "./source-places.js";
import type { CompiledTests } from "./test-module.js";

/** A project with test files. */
export interface TestedProject {
  readonly read: ReadText;
  /** Folder of the packages, relative to the project. */
  readonly libs: string;
  /** Sources of `@graphprotocol/graph-ts`, by path inside the package. */
  readonly graphTs: ReadonlyMap<string, string>;
}

/** A compiled test file, or why it cannot be compiled. */
export type CompiledSuite =
  | { readonly kind: "compiled"; readonly compiled: CompiledTests }
  | { readonly kind: "rejected"; readonly lines: readonly TestLine[] };

const graphTs = "@graphprotocol/graph-ts";
const library = "matchstick-as";
/** The folder for the collected sources of packages, regardless of the project's own folder. */
const packagesFolder = "node_modules";

/**
 * Compiles a test file.
 * @param file path relative to the project
 * @param change changes a source before it is compiled, without changing its lines
 */
export async function compileSuite(
  file: string,
  project: TestedProject,
  asc: Asc,
  change: (path: string, text: string) => string = (_, text) => text,
): Promise<CompiledSuite> {
  const { files, missing } = await collectSources(file, project.read, new Set([graphTs]), project.libs);
  if (missing.includes(library)) return rejected([missingLibrary(project.libs)]);
  const changed = [...files].map(([path, text]) => [path, change(path, text)] as const);
  const inPackages = ([path]: readonly [string, string]): boolean => path.startsWith(`${packagesFolder}/`);
  const output = await asc.compile({
    entry: file,
    files: new Map(changed.filter((one) => !inPackages(one))),
    packages: {
      folder: packagesFolder,
      files: new Map(
        changed.filter(inPackages).map(([path, text]) => [path.slice(packagesFolder.length + 1), text]),
      ),
    },
    graphTs: project.graphTs,
    expressions: [],
    mode: "test",
  });
  if (output.kind !== "compiled") return rejected(complaintsOf(output, new Map(changed)));
  const { wasm, sourceMap } = output;
  if (!wasm) throw new Error("the compiler returned no WASM");
  return { kind: "compiled", compiled: { wasm, places: new SourcePlaces(wasm, sourceMap) } };
}

function rejected(lines: readonly TestLine[]): CompiledSuite {
  return { kind: "rejected", lines };
}

function missingLibrary(libs: string): TestLine {
  return {
    level: "critical",
    text: `The package matchstick-as is not in ${libs}. Install it: npm install --save-dev matchstick-as`,
  };
}

/** A complaint about a file that code generation makes. */
const generated = /^File '(?:.*\/)?generated\/.*' not found/;
const codegenFirst = "Generate the types of contracts and entities first: npx graph codegen";

function complaintsOf(
  output: Exclude<AscOutput, { kind: "compiled" }>,
  files: ReadonlyMap<string, string>,
): readonly TestLine[] {
  const critical = (text: string): TestLine => ({ level: "critical", text });
  switch (output.kind) {
    case "rejected": {
      const errors = output.messages.filter(({ severity }) => severity === "error");
      return [
        ...errors.map((message) => complaint(message, files)),
        ...(errors.some(({ message }) => generated.test(message)) ? [critical(codegenFirst)] : []),
        ...output.crashes.map(({ message }) => critical(`The compiler crashed: ${message}`)),
      ];
    }
    case "crashed":
      return [critical(`The compiler crashed: ${output.message}`)];
    case "hung":
      return [critical(`The compiler did not finish within ${output.seconds} seconds.`)];
    default:
      return [critical("The compiler ran out of memory.")];
  }
}

function complaint({ code, message, at }: AscMessage, files: ReadonlyMap<string, string>): TestLine {
  const text = at && files.get(at.file);
  return {
    level: "error",
    text: `${code}: ${message}`,
    ...(at && text !== undefined && { at: placeIn(at.file, text, at.start) }),
  };
}

function placeIn(file: string, text: string, offset: number): TestPlace {
  const before = text.slice(0, offset).split("\n");
  return { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
