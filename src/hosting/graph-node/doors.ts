import { messageOf } from "../../base/text/message-of.js";
import type { World } from "../../base/world.js";
import { createGraphNodeAdmin, type GraphNodeAdmin } from "../../deploy/graph-node/admin.js";
import { createGraphNodeProofs, type GraphNodeProofs } from "../../deploy/graph-node/proofs.js";
import { createGraphNodeStatus, type GraphNodeStatus } from "../../deploy/graph-node/status.js";
import { createIpfsClient, type IpfsClient } from "../../deploy/ipfs/ipfs-client.js";
import type { SendOptions } from "../../web/http/send.js";
import { serviceAddress } from "../../web/http/service-address.js";
import { createQueryNodes, type QueryNodes } from "./query-nodes.js";

export interface GraphNodeEngineAddresses {
  /** `http://localhost:8020` */
  readonly admin: string;
  /** `http://localhost:8030/graphql` */
  readonly status: string;
  /** `http://localhost:8000` */
  readonly query: string;
  /** `http://localhost:5001`, with or without `/api/v0`. */
  readonly ipfs: string;
}

/** The interfaces of a graph-node, each with its timeout. */
export interface Doors {
  /** For changes of names and pauses, which are quick. */
  readonly admin: GraphNodeAdmin;
  /** For deployments, for which graph-node first fetches the files. */
  readonly deploying: GraphNodeAdmin;
  /** For requests that pages and lists wait for. */
  readonly status: GraphNodeStatus;
  /** For other requests of monitors. */
  readonly proofs: GraphNodeProofs;
  readonly query: QueryNodes;
  readonly ipfs: IpfsClient;
  /**
   * Check each address with a request that only the right interface answers. They throw if the answer differs or is
   * missing.
   */
  readonly verify: Readonly<Record<"admin" | "status" | "query" | "ipfs", () => Promise<void>>>;
  /** Describes a failure for people who must not see the addresses. */
  whyOf(error: unknown): string;
}

/** Milliseconds that a query may take. The next poll repeats a late one. */
const questionTime = 4_000;
/** Milliseconds that a change may take. */
const changeTime = 10_000;
/** The options of a query. */
export const question = { timeout: questionTime, answerTime: questionTime, attempts: 1 } as const;

/** @throws GraphNodeError or IpfsError if an address is not a web URL */
export function openDoors(addresses: GraphNodeEngineAddresses, world: World, options: SendOptions): Doors {
  const once = { ...options, attempts: 1 };
  const { admin, status, query, ipfs } = addresses;
  const names: readonly (readonly [string, string])[] = [
    [admin, "the admin address"],
    [status, "the status address"],
    [query, "the query address"],
    [ipfs, "the IPFS address"],
  ];
  const hidden = names.flatMap(([url, name]): (readonly [string, string])[] => {
    const origin = serviceAddress(url)?.origin;
    return origin === undefined ? [] : [[origin, name]];
  });
  const asked = { ...options, ...question };
  const statusDoor = createGraphNodeStatus(status, world, asked);
  const queryDoor = createQueryNodes(query, world, options);
  const [adminAsked, ipfsAsked] = [
    createGraphNodeAdmin(admin, world, asked),
    createIpfsClient(ipfs, world, asked),
  ];
  return {
    admin: createGraphNodeAdmin(admin, world, { ...once, timeout: changeTime, answerTime: changeTime }),
    deploying: createGraphNodeAdmin(admin, world, once),
    status: statusDoor,
    proofs: createGraphNodeProofs(status, world, asked),
    query: queryDoor,
    ipfs: createIpfsClient(ipfs, world, options),
    verify: {
      admin: () => adminAsked.verify(),
      status: async () => void (await statusDoor.tell([])),
      query: () => queryDoor.verify(question),
      ipfs: () => ipfsAsked.verify(),
    },
    whyOf(error) {
      const message = messageOf(error);
      return hidden.reduce(
        (text, [origin, name]) => text.replaceAll(` at ${origin}`, "").replaceAll(origin, name),
        message,
      );
    },
  };
}
