import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { isRecord, parseJson } from "../base/json-value.js";

/** What a login leaves behind: the API in use, and a token for every API. */
export interface Credentials {
  /** Base address of the API that is used when none is given. */
  readonly apiUrl?: string | undefined;
  /** Tokens by base address. */
  readonly tokens: ReadonlyMap<string, string>;
}

/** Where credentials are kept. */
export interface CredentialStore {
  /** The file, for people. */
  readonly path: string;
  /** @throws CredentialsError when the file is there and makes no sense, or cannot be read */
  read(): Promise<Credentials>;
  /** Replaces all; only the owner can read the file. Without a token nothing is left of it. */
  write(credentials: Credentials): Promise<void>;
}

/** The credential store cannot be used; the message never holds any of it. */
export class CredentialsError extends Error {
  override readonly name = "CredentialsError";
}

const ownerOnly = 0o600;
const ownerFolder = 0o700;

/**
 * The credential store of the user: `graphloom/credentials.json` under `XDG_CONFIG_HOME`, or else under `~/.config`.
 * @param environment where `XDG_CONFIG_HOME` and `HOME` are looked up
 */
export function createCredentialStore(
  environment: Readonly<Record<string, string | undefined>>,
): CredentialStore {
  const base = environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), ".config");
  const path = join(base, "graphloom", "credentials.json");
  return {
    path,
    async read() {
      const text = await readText(path);
      return text === undefined ? { tokens: new Map() } : parse(text, path);
    },
    async write(credentials) {
      if (credentials.tokens.size === 0) return rm(path, { force: true });
      const text = `${JSON.stringify({ apiUrl: credentials.apiUrl, tokens: Object.fromEntries(credentials.tokens) }, null, 2)}\n`;
      await mkdir(dirname(path), { recursive: true, mode: ownerFolder });
      // Written beside it and put in its place, so that no other process ever reads half of it.
      const temporary = `${path}.${randomBytes(6).toString("hex")}`;
      await writeFile(temporary, text, { mode: ownerOnly, flag: "wx" });
      await rename(temporary, path);
    },
  };
}

async function readText(path: string): Promise<string | undefined> {
  try {
    const { mode } = await stat(path);
    // Somebody copied it, or restored it from a backup.
    if ((mode & 0o077) !== 0) await chmod(path, ownerOnly);
    return await readFile(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new CredentialsError(`${path} cannot be read (${code ?? "unknown reason"}).`);
  }
}

function parse(text: string, path: string): Credentials {
  // What is wrong with the text is not told, since it is secret.
  const value = parseJson(text);
  if (!isRecord(value) || !isRecord(value.tokens))
    throw new CredentialsError(`${path} is not what graphloom wrote: remove it and log in again.`);
  const tokens = Object.entries(value.tokens).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return {
    tokens: new Map(tokens),
    ...(typeof value.apiUrl === "string" && { apiUrl: value.apiUrl }),
  };
}
