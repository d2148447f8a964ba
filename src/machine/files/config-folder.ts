import { randomBytes } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { makeFolders } from "../../compiler/write/make-folders.js";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The folder of the user's settings: `graphloom` under `XDG_CONFIG_HOME`, or else under `~/.config`. */
export function configFolder(environment: Environment): string {
  return join(environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), ".config"), "graphloom");
}

/**
 * Replaces a file that only its owner can read, and creates its folder if missing.
 * @throws the file system's error
 */
export async function writeConfigFile(path: string, text: string): Promise<void> {
  makeFolders(dirname(path), 0o700);
  // Write to a temporary file and rename it, so that no process reads half a file.
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: "wx" });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
