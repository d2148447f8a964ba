/** Why a client does not trust a server's certificate. */
export interface CertificateFault {
  /** Trusting another authority cures `unknown`; connecting to another name cures `name`. */
  readonly kind: "unknown" | "expired" | "early" | "name" | "other";
  /** The end of a sentence about the certificate, such as "has expired". */
  readonly words: string;
}

const faults: Readonly<Record<string, CertificateFault>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: { kind: "unknown", words: "is self-signed" },
  CERT_HAS_EXPIRED: { kind: "expired", words: "has expired" },
  CERT_NOT_YET_VALID: { kind: "early", words: "is not valid yet" },
  CERT_REVOKED: { kind: "other", words: "was revoked" },
};

/** Error codes for certificates of an unknown authority. */
const unknownAuthority = /^(?:SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_)/;
/** Other codes with which Node.js rejects a certificate. */
const refused = /^(?:CERT_|CRL_|INVALID_CA$|INVALID_PURPOSE$|HOSTNAME_MISMATCH$|PATH_LENGTH_EXCEEDED$)/;

interface CertificateError {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly host?: unknown;
  readonly cert?: { readonly subjectaltname?: unknown; readonly subject?: { readonly CN?: unknown } };
  readonly cause?: unknown;
}

/** What is wrong with the certificate that made a connection fail; `undefined` for other failures. */
export function certificateFaultOf(error: unknown): CertificateFault | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code, message, cause } = error as CertificateError;
  if (typeof code === "string") {
    if (Object.hasOwn(faults, code)) return faults[code];
    if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return otherName(error);
    if (unknownAuthority.test(code)) return { kind: "unknown", words: "comes from an unknown authority" };
    if (refused.test(code)) return { kind: "other", words: `is not accepted (${String(message ?? code)})` };
  }
  return certificateFaultOf(cause);
}

function otherName({ host, cert }: CertificateError): CertificateFault {
  const given = typeof cert?.subjectaltname === "string" ? cert.subjectaltname : cert?.subject?.CN;
  const names = typeof given === "string" ? given.replace(/\b(?:DNS|IP Address):/g, "") : "";
  const wanted = typeof host === "string" && host !== "" ? `, and not for ${host}` : "";
  return {
    kind: "name",
    words: names === "" ? `is for another host${wanted}` : `is for ${names}${wanted}`,
  };
}

/** The names of the settings with which users choose the certificates to trust. */
export interface TrustWords {
  /** The setting for the authorities' certificates, such as `sslrootcert`. */
  readonly authorities: string;
  /** How to turn the check off, such as `sslmode=require`. */
  readonly unchecked: string;
}

/** What to do about a certificate, as sentences. */
export function certificateAdvice(
  { kind, words }: CertificateFault,
  { authorities, unchecked }: TrustWords,
): string {
  const without = `${unchecked} encrypts without checking the certificate.`;
  switch (kind) {
    case "unknown": {
      const which = words === "is self-signed" ? "it" : "the authority's certificate";
      return `To trust it, put ${which} in ${authorities}. ${without}`;
    }
    case "expired":
      return `Renew the server's certificate. ${without}`;
    case "early":
      return `Check the clocks of the server and of this machine. ${without}`;
    case "name":
      return `Connect to a name that the certificate has. ${without}`;
    default:
      return `Replace the server's certificate. ${without}`;
  }
}
