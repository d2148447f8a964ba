import { createRequire } from "node:module";
import { optionalPackage } from "../../../machine/optional-package.js";

export type DuckDb = typeof import("@duckdb/node-api");

const load = createRequire(import.meta.url);
/** The package's module that decodes all texts. It is not part of the package's public interface. */
const accessors = "@duckdb/node-api/lib/vectors/dataAccessors.js";

/**
 * Loads DuckDB so that texts keep a leading U+FEFF. Its decoder drops the mark by default, and two texts become one.
 * @param feature what requires it, at the beginning of a sentence
 * @throws PackageMissingError
 */
export async function loadDuckDb(feature: string): Promise<DuckDb> {
  // With an import, Node.js would first scan all of its hundred modules for their names, which takes longer than
  // running them.
  const duckdb = await optionalPackage(
    feature,
    "@duckdb/node-api",
    async (): Promise<DuckDb> => load("@duckdb/node-api"),
  );
  const module = load(accessors) as {
    textDecoder?: InstanceType<typeof TextDecoder>;
  };
  if (module.textDecoder?.ignoreBOM === undefined)
    throw new Error("this version of @duckdb/node-api decodes texts in another module");
  if (!module.textDecoder.ignoreBOM) module.textDecoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return duckdb;
}
