import { candidates, importsIn, isRelative, packageModule, resolveImport } from "./imports.js";
import type { ProjectPackages } from "./packages.js";
import type { ProjectFiles } from "./project-files.js";

const graphTsName = "@graphprotocol/graph-ts";

/** The files of a mapping. */
export interface Program {
  /** Files of the project, by path relative to the manifest's folder. */
  readonly files: ReadonlyMap<string, string>;
  /** Files of packages other than graph-ts, by path in the folder of packages. */
  readonly packages: ReadonlyMap<string, string>;
}

/**
 * Collects a mapping and everything that it imports.
 * @param entry path of the mapping
 * @param generated the generated files, by path; they replace existing ones
 */
export async function collectProgram(
  entry: string,
  generated: ReadonlyMap<string, string>,
  files: ProjectFiles,
  packages: ProjectPackages,
): Promise<Program> {
  const found = new Map<string, string>();
  const library = new Map<string, string>();
  const open: { readonly path: string; readonly text: string; readonly isOfPackage: boolean }[] = [];

  const add = (path: string, text: string, isOfPackage: boolean): void => {
    (isOfPackage ? library : found).set(path, text);
    open.push({ path, text, isOfPackage });
  };
  const addProject = async (path: string): Promise<boolean> => {
    if (found.has(path)) return true;
    const text = generated.get(path) ?? (await files.text(path));
    if (text !== undefined) add(path, text, false);
    return text !== undefined;
  };
  const addPackage = async (module: string): Promise<void> => {
    if (module === graphTsName || module.startsWith(`${graphTsName}/`)) return;
    if (candidates(module).some((path) => library.has(path))) return;
    const file = await packages.file(module);
    if (file && !library.has(file.path)) add(file.path, file.text, true);
  };

  await addProject(entry);
  for (let file = open.shift(); file; file = open.shift()) {
    for (const module of importsIn(file.text)) {
      if (!isRelative(module)) await addPackage(packageModule(module));
      else if (file.isOfPackage) await addPackage(resolveImport(file.path, module));
      else {
        const [plain, index] = candidates(resolveImport(file.path, module));
        if (!(await addProject(plain))) await addProject(index);
      }
    }
  }
  return { files: sorted(found), packages: sorted(library) };
}

/** Sorts by path, so that equal programs look equal. */
function sorted(files: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}
