import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeProject } from "../../../src/compiler/write/write-project.js";

/** Every file below a folder with its content, and every empty folder as `name/`, without graphloom's record. */
export function tree(folder: string): Record<string, string> {
  const found = everything(folder);
  delete found[".graphloom/files.json"];
  return found;
}

/** Like `tree`, with the record. */
export function everything(folder: string, prefix = ""): Record<string, string> {
  const found: Record<string, string> = {};
  const names = readdirSync(join(folder, prefix)).sort();
  if (names.length === 0 && prefix) found[`${prefix}/`] = "";
  for (const name of names) {
    const path = prefix ? `${prefix}/${name}` : name;
    const stats = lstatSync(join(folder, path));
    if (stats.isDirectory()) Object.assign(found, everything(folder, path));
    else found[path] = stats.isSymbolicLink() ? "(link)" : readFileSync(join(folder, path), "utf8");
  }
  return found;
}

/** Files as `writeProject` takes them. */
export function files(record: Readonly<Record<string, string>>): Map<string, string> {
  return new Map(Object.entries(record));
}

/** Recovers a target as the next run would. That run writes nothing itself, because it is interrupted afterwards. */
export async function recover(target: string): Promise<void> {
  await writeProject(target, new Map(), { force: false, signal: AbortSignal.abort() });
}
