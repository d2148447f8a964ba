import { tlsFields } from "../../store/database/postgres/postgres-tls.js";

/** Where clients find the databases of a server. */
export interface SinkServer {
  /** A name or an address. */
  readonly host: string;
  readonly port: number;
  /** The encryption of connections that the operator requires, as fields of a secret. */
  readonly tls?: ReturnType<typeof tlsFields>;
}

/**
 * Where clients find the databases of the PostgreSQL server with an address.
 * @returns `undefined` unless the address has a single host that remote clients can use
 */
export function sinkServerOf(address: string): SinkServer | undefined {
  if (!URL.canParse(address)) return undefined;
  const { hostname, port, searchParams } = new URL(address);
  const host = searchParams.get("host") ?? decodeURIComponent(hostname);
  if (host === "" || host.includes("/") || host.includes(",")) return undefined;
  return { host, port: Number(searchParams.get("port") ?? (port || "5432")), tls: tlsFields(address) };
}
