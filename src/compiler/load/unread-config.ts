import { quotePath } from "../../base/text/quote.js";
import type { Code } from "../diagnostics/catalog.js";
import { wayToRun } from "../diagnostics/way-to-run.js";
import type { FileRead, Host } from "../host.js";

/** Why the configuration could not be read, and a hint. */
export interface Unread {
  readonly code: Code;
  readonly message: string;
  readonly hint: string;
}

/** Maximum number of bytes to read of a manifest, more than any has. */
const largestManifest = 4_000_000;
const endings = [".json", ".json5", ".yaml", ".yml"];

/**
 * Explains why a configuration could not be read. If a file with a likely name exists, the hint names it.
 */
export async function unread(
  path: string,
  file: Exclude<FileRead, { kind: "bytes" }>,
  host: Host,
): Promise<Unread> {
  const what = quotePath(path);
  switch (file.kind) {
    case "missing":
      return missing(path, host);
    case "directory": {
      const found = await existing(`${path.replace(/\/+$/, "")}/subgraph`, host);
      const isManifest = found !== undefined && (await holdsManifest(found, host));
      return {
        code: "config-unreadable",
        message: `${what} is a folder${isManifest ? " with the manifest of a subgraph" : ""}, not a configuration file`,
        hint: isManifest ? wayToRun(found) : (nameIt(found) ?? "give the path of the file inside it"),
      };
    }
    case "device":
      return {
        code: "config-unreadable",
        message: `${what} is a device or a pipe, not a file`,
        hint: 'pass "-" to read standard input',
      };
    case "endless-link":
      return {
        code: "config-unreadable",
        message: `${what} is a circular symbolic link`,
        hint: "point the link to the file itself",
      };
    case "unreadable":
      return {
        code: "config-unreadable",
        message: `${what} cannot be read`,
        hint: "check the file's permissions",
      };
    case "outside":
      return {
        code: "config-unreadable",
        message: `${what} is outside the folder of this command`,
        hint: "start the command in a folder that contains it",
      };
    case "too-large":
      return {
        code: "config-too-large",
        message: `${path === "-" ? "standard input" : what} is larger than the limit of 64 MB`,
        hint: "give the path of the configuration itself, and keep ABIs in separate files",
      };
  }
}

async function missing(path: string, host: Host): Promise<Unread> {
  const code = "config-missing";
  if (path === "-") {
    return {
      code,
      message: "standard input is not available",
      hint: "give the path of the configuration file",
    };
  }
  const message = `there is no configuration file ${quotePath(path)}`;
  if (/^[a-z]+:\/\//i.test(path)) return { code, message, hint: "download the file and give its path" };
  const found = await existing(path.replace(/\.[a-z0-9]+$/i, ""), host);
  if (found !== undefined && (await holdsManifest(found, host)))
    return {
      code,
      message: `${message}; ${quotePath(found)} is the manifest of a subgraph`,
      hint: wayToRun(found),
    };
  return { code, message, hint: nameIt(found) ?? "paths are relative to the current folder" };
}

/** The only file with this name and a configuration's extension. */
async function existing(stem: string, host: Host): Promise<string | undefined> {
  const reads = await Promise.all(
    endings.map(async (ending) => [`${stem}${ending}`, await host.readFile(`${stem}${ending}`, 0)] as const),
  );
  const found = reads.filter(([, { kind }]) => kind === "bytes" || kind === "too-large");
  return found.length === 1 ? found[0]?.[0] : undefined;
}

/** Whether a file is a subgraph's manifest, which does not resemble a configuration. */
async function holdsManifest(path: string, host: Host): Promise<boolean> {
  const file = await host.readFile(path, largestManifest);
  if (file.kind !== "bytes") return false;
  const text = new TextDecoder().decode(file.bytes);
  return /^\W*specVersion\W/m.test(text) && /^\W*dataSources\W/m.test(text);
}

function nameIt(path: string | undefined): string | undefined {
  return path === undefined ? undefined : `did you mean ${quotePath(path)}?`;
}
