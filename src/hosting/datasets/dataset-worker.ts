/**
 * The worker thread that makes one file of a dataset. It needs a thread, because compressing blocks everything else, and
 * because its memory is limited and its work ends with it.
 */

import { setMaxListeners } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { present } from "../../base/invariant.js";
import { messageOf } from "../../base/text/message-of.js";
import { longestTurn, NodesOverPort } from "../../rpc/nodes-over-port.js";
import { createRpcClient } from "../../runtime/chain/rpc/rpc-client.js";
import { archiveOverPort } from "../embedded/archive-port.js";
import { standBehindRequests } from "../embedded/stand-behind.js";
import { createThreadWorld } from "../embedded/thread-world.js";
import { makeFile } from "./make-file.js";
import type { FileEnd, FileStart } from "./messages.js";

/** Concurrent requests to the nodes. Few, so that an ended thread leaves few behind. */
const concurrency = 2;

standBehindRequests();
const port = present(parentPort, "dataset-worker runs as a worker thread only");
const { wanted, verify, mostBytes, patience, nodeName, nodes, archive }: FileStart = workerData;
const { signal } = new AbortController();
// Every request and wait adds a listener.
setMaxListeners(0, signal);
const world = createThreadWorld(new NodesOverPort(nodes, signal).fetch, signal);
const end = await makeFile(wanted, {
  client: createRpcClient(nodeName, world, { timeout: longestTurn, patience, concurrency }),
  archive: archive && archiveOverPort(archive),
  verify,
  mostBytes,
  patience,
  sleep: (milliseconds) => world.sleep(milliseconds),
  random: () => world.random(),
}).catch((error): FileEnd => ({ kind: "failed", why: messageOf(error) }));
port.postMessage(end);
