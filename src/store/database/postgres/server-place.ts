import pg from "pg";
import { withoutTls } from "./postgres-tls.js";

/**
 * The host and port that the client connects to: parameters of an address override its host and port.
 * @throws Error for an address that the client cannot read
 */
export function serverPlace(address: string): { readonly host: string; readonly port: number } {
  const { host, port } = new pg.Client({ connectionString: withoutTls(address) });
  return { host, port };
}
