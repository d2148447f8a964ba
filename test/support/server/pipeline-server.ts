import type { World } from "../../../src/base/world.js";
import { pipelinesOn } from "../../../src/pipelines/host/create-pipeline-engine.js";
import type { PipelineEngine } from "../../../src/pipelines/host/pipeline-engine.js";
import { pipelinesPart } from "../../../src/platform/management/pipelines/pipelines-part.js";
import type { KeeperTimes } from "../../../src/platform/pipelines/pipeline-keeper.js";
import type { Database } from "../../../src/store/database/database.js";
import { pipelineEngineDouble } from "./pipeline-engine-double.js";
import { partsBesidePipelines, startPlatform, type TestPlatform } from "./platform-server.js";

/** How a server of pipelines is started. */
export interface PipelineServerOptions {
  /** Addresses of nodes by network. */
  readonly nodes?: Readonly<Record<string, string>>;
  /** The address of the database, if it is on a server. */
  readonly address?: string;
  /** Times of the keeper that differ from the usual ones of tests. */
  readonly times?: Partial<KeeperTimes>;
  /** The folder of `file` sinks. */
  readonly files?: string;
  /** The real one by default. */
  readonly world?: World;
  /** Whether pipelines only seem to run, and move no rows. Definitions are checked all the same. */
  readonly areIdle?: boolean;
}

/** Tests need not wait as long for what a server notices by looking. */
const quick = { pollInterval: 100, note: 100 };

/** Starts the management API, with pipelines that run. */
export function startPipelineServer(
  database: Database,
  { nodes = {}, address, files, times, world, areIdle = false }: PipelineServerOptions = {},
): Promise<TestPlatform> {
  const { pollInterval, note } = quick;
  const real = pipelinesOn({ address, verify: "bloom", files });
  const create: typeof real = (...given) => (areIdle ? idle(real(...given)) : real(...given));
  return startPlatform(database, {
    nodes: new Map(Object.entries(nodes).map(([network, url]) => [network, [url]])),
    pollInterval,
    ...(world && { world }),
    parts: [...partsBesidePipelines, pipelinesPart(create, undefined, { note, ...times })],
  });
}

/** The double, which checks definitions as the real engine does, in a process of its own. */
function idle({ check, close }: PipelineEngine): PipelineEngine {
  return {
    ...pipelineEngineDouble(),
    check: (definition, host, signal) => check(definition, host, signal),
    close,
  };
}
