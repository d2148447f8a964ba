import { messageOf } from "../../../base/text/message-of.js";
import type { World } from "../../../base/world.js";
import type { Database } from "../../../store/database/database.js";
import { createOutgoing } from "../../../web/outgoing/outgoing.js";
import { PipelineError } from "../../changes/pipeline-error.js";
import { cancelJobs } from "../../flink/job/flink-job.js";
import { FlinkGateway } from "../../flink/job/gateway.js";
import { JobDriver } from "../../flink/job/job-driver.js";
import { jobText } from "../../flink/job/job-text.js";
import { topicPrefix } from "../../flink/split-pipeline.js";
import { kafkaAddress } from "../../sinks/kafka/kafka-secret.js";
import type { Kafka, KafkaAddress } from "../../sinks/kafka-client.js";
import { hasDatabaseJob, openDatabaseJob } from "../state/kept-jobs.js";
import type { FlinkPlace } from "./flink-place.js";

/** What jobs are reached and kept with. */
export interface LeftJobWorld extends Pick<FlinkPlace, "gateway"> {
  /** The server's. */
  readonly database: Database;
  readonly world: World;
}

/** What jobs and topics are reached with. */
export interface LeftTopicsWorld extends FlinkPlace, Pick<LeftJobWorld, "world"> {
  /** Prepares a client of the cluster of the topics. */
  openKafka(address: KafkaAddress): Promise<Kafka>;
}

/**
 * Pauses the job that a pipeline has left in Flink, for example after its server was killed.
 * @returns the outcome, for people; `undefined` if there is no job
 * @throws PipelineError if Flink cannot be asked; DatabaseError
 */
export async function pauseLeftJob(
  flow: string,
  { gateway, database, world }: LeftJobWorld,
): Promise<string | undefined> {
  if (!(await hasDatabaseJob(database, flow))) return undefined;
  const store = await openDatabaseJob(database, flow);
  const { kept } = store;
  if (!kept) return undefined;
  return reaching(gateway, world, async (asked) => {
    const end = await new JobDriver({ gateway: asked, store, clock: world, onState: () => undefined }).pause({
      ...kept,
      flow,
    });
    if (end.kind === "paused") return jobText(end);
    if (end.kind !== "halted") return undefined;
    if (end.mayRun) throw end.error;
    return end.error === undefined ? undefined : messageOf(end.error);
  });
}

/**
 * Cancels the jobs of a pipeline, and deletes its topics.
 * @throws PipelineError if Flink or Kafka cannot be asked
 */
export async function dropJob(
  flow: string,
  { gateway, kafka, openKafka, world }: LeftTopicsWorld,
): Promise<void> {
  await reaching(gateway, world, async (asked) => {
    const session = await asked.openSession(new AbortController().signal);
    try {
      await cancelJobs(session, flow);
    } finally {
      await session.close();
    }
  });
  const cluster = await openKafka(await kafkaAddress("of the topics", kafka));
  try {
    await cluster.deleteTopics(topicPrefix(flow));
  } catch (error) {
    throw new PipelineError(messageOf(error), true, { cause: error });
  } finally {
    await cluster.close();
  }
}

async function reaching<T>(
  gateway: string,
  world: World,
  work: (gateway: FlinkGateway) => Promise<T>,
): Promise<T> {
  const outgoing = createOutgoing({ allowsPrivate: true }, world);
  try {
    return await work(new FlinkGateway(gateway, { outgoing, clock: world }));
  } finally {
    outgoing.close();
  }
}
