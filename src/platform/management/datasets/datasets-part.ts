import type { DatasetSource } from "../../../hosting/datasets/dataset-source.js";
import { acceptEmptyJson } from "../../http/json-bodies.js";
import type { ServerPart } from "../../server-part.js";
import { type DatasetLimits, datasetRoutes } from "./dataset-routes.js";

/**
 * The server part for files of datasets.
 * @param source closed together with the server; without one, the server makes no files
 */
export function datasetsPart(source?: DatasetSource, limits?: DatasetLimits): ServerPart {
  return (platform) => ({
    routes: (app) => {
      acceptEmptyJson(app);
      datasetRoutes(app, platform, source, limits);
    },
    close: async () => source?.close(),
  });
}
