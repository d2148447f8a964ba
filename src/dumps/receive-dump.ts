import { createHash } from "node:crypto";
import { DumpCutError, DumpError, DumpReplacedError } from "./dump-error.js";
import type { DumpFiles } from "./dump-files.js";
import { clearLeftovers, lockedFolder, readDumpFolder } from "./dump-folder.js";
import {
  allHistory,
  type DumpChunk,
  type DumpMetadata,
  type DumpTable,
  metadataName,
  printMetadata,
} from "./dump-metadata.js";
import { type DumpCounts, type DumpPart, type DumpPosition, partsIn } from "./dump-parts.js";
import { judgeTexts } from "./judge-dump.js";
import { forgetPartial, keepPartial, newerOf, type PartialDump, readPartial } from "./partial-dump.js";
import { verifyDump } from "./verify-dump.js";
import { addedRows, type DumpReport, nextFile, rowsIn } from "./write-dump.js";

/** A server that sends a dump. */
export interface DumpServer {
  /**
   * Asks for what comes after a position.
   * @throws DumpReplacedError if the position is on blocks that are gone; other errors of the connection, also while the
   *   answer is read
   */
  ask(position: DumpPosition): AsyncIterable<Uint8Array>;
  /**
   * Waits before another attempt, if an error may pass.
   * @param failures how many attempts have failed since the last file
   * @returns whether to try again
   */
  mayPass(error: unknown, failures: number): Promise<boolean>;
}

export interface ReceiveOptions {
  /** Receives the number of rows of a table that were received so far. */
  readonly onProgress?: (table: string, rows: number) => void;
  /** The same while the files are verified. */
  readonly onVerified?: (table: string, rows: number) => void;
  /** Called when the blocks of an interrupted dump are gone, so that it starts over. */
  readonly onRestart?: (() => void) | undefined;
}

/**
 * Writes a dump that a server sends to a folder, as `writeDump` does with one of a database. Repeated, it continues after
 * an interruption, and adds what is new to a complete dump. All values are judged before the dump is complete.
 * @throws DumpError, errors of the server, and of the system
 */
export async function receiveDump(
  files: DumpFiles,
  server: DumpServer,
  options: ReceiveOptions = {},
): Promise<DumpReport> {
  return lockedFolder(files, () => new Receiver(files, server, options).run());
}

type Begin = Extract<DumpPart, { readonly kind: "begin" }>;
type FileEnd = Extract<DumpPart, { readonly kind: "whole" }>;

class Receiver {
  readonly #files: DumpFiles;
  readonly #server: DumpServer;
  readonly #options: ReceiveOptions;
  #previous: DumpMetadata | undefined;
  #partial: PartialDump | undefined;

  constructor(files: DumpFiles, server: DumpServer, options: ReceiveOptions) {
    this.#files = files;
    this.#server = server;
    this.#options = options;
  }

