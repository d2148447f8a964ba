import { constants } from "node:fs";
import { lstat, open, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { diskTrouble } from "../../base/disk-trouble.js";
import { configFolder, type Environment, writeConfigFile } from "../files/config-folder.js";
import { parseLogins, printLogins, type StoredLogins } from "./stored-logins.js";

export interface CredentialStore {
  /** Path of the file, for messages. */
  readonly path: string;
  /** @throws CredentialsError if the file exists but is invalid, or cannot be read */
  read(): Promise<StoredLogins>;
  /**
   * Replaces the file, valid or not; its mode is 0600. Removes the file if there are no logins.
   * @throws CredentialsError if it cannot be written
   */
  write(credentials: StoredLogins): Promise<void>;
}

/** The credential store is unusable; the message never quotes its content. */
export class CredentialsError extends Error {
  override readonly name = "CredentialsError";
}

const ownerOnly = 0o600;

/**
 * The user's credential store: `graphloom/credentials.json` under `XDG_CONFIG_HOME`, or else under `~/.config`.
 * @param environment contains `XDG_CONFIG_HOME` and `HOME`
 */
export function createCredentialStore(environment: Environment): CredentialStore {
  const path = join(configFolder(environment), "credentials.json");
  return {
    path,
    async read() {
      try {
        await checkFolder(dirname(path));
        const text = await readText(path);
        return text === undefined ? { logins: new Map() } : parse(text, path);
      } catch (error) {
        throw unusable(error, path, "read");
      }
    },
    async write(credentials) {
      try {
        await checkFolder(dirname(path));
        if (credentials.logins.size === 0) await remove(path);
        else await writeConfigFile(path, printLogins(credentials));
      } catch (error) {
        throw unusable(error, path, "written");
      }
    },
  };
}

/** @throws CredentialsError if the store's own folder is a symbolic link, whose target may belong to anyone */
async function checkFolder(folder: string): Promise<void> {
  const stats = await lstat(folder).catch(() => undefined);
  if (stats?.isSymbolicLink())
    throw new CredentialsError(
      `${folder} is a symbolic link, which graphloom does not follow. Replace it with a folder.`,
    );
}

/** Removes a file of any type; for a symbolic link, the link itself. */
async function remove(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (!isAbsence(codeOf(error))) throw error;
  });
}

/** Does not block on a pipe and does not follow a symbolic link; Windows lacks both flags. */
const openFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

async function readText(path: string): Promise<string | undefined> {
  const file = await open(path, openFlags).catch((error: unknown) => {
    if (isAbsence(codeOf(error))) return undefined;
    throw codeOf(error) === "ELOOP"
      ? notAFile(path, "a symbolic link, which graphloom does not follow")
      : error;
  });
  try {
    const stats = await file?.stat();
    if (stats && !stats.isFile()) throw notAFile(path, "not a file");
    // Copying the file or restoring a backup has lost the mode.
    if (stats && (stats.mode & 0o077) !== 0) await file?.chmod(ownerOnly);
    return await file?.readFile("utf8");
  } finally {
    await file?.close();
  }
}

function notAFile(path: string, what: string): CredentialsError {
  return new CredentialsError(`${path} is ${what}. ${remedy}.`);
}

const remedy = "Remove it with graphloom logout, then log in again";

function isAbsence(code: string | undefined): boolean {
  return code === "ENOENT" || code === "ENOTDIR";
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

/** Wraps a failure in an error for the user. */
function unusable(error: unknown, path: string, done: "read" | "written"): CredentialsError {
  if (error instanceof CredentialsError) return error;
  const trouble = diskTrouble(error);
  return new CredentialsError(
    trouble?.mayPass
      ? `${path} cannot be ${done}: ${trouble.reason}. ${trouble.remedy}, then try again.`
      : `${path} cannot be ${done} (${codeOf(error) ?? "unknown reason"}).`,
  );
}

function parse(text: string, path: string): StoredLogins {
  const credentials = parseLogins(text);
  // Never quote the text: it is secret.
  if (!credentials) throw new CredentialsError(`${path} is damaged. ${remedy}.`);
  return credentials;
}
