import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createNodeHost } from "../../../src/machine/files/host.js";
import { readSchema } from "../../../src/subgraph/schema/read-schema.js";
import { compileSuite } from "../../../src/testing/matchstick/compile-suite.js";
import { runSuite, type SuiteOptions } from "../../../src/testing/matchstick/run-suite.js";
import type { SuiteOutcome } from "../../../src/testing/outcome.js";
import { asc } from "../compiler/asc.js";

/** The folder of this repository, whose packages the tests use. */
const repository = fileURLToPath(new URL("../../../", import.meta.url));

const host = createNodeHost({ cwd: repository });

/** A project of which tests are run. */
export interface AssemblyProject {
  readonly schema: string;
  /** Kinds by name. */
  readonly templates?: Readonly<Record<string, string>>;
  /** Texts by path: sources, and files that tests read. */
  readonly files?: Readonly<Record<string, string>>;
  readonly change?: (path: string, text: string) => string;
}

/** Compiles and runs a test file; all of its text after the usual imports. */
export async function runAssembly(
  text: string,
  { schema, templates = {}, files = {}, change }: AssemblyProject,
  options: Partial<SuiteOptions> = {},
): Promise<SuiteOutcome> {
  const file = "tests/a.test.ts";
  const own: Readonly<Record<string, string>> = { ...files, [file]: text };
  const read = async (path: string): Promise<string | undefined> => {
    if (!path.startsWith("node_modules/")) return own[path];
    return readFile(`${repository}${path}`, "utf8").catch(() => undefined);
  };
  const graphTs = await host.packageSources("@graphprotocol/graph-ts");
  const compiled = await compileSuite(file, { read, libs: "node_modules", graphTs }, asc, change);
  if (compiled.kind === "rejected") return { name: "a", file, tests: [], broken: compiled.lines, around: [] };
  const subgraph = {
    schema: readSchema(schema).entities,
    templates: new Map(Object.entries(templates)),
    readFile: (path: string) => (own[path] === undefined ? undefined : Buffer.from(own[path])),
  };
  return runSuite({ name: "a", file, compiled: compiled.compiled }, subgraph, { now: () => 0, ...options });
}

/** The lines below a test as text: `error tests/a.test.ts:7 (assert.equals) …`. */
export function linesOf({ tests }: SuiteOutcome, name: string): readonly string[] {
  const found = tests.find((test) => test.name === name);
  if (!found) throw new Error(`there is no test named ${name}`);
  return found.lines.map(({ level, text, at }) =>
    [level, ...(at ? [`${at.file}:${at.line}`] : []), text].join(" "),
  );
}
