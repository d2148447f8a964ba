import type { Meters } from "../../../src/base/meters.js";
import { createDatasetSource } from "../../../src/hosting/datasets/dataset-source.js";
import { openArchiveFiles } from "../../../src/machine/files/archive-files.js";
import type { DatasetLimits } from "../../../src/platform/management/datasets/dataset-routes.js";
import {
  type CreateDatasetSource,
  datasetsPart,
} from "../../../src/platform/management/datasets/datasets-part.js";
import type { Database } from "../../../src/store/database/database.js";
import { world } from "../database/databases.js";
import { partsBesideDatasets, startPlatform, type TestPlatform } from "./platform-server.js";

/** How a server of datasets is started. */
export interface DatasetServerOptions {
  /** Addresses of nodes by network. */
  readonly nodes: Readonly<Record<string, string>>;
  /** A folder. */
  readonly archive?: string;
  readonly limits?: DatasetLimits;
  readonly meters?: Meters;
}

/** Starts the management API, with files of datasets. */
export function startDatasetServer(
  database: Database,
  { nodes, archive, limits, meters }: DatasetServerOptions,
): Promise<TestPlatform> {
  const create: CreateDatasetSource = (platform) =>
    createDatasetSource({
      world,
      verify: "bloom",
      patience: 500,
      nodes: platform.nodes,
      ...(archive !== undefined && { archive: openArchiveFiles(archive) }),
    });
  return startPlatform(database, {
    nodes: new Map(Object.entries(nodes).map(([network, url]) => [network, [url]])),
    parts: [...partsBesideDatasets, datasetsPart(create, limits)],
    ...(meters && { meters }),
  });
}
