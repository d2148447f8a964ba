import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { isCertificateText, type ServerTls, tlsClientOptions } from "../../../base/server-tls.js";
import { DatabaseError } from "../database.js";

/** How connections are encrypted, with the names and meanings of PostgreSQL's own client. */
export const sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;

/** The `ssl` option of the client: whether and how to encrypt. */
export type PostgresSsl = false | ConnectionOptions;

/** An address without its encryption settings, and the ways to try, in order. */
export interface PostgresTls {
  readonly address: string;
  /** `undefined` is up to the client and its environment variables. */
  readonly ways: readonly (PostgresSsl | undefined)[];
}

const names = ["sslmode", "ssl", "sslrootcert", "sslcert", "sslkey", "uselibpqcompat"];

/**
 * Reads the encryption settings of an address: `sslmode`, and the certificates in `sslrootcert`, `sslcert` and
 * `sslkey`, which are file paths or contents. `ssl=true` is another name for `sslmode=verify-full`.
 * @throws DatabaseError for another mode, or for a file that cannot be read
 */
export function readPostgresTls(address: string): PostgresTls {
  const { plain, found } = split(address);
  const given = modeOf(found);
  if (given === undefined && found.size === 0) return { address: plain, ways: [undefined] };
  // A socket of this machine has no encryption.
  if (isSocketAddress(plain)) return { address: plain, ways: [false] };
  return { address: plain, ways: waysOf(given ?? "verify-full", found) };
}

/** The encryption settings of an address as fields of a secret: the mode, and the certificates to trust. */
export function tlsFields(address: string): { readonly sslmode?: string; readonly sslrootcert?: string } {
  const { found } = split(address);
  const mode = modeOf(found);
  const root = found.get("sslrootcert");
  return {
    ...(mode !== undefined && { sslmode: mode === "no-verify" ? "require" : mode }),
    ...(root !== undefined &&
      mode !== "no-verify" && { sslrootcert: root === "system" ? root : content(root, "sslrootcert") }),
  };
}

/** Whether an address leads to a socket of this machine. */
export function isSocketAddress(address: string): boolean {
  return /[?&]host=(?:%2f|\/)|@%2f|^\//i.test(address);
}

/** Whether an address says how to encrypt. */
export function saysTls(address: string): boolean {
  return split(address).found.size > 0;
}

/** An address without its encryption settings. */
export function withoutTls(address: string): string {
  return split(address).plain;
}

function split(address: string): {
  readonly plain: string;
  readonly found: ReadonlyMap<string, string>;
} {
  const [, before = address, query = ""] = /^([^?#]*)\?([^#]*)/.exec(address) ?? [];
  const found = new Map<string, string>();
  const kept = query.split("&").filter((part) => {
    const [[name = "", value = ""] = []] = new URLSearchParams(part);
    if (!names.includes(name)) return part !== "";
    found.set(name, value);
    return false;
  });
  return { plain: kept.length === 0 ? before : `${before}?${kept.join("&")}`, found };
}

type SslMode = (typeof sslModes)[number] | "no-verify";

function modeOf(found: ReadonlyMap<string, string>): SslMode | undefined {
  const [mode, ssl] = [found.get("sslmode"), found.get("ssl")];
  if (mode !== undefined) {
    const known = [...sslModes, "no-verify" as const].find((each) => each === mode);
    if (known === undefined)
      throw new DatabaseError(`sslmode of the address is ${mode}. Use one of ${sslModes.join(", ")}`);
    return known;
  }
  switch (ssl) {
    case undefined:
      return undefined;
    case "true":
    case "1":
      return "verify-full";
    case "false":
    case "0":
      return "disable";
    case "no-verify":
      return ssl;
    default:
      throw new DatabaseError(`ssl of the address is ${ssl}. Use true or false, or write sslmode instead`);
  }
}

function waysOf(mode: SslMode, found: ReadonlyMap<string, string>): readonly PostgresSsl[] {
  const root = found.get("sslrootcert");
  const authorities = root === undefined || root === "system" ? undefined : content(root, "sslrootcert");
  const own = {
    ...(found.has("sslcert") && { cert: content(found.get("sslcert") ?? "", "sslcert") }),
    ...(found.has("sslkey") && { key: content(found.get("sslkey") ?? "", "sslkey") }),
  };
  const encrypted = (checks: ServerTls["checks"]): PostgresSsl => ({
    ...tlsClientOptions({ checks, authorities }),
    ...own,
  });
  if (root === "system" && mode !== "verify-full" && mode !== "disable")
    throw new DatabaseError(
      `sslmode=${mode} with sslrootcert=system would accept a certificate for any host. Write sslmode=verify-full`,
    );
  switch (mode) {
    case "disable":
      return [false];
    case "allow":
      return [false, encrypted("nothing")];
    case "prefer":
      return [encrypted("nothing"), false];
    case "no-verify":
      return [encrypted("nothing")];
    case "require":
      // PostgreSQL's own client checks the certificate's issuer if it knows an authority.
      return [encrypted(authorities === undefined ? "nothing" : "authority")];
    case "verify-ca":
      if (authorities !== undefined) return [encrypted("authority")];
      throw new DatabaseError(
        "sslmode=verify-ca needs sslrootcert with the certificate of the authority to trust. Without one, write sslmode=verify-full, which also checks the name of the host",
      );
    case "verify-full":
      return [encrypted("all")];
  }
}

function content(text: string, name: string): string {
  if (isCertificateText(text)) return text;
  try {
    return readFileSync(text, "utf8");
  } catch (error) {
    throw new DatabaseError(`${name} of the address cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
