import { visible } from "../../base/visible.js";
import { CredentialsError, createCredentialStore } from "../../machine/credentials.js";
import type { Terminal } from "../terminal/terminal.js";

/** A server that was just started. */
export interface RememberedServer {
  /** Base address of its API. */
  readonly apiUrl: string;
  /** The owner's key, if one was just created. */
  readonly newKey?: string | undefined;
}

/** What happened to a server's key. */
export interface Remembered {
  /** Lines that report what was stored and what to type next. */
  readonly lines: readonly string[];
  /** The file that stores a new key; absent without a new key, or when it could not be stored. */
  readonly path?: string;
}

/**
 * Stores a server's key for the command line of the same user. Its API becomes the default, unless the user is logged
 * in to a different one.
 */
export async function rememberServer(
  { apiUrl, newKey }: RememberedServer,
  terminal: Terminal,
): Promise<Remembered> {
  const store = createCredentialStore(terminal.env ?? {});
  const key = newKey === undefined ? [] : [`The owner's token, shown only once: ${newKey}`];
  try {
    const { apiUrl: current, logins } = await store.read();
    const isKnown = newKey !== undefined || logins.has(apiUrl);
    if (!isKnown) {
      const lines = [
        "You have no token for this server. Create one with graphloom serve --new-key, or store one with graphloom login.",
      ];
      return { lines };
    }
    const isDefault = current === undefined || current === apiUrl || !logins.has(current);
    if (newKey !== undefined || (isDefault && current !== apiUrl)) {
      await store.write({
        apiUrl: isDefault ? apiUrl : current,
        logins:
          newKey === undefined ? logins : new Map([...logins, [apiUrl, { token: newKey, kind: "key" }]]),
      });
    }
    const kept =
      newKey === undefined ? [] : [`It is stored in ${visible(store.path)}, which only you can read.`];
    const next = isDefault
      ? "graphloom subgraph deploy, list and all other commands now use this server."
      : `You are logged in to ${visible(current)}. To use this server, add --api-url ${apiUrl} to graphloom subgraph ….`;
    return { lines: [...key, ...kept, next], ...(newKey !== undefined && { path: store.path }) };
  } catch (error) {
    if (!(error instanceof CredentialsError)) throw error;
    return { lines: [...key, `It could not be stored: ${visible(error.message)}`] };
  }
}
