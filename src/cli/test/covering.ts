import { posix } from "node:path";
import { Coverage } from "../../testing/coverage.js";
import { findHandlers, type HandlerFunction } from "../../testing/matchstick/handler-functions.js";
import type { TestProject, WrittenProject } from "./test-project.js";

/** What finds out which handlers the tests of a project run. */
export interface Covering {
  readonly coverage: Coverage;
  /** The functions of handlers, which tests in AssemblyScript call. */
  readonly functions: readonly HandlerFunction[];
}

/** Prepares the coverage of a project that was written by hand, of which no test has run yet. */
export async function coverProject(
  { manifest, read }: WrittenProject,
  { settings }: TestProject,
): Promise<Covering> {
  const folder = posix.dirname(settings.manifest);
  const sources = manifest.sources.map((source) => ({
    ...source,
    mapping: posix.join(folder, source.mapping),
  }));
  return { coverage: new Coverage(sources), functions: await findHandlers(sources, read) };
}

/** Notes that a test ran the function with this number. */
export function noteFunction({ coverage, functions }: Covering, number: number): void {
  for (const { handler, source } of functions[number]?.handles ?? []) coverage.note(handler, source);
}
