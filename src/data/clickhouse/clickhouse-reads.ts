import type { KnownBlock } from "../chains/known-block.js";
import {
  type BlockPage,
  type BlockQuestion,
  type Catalog,
  type Category,
  categories,
  type DataReads,
  type HeldToken,
  type Holding,
  type Indexed,
  type IndexedChain,
  type KnownToken,
  type Move,
  type MoveQuestion,
  type Price,
  type PriceQuestion,
  type ServedToken,
  type Standing,
  type TokenFilter,
  type TokenQuestion,
} from "../reads/data-reads.js";
import { passesAll } from "../reads/token-sql.js";
import { blocksDown, knownBlock, newestUntil, readBlocks } from "./read-blocks.js";
import { endOf, headName, type ReadChain } from "./read-chain.js";
import { readMoves, readSums } from "./read-moves.js";

/** The dependencies of the reads. */
export interface ClickHouseReadsOptions {
  /** Opens a chain; repeated calls return the same object. */
  readonly chain: (name: string) => Promise<ReadChain>;
  readonly chains: () => Promise<readonly IndexedChain[]>;
  /** Whether a chain has tables. */
  readonly hasTables: (name: string) => Promise<boolean>;
  /** Reads the catalog, which is in another database. @param isSingle whether the work runs one statement */
  readonly catalog: <Result>(
    work: (catalog: Catalog) => Promise<Result>,
    isSingle?: boolean,
  ) => Promise<Result>;
}

/** A held token without facts in any table. */
const nothingHeld: HeldToken = { mark: null, isPriceable: false, lacksMoves: false };

/** The reads of the service, with rows in ClickHouse and facts about tokens in PostgreSQL. */
export class ClickHouseReads implements DataReads {
  readonly #options: ClickHouseReadsOptions;

  constructor(options: ClickHouseReadsOptions) {
    this.#options = options;
  }

  chains(): Promise<readonly IndexedChain[]> {
    return this.#options.chains();
  }

  /** The tables of a chain, for other reads of the same moment. */
  open(name: string): Promise<ReadChain> {
    return this.#chain(name);
  }

  known(chain: string, questions: readonly TokenQuestion[]): Promise<readonly KnownToken[]> {
    return this.#options.catalog((catalog) => catalog.known(chain, questions), questions.length > 0);
  }

  priceable(...given: Parameters<Catalog["priceable"]>): ReturnType<Catalog["priceable"]> {
    return this.#options.catalog((catalog) => catalog.priceable(...given), true);
  }

  async indexed(name: string): Promise<readonly Indexed[]> {
    const chain = await this.#chain(name);
    return categories.map((category) => {
      const place = chain.places.get(category);
      const end = place?.next === undefined ? undefined : place.next - 1;
      return { category, last: end, final: end === undefined ? undefined : finalOf(chain, category) };
    });
  }

