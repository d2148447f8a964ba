import { readFileSync } from "node:fs";
import type { ConnectionOptions, SslOptions } from "mysql2";
import { isCertificateText } from "../../../base/server-tls.js";
import { SinkError } from "../../state/sink-error.js";

/** How to encrypt a connection, in the words of MySQL's own programs. */
const modes = ["disabled", "preferred", "required", "verify_ca", "verify_identity"] as const;

/** Where a server is, and how to reach it. */
export interface MysqlAddress {
  readonly options: ConnectionOptions;
  /** Whether to connect without encryption if the server does not support it. */
  readonly isEncryptionOptional: boolean;
}

/**
 * Reads an address: `mysql://user:password@host:3306/database`. `ssl-mode`, `ssl-ca` (certificates, or the path of their
 * file) and `socket` may
 * follow a question mark.
 * @throws SinkError for another parameter or value
 */
export function readMysqlAddress(address: string): MysqlAddress {
  const { hostname, port, username, password, pathname, searchParams } = new URL(address);
  for (const name of searchParams.keys())
    if (!["ssl-mode", "ssl-ca", "socket"].includes(name))
      throw new SinkError(
        `The address of the database has a parameter ${name}. Use ssl-mode, ssl-ca or socket.`,
        false,
      );
  const mode = modeIn(searchParams.get("ssl-mode") ?? "preferred");
  const socketPath = searchParams.get("socket");
  // URLs have IPv6 addresses in brackets.
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  // The client compares certificates with names only.
  if (mode === "verify_identity" && /^[\d.]+$|:/.test(host))
    throw new SinkError(
      `ssl-mode=verify_identity compares the certificate with a name, and ${host} is an IP address. Write the server's name, or use verify_ca (in a secret, "sslmode": "verify-ca").`,
      false,
    );
  const ssl = sslOptions(mode, searchParams.get("ssl-ca"));
  return {
    isEncryptionOptional: mode === "preferred",
    options: {
      host,
      port: Number(port || 3306),
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
      database: decodeURIComponent(pathname.slice(1)),
      ...(socketPath !== null && { socketPath }),
      ...(ssl && socketPath === null && { ssl }),
    },
  };
}

function modeIn(text: string): (typeof modes)[number] {
  const found = modes.find((mode) => mode === text.toLowerCase().replaceAll("-", "_"));
  if (found) return found;
  throw new SinkError(`ssl-mode of the address is ${text}. Use one of ${modes.join(", ")}.`, false);
}

function sslOptions(mode: (typeof modes)[number], ca: string | null): SslOptions | undefined {
  if (mode === "disabled") return undefined;
  return {
    rejectUnauthorized: mode === "verify_ca" || mode === "verify_identity",
    verifyIdentity: mode === "verify_identity",
    ...(ca !== null && { ca: isCertificateText(ca) ? ca : readCertificates(ca) }),
  };
}

function readCertificates(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new SinkError(`ssl-ca of the address cannot be read: ${(error as Error).message}`, false);
  }
}
