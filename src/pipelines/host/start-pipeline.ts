import { relayFailure } from "../../base/failures.js";
import { messageOf } from "../../base/text/message-of.js";
import { guarded } from "../../base/turns/guarded.js";
import type { Port } from "../../base/turns/port.js";
import { answerCalls, type PortReply } from "../../base/turns/port-calls.js";
import { wait } from "../../base/turns/wait.js";
import type { World } from "../../base/world.js";
import { type ChildEnd, startChild } from "../../machine/processes/start-child.js";
import { DatabaseError } from "../../store/database/database.js";
import { isDatabaseTrouble } from "../../store/database/database-trouble.js";
import {
  type HostCalls,
  type HostFailure,
  orderChannel,
  type PipelineNews,
  type PipelineOrderMessage,
  type PipelineStart,
} from "./messages.js";
import type { PipelineEnd, PipelineHost, PipelineOrder, RunningPipeline } from "./pipeline-engine.js";

/** Serves something over a channel. */
export type Serve = (port: Port) => void;

/** What a process is started with. */
export interface PipelineJob {
  /** @param give gives the process something that is served, and returns the number of its channel */
  start(give: (serve: Serve) => number): Omit<PipelineStart, "host">;
  /** Answers what the pipeline asks of its project. */
  readonly answers: PipelineHost;
  hear(news: Exclude<PipelineNews, { kind: "ended" | "failure" }>): void;
}

export interface PipelineProcess extends RunningPipeline {
  /** Lets it run if it waits. */
  go(from: Pick<PipelineOrder, "begins" | "snapshot">): void;
  /** Lets other work of the machine go first. @param nice 0 as the server, up to 19 */
  standBack(nice: number): void;
  /** Ends it at once, whatever it does. */
  kill(): void;
}

/** Milliseconds that a process has to stop on request, because a batch may be under way. */
const grace = 10_000;
/** The same for one that has Flink write a savepoint. */
const savepointGrace = 120_000;

/**
 * Starts a pipeline in a process of its own. DuckDB counts not all memory that it uses, and a failure of native code would
 * end the server, so a thread would not be enough.
 */
export function startPipelineProcess(
  { start, answers, hear }: PipelineJob,
  world: Pick<World, "timeout">,
): PipelineProcess {
  const served: Serve[] = [];
  const give = (serve: Serve): number => orderChannel + served.push(serve);
  const data: PipelineStart = { ...start(give), host: give((port) => serveHost(answers, port)) };
  const {
    channels,
    ended: gone,
    memory,
    lastWords,
    standBack,
    kill,
  } = startChild({
    script: new URL("./pipeline-worker.js", import.meta.url),
    title: data.flow,
    heap: data.limits.heap,
    memory: data.limits.memory,
  });
  for (const [index, serve] of served.entries()) serve(channels.open(orderChannel + index + 1));
  const port = channels.open(orderChannel);
  const order = (message: PipelineOrderMessage): void => port.postMessage(message);
  const over = new AbortController();
  let end: PipelineEnd | undefined;
  let isChecking = data.mode === "check" || data.waits;
  const take = (news: PipelineNews): void => {
    if (news.kind === "failure") relayFailure(`Pipeline ${data.flow}: ${news.stack}`);
    else if (news.kind !== "ended") hear(news);
    else {
      end ??= news.end;
      kill();
    }
  };
  port.on(
    "message",
    guarded(take, (error) => {
      end ??= died(messageOf(error));
      kill();
    }),
  );
  order({ kind: "start", start: data });
  const ended = gone.then((how) => {
    over.abort();
    if (end) return end;
    const words = lastWords();
    if (how.kind === "exited" && words !== "")
      relayFailure(`The process of pipeline ${data.flow} has ended. It said last: ${words}`);
    return endOf(how, isChecking);
  });
  return {
    ended,
    memory,
    standBack,
    async stop(job = "pause") {
      order({ kind: "stop", job });
      const writesSavepoint = data.definition.engine !== undefined && job === "pause";
      await wait(writesSavepoint ? savepointGrace : grace, world, over.signal);
      end ??= { kind: "stopped" };
      kill();
      await ended;
    },
    kill() {
      end ??= { kind: "stopped" };
      kill();
    },
    tap: (nodes) => order({ kind: "tap", nodes }),
    go({ begins, snapshot }) {
      isChecking = false;
      order({ kind: "go", begins, snapshot });
    },
  };
}

/** How a pipeline has ended whose process did not say so itself. */
function endOf(how: ChildEnd, isChecking: boolean): PipelineEnd {
  const advice = isChecking ? "Make its queries need less" : "Give it a larger resource_size";
  if (how.kind === "out-of-memory")
    return failed(`It used more than ${how.megabytes} MB of memory and was stopped. ${advice}`);
  if (how.kind === "not-started") return died(`Its process could not be started: ${how.why}`);
  if (how.kind === "misheard") return died(messageOf(how.error));
  if (how.signal === "SIGKILL")
    return died(
      "Its process was killed, as Linux does when the machine has no memory left. Give the machine more, or run fewer pipelines on it",
    );
  const why =
    how.signal === null ? `Its process exited with code ${how.code}` : `Its process crashed: ${how.signal}`;
  if (!isChecking) return died(why);
  return failed(`${why}. A query or a script is probably nested too deeply or too large. Make it smaller`);
}

function serveHost(host: PipelineHost, port: Port): void {
  const post = (reply: PortReply<HostFailure>): void => port.postMessage(reply);
  const calls: HostCalls = {
    secret: (name) => host.secret(name),
    builds: (name) => host.builds(name),
    subgraphs: () => host.subgraphs(),
    shows: (deployment) => host.shows(deployment),
    isPaused: (deployment) => host.isPaused(deployment),
  };
  const failureOf = (error: unknown): HostFailure => ({
    message: messageOf(error),
    ofDatabase: isDatabaseTrouble(error),
  });
  port.on("message", answerCalls(calls, post, failureOf));
}

/**
 * The error for callers that wait for an answer from a process that ended without one. @param otherwise what
 * it says if the process was stopped
 */
export function endError(end: PipelineEnd, otherwise: string): Error {
  if (end.kind !== "failed") return new Error(otherwise);
  return end.ofDatabase ? new DatabaseError(end.why) : new Error(end.why);
}

function failed(why: string): PipelineEnd {
  return { kind: "failed", why };
}

function died(why: string): PipelineEnd {
  return { kind: "failed", why, mayPass: true };
}
