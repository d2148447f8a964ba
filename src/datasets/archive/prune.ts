import type { ArchiveFiles } from "./archive-files.js";
import { type KeptChain, unlistedFiles } from "./kept-chains.js";
import { forgetNetworks } from "./open-archive.js";
import { redundantSegments } from "./redundant.js";
import {
  type AsideSegment,
  asideFolder,
  asidePath,
  manifestFile,
  manifestText,
  type Segment,
  segmentName,
} from "./segments/manifest.js";
import { removeUnlisted } from "./segments/remove-unlisted.js";
import { verifyChain } from "./verify/verify-chain.js";

/** What to remove from a chain. By default, leftovers and segments whose entire content is in others. */
export interface PruneWishes {
  /** Segments that end before this block. */
  readonly before?: number | undefined;
  /** Segments that fail verification, and segments that were set aside. */
  readonly damaged?: boolean;
  /** Everything about the chain. */
  readonly all?: boolean;
  /** What a source of history returned: its name, or its kind for all sources of the kind. */
  readonly source?: string | undefined;
}

export interface PrunedFile {
  /** Relative to the folder of the chain. */
  readonly path: string;
  readonly bytes: number;
  readonly why: string;
}

export interface PrunePlan {
  readonly chain: KeptChain;
  readonly segments: readonly Segment[];
  /** Segments that runs have set aside. */
  readonly aside: readonly AsideSegment[];
  readonly files: readonly PrunedFile[];
  readonly bytes: number;
  /** Whether to remove the whole chain. */
  readonly isWhole: boolean;
}

/** Age in milliseconds up to which a process may still be writing an unlisted file: an hour. */
const leftoverAge = 60 * 60 * 1000;

/**
 * Finds the parts of a chain to remove; does not remove them.
 * @param now in milliseconds since 1970
 * @param onRead receives the size in bytes of each file that is checked for damage
 */
export async function planPrune(
  files: ArchiveFiles,
  chain: KeptChain,
  wishes: PruneWishes,
  now: number,
  onRead?: (bytes: number) => void,
): Promise<PrunePlan> {
  const reasons = await segmentsToRemove(files, chain, wishes, onRead);
  const segments = [...reasons.keys()];
  const isDefault = isByDefault(wishes);
  const oldest = wishes.all ? Number.POSITIVE_INFINITY : now - leftoverAge;
  const leftovers = wishes.all || isDefault ? await leftoversOf(files, chain, oldest) : [];
  const kept = new Set(
    chain.manifest.segments
      .filter((segment) => !reasons.has(segment))
      .flatMap((segment) => segment.files.map(({ path }) => path)),
  );
  const removed = new Map<string, PrunedFile>();
  for (const [segment, why] of reasons) {
    for (const { path } of segment.files) {
      const facts = kept.has(path) ? undefined : await files.facts(`${chain.folder}/${path}`);
      if (facts) removed.set(path, { path, bytes: facts.bytes, why });
    }
  }
  const aside = wishes.all || wishes.damaged ? chain.manifest.aside : [];
  const all = [...removed.values(), ...leftovers, ...(await asideFiles(files, chain, aside))];
  const bytes = all.reduce((sum, file) => sum + file.bytes, 0);
  return { chain, segments, aside, files: all, bytes, isWhole: wishes.all === true };
}

/**
 * Carries out the plan; the caller must hold `tidyLock`. Segments leave the manifest before their files are removed,
 * so that a crash in between leaves leftovers but no missing file. A file that another process has listed meanwhile
 * stays: see `removeUnlisted`.
 * @throws errors of the system
 */
export async function carryOutPrune(files: ArchiveFiles, plan: PrunePlan): Promise<void> {
  const { folder } = plan.chain;
  const manifest = `${folder}/${manifestFile}`;
  if (plan.segments.length > 0)
    await files.append(manifest, manifestText({ removed: plan.segments.map(segmentName) }));
  for (const { path } of plan.files.filter(({ path }) => path.startsWith(`${asideFolder}/`)))
    await files.remove(`${folder}/${path}`);
  if (plan.aside.length > 0)
    await files.append(
      manifest,
      manifestText({ removed: plan.aside.map(({ segment }) => segmentName(segment)) }),
    );
  if (plan.isWhole) {
    // The manifest goes first: one chain's final block must never be mistaken for another's.
    await files.remove(manifest);
    await forgetNetworks(files, folder);
  }
  await removeUnlisted(
    files,
    folder,
    plan.files.map(({ path }) => path).filter((path) => !path.startsWith(`${asideFolder}/`)),
  );
}

/** Whether only what is not needed is removed. */
function isByDefault({ before, damaged, all, source }: PruneWishes): boolean {
  return !all && !damaged && before === undefined && source === undefined;
}

async function segmentsToRemove(
  files: ArchiveFiles,
  chain: KeptChain,
  wishes: PruneWishes,
  onRead: ((bytes: number) => void) | undefined,
): Promise<ReadonlyMap<Segment, string>> {
  const { before, damaged, all, source } = wishes;
  const { segments } = chain.manifest;
  const reasons = new Map<Segment, string>();
  if (all) for (const segment of segments) reasons.set(segment, "of the chain");
  else if (before !== undefined) {
    for (const segment of segments)
      if (segment.to < before) reasons.set(segment, `ends before block ${before}`);
  }
  if (source !== undefined) {
    for (const segment of segments)
      if (segment.source === source || segment.source?.startsWith(`${source}=`))
        reasons.set(segment, `from ${segment.source}`);
  }
  if (damaged && !all) {
    for (const segment of (await verifyChain(files, chain, onRead)).refused) reasons.set(segment, "damaged");
  }
  if (isByDefault(wishes)) {
    for (const segment of await redundantSegments(files, chain)) reasons.set(segment, "held by others, too");
  }
  return reasons;
}

async function asideFiles(
  files: ArchiveFiles,
  { folder }: KeptChain,
  aside: readonly AsideSegment[],
): Promise<readonly PrunedFile[]> {
  const found: PrunedFile[] = [];
  for (const { segment } of aside) {
    for (const file of segment.files) {
      const path = asidePath(file.path);
      const facts = await files.facts(`${folder}/${path}`);
      if (facts) found.push({ path, bytes: facts.bytes, why: "set aside" });
    }
  }
  return found;
}

async function leftoversOf(
  files: ArchiveFiles,
  chain: KeptChain,
  oldest: number,
): Promise<readonly PrunedFile[]> {
  const found: PrunedFile[] = [];
  for (const { path, isOurs } of await unlistedFiles(files, chain)) {
    const facts = isOurs ? await files.facts(`${chain.folder}/${path}`) : undefined;
    if (facts && facts.changed < oldest) found.push({ path, bytes: facts.bytes, why: "left by a crash" });
  }
  return found;
}