  async run(): Promise<DumpReport> {
    this.#previous = await readDumpFolder(this.#files);
    this.#partial = await readPartial(this.#files, this.#previous);
    if (!this.#partial) await forgetPartial(this.#files);
    await clearLeftovers(this.#files, this.#partial?.metadata ?? this.#previous);
    for (let failures = 0; ; ) {
      const before = this.#partial;
      try {
        const whole = await this.#receiveAnswer();
        if (whole) return await this.#complete(whole.begin, whole.counts);
        failures = 0;
      } catch (error) {
        if (error instanceof DumpReplacedError) await this.#startOver(error);
        else {
          failures = this.#partial === before ? failures + 1 : 1;
          const isFinal = error instanceof DumpError && !(error instanceof DumpCutError);
          if (isFinal || !(await this.#server.mayPass(error, failures))) throw error;
        }
      }
    }
  }

  /** @throws DumpError if the complete dump of the folder cannot be continued */
  async #startOver(why: DumpReplacedError): Promise<void> {
    if (!this.#partial)
      throw new DumpError(why.message.replace(/\.$/, ""), {
        hint: "Choose an empty folder, or delete this one.",
        cause: why,
      });
    this.#options.onRestart?.();
    this.#partial = undefined;
    await forgetPartial(this.#files);
    await clearLeftovers(this.#files, this.#previous);
  }

  #position(): DumpPosition {
    const metadata = this.#partial?.metadata ?? this.#previous;
    const asOf = this.#partial?.asOf;
    const head = metadata?.head?.number ?? -1;
    const tables = [...(metadata?.tables ?? [])].map(
      ([type, { maxVid }]) => [type, { maxVid, asOf: asOf?.get(type) ?? head }] as const,
    );
    return { deployment: metadata?.deployment, head: metadata?.head, tables: new Map(tables) };
  }

  /** @returns the deployment if the dump is complete @throws DumpError, errors of the server */
  async #receiveAnswer(): Promise<{ readonly begin: Begin; readonly counts: DumpCounts } | undefined> {
    const parts = partsIn(this.#server.ask(this.#position()));
    const next = async (): Promise<DumpPart> => {
      for (;;) {
        const { done, value } = await parts.next();
        if (done) throw new DumpCutError();
        if (value.kind !== "tick") return value;
      }
    };
    try {
      const begin = await next();
      if (begin.kind !== "begin") throw outOfOrder();
      this.#checkBegin(begin);
      for (let isFirst = true; ; isFirst = false) {
        const part = await next();
        switch (part.kind) {
          case "file":
            await this.#receiveFile(begin, part, next);
            break;
          case "clamped":
            await this.#keep(begin, part.at, part.table, (table) => table, part.at?.number ?? -1);
            break;
          case "end":
            if (part.counts) return { begin, counts: part.counts };
            // It would never end.
            if (isFirst) throw outOfOrder();
            // So that a position is known even if the answer had no file.
            await this.#keep(begin, part.at);
            return undefined;
          default:
            throw outOfOrder();
        }
      }
    } finally {
      await parts.return(undefined);
    }
  }

  /** @throws DumpError if the folder has all blocks, or the deployment is damaged */
  #checkBegin({ metadata, schema, manifest }: Begin): void {
    judgeTexts(metadata, schema, manifest);
    const before = this.#previous?.head;
    if (this.#partial || !before || metadata.head?.hash !== before.hash) return;
    throw new DumpError(`the folder already has all blocks, up to ${before.number}`, {
      hint: "Dump again once more blocks are indexed.",
    });
  }

  async #receiveFile(
    begin: Begin,
    { table, form, at }: Extract<DumpPart, { readonly kind: "file" }>,
    next: () => Promise<DumpPart>,
  ): Promise<void> {
    const known = this.#tables(begin).get(table);
    if (!known) throw outOfOrder();
    const file = nextFile(table, form, form === "chunk" ? known.chunks : known.clamps);
    let end: FileEnd | undefined;
    const content = async function* (): AsyncGenerator<Uint8Array> {
      const hash = createHash("sha256");
      for (;;) {
        const part = await next();
        if (part.kind === "whole") {
          if (hash.digest("hex") !== part.digest)
            throw new DumpError(`${file} has changed on its way`, {
              hint: "Repeat the command: it continues.",
            });
          end = part;
          return;
        }
        if (part.kind !== "data") throw outOfOrder();
        hash.update(part.bytes);
        yield part.bytes;
      }
    };
    await this.#files.makeFolder(table);
    await this.#files.write(file, content());
    if (!end) throw outOfOrder();
    const { minVid, maxVid, rows } = end;
    const chunk: DumpChunk = { file, minVid, maxVid, rows };
    const isFirst = form === "chunk" && known.chunks.length === 0;
    const added = (before: DumpTable): DumpTable =>
      form === "chunk"
        ? { ...before, chunks: [...before.chunks, chunk], maxVid }
        : { ...before, clamps: [...before.clamps, chunk] };
    await this.#keep(begin, at, table, added, isFirst ? (at?.number ?? -1) : undefined);
    const { chunks } = this.#tables(begin).get(table) ?? known;
    this.#options.onProgress?.(table, rowsIn(chunks));
  }

  #tables({ metadata }: Begin): ReadonlyMap<string, DumpTable> {
    const known = this.#partial?.metadata ?? this.#previous;
    return new Map([...metadata.tables].map(([type, empty]) => [type, known?.tables.get(type) ?? empty]));
  }

  /** Keeps how far it has come. @param asOf for the table; as before if it is absent */
  async #keep(
    begin: Begin,
    at: PartialDump["metadata"]["head"],
    type = "",
    change = (table: DumpTable): DumpTable => table,
    asOf?: number,
  ): Promise<void> {
    const position = this.#position();
    const tables = new Map(this.#tables(begin));
    const table = tables.get(type);
    if (table) tables.set(type, change(table));
    const blocks = new Map([...position.tables].map(([name, own]) => [name, own.asOf]));
    if (table && asOf !== undefined) blocks.set(type, asOf);
    const metadata = { ...begin.metadata, head: newerOf(position.head, at), tables };
    this.#partial = { metadata, asOf: blocks };
    await keepPartial(this.#files, this.#previous, this.#partial);
  }

  async #complete({ metadata: facts, schema, manifest }: Begin, counts: DumpCounts): Promise<DumpReport> {
    const tables = this.#tables({ kind: "begin", metadata: facts, schema, manifest });
    const metadata = { ...facts, entityCount: counts.entities, tables };
    try {
      if (metadata.manifest.historyBlocks === allHistory) checkCounts(tables, counts);
      await verifyDump(
        this.#files,
        judgeTexts(metadata, schema, manifest),
        this.#previous,
        this.#options.onVerified,
      );
    } catch (error) {
      // What was received is wrong, so that it cannot be continued.
      if (error instanceof DumpError) await forgetPartial(this.#files);
      throw error;
    }
    await this.#files.write("schema.graphql", Buffer.from(schema));
    if (manifest !== undefined) await this.#files.write("subgraph.yaml", Buffer.from(manifest));
    await this.#files.write(metadataName, Buffer.from(printMetadata(metadata)));
    await forgetPartial(this.#files);
    const before = this.#previous;
    return {
      deployment: metadata.deployment,
      head: metadata.head?.number,
      previous: before?.head?.number,
      tables: [...tables].map(([type, table]) => addedRows(type, table, before?.tables.get(type))),
    };
  }
}

/** @throws DumpError */
function checkCounts(tables: ReadonlyMap<string, DumpTable>, { rows }: DumpCounts): void {
  for (const [type, { chunks }] of tables) {
    const [own, wanted] = [rowsIn(chunks), rows.get(type)];
    if (own !== wanted)
      throw new DumpError(`${type} has ${own} rows in the folder, and ${wanted ?? "none"} on the server`, {
        hint: "Repeat the command. If the folder has an earlier dump, choose an empty one.",
      });
  }
}

function outOfOrder(): DumpError {
  return new DumpError("the server's answer is not in the order of a dump", {
    hint: "Use the version of graphloom that the server has.",
  });
}
