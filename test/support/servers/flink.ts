import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts, type JavaProcess, lackOfJava, startJava } from "./java-server.js";

/** A Flink cluster of its own for a test: a job manager, a task manager, and a gateway for SQL. */
export interface FlinkServer {
  /** The address of the gateway. */
  readonly gateway: string;
  /** Ends the task manager at once, with the tasks that it runs. */
  killTaskManager(): Promise<void>;
  /** Starts another task manager. */
  startTaskManager(): Promise<void>;
  /** Ends the job manager at once, and starts another one, which knows none of its jobs. */
  replaceJobManager(): Promise<void>;
  /** The states of all jobs, by their id. */
  jobs(): Promise<ReadonlyMap<string, string>>;
  cancel(job: string): Promise<void>;
  /** Makes a checkpoint of a job. @returns whether the job has completed one by now */
  checkpoint(job: string): Promise<boolean>;
  stop(): Promise<void>;
}

/** Why tests with Flink are skipped; `undefined` when it can be started. */
export const flinkMissing: string | undefined = lackOfJava("flink");

const gatewayClass = "org.apache.flink.table.gateway.SqlGateway";
const jobManagerClass = "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint";
const taskManagerClass = "org.apache.flink.runtime.taskexecutor.TaskManagerRunner";

/** What Flink reaches into, which Java has closed. */
const opened = ["lang", "net", "nio", "text", "time", "util", "util.concurrent", "util.concurrent.atomic"]
  .map((name) => `java.base/java.${name}`)
  .concat("java.base/sun.nio.ch")
  .map((name) => `--add-opens=${name}=ALL-UNNAMED`);

/** Starts a cluster whose checkpoints and savepoints are deleted when it ends. It ends with this process at the latest. */
export async function startFlink(): Promise<FlinkServer> {
  const folder = mkdtempSync(join(tmpdir(), "graphloom-flink-"));
  const [rpcPort = 0, restPort = 0, gatewayPort = 0] = await freePorts(3);
  const conf = join(folder, "conf");
  mkdirSync(conf);
  writeFileSync(join(conf, "config.yaml"), settingsOf(folder, { rpcPort, restPort, gatewayPort }));
  const start = (
    main: string,
    args: readonly string[],
    ready: RegExp,
    memory: string,
  ): Promise<JavaProcess> =>
    startJava("flink", main, args, ready, {
      options: [`-Xmx${memory}`, ...opened],
      env: { FLINK_CONF_DIR: conf },
    });
  const rest = `http://127.0.0.1:${restPort}`;
  const startTaskManager = (): Promise<JavaProcess> =>
    start(taskManagerClass, ["-c", conf], /Successful registration at resource manager/, "384m");
  const startJobManager = (): Promise<JavaProcess> =>
    start(jobManagerClass, ["-c", conf], /Rest endpoint listening at/, "256m");
  const [firstManager, firstWorker, gateway] = await Promise.all([
    startJobManager(),
    startTaskManager(),
    start(gatewayClass, [], /Rest endpoint listening at/, "384m"),
  ]);
  let jobManager = firstManager;
  let taskManager = firstWorker;
  return {
    gateway: `http://127.0.0.1:${gatewayPort}`,
    killTaskManager: () => taskManager.kill(),
    startTaskManager: async () => {
      taskManager = await startTaskManager();
    },
    replaceJobManager: async () => {
      await jobManager.kill();
      jobManager = await startJobManager();
    },
    jobs: async () => {
      const { jobs } = (await (await fetch(`${rest}/jobs/overview`)).json()) as {
        readonly jobs: readonly { readonly jid: string; readonly state: string }[];
      };
      return new Map(jobs.map(({ jid, state }) => [jid, state]));
    },
    cancel: async (job) => {
      await fetch(`${rest}/jobs/${job}?mode=cancel`, { method: "PATCH" });
    },
    checkpoint: async (job) => {
      await fetch(`${rest}/jobs/${job}/checkpoints`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ checkpointType: "FULL" }),
      });
      const answer = await fetch(`${rest}/jobs/${job}/checkpoints`);
      const { counts } = (await answer.json()) as { readonly counts?: { readonly completed: number } };
      return (counts?.completed ?? 0) > 0;
    },
    stop: async () => {
      await Promise.all([gateway.kill(), taskManager.kill(), jobManager.kill()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Small parts, and failures that are noticed soon. */
function settingsOf(
  folder: string,
  ports: { readonly rpcPort: number; readonly restPort: number; readonly gatewayPort: number },
): string {
  return `
jobmanager.rpc.address: 127.0.0.1
jobmanager.rpc.port: ${ports.rpcPort}
jobmanager.bind-host: 127.0.0.1
rest.address: 127.0.0.1
rest.bind-address: 127.0.0.1
rest.port: ${ports.restPort}
rest.bind-port: "${ports.restPort}"
sql-gateway.endpoint.rest.address: 127.0.0.1
sql-gateway.endpoint.rest.bind-address: 127.0.0.1
sql-gateway.endpoint.rest.port: "${ports.gatewayPort}"
sql-gateway.endpoint.rest.bind-port: "${ports.gatewayPort}"
taskmanager.host: 127.0.0.1
taskmanager.bind-host: 127.0.0.1
taskmanager.cpu.cores: 1.0
taskmanager.memory.framework.heap.size: 64m
taskmanager.memory.framework.off-heap.size: 64m
taskmanager.memory.task.heap.size: 128m
taskmanager.memory.task.off-heap.size: 0m
taskmanager.memory.network.min: 32m
taskmanager.memory.network.max: 32m
taskmanager.memory.managed.size: 32m
taskmanager.memory.jvm-metaspace.size: 128m
taskmanager.memory.jvm-overhead.min: 64m
taskmanager.memory.jvm-overhead.max: 64m
taskmanager.numberOfTaskSlots: 8
io.tmp.dirs: ${folder}
execution.target: remote
execution.checkpointing.interval: 1s
execution.checkpointing.dir: file://${folder}/checkpoints
execution.checkpointing.savepoint-dir: file://${folder}/savepoints
restart-strategy.type: fixed-delay
restart-strategy.fixed-delay.attempts: 1000
restart-strategy.fixed-delay.delay: 200ms
metrics.fetcher.update-interval: 1000
heartbeat.interval: 500
heartbeat.timeout: 15000
`;
}
