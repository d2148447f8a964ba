import { createHash } from "node:crypto";
import { messageOf } from "../../base/text/message-of.js";
import { quote } from "../../base/text/quote.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { Location } from "../../compiler/source/source.js";
import type { StringNode, TreeNode } from "../../compiler/source/tree.js";
import { shownAddress } from "../../web/http/address.js";
import { outsideQuotes } from "../sql/sql-tokens.js";
import { type Replacement, replaceParts } from "./replace-parts.js";

/** An ABI that a definition names by its address, as it was when the definition was applied. */
export interface FetchedAbi {
  /** The address without what may be a key. */
  readonly url: string;
  readonly format: AbiFormat;
  /** A hash of the address and the format, by which the call finds its ABI. */
  readonly id: string;
  /** JSON, or entries in Solidity's form. */
  readonly abi: string;
}

/** `raw`: the ABI alone. `etherscan`: the answer of an explorer, with the ABI as a text in `result`. */
type AbiFormat = "raw" | "etherscan";

/** Reads the text at a web address. @throws Error that says why it cannot be read */
export type ReadAddress = (url: string) => Promise<string>;

/** A definition whose ABIs are part of its queries. */
export interface WithAbis {
  readonly tree: TreeNode;
  readonly abis: readonly FetchedAbi[];
}

/** The most ABIs that a definition can fetch, and the characters that all of them may have, since a server keeps them. */
const mostAbis = 64;
const mostCharacters = 4_000_000;

/**
 * Puts the ABI in the place of each call of `fetch_abi` in a query, so that all runs of a definition decode alike. Reports
 * calls without an ABI.
 * @param known ABIs that were fetched before; others are fetched
 */
export async function fetchAbis(
  tree: TreeNode,
  known: readonly FetchedAbi[],
  read: ReadAddress,
  report: Report,
): Promise<WithAbis> {
  const fetcher = new AbiFetcher(known, read, report);
  return { tree: await fetcher.replaced(tree, false), abis: fetcher.used };
}

class AbiFetcher {
  readonly #known: Map<string, FetchedAbi>;
  readonly #used = new Map<string, FetchedAbi>();
  readonly #read: ReadAddress;
  readonly #report: Report;

  constructor(known: readonly FetchedAbi[], read: ReadAddress, report: Report) {
    this.#known = new Map(known.map((one) => [one.id, one]));
    this.#read = read;
    this.#report = report;
  }

  get used(): readonly FetchedAbi[] {
    return [...this.#used.values()];
  }

  /** @param isQuery whether a string is a query */
  async replaced(tree: TreeNode, isQuery: boolean): Promise<TreeNode> {
    if (tree.kind === "string") return isQuery ? this.#query(tree) : tree;
    if (tree.kind === "object") {
      const members = [];
      for (const { key, value } of tree.members)
        members.push({ key, value: await this.replaced(value, key.value === "sql") });
      return { ...tree, members };
    }
    if (tree.kind !== "array") return tree;
    const items = [];
    for (const item of tree.items) items.push(await this.replaced(item, false));
    return { ...tree, items };
  }

  async #query(text: StringNode): Promise<StringNode> {
    const replacements: Replacement[] = [];
    for (const { 0: written, index, groups = {} } of text.value.matchAll(tokens)) {
      if (groups.call === undefined) continue;
      const span = { start: index, end: index + written.length };
      const abi = await this.#abi(groups, text.part(span.start, span.end));
      // After a reported error, the query must stay one that can be checked, without a second mistake at the same place.
      const value = groups.url === undefined ? "concat(" : `'${(abi ?? "[]").replaceAll("'", "''")}'`;
      replacements.push({ ...span, value });
    }
    return replacements.length === 0 ? text : replaceParts(text, replacements);
  }

  /** The ABI that a call fetches; `undefined` after a reported error. */
  async #abi(
    { url: quotedUrl, format: quotedFormat = "'raw'" }: Readonly<Record<string, string | undefined>>,
    at: Location,
  ): Promise<string | undefined> {
    const refuse = (message: string, hint: string): undefined => {
      this.#report.error("sql-error", at, message, { hint });
    };
    if (quotedUrl === undefined) return refuse("fetch_abi takes an address and a format as texts", callHint);
    const [url, format] = [unquoted(quotedUrl), unquoted(quotedFormat)];
    if (format !== "raw" && format !== "etherscan")
      return refuse(`fetch_abi has no format ${quote(format)}`, callHint);
    const id = createHash("sha256").update(`${format} ${url}`).digest("hex").slice(0, 32);
    const found = this.#used.get(id) ?? this.#known.get(id);
    if (!found && this.#used.size >= mostAbis)
      return refuse(`a definition can fetch ${mostAbis} ABIs at most`, "write an ABI into the query");
    try {
      const abi = found ?? {
        url: shownAddress(url),
        format,
        id,
        abi: abiIn(await this.#read(url), format),
      };
      this.#used.set(id, abi);
      if (this.used.reduce((sum, one) => sum + one.abi.length, 0) <= mostCharacters) return abi.abi;
      this.#used.delete(id);
      return refuse(
        `the ABIs of a definition have at most ${mostCharacters / 1_000_000} million characters`,
        "write the entries that the query needs into it, such as event Sent(address to)",
      );
    } catch (error) {
      return refuse(`the ABI at ${shownAddress(url)} cannot be used: ${messageOf(error)}`, unreadHint);
    }
  }
}

const callHint = "write fetch_abi('https://…', 'raw'), or 'etherscan' for the answer of an explorer";
const unreadHint = "open the address in a browser, or write the ABI into the query instead of the call";

/** What is quoted, which is left alone, and calls. */
const tokens = outsideQuotes(
  /(?<call>\b(?:_[a-z]{2}_)?fetch_abi\s*\((?:\s*(?<url>'(?:[^']|'')*')\s*(?:,\s*(?<format>'(?:[^']|'')*')\s*)?\))?)/,
);

function unquoted(text: string): string {
  return text.slice(1, -1).replaceAll("''", "'");
}

/** The ABI in an answer, in one form for the same ABI. Whether it can be read is seen where it is used. @throws Error if there is none */
function abiIn(answer: string, format: AbiFormat): string {
  const text = format === "etherscan" ? resultOf(answer) : answer;
  const json = jsonOf(text);
  const isArtifact = typeof json === "object" && json !== null && "abi" in json;
  if (json !== undefined) return JSON.stringify(isArtifact ? json.abi : json);
  if (!/^\s*(?:event|function|error)\s/.test(text)) throw new Error("the answer is not an ABI");
  return text.trim();
}

/** What an explorer answers: `{"status":"1","message":"OK","result":"[…]"}`. */
function resultOf(answer: string): string {
  const json = jsonOf(answer);
  if (typeof json !== "object" || json === null || !("result" in json))
    throw new Error("the answer is not one of an explorer, with the ABI in its result");
  const { result } = json;
  if ("status" in json && String(json.status) === "0")
    throw new Error(`the explorer refuses: ${String(result).slice(0, 200)}`);
  return typeof result === "string" ? result : JSON.stringify(result);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // An ABI may also be in Solidity's form.
    return undefined;
  }
}
