import { doorsPart } from "../../../src/platform/doors/doors-part.js";
import type { DoorAddresses, DoorSettings } from "../../../src/platform/doors/settings.js";
import { createEndpointScope } from "../../../src/platform/endpoints/endpoints.js";
import { oneClient } from "../../../src/platform/endpoints/options.js";
import { subgraphReferences } from "../../../src/platform/subgraph-references.js";
import type { Database } from "../../../src/store/database/database.js";
import { collectBuild } from "../../../src/subgraph/collect-build.js";
import { linkBuild } from "../../../src/subgraph/deployment/link-build.js";
import { sampleFiles } from "../../support/server/management-sample.js";
import { managementParts, startPlatform, type TestPlatform } from "../../support/server/platform-server.js";

/** The management API with the ports of a graph-node, and an engine that indexes nothing. */
export interface DoorServer extends TestPlatform {
  readonly doors: DoorAddresses;
  /** Calls a method of the admin port; returns its result, or the message of its error. */
  call(method: string, params: object, key?: string): Promise<unknown>;
  /** Asks the IPFS port. */
  ipfs(path: string, options?: IpfsOptions): Promise<{ readonly status: number; readonly text: string }>;
  /** Uploads the files of a build as `graph deploy` does; returns the hash of its manifest. */
  upload(build: UploadedFiles, key?: string): Promise<string>;
  /** The answer to a query by a path such as `name/org/pools`. */
  query(path: string, key?: string): Promise<unknown>;
  /** The deployments that the status API lists. */
  statuses(key?: string): Promise<readonly string[]>;
}

export interface IpfsOptions {
  readonly method?: string;
  readonly key?: string | undefined;
  readonly files?: readonly (readonly [name: string, bytes: Uint8Array])[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** A manifest and the files that it links to, by hash. */
export interface UploadedFiles {
  readonly hash: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** A build that differs from others by its start block. */
export function uploadedFiles(startBlock = 100, network = "mainnet"): UploadedFiles {
  const files = new Map(Object.entries(sampleFiles({ startBlock, network })));
  const linked = linkBuild(collectBuild({ manifest: "subgraph.yaml", files }));
  return {
    hash: linked.deploymentId,
    files: new Map([
      ...linked.files.map(({ cid, bytes }) => [cid, bytes] as const),
      [linked.deploymentId, linked.manifest],
    ]),
  };
}

/** @param port that of the server and of the status API; each has a free one by default */
export async function startDoorServer(
  database: Database,
  access: DoorSettings["access"] = "open",
  port = 0,
): Promise<DoorServer> {
  let doors: DoorAddresses = { queries: "", admin: "", status: "", ipfs: "" };
  const server = await startPlatform(database, {
    port,
    parts: [
      ...managementParts,
      (platform) =>
        doorsPart(
          platform,
          {
            ports: { queries: 0, admin: 0, status: port, ipfs: 0 },
            access,
            server: { host: "127.0.0.1", port },
            onListening: (addresses) => {
              doors = addresses;
            },
          },
          { endpoints: createEndpointScope(platform, oneClient), references: subgraphReferences },
        ),
    ],
  });
  const bearer = (key: string | undefined): Record<string, string> =>
    key === undefined ? {} : { authorization: `Bearer ${key}` };
  const ipfs: DoorServer["ipfs"] = async (path, { method = "POST", key, files, headers } = {}) => {
    const form = new FormData();
    for (const [name, bytes] of files ?? []) form.append("file", new Blob([Buffer.from(bytes)]), name);
    const answer = await fetch(`${doors.ipfs}${path}`, {
      method,
      headers: { ...bearer(key), ...headers },
      ...(files && { body: form }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const graphql = async (address: string, query: string, key?: string): Promise<unknown> => {
    const answer = await fetch(address, {
      method: "POST",
      headers: { ...bearer(key), "content-type": "application/json" },
      body: JSON.stringify({ query }),
    });
    return answer.json();
  };
  return {
    ...server,
    doors,
    ipfs,
    async call(method, params, key) {
      const answer = await fetch(doors.admin, {
        method: "POST",
        headers: bearer(key),
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      const { result, error } = (await answer.json()) as { result: unknown; error?: { message: string } };
      return error ? error.message : result;
    },
    async upload({ hash, files }, key) {
      for (const [cid, bytes] of files) {
        const added = await ipfs("/api/v0/add", { key, files: [["file", bytes]] });
        if (JSON.parse(added.text).Hash !== cid) throw new Error(added.text);
        const pinned = await ipfs(`/api/v0/pin/add?arg=${cid}`, { key });
        if (pinned.status !== 200) throw new Error(pinned.text);
      }
      return hash;
    },
    query: (path, key) => graphql(`${doors.queries}/subgraphs/${path}`, "{ pools { id } }", key),
    async statuses(key) {
      const answer = await graphql(`${doors.status}/graphql`, "{ indexingStatuses { subgraph } }", key);
      const { data } = answer as { data: { indexingStatuses: { subgraph: string }[] } };
      return data.indexingStatuses.map(({ subgraph }) => subgraph);
    },
  };
}
