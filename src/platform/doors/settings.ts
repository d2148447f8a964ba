/** The ports of a graph-node and its IPFS node; 0 for any free one. */
export interface DoorPorts {
  readonly queries: number;
  readonly admin: number;
  readonly status: number;
  readonly ipfs: number;
}

/** The default ports of graph-node and of an IPFS node. */
export const usualPorts: DoorPorts = { queries: 8000, admin: 8020, status: 8030, ipfs: 5001 };

/** The options of `serve` that set the ports. */
export const portOptions: Readonly<Record<keyof DoorPorts, string>> = {
  queries: "--graph-node-query-port",
  admin: "--graph-node-admin-port",
  status: "--graph-node-status-port",
  ipfs: "--graph-node-ipfs-port",
};

/** How to serve tools that were written for graph-node. */
export interface DoorSettings {
  readonly ports: DoorPorts;
  /** Whether requests without a key act for the first project (`open`), or are refused (`key`). */
  readonly access: "open" | "key";
  /** Where the server itself listens. The doors listen on the same host. */
  readonly server: { readonly host: string; readonly port: number };
  /** Called once all of them listen. */
  readonly onListening?: (addresses: DoorAddresses) => void;
}

/** The addresses of the doors, without paths. */
export type DoorAddresses = Readonly<Record<keyof DoorPorts, string>>;
