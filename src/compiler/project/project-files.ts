import { posix } from "node:path";
import type { Host } from "../host.js";
import { readText, type TextRead } from "./read-text.js";

/** The files of a project, by path relative to the folder of its manifest. Each is read once. */
export class ProjectFiles {
  readonly #manifest: string;
  readonly #host: Host;
  readonly #read = new Map<string, Promise<TextRead>>();

  /** @param manifest path of the manifest for the host */
  constructor(manifest: string, host: Host) {
    this.#manifest = manifest;
    this.#host = host;
  }

  /** Reads a file. @param path relative to the manifest's folder, or absolute */
  read(path: string): Promise<TextRead> {
    const name = this.hostPath(path);
    const known = this.#read.get(name) ?? readText(name, this.#host);
    this.#read.set(name, known);
    return known;
  }

  /** A file's text; `undefined` if it cannot be read. */
  async text(path: string): Promise<string | undefined> {
    const read = await this.read(path);
    return read.kind === "text" ? read.text : undefined;
  }

  /** The path of a file as diagnostics show it. */
  hostPath(path: string): string {
    return this.#host.resolveBeside(this.#manifest, path);
  }
}

/** The shortest form of a path relative to the manifest's folder: `./src/a.ts` is `src/a.ts`. */
export function shortest(path: string): string {
  return posix.normalize(path.replaceAll("\\", "/"));
}
