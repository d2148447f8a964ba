import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { answerCalls, type PortReply } from "../base/port-calls.js";
import { wait } from "../base/wait.js";
import type { World } from "../base/world.js";
import type { HostCalls, PipelineNews, PipelineOrderMessage, PipelineStart } from "./messages.js";
import type { PipelineEnd, PipelineHost, RunningPipeline } from "./pipeline-engine.js";

/** What a thread is started with. Its ports are handed over to it. */
export interface PipelineJob extends Omit<PipelineStart, "host"> {
  /** Answers what the pipeline asks of its project. */
  readonly answers: PipelineHost;
  /** Ports in the start data. */
  readonly ports: readonly MessagePort[];
  hear(news: Exclude<PipelineNews, { kind: "ended" }>): void;
}

/** Milliseconds that a thread has to stop on request, because a batch may be under way. */
const grace = 10_000;
/** Megabytes of the heap for young objects, besides that of the limits. */
const youngHeap = 16;

/** Starts a pipeline in a thread, whose memory is limited and whose failures are its own. */
export function startPipelineThread(
  { answers, ports, hear, ...start }: PipelineJob,
  world: Pick<World, "timeout">,
): RunningPipeline {
  const { heap } = start.limits;
  const host = new MessageChannel();
  serveHost(answers, host.port1);
  const data: PipelineStart = { ...start, host: host.port2 };
  const worker = new Worker(new URL("./pipeline-worker.js", import.meta.url), {
    workerData: data,
    transferList: [host.port2, ...ports],
    // Do not pass on the parent's flags, such as loaders or the inspector.
    execArgv: [],
    // What the pipeline asks for comes from its definition and its project, never from the server's environment.
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: heap, maxYoungGenerationSizeMb: youngHeap },
    name: start.flow,
  });
  const order = (message: PipelineOrderMessage): void => worker.postMessage(message);
  const over = new AbortController();
  let end: PipelineEnd | undefined;
  worker.on("message", (news: PipelineNews) => {
    if (news.kind !== "ended") return hear(news);
    end ??= news.end;
    void worker.terminate();
  });
  worker.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    end ??= failed(
      code === "ERR_WORKER_OUT_OF_MEMORY"
        ? `It used more than ${heap} MB of memory and was stopped. Give it a larger resource_size`
        : `Its thread failed: ${message}`,
    );
  });
  const ended = new Promise<PipelineEnd>((resolve) => {
    worker.once("exit", (code) => {
      over.abort();
      host.port1.close();
      resolve(end ?? failed(`Its thread exited with code ${code}`));
    });
  });
  return {
    ended,
    async stop() {
      order({ kind: "stop" });
      await wait(grace, world, over.signal);
      end ??= { kind: "stopped" };
      await worker.terminate();
      await ended;
    },
    tap: (nodes) => order({ kind: "tap", nodes }),
  };
}

function serveHost(host: PipelineHost, port: MessagePort): void {
  const post = (reply: PortReply<string>): void => port.postMessage(reply);
  const calls: HostCalls = {
    secret: (name) => host.secret(name),
    builds: (name) => host.builds(name),
    subgraphs: () => host.subgraphs(),
    shows: (deployment) => host.shows(deployment),
    isPaused: (deployment) => host.isPaused(deployment),
  };
  port.on(
    "message",
    answerCalls(calls, post, (error) => (error instanceof Error ? error.message : String(error))),
  );
}

function failed(why: string): PipelineEnd {
  return { kind: "failed", why };
}
