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

function isLoopback(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/i.test(host);
}
