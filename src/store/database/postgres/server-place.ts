import pg from "pg";
import { withoutTls } from "./postgres-tls.js";

/**
 * Where the client connects to for an address: parameters of an address take the place of its host and port.
 * @throws Error for an address that the client cannot read
 */
export function serverPlace(address: string): { readonly host: string; readonly port: number } {
  const { host, port } = new pg.Client({ connectionString: withoutTls(address) });
  return { host, port };
}
