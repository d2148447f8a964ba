/** How the certificate of a server is checked. */
export interface ServerTls {
  /** What has to be right: nothing, who has signed the certificate, or also the name that it is for. */
  readonly checks: "nothing" | "authority" | "all";
  /** The certificates to trust, in PEM; without them, those of the public authorities. */
  readonly authorities?: string | undefined;
}

/** Options of `tls.connect` and `https.request`. */
export interface TlsClientOptions {
  readonly rejectUnauthorized: boolean;
  readonly ca?: string;
  readonly checkServerIdentity?: () => undefined;
}

/** The options with which Node.js checks a certificate like this. */
export function tlsClientOptions({ checks, authorities }: ServerTls): TlsClientOptions {
  return {
    rejectUnauthorized: checks !== "nothing",
    ...(authorities !== undefined && { ca: authorities }),
    ...(checks === "authority" && { checkServerIdentity: () => undefined }),
  };
}

/** Whether a text is the content of a file of certificates, and not its path. */
export function isCertificateText(text: string): boolean {
  return text.includes("-----BEGIN ");
}
