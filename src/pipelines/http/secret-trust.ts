import type { TrustWords } from "../../base/certificate-fault.js";

/** How messages about certificates name the fields of a secret. */
export const secretTrust: TrustWords = {
  authorities: "sslrootcert of the secret",
  unchecked: 'Its field "sslmode": "require"',
};
