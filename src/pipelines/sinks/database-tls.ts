import { isSocketAddress, saysTls } from "../../store/database/postgres/postgres-tls.js";
import { serverPlace } from "../../store/database/postgres/server-place.js";
import { type HostReach, hostReach } from "../../web/outgoing/host-reach.js";

/** PostgreSQL's modes by default. Where TLS is not needed, it is used if the server wants it. */
const defaults: Readonly<Record<HostReach, string>> = {
  machine: "allow",
  private: "prefer",
  public: "verify-full",
};

/**
 * An address of a user's PostgreSQL that says how to encrypt. If the user does not say it, connections over the internet are
 * encrypted, and the server's certificate is checked.
 * @param address as the user gives it; one that cannot be read stays as it is, and the client refuses it
 */
export async function encryptedPostgres(
  address: string,
  reachOf: (host: string) => Promise<HostReach> = hostReach,
): Promise<string> {
  if (saysTls(address) || isSocketAddress(address)) return address;
  const host = hostOf(address);
  if (host === undefined) return address;
  return withParameter(address, `sslmode=${defaults[await reachOf(host)]}`);
}

/** The same for MySQL, whose client encrypts by default if the server can. */
export async function encryptedMysql(
  address: string,
  reachOf: (host: string) => Promise<HostReach> = hostReach,
): Promise<string> {
  if (!URL.canParse(address)) return address;
  const { searchParams, hostname } = new URL(address);
  if (searchParams.has("ssl-mode") || searchParams.has("socket")) return address;
  if (!searchParams.has("ssl-ca") && (await reachOf(hostname)) !== "public") return address;
  return withParameter(address, "ssl-mode=verify_identity");
}

function withParameter(address: string, parameter: string): string {
  const [, before = address, fragment = ""] = /^([^#]*)(#.*)$/s.exec(address) ?? [];
  return `${before}${before.includes("?") ? "&" : "?"}${parameter}${fragment}`;
}

function hostOf(address: string): string | undefined {
  try {
    return serverPlace(address).host;
  } catch {
    return undefined;
  }
}
