/** From where a server can be reached. */
export interface Reach {
  /** Where it listens. */
  readonly host: string;
  /** What clients reach it by, when that is not where it listens. */
  readonly publicAddress?: string;
  /** Addresses and networks of proxies before it: what they say of who asks is believed. */
  readonly trustedProxies?: readonly string[];
}

/** Whether a server is for this machine alone. What a proxy brings to it comes from anywhere. */
export function isOfThisMachine({ host, publicAddress, trustedProxies = [] }: Reach): boolean {
  const reached = publicAddress === undefined ? [host] : [host, new URL(publicAddress).hostname];
  return trustedProxies.length === 0 && reached.every(isLoopback);
}

/**
 * Tells the names that clients ask a server by from all others: of one that listens for its own machine, the names of
 * the machine itself and the public one. Nothing when any name may lead to it: it listens for others, or a proxy that is
 * trusted stands before it and no public address is known.
 * @returns whether a host, without its port, is the server's
 */
export function ownHosts({
  host,
  publicAddress,
  trustedProxies = [],
}: Reach): ((name: string) => boolean) | undefined {
  if (!isLoopback(host) || (publicAddress === undefined && trustedProxies.length > 0)) return undefined;
  const known = publicAddress === undefined ? undefined : new URL(publicAddress).hostname.toLowerCase();
  return (name) => isLoopback(name) || name === known;
}

/**
 * Whether keys and passwords come to a server unencrypted over a network, as far as is known: others reach it over http.
 * A proxy that is trusted may have the certificate, and a public address says whether it does.
 */
export function isInTheClear({ host, publicAddress, trustedProxies = [] }: Reach): boolean {
  if (publicAddress === undefined) return trustedProxies.length === 0 && !isLoopback(host);
  const { protocol, hostname } = new URL(publicAddress);
  return protocol === "http:" && !isLoopback(hostname);
}

function isLoopback(host: string): boolean {
  return /^((.+\.)?localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/i.test(host);
}
