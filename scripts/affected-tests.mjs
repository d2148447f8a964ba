// What tests a change can affect.
import { posix } from "node:path";

const isCode = /^(?:src|test|scripts)\/.*\.m?ts$|^(?:src|test|scripts)\/.*\.mjs$/;
/** Decides for all tests: packages, settings, and what every worker loads. */
const ofAll = /^(?:package(?:-lock)?\.json|tsconfig.*\.json|vitest\.config\.ts|test\/support\/setup\/.*)$/;
/** What runs the built package, whose parts no import shows. */
const isShipped = /\.shipped\.test\.ts$/;
/** What a module loads: imports, exports from elsewhere, and the scripts and files that it finds beside itself. */
const loaded = /(?:\bfrom|\bimport|\bimport\(|new URL\()\s*["'`]([^"'`]+)["'`]/g;

/**
 * The test files that a change can affect: the ones that reach a changed file through imports or threads, the ones that
 * name the folder of a changed data file, and the tests of the built package.
 * @param {ReadonlyMap<string, string>} files the text of each code file, by its path in the project
 * @param {readonly string[]} changed paths in the project, also of files that are gone
 * @returns {readonly string[]} in order
 */
export function affectedTests(files, changed) {
  const tests = [...files.keys()].filter((path) => path.endsWith(".test.ts")).sort();
  if (changed.some((path) => ofAll.test(path))) return tests;
  const importers = importersIn(files);
  const reached = new Set();
  const reach = (path) => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const importer of importers.get(path) ?? []) reach(importer);
  };
  for (const path of changed) {
    reach(path);
    // Text that a module reads, in its folder or in a folder that it names.
    if (!isCode.test(path)) for (const reader of readersOf(path, files)) reach(reader);
  }
  const hasCode = changed.some((path) => !path.startsWith("test/") || isShipped.test(path));
  return tests.filter((path) => reached.has(path) || (hasCode && isShipped.test(path)));
}

/** The modules that load each module, by its path without an extension's spelling. */
function importersIn(files) {
  const importers = new Map();
  for (const [path, text] of files)
    for (const [, name = ""] of text.matchAll(loaded)) {
      if (!name.startsWith(".")) continue;
      const target = posix.join(posix.dirname(path), name);
      for (const each of [target, target.replace(/\.(m?)js$/, ".$1ts")])
        importers.set(each, [...(importers.get(each) ?? []), path]);
    }
  return importers;
}

/** The modules that may read a file that is no code: those that name its highest folder, or the file. */
function readersOf(path, files) {
  const [folder = "", ...below] = path.split("/");
  const named = below.length === 0 || folder === "src" || folder === "test" ? posix.basename(path) : folder;
  const beside = posix.dirname(path);
  const pattern = new RegExp(`["'\`/]${named.replaceAll(/[^\w]/g, "\\$&")}["'\`/]`);
  return [...files].flatMap(([reader, text]) =>
    pattern.test(text) || (below.length > 0 && beside.startsWith(`${posix.dirname(reader)}/`))
      ? [reader]
      : [],
  );
}
