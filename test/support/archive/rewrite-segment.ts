import { keptChains } from "../../../src/datasets/archive/kept-chains.js";
import type { Segment } from "../../../src/datasets/archive/segments/manifest.js";
import {
  readSegment,
  type SegmentContent,
  writeSegment,
} from "../../../src/datasets/archive/segments/segments.js";
import type { MemoryArchiveFiles } from "./memory-files.js";

/**
 * Changes the content of a chain's segments of one kind, with checksums and a manifest that fit.
 * @param change returns `undefined` for what is to stay
 * @returns the segments as they were rewritten
 */
export async function rewriteSegments<K extends SegmentContent["kind"]>(
  files: MemoryArchiveFiles,
  kind: K,
  change: (
    content: SegmentContent & { readonly kind: K },
  ) => (SegmentContent & { readonly kind: K }) | undefined,
): Promise<readonly Segment[]> {
  const [chain] = (await keptChains(files)) ?? [];
  if (!chain) throw new Error("it has no chain");
  const { folder, chainId, manifest } = chain;
  const path = `${folder}/manifest.jsonl`;
  const rewritten: Segment[] = [];
  for (const segment of manifest.segments.filter((one) => one.kind === kind)) {
    const content = await readSegment(files, folder, chainId, segment);
    const changed = change(content as SegmentContent & { readonly kind: K });
    if (!changed) continue;
    const after = await writeSegment(files, folder, chainId, changed);
    const kept = new Set(after.files.map((file) => file.path));
    for (const file of segment.files)
      if (!kept.has(file.path)) files.content.delete(`${folder}/${file.path}`);
    const text = Buffer.from(files.content.get(path) ?? []).toString();
    files.content.set(path, Buffer.from(text.replace(JSON.stringify(segment), JSON.stringify(after))));
    rewritten.push(after);
  }
  return rewritten;
}
