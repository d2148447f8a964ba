import { join } from "node:path";
import type { Port } from "../../../base/turns/port.js";
import type { ArchiveFiles, LocalArchiveFiles } from "../../../datasets/archive/archive-files.js";
import { WaitingTeller } from "../../../datasets/extract/waiting-text.js";
import { archiveOverPort } from "../../../hosting/embedded/archive-port.js";
import { NodesOverPort } from "../../../rpc/nodes-over-port.js";
import type { PipelineStart } from "../messages.js";
import { type ServedChainOptions, servedNodes } from "./served-chains.js";

/**
 * How the chains of the server are read, whose nodes and archive are behind channels.
 * @param open opens a channel by its number
 */
export function chainsOverChannels(
  { networks, archive, verify }: Pick<PipelineStart, "networks" | "archive" | "verify">,
  open: (channel: number) => Port,
  rest: Pick<ServedChainOptions, "world" | "say" | "signal">,
): ServedChainOptions {
  const { world, say, signal } = rest;
  const nodes = networks.map(
    ({ network, name, channel }) =>
      [network, servedNodes(name, new NodesOverPort(open(channel), signal), world)] as const,
  );
  return {
    ...rest,
    networks: new Map(nodes),
    archive: archive && archiveIn(archive, open),
    verify,
    waiting: new WaitingTeller((text) => say("info", text)),
  };
}

/** The archive through the server, except for files that the SQL engine reads by itself. */
function archiveIn(
  { channel, folder }: NonNullable<PipelineStart["archive"]>,
  open: (channel: number) => Port,
): LocalArchiveFiles | ArchiveFiles {
  const served = archiveOverPort(open(channel));
  return folder === undefined ? served : { ...served, locate: (path) => join(folder, path) };
}
