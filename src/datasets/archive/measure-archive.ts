import type { ArchiveFiles } from "./archive-files.js";
import type { OverlayFiles } from "./overlay-files.js";
import { manifestOf, type SegmentKind, weightOf } from "./segments/manifest.js";
import { readSegment, type SegmentContent, writeSegment } from "./segments/segments.js";

/** Bytes per kind of segment. */
export type KindBytes = Readonly<Record<SegmentKind, number>>;

/** The space that samples take in an archive, in bytes. */
export interface MeasuredArchive {
  /** The size of a segment without rows. */
  readonly fixed: KindBytes;
  /** The size of each sample's rows in a segment with many rows, in the order in which the samples were added. */
  readonly rows: readonly KindBytes[];
}

/** How many bytes of samples to hold in memory to pack them together. */
const mostHeld = 16 * 1024 * 1024;
const kinds = ["blocks", "logs", "answers"] as const;
const nothing: KindBytes = { blocks: 0, logs: 0, answers: 0 };

/**
 * Measures how much space samples take in an archive. A sample's segments are small, so a file's overhead would count
 * too much. Packs the rows of several samples together, as in a run.
 */
export class ArchiveMeasure {
  readonly #chainId: string;
  readonly #samples: KindBytes[] = [];
  readonly #held: SegmentContent[] = [];
  #heldBytes: KindBytes = nothing;

  constructor(chainId: string) {
    this.#chainId = chainId;
  }

  /**
   * Adds the files of a sample.
   * @param folder the chain's folder, relative to the archive's
   */
  async add(files: OverlayFiles, folder: string): Promise<void> {
    let own = nothing;
    const { segments } = await manifestOf(files, folder);
    for (const segment of segments) {
      if (!segment.files.every(({ path }) => files.changed.has(`${folder}/${path}`))) continue;
      const bytes = { ...nothing, [segment.kind]: weightOf(segment) };
      own = sum(own, bytes);
      if (totalOf(this.#heldBytes) >= mostHeld) continue;
      this.#heldBytes = sum(this.#heldBytes, bytes);
      this.#held.push(await readSegment(files, folder, this.#chainId, segment));
    }
    this.#samples.push(own);
  }

  /** Packs the added samples, and measures the files. */
  async measure(): Promise<MeasuredArchive> {
    const fixed = { ...nothing };
    const share = { ...nothing };
    for (const kind of kinds) {
      const content = packed(this.#held, kind);
      const rows = rowsOf(content);
      if (rows === 0) continue;
      const one = await this.#sizeOf(firstRow(content));
      const all = await this.#sizeOf(content);
      const each = rows === 1 ? 0 : Math.max(0, all - one) / (rows - 1);
      fixed[kind] = Math.max(0, one - each);
      share[kind] = (each * rows) / this.#heldBytes[kind];
    }
    const rows = this.#samples.map((sample) => ({
      blocks: sample.blocks * share.blocks,
      logs: sample.logs * share.logs,
      answers: sample.answers * share.answers,
    }));
    return { fixed, rows };
  }

  async #sizeOf(content: SegmentContent): Promise<number> {
    return weightOf(await writeSegment(nowhere, "", this.#chainId, content));
  }
}

const nowhere: ArchiveFiles = {
  read: async () => undefined,
  write: async () => undefined,
  append: async () => undefined,
  list: async () => [],
  facts: async () => undefined,
  remove: async () => undefined,
  rename: async () => false,
};

function packed(contents: readonly SegmentContent[], kind: SegmentKind): SegmentContent {
  if (kind === "blocks")
    return { kind, blocks: contents.flatMap((one) => (one.kind === "blocks" ? one.blocks : [])) };
  if (kind === "answers")
    return { kind, answers: contents.flatMap((one) => (one.kind === "answers" ? one.answers : [])) };
  const logs = contents.flatMap((one) => (one.kind === "logs" ? [one] : []));
  // A run makes one claim per contract, for any number of requested ranges.
  return { kind, logs: logs.flatMap((one) => one.logs), claims: logs[0]?.claims ?? [] };
}

function rowsOf(content: SegmentContent): number {
  if (content.kind === "blocks") return content.blocks.length;
  return content.kind === "logs"
    ? Math.max(content.logs.length, content.claims.length > 0 ? 1 : 0)
    : content.answers.length;
}

function firstRow(content: SegmentContent): SegmentContent {
  if (content.kind === "blocks") return { ...content, blocks: content.blocks.slice(0, 1) };
  if (content.kind === "logs") return { ...content, logs: content.logs.slice(0, 1) };
  return { ...content, answers: content.answers.slice(0, 1) };
}

function sum(one: KindBytes, other: KindBytes): KindBytes {
  return {
    blocks: one.blocks + other.blocks,
    logs: one.logs + other.logs,
    answers: one.answers + other.answers,
  };
}

function totalOf({ blocks, logs, answers }: KindBytes): number {
  return blocks + logs + answers;
}
