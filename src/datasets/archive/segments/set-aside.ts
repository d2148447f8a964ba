import type { ArchiveFiles } from "../archive-files.js";
import { asidePath, manifestFile, manifestOf, manifestText, type Segment } from "./manifest.js";

/**
 * Sets a segment aside: removes it from the manifest with a reason, then moves its files, so that they can be
 * examined. Shared files stay.
 * @param folder the chain's folder, relative to the archive's
 * @throws errors of the system
 */
export async function setAside(
  files: ArchiveFiles,
  folder: string,
  segment: Segment,
  why: string,
): Promise<void> {
  await files.append(`${folder}/${manifestFile}`, manifestText({ aside: { segment, why } }));
  const { segments } = await manifestOf(files, folder);
  const listed = new Set(segments.flatMap((other) => other.files.map(({ path }) => path)));
  for (const { path } of segment.files)
    if (!listed.has(path)) await files.rename(`${folder}/${path}`, `${folder}/${asidePath(path)}`);
}
