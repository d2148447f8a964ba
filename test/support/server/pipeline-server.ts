import type { World } from "../../../src/base/world.js";
import { pipelinesOn } from "../../../src/pipelines/host/create-pipeline-engine.js";
import { pipelinesPart } from "../../../src/platform/management/pipelines/pipelines-part.js";
import type { KeeperTimes } from "../../../src/platform/pipelines/pipeline-keeper.js";
import type { Database } from "../../../src/store/database/database.js";
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
}

/** Tests need not wait as long for what a server notices by looking. */
const quick = { pollInterval: 100, note: 100 };

/** Starts the management API, with pipelines that run. */
export function startPipelineServer(
  database: Database,
  { nodes = {}, address, files, times, world }: PipelineServerOptions = {},
): Promise<TestPlatform> {
  const { pollInterval, note } = quick;
  const create = pipelinesOn({ address, verify: "bloom", files });
  return startPlatform(database, {
    nodes: new Map(Object.entries(nodes).map(([network, url]) => [network, [url]])),
    pollInterval,
    ...(world && { world }),
    parts: [...partsBesidePipelines, pipelinesPart(create, undefined, { note, ...times })],
  });
}
