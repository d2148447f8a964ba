import type { Block, BlockPointer, Log, LogFilter } from "../../runtime/chain/chain.js";
import { withProvableHeader } from "../../runtime/chain/proof/header-hash.js";
import { mergeLogs } from "../../runtime/chain/rpc/logs-request.js";
import { fitting } from "../../runtime/indexer/logs/log-lists.js";
import type { BlockRange } from "../../runtime/indexer/logs/tails.js";
import type { VerifyMode } from "../../runtime/indexer/logs/verification.js";
import { type ArchiveFiles, isLocal } from "./archive-files.js";
import type { LinkedBlock } from "./final-chain.js";
import { contradictionOf } from "./one-chain.js";
import { type Claim, ClaimList, Coverage } from "./segments/claims.js";
import { listSegment } from "./segments/list-segment.js";
import {
  asideFolder,
  type ChainMarks,
  type ManifestLine,
  manifestFile,
  manifestOf,
  manifestText,
  type Segment,
  type SegmentKind,
  segmentName,
  weightOf,
} from "./segments/manifest.js";
import { mergeSegments, segmentBlocks, wantMerging } from "./segments/merge-segments.js";
import { WeightedCache } from "./segments/segment-cache.js";
import {
  DamagedSegmentError,
  type KeptAnswer,
  readClaims,
  readLinks,
  readSegment,
  type SegmentContent,
} from "./segments/segments.js";
import { setAside } from "./segments/set-aside.js";
import {
  claimedStretch,
  nearSegments,
  type StoredLogFile,
  type StoredQuestion,
  type StoredStretch,
  wholeRanges,
} from "./stored-logs.js";

/** The location of an archive, and the callbacks for its problems. */
export interface ChainArchiveOptions {
  readonly files: ArchiveFiles;
  /** Of the chain, relative to the archive. */
  readonly folder: string;
  readonly chainId: string;
  /** Called for a damaged segment, which is not used; its content is fetched again. */
  readonly onDamage?: ((why: string) => void) | undefined;
  /**
   * Bytes of segment files whose content is cached, which takes about ten times as much memory; 32 MiB by default.
   */
  readonly cachedBytes?: number | undefined;
}

/** A segment in the form used for lookups. */
interface Loaded {
  readonly blocks: ReadonlyMap<number, Block>;
  readonly answers: ReadonlyMap<string, string>;
  readonly logs: readonly Log[];
  readonly coverage: Coverage;
}

/** Write a segment at about this many buffered bytes, and at every multiple of `segmentBlocks`. */
const segmentBytes = 8 * 1024 * 1024;
const kinds = ["blocks", "answers", "logs"] as const satisfies readonly SegmentKind[];
const cachedBytes = 32 * 1024 * 1024;
/** Number of segments whose claims are cached. */
const cachedClaims = 1_000;

/** The final data read from one chain. Looks it up by number, and writes it in segments. */
export class ChainArchive {
  readonly chainId: string;
  readonly #options: ChainArchiveOptions;
  readonly #segments: Record<SegmentKind, Segment[]> = { blocks: [], logs: [], answers: [] };
  readonly #cache: WeightedCache<Loaded>;
  /** Claims of log segments whose files match the manifest. */
  readonly #claimed = new WeightedCache<readonly Claim[]>(cachedClaims);
  #marks: ChainMarks | undefined;
  /** Names of segments not to use. */
  readonly #damaged = new Set<string>();
  /** Changes whenever the segments change. */
  #version = 0;
  #blocks: Block[] = [];
  #logs: Log[] = [];
  /** The source of the logs that are gathered. */
  #logSource: string | undefined;
  #answers: KeptAnswer[] = [];
  readonly #claims = new ClaimList();
  #gathered: Record<SegmentKind, number> = { blocks: 0, logs: 0, answers: 0 };
  /** Number of segments that could not be merged. The next attempt waits until there are more. */
  readonly #unmerged: Record<SegmentKind, number> = { blocks: 0, logs: 0, answers: 0 };
  #writing: Promise<void> = Promise.resolve();

  private constructor(options: ChainArchiveOptions) {
    this.#options = options;
    this.chainId = options.chainId;
    this.#cache = new WeightedCache(options.cachedBytes ?? cachedBytes);
  }

  /** Opens a chain's archive. Without a folder, it is empty. */
  static async open(options: ChainArchiveOptions): Promise<ChainArchive> {
    const archive = new ChainArchive(options);
    const { segments, marks } = await manifestOf(options.files, options.folder);
    for (const segment of segments) archive.#segments[segment.kind].push(segment);
    archive.#marks = marks;
    return archive;
  }

  /** Of the chain, relative to the archive. */
  get folder(): string {
    return this.#options.folder;
  }

