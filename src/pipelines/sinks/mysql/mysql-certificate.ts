import { type CertificateFault, certificateFaultOf } from "../../../base/certificate-fault.js";

/** The client replaces the codes of certificate errors, so that the words of Node.js identify them. */
const codes: readonly (readonly [words: RegExp, code: string])[] = [
  [/^self-signed certificate in certificate chain$/, "SELF_SIGNED_CERT_IN_CHAIN"],
  [/^self-signed certificate$/, "DEPTH_ZERO_SELF_SIGNED_CERT"],
  [/^certificate has expired$/, "CERT_HAS_EXPIRED"],
  [/^certificate is not yet valid$/, "CERT_NOT_YET_VALID"],
  [/^unable to (?:verify|get)/, "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
  [/does not match certificate's altnames/, "ERR_TLS_CERT_ALTNAME_INVALID"],
];

/** Explains why MySQL's client rejected the server's certificate; `undefined` for other errors. */
export function mysqlCertificateFault(error: unknown): CertificateFault | undefined {
  const known = certificateFaultOf(error);
  if (known !== undefined || !(error instanceof Error)) return known;
  const { message, code, host, cert } = error as Error & {
    readonly code?: unknown;
    readonly host?: unknown;
    readonly cert?: unknown;
  };
  if (code !== "HANDSHAKE_SSL_ERROR") return undefined;
  const found = codes.find(([words]) => words.test(message));
  return found && certificateFaultOf({ code: found[1], message, host, cert });
}
