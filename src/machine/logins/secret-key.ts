import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { link, open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { diskTrouble } from "../../base/disk-trouble.js";
import { messageOf } from "../../base/text/message-of.js";
import { makeFolders } from "../../compiler/write/make-folders.js";

/** The key that encrypts secrets is unavailable; the message says what to do and never shows the key. */
export class SecretKeyError extends Error {
  override readonly name = "SecretKeyError";
}

const keyLength = 32;

/**
 * The key in a folder; both are created if missing. Only their owner can read the key.
 * @returns 32 bytes
 * @throws SecretKeyError if it cannot be read or created, or is damaged
 */
export async function folderKey(folder: string): Promise<Uint8Array> {
  const path = join(folder, "secret.key");
  try {
    const known = await readKey(path);
    if (known) return known;
    makeFolders(folder, 0o700);
    await makeKey(path);
  } catch (error) {
    if (error instanceof SecretKeyError) throw error;
    const trouble = diskTrouble(error);
    throw new SecretKeyError(
      trouble
        ? `${path} cannot be used: ${trouble.reason}. ${trouble.remedy}.`
        : `${path} cannot be used (${codeOf(error) ?? messageOf(error)}).`,
    );
  }
  const made = await readKey(path);
  if (made) return made;
  throw new SecretKeyError(`${path} was removed while it was being created.`);
}

/**
 * Parses a key from the environment.
 * @throws SecretKeyError
 */
export function keyOfText(text: string): Uint8Array {
  if (/^[0-9a-fA-F]{64}$/.test(text.trim())) return Buffer.from(text.trim(), "hex");
  throw new SecretKeyError(
    "GRAPHLOOM_SECRET_KEY must be 64 hexadecimal digits. Generate such a key with: openssl rand -hex 32",
  );
}

async function readKey(path: string): Promise<Uint8Array | undefined> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  });
  if (!file) return undefined;
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > 200) throw damaged(path);
    // Copying the file or restoring a backup has lost the mode.
    if ((stats.mode & 0o077) !== 0) await file.chmod(0o600);
    const text = (await file.readFile("utf8")).trim();
    if (text.length !== keyLength * 2 || !/^[0-9a-f]+$/.test(text)) throw damaged(path);
    return Buffer.from(text, "hex");
  } finally {
    await file.close();
  }
}

/** Creates a key atomically, and never overwrites one: secrets encrypted with the old key would be lost. */
async function makeKey(path: string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(temporary, `${randomBytes(keyLength).toString("hex")}\n`, { mode: 0o600, flag: "wx" });
    await link(temporary, path).catch((error: unknown) => {
      if (codeOf(error) !== "EEXIST") throw error;
    });
  } finally {
    await rm(temporary, { force: true });
  }
}

function damaged(path: string): SecretKeyError {
  return new SecretKeyError(
    `${path} is damaged. Restore it from a backup, or pass a different --data folder.`,
  );
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
