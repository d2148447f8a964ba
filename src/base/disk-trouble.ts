import { fileReasons } from "./file-reasons.js";

/** An operation that the disk or the file system refused. */
export interface DiskTrouble {
  /** Why, in words that can follow a colon, with the system's code: `the disk is full (ENOSPC)`. */
  readonly reason: string;
  /** The file, if the system names it. Only for people who may know the folders of this machine. */
  readonly path: string | undefined;
  /** Whether it may pass without a change of settings, for example once there is room. */
  readonly mayPass: boolean;
  /** The remedy, as a sentence without its final period: `Free some space`. */
  readonly remedy: string;
}

const reasons: Readonly<Record<string, string>> = {
  ...fileReasons,
  EIO: "the disk reports an error",
  EFBIG: "the file would be too large",
  ENAMETOOLONG: "the name is too long",
  ENOTDIR: "a part of the path is not a folder",
  EISDIR: "it is a folder",
  ELOOP: "the path has too many links",
  ESTALE: "the folder has moved on its server",
  EMFILE: "this process has too many files open",
  ENFILE: "this machine has too many files open",
};
/** Codes that require other settings. All other failures may pass. */
const lasting = new Set(["EACCES", "EPERM", "EFBIG", "ENAMETOOLONG", "ENOTDIR", "EISDIR", "ELOOP"]);
/** Codes of a full disk. */
const full = new Set(["ENOSPC", "EDQUOT"]);
/** System calls of connections, which can fail with the same codes. */
const ofConnections = /^(?:connect|listen|bind|accept|send|recv|getaddrinfo|spawn)/;
/** The only sign from libraries that write files themselves. */
const texts: readonly (readonly [RegExp, string])[] = [
  [/no space left on device|database or disk is full/i, "ENOSPC"],
  [/disk quota exceeded/i, "EDQUOT"],
  [/read-only file system/i, "EROFS"],
  [/too many open files/i, "EMFILE"],
];

/** The refused file operation, if an error or one of its causes reports one. */
export function diskTrouble(error: unknown): DiskTrouble | undefined {
  // Causes may form a cycle.
  let left = 10;
  for (let cause = error; cause instanceof Error && left > 0; cause = cause.cause, left--) {
    const { code = codeIn(cause.message), path, syscall = "" } = cause as NodeJS.ErrnoException;
    const reason = code !== undefined && Object.hasOwn(reasons, code) ? reasons[code] : undefined;
    if (code === undefined || reason === undefined || ofConnections.test(syscall)) continue;
    const mayPass = !lasting.has(code);
    return { reason: `${reason} (${code})`, path, mayPass, remedy: remedyFor(code, mayPass) };
  }
  return undefined;
}

function remedyFor(code: string, mayPass: boolean): string {
  if (full.has(code)) return "Free some space";
  return mayPass ? "Solve that" : "Choose another place, or correct this one";
}

/**
 * Adds the path to the error of an open file, which does not name it, and throws the error. Also handles errors of
 * libraries that write files themselves.
 */
export function ofFile(path: string): (error: unknown) => never {
  return (error) => {
    const trouble = diskTrouble(error);
    if (trouble && trouble.path === undefined && error instanceof Error) Object.assign(error, { path });
    throw error;
  };
}

function codeIn(message: string): string | undefined {
  return texts.find(([text]) => text.test(message))?.[1];
}
