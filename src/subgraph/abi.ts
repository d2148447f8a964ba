import { EventFragment, type Fragment, FunctionFragment, Interface } from "ethers/abi";
import { BundleError } from "./bundle-error.js";

/** An unvalidated entry of an ABI. */
interface AbiEntry {
  readonly type?: unknown;
  readonly name?: unknown;
  stateMutability?: unknown;
  inputs?: unknown;
}

/** An ABI of a build. Its text is parsed on first use, once. */
export class Abi {
  readonly name: string;
  /** A JSON array. */
  readonly text: string;
  #entries: readonly AbiEntry[] | undefined;
  #fragments: readonly Fragment[] | undefined;
  readonly #events = new Map<string, EventFragment | undefined>();
  readonly #functions = new Map<string, FunctionFragment | undefined>();

  /** @param name the name that messages and mappings use */
  constructor(name: string, text: string) {
    this.name = name;
    this.text = text;
  }

  /** Validates the text. @throws BundleError for text that is not a JSON array */
  check(): void {
    this.#parsed();
  }

  /**
   * All fragments that can be parsed, in ABI order. @throws BundleError for text that is not a JSON array
   */
  get fragments(): readonly Fragment[] {
    this.#fragments ??= new Interface(this.#parsed() as object[]).fragments;
    return this.#fragments;
  }

  /**
   * Finds the event for a signature from a manifest: an exact match including `indexed`; or, for a signature
   * without any `indexed`, the only event of that name.
   * @throws BundleError for text that is not a JSON array
   */
  event(signature: string): EventFragment | undefined {
    if (!this.#events.has(signature)) this.#events.set(signature, this.#findEvent(signature));
    return this.#events.get(signature);
  }

  /**
   * Finds the state-changing function for a signature. Transactions call no other functions.
   * @throws BundleError for text that is not a JSON array
   */
  writingFunction(signature: string): FunctionFragment | undefined {
    if (!this.#functions.has(signature)) this.#functions.set(signature, this.#findFunction(signature));
    return this.#functions.get(signature);
  }

  /**
   * The first event with a name, with any parameters.
   * @throws BundleError for text that is not a JSON array
   */
  eventNamed(name: string): EventFragment | undefined {
    const [first] = this.#named("event", name);
    return first && EventFragment.from(first);
  }

  /** The first function with a name. @throws BundleError for text that is not a JSON array */
  functionNamed(name: string): FunctionFragment | undefined {
    const [first] = this.#named("function", name);
    return first && FunctionFragment.from(withoutDefects(first));
  }

  #findEvent(signature: string): EventFragment | undefined {
    const candidates = this.#named("event", nameIn(signature)).map((entry) => EventFragment.from(entry));
    const exact = candidates.find((event) => manifestForm(event) === signature);
    if (exact) return exact;
    const [only, ...others] = candidates;
    const same = only?.format("sighash") === signature;
    return same && others.length === 0 ? only : undefined;
  }

  #findFunction(signature: string): FunctionFragment | undefined {
    return this.#named("function", nameIn(signature))
      .map((entry) => FunctionFragment.from(withoutDefects(entry)))
      .find((fn) => !fn.constant && fn.format("sighash") === signature);
  }

  #named(kind: "event" | "function", name: string): readonly AbiEntry[] {
    // Functions in very old ABIs have no type.
    return this.#parsed().filter((entry) => (entry.type ?? "function") === kind && entry.name === name);
  }

  #parsed(): readonly AbiEntry[] {
    this.#entries ??= parseEntries(this.name, this.text);
    return this.#entries;
  }
}

function parseEntries(name: string, text: string): readonly AbiEntry[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new BundleError(`the ABI ${name} is not JSON`, { cause: error });
  }
  if (!Array.isArray(value)) throw new BundleError(`the ABI ${name} is not a JSON array`);
  return value as readonly AbiEntry[];
}

function nameIn(signature: string): string {
  return signature.slice(0, signature.indexOf("("));
}

/** An event's signature as in manifests: `Transfer(indexed address,uint256)`. */
export function manifestForm({ name, inputs }: EventFragment): string {
  const types = inputs.map((input) => `${input.indexed ? "indexed " : ""}${input.format("sighash")}`);
  return `${name}(${types.join(",")})`;
}

/**
 * Repairs defects that some compilers emit and graph-node accepts: the mutability "undefined", which means
 * `nonpayable`, and indexed function parameters.
 */
function withoutDefects(entry: AbiEntry): AbiEntry {
  const { stateMutability, inputs } = entry;
  const mended = { ...entry };
  if (stateMutability === "undefined") mended.stateMutability = "nonpayable";
  if (Array.isArray(inputs))
    mended.inputs = inputs.map((input: object) => ({ ...input, indexed: undefined }));
  return mended;
}
