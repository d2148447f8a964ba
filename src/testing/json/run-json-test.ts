import { present } from "../../base/invariant.js";
import type { World } from "../../base/world.js";
import { catalogDeployment } from "../../query/catalog-deployment.js";
import { createQueryEngine, type QueryEngine } from "../../query/engine.js";
import { BlockError } from "../../runtime/errors.js";
import { arweaveId, arweavePath, filePath } from "../../runtime/files/file-path.js";
import type { Files } from "../../runtime/files/files.js";
import type { HandlerFailure } from "../../runtime/indexer/failure.js";
import { type GivenOutcome, runBlocks } from "../../runtime/run-blocks.js";
import type { Store } from "../../runtime/store/store.js";
import { AbortError } from "../../runtime/wasm/failures.js";
import { parseJsonTree } from "../../runtime/wasm/json.js";
import type { Database } from "../../store/database/database.js";
import { layoutOf, openDeployment } from "../../store/deployments/deployments.js";
import { dropDeployment } from "../../store/deployments/drop-deployment.js";
import { newDeployment } from "../../store/deployments/new-deployment.js";
import { openStore } from "../../store/entities/open-store.js";
import type { MappingPlace } from "../../subgraph/config-places.js";
import type { BuiltSubgraph } from "../../subgraph/runnable/built-subgraph.js";
import type { TestLine, TestOutcome } from "../outcome.js";
import { aligned, differenceOf, isAsExpected, jsonLines } from "./compare-json.js";
import { type Assertion, type JsonTest, JsonTestError, type MockedFile } from "./json-test.js";
import { MockedReads } from "./mocked-reads.js";
import { hashOfNumber, playBlocks } from "./play-blocks.js";

/** The entities of one test, and the engine that answers its queries. */
interface TestDeployment {
  /** Empty at first. */
  readonly store: Store;
  readonly engine: QueryEngine;
  /** Removes the entities from the database. @throws DatabaseError */
  drop(): Promise<void>;
}

/** Reads a file that a test names, relative to the test. @returns `undefined` when there is none */
type ReadBeside = (path: string) => Promise<Uint8Array | undefined>;

export interface JsonTestPlace {
  readonly built: BuiltSubgraph;
  /** A migrated database that nothing else uses. */
  readonly database: Database;
  readonly world: Pick<World, "now">;
  readonly read: ReadBeside;
  /** Called when a handler of a data source or a template runs. */
  readonly onHandler?: (handler: string, source: string) => void;
  readonly signal?: AbortSignal | undefined;
  /**
   * Where a handler failed, if its mapping is not a file of the user's: a file with line and column, or
   * anything else.
   */
  readonly placeOf?: ((handler: string, at: MappingPlace | undefined) => string | undefined) | undefined;
}

/** Runs a test: its blocks through the subgraph's handlers, then its queries. */
export async function runJsonTest(test: JsonTest, place: JsonTestPlace): Promise<TestOutcome> {
  const since = place.world.now();
  const { logged, verdicts } = await linesOf(test, place);
  const passed = verdicts.every(({ level }) => level === "success");
  return {
    name: test.name,
    within: [],
    passed,
    milliseconds: place.world.now() - since,
    lines: passed ? verdicts : [...logged, ...verdicts],
  };
}

/** A test that could not be read or run as written. */
export function brokenTest(name: string, error: JsonTestError): TestOutcome {
  return { name, within: [], passed: false, milliseconds: 0, lines: [wrong(error.message)] };
}

/** The handlers' log lines, and a line for each query, or the reason why there are none. */
interface Lines {
  readonly logged: readonly TestLine[];
  readonly verdicts: readonly TestLine[];
}

async function linesOf(test: JsonTest, place: JsonTestPlace): Promise<Lines> {
  const { built, database, world, onHandler, signal } = place;
  const logged: TestLine[] = [];
  const verdicts: TestLine[] = [];
  if (test.blocks.length === 0 && test.assertions.length === 0) return { logged, verdicts };
  try {
    const start = Math.min(...built.dataSources.map(({ startBlock }) => startBlock));
    const { blocks, receipts } = playBlocks(test, start);
    const files = await mockedFiles(test, place.read);
    const reads = new MockedReads(
      test.blocks.map((mocked, index) => [
        present(blocks[index], "a block was not played").block.hash,
        mocked,
      ]),
    );
    const deployment = await openTestDeployment(built, database, world);
    try {
      const outcome = await runBlocks(
        built,
        {
          blocks,
          files,
          signal,
          onHandler,
          ...(start > 0 && { before: { number: start - 1, hash: hashOfNumber(start - 1) } }),
          callsOf: (block) => reads.of(block),
          receiptOf: (block, transaction) => receipts.get(block.hash)?.get(transaction),
          onLines: (lines) => {
            for (const { level, message } of lines) logged.push({ level, text: message });
          },
        },
        deployment.store,
      );
      const failures = failuresOf(outcome, place.placeOf);
      if (failures.length > 0) return { logged, verdicts: failures };
      for (const assertion of test.assertions) verdicts.push(await check(assertion, deployment.engine));
    } finally {
      await deployment.drop();
    }
  } catch (error) {
    if (!(error instanceof JsonTestError)) throw error;
    verdicts.push(wrong(error.message));
  }
  return { logged, verdicts };
}

