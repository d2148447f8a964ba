import type { Host } from "../compiler/host.js";
import { readTextFile } from "./read-abi.js";

/** Where Foundry writes artifacts and the records of scripts, relative to the project. */
export interface FoundryFolders {
  readonly out: string;
  readonly broadcast: string;
}

/** The folders of a project that does not name others. */
export const usualFolders: FoundryFolders = { out: "out", broadcast: "broadcast" };
/** A section, such as `[profile.default]`. */
const section = /^\s*\[\s*([^\][]+?)\s*\]/;
/** One of the settings, in either kind of quotes. */
const setting = /^\s*(out|broadcast)\s*=\s*(?:"([^"\\]+)"|'([^']+)')\s*(?:#.*)?$/;

/**
 * Finds the folders as forge does: `FOUNDRY_OUT` and `FOUNDRY_BROADCAST`, then the profile in `foundry.toml` that
 * `FOUNDRY_PROFILE` names, then the default profile.
 */
export async function foundryFolders(
  host: Host,
  env: Readonly<Record<string, string | undefined>>,
): Promise<FoundryFolders> {
  const read = await readTextFile("foundry.toml", host);
  const profiles = read.kind === "text" ? foldersByProfile(read.text) : {};
  const chosen = env.FOUNDRY_PROFILE || "default";
  const [out, broadcast] = [env.FOUNDRY_OUT, env.FOUNDRY_BROADCAST].map((folder) => relative(folder ?? ""));
  return {
    ...usualFolders,
    ...profiles.default,
    ...(Object.hasOwn(profiles, chosen) && profiles[chosen]),
    ...(out !== undefined && { out }),
    ...(broadcast !== undefined && { broadcast }),
  };
}

function foldersByProfile(toml: string): Readonly<Record<string, Partial<FoundryFolders>>> {
  const profiles: Record<string, Record<string, string>> = {};
  let current = "";
  for (const line of toml.split(/\r?\n/)) {
    current = section.exec(line)?.[1] ?? current;
    const profile = /^profile\s*\.\s*["']?([\w-]+)["']?$/.exec(current)?.[1];
    const [, name, double, single] = setting.exec(line) ?? [];
    const folder = relative(double ?? single ?? "");
    if (profile === undefined || name === undefined || folder === undefined) continue;
    profiles[profile] = { ...profiles[profile], [name]: folder };
  }
  return profiles;
}

/**
 * A folder in the project. Configurations name ABIs by relative paths, so a folder elsewhere on the machine is of no
 * use.
 */
function relative(written: string): string | undefined {
  const folder = written.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
  return folder === "" || /^(?:\/|[a-z]:)/i.test(folder) ? undefined : folder;
}
