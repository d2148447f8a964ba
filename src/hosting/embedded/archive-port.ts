import { reportFailure } from "../../base/failures.js";
import { messageOf } from "../../base/text/message-of.js";
import { guarded } from "../../base/turns/guarded.js";
import type { Port } from "../../base/turns/port.js";
import { answerCalls, PortCaller, type PortReply } from "../../base/turns/port-calls.js";
import type { ArchiveFiles } from "../../datasets/archive/archive-files.js";

/**
 * Lets a thread use the files of the archive.
 * @param onFailure receives the system's message, with paths, for the operator; the thread gets no paths, since a
 * project's members can read its messages
 */
export function serveArchive(
  files: ArchiveFiles,
  port: Port,
  onFailure: (why: string) => void = () => undefined,
): void {
  const post = (reply: PortReply<string>): void => port.postMessage(reply);
  port.on(
    "message",
    answerCalls<ArchiveFiles, string>(files, post, (error) => {
      onFailure(messageOf(error));
      return withoutPaths(error);
    }),
  );
}

/**
 * The files of the archive, for a thread. They outlive an order to stop, so that gathered data can still be written.
 */
export function archiveOverPort(port: Port): ArchiveFiles {
  const calls = new PortCaller<ArchiveFiles, string>(
    (call) => port.postMessage(call),
    (message) => new Error(message),
  );
  port.on(
    "message",
    guarded((reply: PortReply<string>) => calls.settle(reply), reportFailure),
  );
  return {
    read: (path) => calls.call("read", path),
    write: (path, bytes) => calls.call("write", path, bytes),
    append: (path, text) => calls.call("append", path, text),
    facts: (path) => calls.call("facts", path),
    list: (path) => calls.call("list", path),
    remove: (path) => calls.call("remove", path),
    rename: (path, to) => calls.call("rename", path, to),
  };
}

/** Node.js begins the message of a system error with its code and meaning. */
function withoutPaths(error: unknown): string {
  const [, code, meaning] = /^([A-Z0-9]+): ([^,']+)/.exec(error instanceof Error ? error.message : "") ?? [];
  return meaning === undefined ? "the archive's files cannot be used" : `${meaning} (${code})`;
}
