import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Who signs certificates. */
export interface TestAuthority {
  /** The path of its own certificate, which clients trust. */
  readonly path: string;
  /**
   * Makes a certificate that it signs.
   * @param name of the file
   * @param subject `DNS:<host>` or `IP:<address>`
   * @param days for which it holds; with less than 0, it has expired
   * @returns the path of a file with the key and the certificate
   */
  sign(name: string, subject: string, days?: number): string;
}

/** The faults that certificates of servers have. */
export const certificateKinds = ["good", "self-signed", "expired", "wrong-name"] as const;

/** Certificates of each kind for a host, as paths of files with the key and the certificate. */
export function certificatesFor(
  authority: TestAuthority,
  folder: string,
  subject: string,
): Readonly<Record<(typeof certificateKinds)[number], string>> {
  const self = join(folder, "self-signed.pem");
  const about = ["-subj", "/CN=self", "-addext", `subjectAltName=${subject}`, "-days", "1"];
  openssl("req", "-x509", ...newKey, "-keyout", `${self}.key`, "-out", `${self}.crt`, ...about);
  writeFileSync(self, readFileSync(`${self}.key`, "utf8") + readFileSync(`${self}.crt`, "utf8"));
  return {
    good: authority.sign("good", subject),
    "self-signed": self,
    expired: authority.sign("expired", subject, -1),
    "wrong-name": authority.sign("wrong-name", "DNS:other.example"),
  };
}

/** Why there are no certificates for tests; `undefined` when they can be made. */
export function lackOfCertificates(): string | undefined {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return undefined;
  } catch {
    return "openssl is not installed, which makes certificates";
  }
}

/** Makes an authority of a test, for one day, whose files are in a folder. */
export function makeAuthority(folder: string, name: string): TestAuthority {
  const key = join(folder, `${name}.key`);
  const path = join(folder, `${name}.pem`);
  const about = ["-subj", `/CN=${name}`, "-days", "1"];
  openssl("req", "-x509", ...newKey, "-keyout", key, "-out", path, ...about);
  return {
    path,
    sign: (server, subject, days = 1) => {
      const [request, extensions, own, signed] = [".csr", ".ext", ".key", ".crt"].map((ending) =>
        join(folder, `${server}${ending}`),
      ) as [string, string, string, string];
      writeFileSync(extensions, `subjectAltName=${subject}`);
      openssl("req", ...newKey, "-keyout", own, "-out", request, "-subj", `/CN=${server}`);
      const by = ["-CA", path, "-CAkey", key, "-CAcreateserial", "-extfile", extensions];
      openssl("x509", "-req", "-in", request, "-out", signed, "-days", String(days), ...by);
      const both = join(folder, `${server}.pem`);
      writeFileSync(both, readFileSync(own, "utf8") + readFileSync(signed, "utf8"), { mode: 0o600 });
      return both;
    },
  };
}

const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

function openssl(...args: readonly string[]): void {
  execFileSync("openssl", args, { stdio: "pipe" });
}