function failuresOf(
  { failure, missingFiles }: GivenOutcome,
  placeOf: JsonTestPlace["placeOf"],
): readonly TestLine[] {
  if (failure) return [failureLine(failure, placeOf)];
  return missingFiles.map((path) => {
    const id = arweaveId(path);
    const list = id === undefined ? "files" : "arweaveFiles";
    return wrong(`A handler waits for the file ${id ?? path}. Add it to "${list}" of the test.`);
  });
}

function failureLine(failure: HandlerFailure | BlockError, placeOf: JsonTestPlace["placeOf"]): TestLine {
  if (failure instanceof BlockError) return wrong(`Block ${failure.block.number}: ${failure.message}`);
  const { handler, block, error } = failure;
  const at =
    error instanceof AbortError && error.file !== undefined && error.line > 0
      ? { file: error.file, line: error.line, column: error.column }
      : undefined;
  const line = wrong(`${handler} failed in block ${block}: ${error.message}`);
  if (!placeOf) return { ...line, at };
  const place = placeOf(handler, at);
  if (place === undefined) return line;
  const [, file, row, column] = /^(.+):(\d+):(\d+)$/.exec(place) ?? [];
  if (file !== undefined) return { ...line, at: { file, line: Number(row), column: Number(column) } };
  return wrong(`${line.text}\nat ${place}`);
}

async function check({ query, expected }: Assertion, engine: QueryEngine): Promise<TestLine> {
  const { data, errors } = await engine.execute({ query });
  if (errors) return wrong(`${query}\n${errors.map(({ message }) => message).join("\n")}`);
  const actual = parseJsonTree(JSON.stringify(data ?? null));
  if (isAsExpected(actual, expected)) return { level: "success", text: query };
  const difference = differenceOf(jsonLines(expected), jsonLines(aligned(actual, expected)));
  return wrong([query, "(- expected, + found)", ...difference].join("\n"));
}

function wrong(text: string): TestLine {
  return { level: "error", text };
}

/** The files that handlers of a test find. @throws JsonTestError */
async function mockedFiles(
  { files, arweaveFiles }: Pick<JsonTest, "files" | "arweaveFiles">,
  read: ReadBeside,
): Promise<Files> {
  const contents = new Map<string, Uint8Array>();
  for (const file of files) {
    const path = filePath(file.id);
    if (path === undefined) throw new JsonTestError(`${file.id} in "files" is not the CID of a file.`);
    contents.set(path, await contentOf(file, read));
  }
  for (const file of arweaveFiles) contents.set(arweavePath(file.id), await contentOf(file, read));
  return { read: async (path) => contents.get(filePath(path) ?? path) };
}

async function contentOf({ id, content, file }: MockedFile, read: ReadBeside): Promise<Uint8Array> {
  if ((content === undefined) === (file === undefined)) {
    throw new JsonTestError(`${id} must have either "content" or "file".`);
  }
  if (content !== undefined) return new TextEncoder().encode(content);
  const found = await read(file ?? "");
  if (found) return found;
  throw new JsonTestError(`The file ${file} for ${id} cannot be read.`);
}

/**
 * Opens a deployment for one test. A graft is not taken over.
 * @param database a migrated database in which no other deployment has the name
 * @throws DatabaseError; SchemaError when the schema has no layout
 */
async function openTestDeployment(
  { graft: _, ...built }: BuiltSubgraph,
  database: Database,
  world: Pick<World, "now">,
): Promise<TestDeployment> {
  const wanted = newDeployment(built, "test", { proofs: false });
  const deployment = await openDeployment(database, wanted);
  const opened = catalogDeployment(deployment, layoutOf(deployment, built.entities));
  return {
    store: openStore(database, deployment, built),
    engine: createQueryEngine({ database, deployment: opened, world }),
    drop: async () => {
      await dropDeployment(database, wanted.deployment);
    },
  };
}
