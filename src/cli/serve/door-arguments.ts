import { type DoorSettings, usualPorts } from "../../platform/doors/settings.js";
import { isOfThisMachine, type Reach } from "../../platform/reach.js";
import { numberOption } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** Arguments about the ports of a graph-node, which `serve` and `dev` share. */
export interface DoorArguments {
  readonly graphNodeDoors?: boolean | undefined;
  readonly graphNodeQueryPort?: number | undefined;
  readonly graphNodeAdminPort?: number | undefined;
  readonly graphNodeStatusPort?: number | undefined;
  readonly graphNodeIpfsPort?: number | undefined;
}

export const doorOptions = {
  "graph-node-doors": {
    type: "boolean",
    default: false,
    describe:
      "also listen on the ports of a graph-node and of its IPFS node, so that graph create, graph deploy and other tools made for them work with this server",
  },
  "graph-node-query-port": {
    ...numberOption,
    describe: `port of its queries; 0 picks a free one [default: ${usualPorts.queries}]`,
  },
  "graph-node-admin-port": {
    ...numberOption,
    describe: `port for graph deploy --node; 0 picks a free one [default: ${usualPorts.admin}]`,
  },
  "graph-node-status-port": {
    ...numberOption,
    describe: `port of its indexing status; may be that of --port [default: ${usualPorts.status}]`,
  },
  "graph-node-ipfs-port": {
    ...numberOption,
    describe: `port for graph deploy --ipfs; 0 picks a free one [default: ${usualPorts.ipfs}]`,
  },
} as const;

/** The start options of the doors. */
export type PlannedDoors = Pick<DoorSettings, "ports" | "access">;

/**
 * Plans the ports for graph-node's tools.
 * @param access who may use them, if given
 * @returns undefined when they are off
 * @throws UsageError for invalid ports, and for ports that two would share
 */
export function planDoors(
  args: DoorArguments,
  reach: Reach & { readonly port: number },
  access?: DoorSettings["access"],
): PlannedDoors | undefined {
  const given = {
    queries: args.graphNodeQueryPort,
    admin: args.graphNodeAdminPort,
    status: args.graphNodeStatusPort,
    ipfs: args.graphNodeIpfsPort,
  };
  if (!args.graphNodeDoors) {
    const isSet = Object.values(given).some((port) => port !== undefined) || access !== undefined;
    if (isSet) throw new UsageError("The options --graph-node-… require --graph-node-doors.");
    return undefined;
  }
  const ports = {
    queries: given.queries ?? usualPorts.queries,
    admin: given.admin ?? usualPorts.admin,
    status: given.status ?? usualPorts.status,
    ipfs: given.ipfs ?? usualPorts.ipfs,
  };
  for (const port of Object.values(ports)) {
    if (Number.isInteger(port) && port >= 0 && port <= 65_535) continue;
    throw new UsageError("The ports of --graph-node-… must be whole numbers from 0 to 65535.");
  }
  const { status, ...others } = ports;
  const taken = [...Object.values(others), status, ...(status === reach.port ? [] : [reach.port])];
  const fixed = taken.filter((port) => port !== 0);
  if (new Set(fixed).size < fixed.length) {
    throw new UsageError(
      "The ports of --graph-node-… must differ from each other and from --port. Only --graph-node-status-port may be that of --port.",
    );
  }
  const isOwn = isOfThisMachine(reach);
  if (access === "open" && !isOwn) {
    throw new UsageError(
      "--graph-node-access open requires a server that only this machine reaches. Otherwise anyone could deploy to it.",
    );
  }
  return { ports, access: access ?? (isOwn ? "open" : "key") };
}
