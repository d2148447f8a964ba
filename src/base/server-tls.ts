/** How to check the certificate of a server. */
export interface ServerTls {
  /** What to check: nothing, the certificate's signature, or also its name. */
  readonly checks: "nothing" | "authority" | "all";
  /** The certificates to trust, in PEM; without them, the public authorities' certificates. */
  readonly authorities?: string | undefined;
}

/** Options of `tls.connect` and `https.request`. */
export interface TlsClientOptions {
  readonly rejectUnauthorized: boolean;
  readonly ca?: string;
  readonly checkServerIdentity?: () => undefined;
}

/** The options for Node.js to check a certificate this way. */
export function tlsClientOptions({ checks, authorities }: ServerTls): TlsClientOptions {
  return {
    rejectUnauthorized: checks !== "nothing",
    ...(authorities !== undefined && { ca: authorities }),
    ...(checks === "authority" && { checkServerIdentity: () => undefined }),
  };
}

/** Whether a text is the content of a certificate file, rather than a path. */
export function isCertificateText(text: string): boolean {
  return text.includes("-----BEGIN ");
}
