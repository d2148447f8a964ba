import { basename, dirname } from "node:path";

/** A module of the sources: its path, how many lines it has, and the modules that import it. */
export interface Module {
  readonly file: string;
  readonly lines: number;
  readonly importers: readonly ModuleUse[];
}

/** An import of a module. */
export interface ModuleUse {
  readonly file: string;
  /** Whether the module is loaded on demand, or exported under its own name. */
  readonly isOwnStep: boolean;
}

/** The lines below which a module counts as a helper, and the most that it and its importer may have together. */
export const helperLines = 60;
const mostTogether = 330;

/**
 * Finds helpers that belong in the file of their only importer: small modules with one importer, which is in the same
 * folder. A helper may stay alone if a test or script imports it, if it is loaded on demand, if its folder has several
 * files of its role (the same first or last word of the name), or if the importer would grow too long.
 * @param named paths that tests and scripts import
 * @returns a sentence for each
 */
export function privateHelpers(modules: readonly Module[], named: ReadonlySet<string>): string[] {
  const lines = new Map(modules.map((module) => [module.file, module.lines]));
  return modules.flatMap(({ file, lines: own, importers }) => {
    const [only] = importers;
    if (own >= helperLines || importers.length !== 1 || only === undefined || only.isOwnStep) return [];
    if (dirname(only.file) !== dirname(file) || named.has(file) || hasRole(file, modules)) return [];
    if (own + (lines.get(only.file) ?? 0) > mostTogether) return [];
    return [`${file} has one importer, ${basename(only.file)}, and belongs there`];
  });
}

/** Whether at least three files of the folder have the first or the last word of the file's name. */
function hasRole(file: string, modules: readonly Module[]): boolean {
  const beside = modules.filter((module) => dirname(module.file) === dirname(file)).map(wordsOf);
  const words = wordsOf({ file });
  const first = beside.filter((other) => other[0] === words[0]).length;
  const last = beside.filter((other) => other.at(-1) === words.at(-1)).length;
  return first >= 3 || last >= 3;
}

function wordsOf({ file }: Pick<Module, "file">): readonly string[] {
  return basename(file, ".ts").split("-");
}
