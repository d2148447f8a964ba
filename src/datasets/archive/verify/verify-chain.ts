import { chainOfId } from "../../../chains/look-up-chain.js";
import type { ArchiveFiles } from "../archive-files.js";
import { BlockFacts } from "../block-facts.js";
import { type KeptChain, unlistedFiles } from "../kept-chains.js";
import { ReceiptLogs } from "../receipt-logs.js";
import { asidePath, manifestFile, type Segment } from "../segments/manifest.js";
import {
  aboutContent,
  contentOfFiles,
  DamagedSegmentError,
  readSegmentFile,
  type SegmentContent,
} from "../segments/segments.js";
import { type Finding, Findings } from "./findings.js";
import { type LeftTally, Recomputed, type Tally } from "./recomputed.js";
import { BlockLinks, pathOf } from "./verify-blocks.js";
import { verifyAnswers, verifyLogs } from "./verify-logs.js";
import { verifyReceipts } from "./verify-receipts.js";
import { verifyRoots } from "./verify-roots.js";

export interface ChainVerification {
  readonly segments: number;
  readonly files: number;
  readonly bytes: number;
  /** Faults. Segments with faults are not used, or should not be. */
  readonly faults: readonly Finding[];
  /** Findings that are not faults: leftovers of a crash. */
  readonly notes: readonly Finding[];
  /** Segments that may be to blame for a fault. */
  readonly refused: readonly Segment[];
  /** What was recomputed from other parts of the archive, right or wrong, and what could not be. */
  readonly recomputed: readonly Tally[];
  readonly notRecomputed: readonly LeftTally[];
}

/**
 * Reads everything that an archive has for a chain, and checks it against the manifest, its checksums and itself.
 * Recomputes block hashes from headers, and the roots of transactions and receipts, and compares logs with receipts.
 * @param onRead receives the size of each file read, in bytes
 * @throws the system's error if a file cannot be read
 */
export async function verifyChain(
  files: ArchiveFiles,
  chain: KeptChain,
  onRead: (bytes: number) => void = () => undefined,
): Promise<ChainVerification> {
  const { segments } = chain.manifest;
  const findings = new Findings(chain);
  const recomputed = new Recomputed();
  const links = new BlockLinks(findings);
  const inOrder = [...segments].sort((one, other) => one.from - other.from || one.to - other.to);
  const readable: Segment[] = [];
  for (const segment of inOrder.filter(({ kind }) => kind === "blocks")) {
    const content = await readOrTell(files, chain, segment, findings, onRead);
    if (content?.kind !== "blocks") continue;
    readable.push(segment);
    links.add(segment, content.blocks);
    verifyRoots(segment, content.blocks, chain.chainId, findings, recomputed);
  }
  const blocks = new BlockFacts(files, chain, readable);
  const proven = new Set<number>();
  const withReceipts: Segment[] = [];
  const exception = chainOfId(chain.chainId)?.rootException;
  for (const segment of inOrder.filter(({ kind }) => kind === "answers")) {
    const content = await readOrTell(files, chain, segment, findings, onRead);
    if (content?.kind !== "answers") continue;
    await verifyAnswers(segment, content.answers, blocks, findings, recomputed);
    const told = { findings, recomputed, proven };
    if (await verifyReceipts(segment, content.answers, blocks, exception, told)) withReceipts.push(segment);
  }
  const witnesses = { blocks, receipts: new ReceiptLogs(files, chain, withReceipts), proven };
  for (const segment of inOrder.filter(({ kind }) => kind === "logs")) {
    const content = await readOrTell(files, chain, segment, findings, onRead);
    if (content?.kind !== "logs") continue;
    await verifyLogs(segment, content.logs, content.claims, witnesses, findings, recomputed);
  }
  await verifyMarks(chain, blocks, findings);
  const all = segments.flatMap((segment) => segment.files);
  return {
    segments: segments.length,
    files: all.length,
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
    faults: findings.faults,
    notes: await notesOf(files, chain),
    refused: findings.refused,
    recomputed: recomputed.done,
    notRecomputed: recomputed.left,
  };
}

/** A segment's content; `undefined` if it cannot be read, which it reports for each of its files. */
async function readOrTell(
  files: ArchiveFiles,
  { folder, chainId }: KeptChain,
  segment: Segment,
  findings: Findings,
  onRead: (bytes: number) => void,
): Promise<SegmentContent | undefined> {
  const contents: Uint8Array[] = [];
  const tell = (error: unknown): void => {
    if (!(error instanceof DamagedSegmentError)) throw error;
    findings.add(error.path, "file", error.why, [segment]);
  };
  for (const file of segment.files) {
    await readSegmentFile(files, folder, chainId, file).then((bytes) => contents.push(bytes), tell);
    onRead(file.bytes);
  }
  if (contents.length < segment.files.length) return undefined;
  try {
    const content = await contentOfFiles(segment, contents);
    const wrong = contradiction(segment, content);
    if (wrong !== undefined) findings.add(pathOf(segment), "manifest", wrong, [segment]);
    return content;
  } catch (error) {
    tell(error);
    return undefined;
  }
}

/** How a segment's content contradicts the manifest. */
function contradiction(segment: Segment, content: SegmentContent): string | undefined {
  const about = aboutContent(content);
  const saying = ({ from, to, rows, parentHash, last }: Omit<Segment, "files">): string => {
    const ends = last ? `, from the parent ${parentHash} to ${last.hash} of block ${last.number}` : "";
    return `${rows} rows of blocks ${from} to ${to}${ends}`;
  };
  const [said, found] = [saying(segment), saying(about)];
  return said === found ? undefined : `the manifest says that it has ${said}; it has ${found}`;
}

/** Checks that the archive has no data beyond the final block. */
async function verifyMarks(
  { manifest: { segments, marks } }: KeptChain,
  blocks: BlockFacts,
  findings: Findings,
): Promise<void> {
  if (!marks) return;
  const { number, hash } = marks.final;
  for (const segment of segments) {
    if (segment.to > number)
      findings.add(
        pathOf(segment),
        "final",
        `it goes to block ${segment.to}, but the newest final block is ${number}`,
        [segment],
      );
  }
  const fact = await blocks.of(number);
  if (fact && fact.hash !== hash)
    findings.add(
      manifestFile,
      "final",
      `the newest final block ${number} has the hash ${hash}, but the block is ${fact.hash}, in ${pathOf(fact.segment)}`,
      [fact.segment],
    );
}

async function notesOf(files: ArchiveFiles, chain: KeptChain): Promise<readonly Finding[]> {
  const { folder, manifest } = chain;
  const torn: readonly Finding[] =
    manifest.torn === 0
      ? []
      : [
          {
            file: `${folder}/${manifestFile}`,
            why: `${manifest.torn === 1 ? "1 line" : `${manifest.torn} lines`} cannot be read, as after a crash; what they told of is fetched again`,
          },
        ];
  const unlisted = await unlistedFiles(files, chain);
  const aside = manifest.aside.map(({ segment, why }) => ({
    file: `${folder}/${asidePath(pathOf(segment))}`,
    why: `it was set aside, and is not used: ${why}`,
  }));
  return [
    ...torn,
    ...aside,
    ...unlisted.map(({ path, isOurs }) => ({
      file: `${folder}/${path}`,
      why: isOurs
        ? "the manifest does not list it: it is being written, or a crash has left it"
        : "it is not a file of the archive",
    })),
  ];
}