  async standing(name: string): Promise<Standing | undefined> {
    if (!(await this.#options.hasTables(name))) return undefined;
    const chain = await this.#chain(name);
    const found = await chain.remembered(headName, () => newestUntil(chain, endOf(chain, "blocks")));
    if (!found) return undefined;
    const { version: _, ...head } = found;
    return { head, final: finalOf(chain, "blocks") };
  }

  async block(name: string, number: number): Promise<KnownBlock | undefined> {
    return knownBlock(await this.#chain(name), number);
  }

  async blocks(question: BlockQuestion): Promise<BlockPage | undefined> {
    const { chain: name, shownAs, pinned, limit } = question;
    const standing = await this.standing(name);
    if (!standing) return undefined;
    const chain = await this.#chain(name);
    const [kept, found] = await Promise.all([
      pinned === undefined ? undefined : knownBlock(chain, pinned),
      readBlocks(chain, { ...question, limit: limit + 1 }),
    ]);
    const rows = found.slice(0, limit);
    const numbers = rows.map(({ number }) => number);
    return {
      standing,
      pinned: kept,
      items: rows.map((row) => JSON.stringify({ chain: shownAs, ...row })).join(","),
      numbers:
        rows.length === 0 ? undefined : { lowest: Math.min(...numbers), highest: Math.max(...numbers) },
      count: rows.length,
      hasMore: found.length > rows.length,
    };
  }

  async common(name: string, wanted: readonly Category[]): Promise<KnownBlock | undefined> {
    const chain = await this.#chain(name);
    return chain.remembered(wanted.join(), () => commonBlock(chain, wanted));
  }

  async moves(question: MoveQuestion): Promise<readonly Move[]> {
    const { chain: name, wallet } = question;
    const [chain, tokens] = await Promise.all([this.#chain(name), this.#passing(question)]);
    if (tokens?.length === 0) return [];
    const moves = await readMoves(chain, tokens, question);
    chain.prove();
    if (moves.length === 0) return [];
    const addresses = new Set([wallet, ...moves.map(({ counterparty }) => counterparty)]);
    const [known, labels] = await this.#options.catalog((catalog) =>
      Promise.all([catalog.known(name, moves), catalog.labels(name, [...addresses])]),
    );
    const ownLabel = labels.get(wallet) ?? null;
    return moves.map((move, index) => ({
      ...(known[index] ?? unknownToken),
      ...move,
      label: labels.get(move.counterparty) ?? null,
      ownLabel,
    }));
  }

  async holdings(
    question: TokenFilter & { readonly chain: string; readonly wallet: string; readonly block: number },
    most: number,
  ): Promise<readonly Holding[]> {
    const { chain: name } = question;
    const [chain, tokens] = await Promise.all([this.#chain(name), this.#passing(question)]);
    const sums = await readSums(chain, question, tokens, most);
    chain.prove();
    if (sums.length === 0) return [];
    const held = await this.#options.catalog(
      (catalog) =>
        catalog.held(
          name,
          sums.map(({ token }) => token),
        ),
      true,
    );
    return sums.map(({ token, sum }) => ({
      token,
      sum,
      known: undefined,
      ...(held.get(token) ?? nothingHeld),
    }));
  }

  native(chain: string, filter: TokenFilter): Promise<ServedToken | undefined> {
    return this.#options.catalog((catalog) => catalog.native(chain, filter), true);
  }

  prices(
    questions: readonly PriceQuestion[],
    window: number,
    knownAt?: number,
  ): Promise<readonly (Price | undefined)[]> {
    if (questions.length === 0) return Promise.resolve([]);
    return this.#options.catalog((catalog) => catalog.prices(questions, window, knownAt), true);
  }

  /** The tokens that pass a filter. PostgreSQL is not queried unless the filter needs facts about them. */
  async #passing(question: TokenFilter & { readonly chain: string }): Promise<readonly string[] | undefined> {
    if (passesAll(question)) return question.tokens;
    return this.#options.catalog((catalog) => catalog.passing(question.chain, question), true);
  }

  #chain(name: string): Promise<ReadChain> {
    return this.#options.chain(name);
  }
}

const unknownToken: ServedToken = {
  symbol: null,
  name: null,
  decimals: null,
  logoUrl: null,
  isStable: false,
};

/** The last block that no reorganisation replaces. */
function finalOf(chain: ReadChain, category: Category): number {
  const [first] = chain.places.get(category)?.open ?? [];
  return first ? first.number - 1 : endOf(chain, category);
}

/** The newest block that all of some tables have on the same branch. */
async function commonBlock(chain: ReadChain, wanted: readonly Category[]): Promise<KnownBlock | undefined> {
  const end = Math.min(...wanted.map((category) => endOf(chain, category)), endOf(chain, "blocks"));
  const open = wanted.flatMap((category) => chain.places.get(category)?.open ?? []);
  const lowest = Math.min(end + 1, ...open.map(({ number }) => number));
  // A table may still hold the rows of a block that another table has already replaced.
  const agreed = (await (lowest <= end ? blocksDown(chain, lowest, end) : [])).find((block) =>
    open.every(({ number, hash }) => number !== block.number || hash === block.hash),
  );
  if (agreed || lowest === 0) return agreed;
  const { version: _, ...block } = (await newestUntil(chain, lowest - 1)) ?? { version: 0 };
  return "number" in block ? block : undefined;
}
