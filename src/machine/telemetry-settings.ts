import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isRecord, parseJson } from "../base/text/json-value.js";
import { configFolder, type Environment, writeConfigFile } from "./files/config-folder.js";

/** The user's telemetry settings. */
export interface TelemetrySettings {
  readonly isEnabled: boolean;
  /** The address that receives events. */
  readonly url?: string | undefined;
}

export interface TelemetryStore {
  /** Path of the file, for messages. */
  readonly path: string;
  /** Reads the settings; telemetry is disabled if the file is missing or invalid. */
  read(): Promise<TelemetrySettings>;
  /** @throws the file system's error */
  write(settings: TelemetrySettings): Promise<void>;
}

/** The store of the telemetry settings: `telemetry.json` beside the credentials. */
export function createTelemetryStore(environment: Environment): TelemetryStore {
  const path = join(configFolder(environment), "telemetry.json");
  return {
    path,
    async read() {
      const value = parseJson(await readFile(path, "utf8").catch(() => ""));
      if (!isRecord(value)) return { isEnabled: false };
      return {
        isEnabled: value.enabled === true,
        ...(typeof value.url === "string" && { url: value.url }),
      };
    },
    write: ({ isEnabled, url }) =>
      writeConfigFile(path, `${JSON.stringify({ enabled: isEnabled, url }, null, 2)}\n`),
  };
}
