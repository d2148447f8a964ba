import type { Host } from "../compiler/host.js";
import { readTextFile } from "./read-abi.js";

/** Where Foundry writes artifacts and the records of scripts, relative to the project. */
export interface FoundryFolders {
  readonly out: string;
  readonly broadcast: string;
}

const usual: FoundryFolders = { out: "out", broadcast: "broadcast" };
/** A section, such as `[profile.default]`. */
const section = /^\s*\[\s*([^\][]+?)\s*\]/;
/** One of the settings, in either kind of quotes. */
const setting = /^\s*(out|broadcast)\s*=\s*(?:"([^"\\]+)"|'([^']+)')\s*(?:#.*)?$/;

/** Reads the folders from `foundry.toml`, where the default profile may name others. */
export async function foundryFolders(host: Host): Promise<FoundryFolders> {
  const read = await readTextFile("foundry.toml", host);
  if (read.kind !== "text") return usual;
  const found: Record<string, string> = {};
  let current = "";
  for (const line of read.text.split(/\r?\n/)) {
    current = section.exec(line)?.[1] ?? current;
    const [, name, double, single] = setting.exec(line) ?? [];
    const folder = (double ?? single)?.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
    // Configurations name ABIs by relative paths, so a folder elsewhere on the machine is of no use.
    if (current !== "profile.default" || name === undefined || !folder || /^(?:\/|[a-z]:)/i.test(folder))
      continue;
    found[name] = folder;
  }
  return { ...usual, ...found };
}
