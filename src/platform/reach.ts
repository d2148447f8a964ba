/** How a server can be reached. */
export interface Reach {
  /** The host that it listens on. */
  readonly host: string;
  /** The address that clients use, if it differs from the host that the server listens on. */
  readonly publicAddress?: string;
  /** Addresses and networks of proxies in front of the server, whose forwarding headers it trusts. */
  readonly trustedProxies?: readonly string[];
}

/** Whether only this machine can reach the server. A proxy can forward requests from anywhere. */
export function isOfThisMachine({ host, publicAddress, trustedProxies = [] }: Reach): boolean {
  const reached = publicAddress === undefined ? [host] : [host, new URL(publicAddress).hostname];
  return trustedProxies.length === 0 && reached.every(isLoopback);
}

/**
 * Recognizes the host names of a server that listens only on its own machine: the machine's local names and
 * the public name. Returns `undefined` if any name may lead to the server: it listens for other machines, or
 * it is behind a trusted proxy without a known public address.
 * @returns a function that says whether a host, without its port, is the server's
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
 * Whether keys and passwords are known to reach the server unencrypted over a network, because other machines use http.
 * A trusted proxy may have the certificate, and the public address says whether it does.
 */
export function isInTheClear({ host, publicAddress, trustedProxies = [] }: Reach): boolean {
  if (publicAddress === undefined) return trustedProxies.length === 0 && !isLoopback(host);
  const { protocol, hostname } = new URL(publicAddress);
  return protocol === "http:" && !isLoopback(hostname);
}

function isLoopback(host: string): boolean {
  return /^((.+\.)?localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/i.test(host);
}