  /** The head and the final block at the last read; `undefined` before the first. */
  get marks(): ChainMarks | undefined {
    return this.#marks;
  }

  /** The last block with logs on disk; -1 if there are none. */
  get reach(): number {
    return this.#segments.logs.reduce((most, { to }) => Math.max(most, to), -1);
  }

  /** A block with its transactions; `undefined` if it is missing. */
  block(number: number): Promise<Block | undefined> {
    return this.#look(async () => {
      for (const segment of this.#around("blocks", number)) {
        const block = (await this.#load(segment))?.blocks.get(number);
        if (block) return block;
      }
      return undefined;
    });
  }

  /** The answer to a question as of a block; `undefined` if it is missing. */
  answer(block: number, question: string): Promise<string | undefined> {
    return this.#look(async () => {
      for (const segment of this.#around("answers", block)) {
        const answer = (await this.#load(segment))?.answers.get(question);
        if (answer !== undefined) return answer;
      }
      return undefined;
    });
  }

  /**
   * All logs of a range that match a filter; `undefined` unless the archive has them all, proved at least as well as
   * `proof`.
   */
  logs(range: BlockRange, filter: LogFilter, proof: VerifyMode): Promise<readonly Log[] | undefined> {
    return this.#look(() => this.#logsOf(range, filter, proof));
  }

  async #logsOf(
    range: BlockRange,
    filter: LogFilter,
    proof: VerifyMode,
  ): Promise<readonly Log[] | undefined> {
    const near = this.#segments.logs.filter(({ from, to }) => from <= range.to && to >= range.from);
    if (near.length === 0) return undefined;
    const coverages: Coverage[] = [];
    const found: (readonly Log[])[] = [];
    const matches = fitting(filter);
    for (const segment of near) {
      const loaded = await this.#load(segment);
      if (!loaded) continue;
      coverages.push(loaded.coverage);
      found.push(
        loaded.logs.filter(
          (log) => log.block.number >= range.from && log.block.number <= range.to && matches(log),
        ),
      );
    }
    return Coverage.all(coverages).covers(range, filter, proof) ? mergeLogs(found) : undefined;
  }

  /** The archive's files for a range. Checks their checksums, but does not read their content. */
  async storedLogs(question: StoredQuestion): Promise<StoredStretch> {
    const { from } = question;
    const { near, to } = nearSegments(this.#segments.logs, question);
    const claims = await Promise.all(near.map((segment) => this.#claimsOf(segment)));
    const claimed = claimedStretch(
      claims.map((list) => list ?? []),
      question,
      to,
    );
    const isIn = (segment: Segment): boolean => segment.from <= claimed.to && segment.to >= from;
    // If logs are numbered per transaction, a log's id depends on the other logs of its block, so SQL cannot compute
    // it.
    const isReadable = near.every((segment) => !isIn(segment) || !segment.byTransaction);
    if (!claimed.isClaimed || !isReadable || !isLocal(this.#options.files))
      return { to: claimed.to, files: undefined };
    const logs = near.flatMap((segment, index): readonly StoredLogFile[] => {
      const list = claims[index];
      if (!list || !isIn(segment)) return [];
      const whole = wholeRanges(list, question, claimed.to);
      return this.#located(segment, "logs").map((path) => ({
        from: segment.from,
        to: segment.to,
        path,
        whole,
      }));
    });
    const blocks: Segment[] = [];
    const links: LinkedBlock[] = [];
    for (const segment of this.#segments.blocks.filter(isIn)) {
      const own = await this.#linksOf(segment);
      if (!own) continue;
      blocks.push(segment);
      for (const link of own) links.push(link);
    }
    // Reading them one by one shows which is right.
    if (contradictionOf(links) !== undefined) return { to: claimed.to, files: undefined };
    const files = { logs, blocks: blocks.flatMap((segment) => this.#located(segment, "blocks")) };
    return { to: claimed.to, files };
  }

  /**
   * Sets aside segments with a block that is not on the final chain.
   * @param hash of the block on the final chain
   * @returns whether there was any
   */
  async refuseOthers({ number, hash }: BlockPointer): Promise<boolean> {
    let hasAny = false;
    for (const kind of ["blocks", "logs"] as const) {
      for (const segment of this.#around(kind, number)) {
        const loaded = await this.#load(segment);
        const own =
          kind === "blocks"
            ? loaded?.blocks.get(number)?.hash
            : loaded?.logs.find(({ block }) => block.number === number)?.block.hash;
        if (own === undefined || own === hash) continue;
        const why = `block ${number} is ${own}, but the final chain has ${hash}`;
        await this.#setAside(segment, { path: segment.files[0]?.path ?? "", why });
        hasAny = true;
      }
    }
    return hasAny;
  }

  /** Adds a final block. */
  async addBlock(block: Block): Promise<void> {
    const last = this.#blocks.at(-1);
    if (last && isCutBetween(last.number, block.number)) await this.#flushOf("blocks");
    this.#blocks.push(withProvableHeader(block));
    let bytes = 1_000;
    for (const { input } of block.transactions.values()) bytes += 300 + input.length / 2;
    await this.#gather("blocks", bytes);
  }

  /** Adds an answer as of a final block. */
  async addAnswer(answer: KeptAnswer): Promise<void> {
    const last = this.#answers.at(-1);
    if (last && isCutBetween(last.block, answer.block)) await this.#flushOf("answers");
    this.#answers.push(answer);
    await this.#gather("answers", 100 + answer.question.length + answer.answer.length);
  }

  /**
   * Adds all confirmed logs of a final range that match a filter.
   * @param source the source of history that returned them; `undefined` for nodes
   */
  async addLogs(
    range: BlockRange,
    filter: LogFilter,
    proof: VerifyMode,
    logs: readonly Log[],
    source?: string,
  ): Promise<void> {
    if (source !== this.#logSource) await this.#flushOf("logs");
    this.#logSource = source;
    this.#claims.add(range, filter, proof);
    let bytes = 100;
    for (const log of logs) {
      this.#logs.push(log);
      bytes += 200 + log.data.length / 2;
    }
    await this.#gather("logs", bytes);
    if (isCutBetween(range.from, range.to + 1)) await this.#flushOf("logs");
  }

  /** Saves the marks. */
  async mark(marks: ChainMarks): Promise<void> {
    this.#marks = marks;
    await this.#append({ marks });
  }

  /**
   * Writes the buffered data, and returns once it is on disk.
   * @throws errors of the system
   */
  async flush(): Promise<void> {
    for (const kind of kinds) await this.#flushOf(kind);
    await this.#writing;
    for (const kind of kinds) {
      const segments = this.#segments[kind];
      if (segments.length > this.#unmerged[kind] && wantMerging(segments)) await this.#merge(kind);
    }
  }

  /** Looks something up, and retries if the segments changed meanwhile. */
  async #look<T>(look: () => Promise<T | undefined>): Promise<T | undefined> {
    for (;;) {
      const version = this.#version;
      const found = await look();
      if (found !== undefined || version === this.#version) return found;
    }
  }

  async #merge(kind: SegmentKind): Promise<void> {
    const { files, folder } = this.#options;
    await this.#readManifest();
    if (await mergeSegments(files, folder, this.chainId, this.#segments[kind])) await this.#readManifest();
    else this.#unmerged[kind] = this.#segments[kind].length;
  }

  async #readManifest(): Promise<void> {
    const { segments } = await manifestOf(this.#options.files, this.#options.folder);
    const usable = segments.filter((segment) => !this.#damaged.has(segmentName(segment)));
    for (const kind of kinds) this.#segments[kind] = usable.filter((segment) => segment.kind === kind);
    this.#version += 1;
  }

  /** Newest segments first, because recent reads are likely to repeat. */
  #around(kind: SegmentKind, block: number): readonly Segment[] {
    return this.#segments[kind].filter(({ from, to }) => from <= block && block <= to).reverse();
  }

  #load(segment: Segment): Promise<Loaded | undefined> {
    const { files, folder } = this.#options;
    return this.#unlessDamaged(segment, () =>
      this.#cache.get(segmentName(segment), weightOf(segment), async () => {
        const content = await readSegment(files, folder, this.chainId, segment);
        const wrong = contradictionOf(blocksOf(content));
        if (wrong !== undefined) throw new DamagedSegmentError(segment.files[0]?.path ?? "", wrong);
        return loadedOf(content);
      }),
    );
  }

  #claimsOf(segment: Segment): Promise<readonly Claim[] | undefined> {
    const { files, folder } = this.#options;
    const read = (): Promise<readonly Claim[]> => readClaims(files, folder, this.chainId, segment);
    return this.#unlessDamaged(segment, () => this.#claimed.get(segmentName(segment), 1, read));
  }

  /** Checks that a segment's blocks belong to one chain, and returns them. */
  #linksOf(segment: Segment): Promise<readonly LinkedBlock[] | undefined> {
    const { files, folder } = this.#options;
    return this.#unlessDamaged(segment, async () => {
      const links = await readLinks(files, folder, this.chainId, segment);
      const wrong = contradictionOf(links);
      if (wrong !== undefined) throw new DamagedSegmentError(segment.files[0]?.path ?? "", wrong);
      return links;
    });
  }

  /** The local paths of a segment's files; none if they are not local. */
  #located({ files: stored }: Segment, kind: string): readonly string[] {
    const { files, folder } = this.#options;
    if (!isLocal(files)) return [];
    const paths = stored.map(({ path }) => path).filter((path) => path.startsWith(`${kind}/`));
    return paths.map((path) => files.locate(`${folder}/${path}`));
  }

  /** Reads a segment; `undefined` if it is damaged or gone. */
  async #unlessDamaged<T>(segment: Segment, read: () => Promise<T>): Promise<T | undefined> {
    const { onDamage } = this.#options;
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof DamagedSegmentError)) throw error;
      const { kind } = segment;
      const isOld = !this.#segments[kind].includes(segment);
      if (!isOld) await this.#readManifest();
      const name = segmentName(segment);
      // Another process may have merged or removed it; search its replacement next.
      const current = this.#segments[kind].find((other) => segmentName(other) === name);
      if (!isOld && current) {
        if (error.isOfContent) await this.#setAside(current, error);
        else {
          this.#leave(current);
          onDamage?.(error.message);
        }
      }
      return undefined;
    }
  }

  /** Stops using a segment. */
  #leave(segment: Segment): void {
    this.#damaged.add(segmentName(segment));
    this.#segments[segment.kind] = this.#segments[segment.kind].filter((other) => other !== segment);
    this.#version += 1;
  }

  /** Stops using a segment, and moves its files away. Changes nothing in an archive that cannot be written. */
  async #setAside(segment: Segment, { path, why }: Pick<DamagedSegmentError, "path" | "why">): Promise<void> {
    const { files, folder, onDamage } = this.#options;
    this.#leave(segment);
    const moved = await setAside(files, folder, segment, why).then(
      () => `Its files were moved to ${folder}/${asideFolder}, and what they have is read again`,
      (error: Error) => `It could not be moved away: ${error.message}`,
    );
    onDamage?.(`${path}: ${why}. ${moved}`);
  }

  async #gather(kind: SegmentKind, bytes: number): Promise<void> {
    this.#gathered[kind] += bytes;
    if (this.#gathered[kind] >= segmentBytes) await this.#flushOf(kind);
  }

  /** Starts to write; waits only for the previous segment. */
  async #flushOf(kind: SegmentKind): Promise<void> {
    const content = this.#take(kind);
    if (!content) return;
    const before = this.#writing;
    await before;
    this.#writing = this.#write(content);
    // The next caller that awaits it gets the failure.
    this.#writing.catch(() => undefined);
  }

  #take(kind: SegmentKind): SegmentContent | undefined {
    this.#gathered[kind] = 0;
    if (kind === "blocks") {
      const blocks = this.#blocks;
      this.#blocks = [];
      return blocks.length > 0 ? { kind, blocks } : undefined;
    }
    if (kind === "answers") {
      const answers = this.#answers;
      this.#answers = [];
      return answers.length > 0 ? { kind, answers } : undefined;
    }
    if (this.#claims.isEmpty) return undefined;
    const logs = mergeLogs([this.#logs]);
    this.#logs = [];
    return { kind, logs, claims: this.#claims.take(), source: this.#logSource };
  }

  async #write(content: SegmentContent): Promise<void> {
    const { files, folder } = this.#options;
    const segment = await listSegment(files, folder, this.chainId, content);
    const list = this.#segments[segment.kind];
    this.#damaged.delete(segmentName(segment));
    if (!list.some((known) => segmentName(known) === segmentName(segment))) list.push(segment);
  }

  #append(line: ManifestLine): Promise<void> {
    const { files, folder } = this.#options;
    return files.append(`${folder}/${manifestFile}`, manifestText(line));
  }
}

function isCutBetween(one: number, other: number): boolean {
  return Math.floor(one / segmentBlocks) !== Math.floor(other / segmentBlocks);
}

/** The blocks that a segment covers at least in part. Answers are looked up by block hash. */
function blocksOf(content: SegmentContent): readonly (BlockPointer & Partial<Pick<Block, "parentHash">>)[] {
  if (content.kind === "blocks") return content.blocks;
  return content.kind === "logs" ? content.logs.map(({ block }) => block) : [];
}

function loadedOf(content: SegmentContent): Loaded {
  const coverage = new Coverage();
  if (content.kind === "logs") coverage.add(content.claims);
  return {
    blocks: new Map(content.kind === "blocks" ? content.blocks.map((block) => [block.number, block]) : []),
    answers: new Map(
      content.kind === "answers" ? content.answers.map(({ question, answer }) => [question, answer]) : [],
    ),
    logs: content.kind === "logs" ? content.logs : [],
    coverage,
  };
}
