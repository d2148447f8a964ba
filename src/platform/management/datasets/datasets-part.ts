import type { DatasetSource } from "../../../hosting/datasets/dataset-source.js";
import { acceptEmptyJson } from "../../http/limits/json-bodies.js";
import type { Platform } from "../../platform.js";
import type { ServerPart } from "../../server-part.js";
import { type DatasetLimits, datasetRoutes } from "./dataset-routes.js";

/** Creates the source of the server's dataset files. */
export type CreateDatasetSource = (platform: Platform) => DatasetSource;

/**
 * The server part for files of datasets.
 * @param create its source is closed together with the server; without it, the server makes no files
 */
export function datasetsPart(create?: CreateDatasetSource, limits?: DatasetLimits): ServerPart {
  return (platform) => {
    const source = create?.(platform);
    return {
      routes: (app) => {
        acceptEmptyJson(app);
        datasetRoutes(app, platform, source, limits);
      },
      close: async () => source?.close(),
    };
  };
}
