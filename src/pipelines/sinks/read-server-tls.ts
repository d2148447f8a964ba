import { isCertificateText, type ServerTls } from "../../base/server-tls.js";

/** The modes of connections that are encrypted anyway, by PostgreSQL's names. */
const modes = ["require", "verify-ca", "verify-full"];

/**
 * What a secret says about the certificate of its server, in the fields `sslmode` and `sslrootcert`. By default, the
 * certificate must be for the host, and come from a public authority.
 * @param fail throws, with the end of a sentence
 */
export function readServerTls(
  { sslmode: mode = "verify-full", sslrootcert: root }: Readonly<Record<string, unknown>>,
  fail: (what: string) => never,
): ServerTls {
  if (typeof mode !== "string" || !modes.includes(mode)) fail(`sslmode is one of ${modes.join(", ")}`);
  if (root !== undefined && (typeof root !== "string" || !(root === "system" || isCertificateText(root))))
    fail(
      "sslrootcert is the content of a file of certificates, which begins with -----BEGIN CERTIFICATE-----",
    );
  const authorities = typeof root === "string" && root !== "system" ? root : undefined;
  if (mode === "verify-ca" && authorities === undefined)
    fail("sslmode verify-ca needs sslrootcert, with the certificate of the authority to trust");
  // As in PostgreSQL, an authority that is given is also asked for.
  const checks = {
    require: authorities === undefined ? "nothing" : "authority",
    "verify-ca": "authority",
  } as const;
  return { checks: mode === "verify-full" ? "all" : checks[mode as keyof typeof checks], authorities };
}
