import type { ServerPart } from "../server-part.js";
import type { FigureRecorder } from "./recorder.js";

/** Measures the deployments of a server for as long as it runs. */
export function figuresPart(recorder: FigureRecorder): ServerPart {
  return (platform) => {
    recorder.start(platform);
    return { close: () => recorder.stop(platform) };
  };
}
