import type { ArchiveFiles } from "../archive-files.js";
import { manifestFile, manifestText, type Segment, segmentName } from "./manifest.js";
import { type SegmentContent, writeSegment } from "./segments.js";

/** How many times in a row another process may remove a file with the same name. */
const mostAttempts = 5;

/**
 * Writes a segment, and lists it in the manifest.
 * @param instead segments that it replaces; the same manifest line forgets them
 * @throws errors of the system
 */
export async function listSegment(
  files: ArchiveFiles,
  folder: string,
  chainId: string,
  content: SegmentContent,
  instead: readonly Segment[] = [],
): Promise<Segment> {
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const segment = await writeSegment(files, folder, chainId, content);
    const names = instead.map(segmentName).filter((name) => name !== segmentName(segment));
    const line = { segment, ...(names.length > 0 && { instead: names }) };
    await files.append(`${folder}/${manifestFile}`, manifestText(line));
    // Another process may have been about to remove files of these names: see `removeUnlisted`.
    if (await areThere(files, folder, segment)) return segment;
  }
  throw new Error(`files in ${folder} vanish as soon as they are written`);
}

async function areThere(files: ArchiveFiles, folder: string, segment: Segment): Promise<boolean> {
  for (const { path } of segment.files) if (!(await files.facts(`${folder}/${path}`))) return false;
  return true;
}
