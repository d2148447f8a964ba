const form = /^(?:([\w.-]+)|\[([\da-f:.]+)\]):(\d{1,5})$/i;

/**
 * Where a broker listens, read here for all clients, since each reads odd texts in its own way.
 * @param broker `host:port`, or `[::1]:port`
 * @returns `undefined` for another text
 */
export function brokerPlace(broker: string): { readonly host: string; readonly port: number } | undefined {
  const [, name, address, digits] = form.exec(broker) ?? [];
  const host = name ?? address;
  const port = Number(digits);
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
}
