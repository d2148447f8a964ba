import { DeterministicError } from "../../runtime/errors.js";
import { type JsonTree, parseJsonTree } from "../../runtime/wasm/json.js";
import {
  type Assertion,
  type JsonTest,
  JsonTestError,
  type MockedBlock,
  type MockedCall,
  type MockedEvent,
  type MockedFile,
} from "./json-test.js";

/**
 * Reads a test. As in gnd, unknown keys are ignored.
 * @throws JsonTestError for text that is not JSON, and for a value of the wrong kind, with its path
 */
export function readJsonTest(text: string): JsonTest {
  const root = parsed(text);
  const test = new Node(root, "The test");
  const network = test.at("network").textOr();
  return {
    name: test.at("name").text(),
    ...(network !== undefined && { network }),
    files: test.at("files").items((file) => fileIn(file, "cid")),
    arweaveFiles: test.at("arweaveFiles").items((file) => fileIn(file, "txId")),
    blocks: test.at("blocks").items(blockIn),
    assertions: test.at("assertions").items(assertionIn),
  };
}

/** Whether a text is a test, and not data that tests read. A text that is not JSON may be a broken test. */
export function looksLikeTest(text: string): boolean {
  try {
    const tree = parsed(text);
    return tree.kind === "object" && tree.value.some(([key]) => key === "blocks" || key === "assertions");
  } catch (error) {
    if (error instanceof JsonTestError) return true;
    throw error;
  }
}

function parsed(text: string): JsonTree {
  try {
    return parseJsonTree(text);
  } catch (error) {
    if (!(error instanceof DeterministicError)) throw error;
    const offset = Number(/ at offset (\d+)$/.exec(error.message)?.[1] ?? text.length);
    const line = text.slice(0, offset).split("\n").length;
    throw new JsonTestError(
      `This is not a test in JSON, line ${line}: ${error.message.split(" at offset")[0]}`,
    );
  }
}

function fileIn(file: Node, key: string): MockedFile {
  const id = file.at(key).text();
  const [content, path] = [file.at("content").textOr(), file.at("file").textOr()];
  return { id, ...(content !== undefined && { content }), ...(path !== undefined && { file: path }) };
}

function blockIn(block: Node): MockedBlock {
  const [number, hash] = [block.at("number").wholeOr(), block.at("hash").textOr()];
  const [timestamp, baseFeePerGas] = [block.at("timestamp").wholeOr(), block.at("baseFeePerGas").digitsOr()];
  return {
    ...(number !== undefined && { number }),
    ...(hash !== undefined && { hash }),
    ...(timestamp !== undefined && { timestamp }),
    ...(baseFeePerGas !== undefined && { baseFeePerGas }),
    events: block.at("events").items(eventIn),
    ethCalls: block.at("ethCalls").items(callIn),
    getBalanceCalls: block
      .at("getBalanceCalls")
      .items((call) => ({ address: call.at("address").text(), value: call.at("value").text() })),
    hasCodeCalls: block
      .at("hasCodeCalls")
      .items((call) => ({ address: call.at("address").text(), hasCode: call.at("hasCode").flag() })),
  };
}

function eventIn(event: Node): MockedEvent {
  const txHash = event.at("txHash").textOr();
  return {
    address: event.at("address").text(),
    event: event.at("event").text(),
    params: event.at("params").entries(),
    ...(txHash !== undefined && { txHash }),
  };
}

function callIn(call: Node): MockedCall {
  const reverts = call.at("reverts");
  return {
    address: call.at("address").text(),
    function: call.at("function").text(),
    params: call
      .at("params")
      .needed()
      .items(({ tree }) => tree ?? none),
    returns: call
      .at("returns")
      .needed()
      .items(({ tree }) => tree ?? none),
    reverts: reverts.tree === undefined ? false : reverts.flag(),
  };
}

function assertionIn(assertion: Node): Assertion {
  return {
    query: assertion.at("query").text(),
    expected: assertion.at("expected").needed().tree ?? none,
  };
}

const none: JsonTree = { kind: "null" };
const mostWhole = 2n ** 64n - 1n;

/** A value of a test, and its place. */
class Node {
  readonly tree: JsonTree | undefined;
  readonly #path: string;

  constructor(tree: JsonTree | undefined, path: string) {
    this.tree = tree;
    this.#path = path;
  }

  at(key: string): Node {
    if (this.tree?.kind !== "object") throw this.#wrong("an object");
    const found = this.tree.value.find(([name]) => name === key)?.[1];
    return new Node(found, this.#path === "The test" ? key : `${this.#path}.${key}`);
  }

  /** The items of a list, which may be absent. */
  items<T>(read: (item: Node) => T): readonly T[] {
    if (this.tree === undefined) return [];
    if (this.tree.kind !== "array") throw this.#wrong("a list");
    return this.tree.value.map((item, index) => read(new Node(item, `${this.#path}[${index}]`)));
  }

  entries(): ReadonlyMap<string, JsonTree> {
    if (this.tree === undefined) return new Map();
    if (this.tree.kind !== "object") throw this.#wrong("an object");
    return new Map(this.tree.value);
  }

  needed(): this {
    if (this.tree === undefined) throw this.#wrong("given");
    return this;
  }

  text(): string {
    if (this.tree?.kind !== "string") throw this.#wrong("a string");
    return this.tree.value;
  }

  textOr(): string | undefined {
    return this.#isAbsent ? undefined : this.text();
  }

  /** The digits of a number, which may be a string. */
  digitsOr(): string | undefined {
    return this.tree?.kind === "number" ? this.tree.value : this.textOr();
  }

  flag(): boolean {
    if (this.tree?.kind !== "bool") throw this.#wrong("true or false");
    return this.tree.value;
  }

  wholeOr(): bigint | undefined {
    if (this.#isAbsent) return undefined;
    const digits = this.tree?.kind === "number" ? this.tree.value : "";
    if (!/^\d+$/.test(digits) || BigInt(digits) > mostWhole)
      throw this.#wrong("a whole number, not in quotes");
    return BigInt(digits);
  }

  get #isAbsent(): boolean {
    return this.tree === undefined || this.tree.kind === "null";
  }

  #wrong(wanted: string): JsonTestError {
    return new JsonTestError(`${this.#path} must be ${wanted}.`);
  }
}
