import { messageOf } from "../../base/text/message-of.js";
import { visible } from "../../base/text/visible.js";
import type { HttpFailure } from "./http-error.js";

/** Why there was no response, in words that follow a server's name and a colon. */
export interface NetworkFailure {
  readonly kind: HttpFailure & ("unreachable" | "cut");
  readonly reason: string;
}

const unknownAuthority =
  "the server's certificate was issued by an unknown authority; to trust it, set NODE_EXTRA_CA_CERTS to a file with its certificate";
const notHttps = "the server does not speak HTTPS; should the address start with http://?";

/** Error codes of Node.js, OpenSSL and undici for a connection that could not be made. */
const unreachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "the host name does not exist",
  EAI_AGAIN: "the host name could not be resolved; check the network connection",
  EHOSTUNREACH: "the host is unreachable",
  ENETUNREACH: "the network is unreachable",
  ETIMEDOUT: "the connection attempt timed out",
  EADDRNOTAVAIL: "this machine cannot connect to the address",
  UND_ERR_CONNECT_TIMEOUT: "the connection attempt timed out",
  CERT_HAS_EXPIRED: "the server's certificate has expired",
  CERT_NOT_YET_VALID: "the server's certificate is not valid yet",
  DEPTH_ZERO_SELF_SIGNED_CERT:
    "the server's certificate is self-signed; to trust it, set NODE_EXTRA_CA_CERTS to a file that contains it",
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  ERR_TLS_CERT_ALTNAME_INVALID: "the server's certificate was issued for a different host",
  ERR_SSL_WRONG_VERSION_NUMBER: notHttps,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: notHttps,
  EPROTO: notHttps,
};

/** Error codes for a connection that broke off. */
const cut: Readonly<Record<string, string>> = {
  ECONNRESET: "the connection was lost",
  EPIPE: "the connection was lost",
  UND_ERR_SOCKET: "the connection was lost",
  UND_ERR_HEADERS_TIMEOUT: "no answer in time",
  UND_ERR_BODY_TIMEOUT: "no answer in time",
};

/** The error codes of a connection that the other side closed. */
const closed: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

const shown = 300;

/**
 * Classifies the error of a rejected `fetch`, or of reading its body.
 * @param redact removes secrets from a network library's message
 */
export function networkFailure(error: unknown, redact: (text: string) => string): NetworkFailure {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = codeOf(cause);
  if (code !== undefined && Object.hasOwn(unreachable, code)) {
    return { kind: "unreachable", reason: `${unreachable[code]} (${code})` };
  }
  if (code !== undefined && Object.hasOwn(cut, code))
    return { kind: "cut", reason: `${cut[code]} (${code})` };
  const words = visible(redact(wordsOf(cause))).slice(0, shown);
  if (words === "bad port")
    return { kind: "unreachable", reason: "HTTP clients refuse to connect to this port" };
  if (code?.startsWith("HPE_")) return { kind: "cut", reason: `the answer is not HTTP (${words})` };
  return { kind: "cut", reason: `the connection failed (${words})` };
}

/** Whether the other side closed an established connection, as a proxy does when an answer is too long for it. */
export function isClosed(error: unknown): boolean {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = codeOf(cause);
  return code !== undefined && closed.has(code);
}

function codeOf(error: unknown): string | undefined {
  const code: unknown =
    typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

function wordsOf(error: unknown): string {
  const words = messageOf(error);
  return words || (codeOf(error) ?? "no reason given");
}
