import { visible } from "../../base/visible.js";
import type { HttpFailure } from "./http-error.js";

/** Why there was no response, in words that follow a server's name and a colon. */
export interface NetworkFailure {
  readonly kind: HttpFailure & ("unreachable" | "cut");
  readonly reason: string;
}

/** Error codes of Node.js, OpenSSL and undici for a connection that could not be made. */
const unreachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "there is no host of this name",
  EAI_AGAIN: "the host's name cannot be looked up at the moment; is there a network?",
  EHOSTUNREACH: "there is no way to this host",
  ENETUNREACH: "there is no way to this network",
  ETIMEDOUT: "there was no connection in time",
  EADDRNOTAVAIL: "there is no way to this address",
  UND_ERR_CONNECT_TIMEOUT: "there was no connection in time",
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  DEPTH_ZERO_SELF_SIGNED_CERT:
    "its certificate is signed by itself; NODE_EXTRA_CA_CERTS names a file of trusted ones",
  SELF_SIGNED_CERT_IN_CHAIN:
    "its certificate comes from an unknown authority; NODE_EXTRA_CA_CERTS names a file of trusted ones",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "its certificate comes from an unknown authority; NODE_EXTRA_CA_CERTS names a file of trusted ones",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    "its certificate comes from an unknown authority; NODE_EXTRA_CA_CERTS names a file of trusted ones",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak HTTPS; does its address begin with http://?",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "it does not speak HTTPS; does its address begin with http://?",
  EPROTO: "it does not speak HTTPS; does its address begin with http://?",
};

/** Error codes for a connection that broke off. */
const cut: Readonly<Record<string, string>> = {
  ECONNRESET: "the connection was cut",
  EPIPE: "the connection was cut",
  UND_ERR_SOCKET: "the connection was cut",
  UND_ERR_HEADERS_TIMEOUT: "no answer in time",
  UND_ERR_BODY_TIMEOUT: "no answer in time",
};

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
    return { kind: "unreachable", reason: "its port is one that is never used for HTTP" };
  if (code?.startsWith("HPE_")) return { kind: "cut", reason: `what it answered is not HTTP (${words})` };
  return { kind: "cut", reason: `the connection broke off (${words})` };
}

function codeOf(error: unknown): string | undefined {
  const code: unknown =
    typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || (codeOf(error) ?? error.name);
}
