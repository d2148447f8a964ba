/**
 * What the worker thread of one deployment runs. Indexing needs a thread, because handlers block everything else, and a
 * handler that never returns or takes all memory can only be stopped with its thread.
 */

import { setMaxListeners } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { present } from "../../base/invariant.js";
import { messageOf } from "../../base/text/message-of.js";
import { NodesOverPort } from "../../rpc/nodes-over-port.js";
import { joinFiles } from "../../runtime/files/files.js";
import type { HistorySource } from "../../runtime/indexer/history/history-source.js";
import { createSource } from "../../runtime/sources/create-source.js";
import { takingTurns } from "../../runtime/sources/taking-turns.js";
import { type Database, DatabaseError } from "../../store/database/database.js";
import { openOverPort } from "../../store/database/port/open-over-port.js";
import { archiveOverPort } from "./archive-port.js";
import { indexDeployment } from "./index-deployment.js";
import type { ReadAnswer, ThreadEnd, ThreadNews, ThreadOrder, ThreadStart } from "./messages.js";
import { Pulse } from "./pulse.js";
import { ThreadLog } from "./thread-log.js";
import { createThreadWorld } from "./thread-world.js";
import { HandlerTurn } from "./turns/handler-turn.js";
import { turnsOverPort } from "./turns/shared-source.js";

/** The maximum number of concurrent statements of a thread. */
const connections = 2;
/** Milliseconds. */
const beat = 250;
/** If no new head is reported, the thread checks for one after this many milliseconds. */
const longestWait = 15_000;

const port = present(parentPort, "run-deployment runs in a worker thread only");
const start: ThreadStart = workerData;
const stop = new AbortController();
// Every request and wait adds a listener.
setMaxListeners(0, stop.signal);
const nodes = new NodesOverPort(start.nodes, stop.signal);
const sourceTurns = start.history && turnsOverPort(start.history.turns, stop.signal);
const world = createThreadWorld(nodes.fetch, stop.signal);
const log = new ThreadLog(() => world.now());
const pulse = new Pulse(start.pulse);
const tell = (news: ThreadNews): void => port.postMessage(news);
const tellLines = (): void => {
  const lines = log.take();
  if (lines.length > 0) tell({ kind: "lines", lines });
};
const turn = new HandlerTurn(start.turn, (isOver) => tell({ kind: "turn", isOver }));
world.every(beat, () => {
  pulse.beat();
  tellLines();
});
/** The call that waits for permission to read a deployment. There is only one at a time. */
let onReadAnswer: ((answer: ReadAnswer) => void) | undefined;
port.on("message", (order: ThreadOrder) => {
  if (order === "stop") stop.abort();
  if (order === "stop" || order === "turn") turn.given();
  if (order === "turn") return;
  onReadAnswer?.(order === "stop" ? { problem: "The thread was stopped" } : order);
  onReadAnswer = undefined;
});

async function mayRead(other: string): Promise<boolean> {
  const answer = await new Promise<ReadAnswer>((resolve) => {
    onReadAnswer = resolve;
    tell({ kind: "may-read", other });
  });
  if ("problem" in answer) throw new DatabaseError(answer.problem);
  return answer.mayRead;
}

async function openDatabase(): Promise<Database> {
  const { database } = start;
  if (database.kind === "port") return openOverPort(database.port, "pglite");
  const { openPostgres } = await import("../../store/database/postgres/postgres-database.js");
  for (;;) {
    try {
      return await openPostgres(database.address, world, { connections });
    } catch (error) {
      tell({ kind: "waiting", why: messageOf(error) });
      await world.sleep(1_000);
    }
  }
}

async function work(): Promise<ThreadEnd> {
  const database = await openDatabase();
  try {
    return await indexDeployment({
      deployment: start.deployment,
      build: start.build,
      database,
      nodeName: start.nodeName,
      openHistory,
      verify: start.verify,
      proofs: start.proofs,
      files: joinFiles({ arweave: nodes.files, ...(start.hasIpfs && { ipfs: nodes.files }) }),
      archive: start.archive && archiveOverPort(start.archive),
      log,
      world,
      signal: stop.signal,
      pulse,
      turn,
      tell,
      mayRead,
      waitForBlocks: (most = longestWait) => nodes.newHead((milliseconds) => world.sleep(milliseconds), most),
    });
  } finally {
    await database.close();
  }
}

function openHistory(onNote: (why: string) => void): HistorySource | undefined {
  if (!start.history || !sourceTurns) return undefined;
  // The nodes' port has no way to a service with history.
  const source = createSource(start.history.place, createThreadWorld(fetch, stop.signal), { onNote });
  return takingTurns(source, sourceTurns, onNote);
}

function endOf(error: unknown): ThreadEnd {
  if (stop.signal.aborted) return { kind: "stopped" };
  const message = messageOf(error);
  return { kind: "failed", error: { message, deterministic: true }, isRecorded: false };
}

const end = await work().catch(endOf);
tellLines();
tell({ kind: "ended", end });
