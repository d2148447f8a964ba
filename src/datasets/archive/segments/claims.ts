import type { LogFilter } from "../../../runtime/chain/chain.js";
import type { BlockRange } from "../../../runtime/indexer/logs/tails.js";
import type { VerifyMode } from "../../../runtime/indexer/logs/verification.js";
import type { Column, ColumnValues } from "../../parquet/column.js";

/**
 * States that a segment has all logs of a range: of one address or all, with one of some first topics or any. A
 * segment without a claim proves nothing, so a partial one is never mistaken for a complete one.
 */
export interface Claim extends BlockRange {
  /** `undefined` for any address. */
  readonly address: string | undefined;
  /** First topics; `undefined` for any, and for logs without topics. */
  readonly topics: readonly string[] | undefined;
  readonly proof: VerifyMode;
}

/** Columns of a segment's claims. An empty address or list of topics means any. */
export const claimColumns: readonly Column[] = [
  { name: "address", type: "hex" },
  { name: "topics", type: "strings" },
  { name: "from_block", type: "long" },
  { name: "to_block", type: "long" },
  { name: "proof", type: "string" },
];

const proofs: readonly string[] = ["off", "bloom", "receipts"] satisfies VerifyMode[];

export function claimRows(claims: readonly Claim[]): ColumnValues {
  return {
    address: claims.map(({ address }) => address ?? "0x"),
    topics: claims.map(({ topics }) => topics ?? []),
    from_block: claims.map(({ from }) => BigInt(from)),
    to_block: claims.map(({ to }) => BigInt(to)),
    proof: claims.map(({ proof }) => proof),
  };
}

/** @throws Error for an unknown kind of proof, and for topics that are not a list */
export function claimsOfRows(rows: ColumnValues): readonly Claim[] {
  return (rows.address ?? []).map((address, row) => {
    const proof = String(rows.proof?.[row]);
    if (!proofs.includes(proof)) throw new Error(`it claims a proof that is not known: "${proof}"`);
    const topics = rows.topics?.[row];
    if (!Array.isArray(topics)) throw new Error("it claims topics that are not a list");
    return {
      address: address === "0x" ? undefined : String(address),
      topics: topics.length === 0 ? undefined : topics,
      from: Number(rows.from_block?.[row]),
      to: Number(rows.to_block?.[row]),
      proof: proof as VerifyMode,
    };
  });
}

/** Collects claims. Claims of neighbouring ranges become one. */
export class ClaimList {
  readonly #claims = new Map<string, Claim>();
  readonly #closed: Claim[] = [];

  get isEmpty(): boolean {
    return this.#claims.size === 0;
  }

  /** Claims all logs of a range that match a filter. */
  add({ from, to }: BlockRange, filter: LogFilter, proof: VerifyMode): void {
    for (const { addresses, topics } of filter) {
      if (topics?.length === 0) continue;
      const sorted = topics && [...topics].sort();
      const name = `${proof} ${sorted?.join(" ") ?? "any"}`;
      for (const address of addresses.length === 0 ? [undefined] : addresses) {
        const key = `${address ?? "any"} ${name}`;
        const before = this.#claims.get(key);
        if (before && before.to + 1 === from) this.#claims.set(key, { ...before, to });
        else {
          if (before) this.#closed.push(before);
          this.#claims.set(key, { address, topics: sorted, from, to, proof });
        }
      }
    }
  }

  /** Returns and forgets all claims. */
  take(): readonly Claim[] {
    const all = [...this.#closed, ...this.#claims.values()];
    this.#closed.length = 0;
    this.#claims.clear();
    return inOrder(all);
  }
}

/** Joins the claims of several segments, in order. Adjacent equal claims become one. */
export function joinClaims(claims: readonly Claim[]): readonly Claim[] {
  const open = new Map<string, Claim>();
  const closed: Claim[] = [];
  for (const claim of [...claims].sort((one, other) => one.from - other.from)) {
    const key = `${claim.address ?? "any"} ${claim.proof} ${claim.topics?.join(" ") ?? "any"}`;
    const before = open.get(key);
    const isNext = before && claim.from <= before.to + 1;
    if (before && !isNext) closed.push(before);
    open.set(key, isNext ? { ...before, to: Math.max(before.to, claim.to) } : claim);
  }
  return inOrder([...closed, ...open.values()]);
}

function inOrder(claims: Claim[]): readonly Claim[] {
  return claims.sort((one, other) => one.from - other.from || compare(one.address, other.address));
}

/** Determines whether claims cover a filter. */
export class Coverage {
  readonly #byAddress = new Map<
    string | undefined,
    { readonly topics: ReadonlySet<string> | undefined; readonly claim: Claim }[]
  >();

  /** What several claims have in common. */
  static all(coverages: readonly Coverage[]): Coverage {
    const [first] = coverages;
    if (first && coverages.length === 1) return first;
    const all = new Coverage();
    for (const coverage of coverages) {
      for (const [address, list] of coverage.#byAddress)
        all.#byAddress.set(address, [...(all.#byAddress.get(address) ?? []), ...list]);
    }
    return all;
  }

  add(claims: readonly Claim[]): void {
    for (const claim of claims) {
      const list = this.#byAddress.get(claim.address) ?? [];
      list.push({ topics: claim.topics && new Set(claim.topics), claim });
      this.#byAddress.set(claim.address, list);
    }
  }

  /** Whether all logs of a range that match a filter are claimed, proved at least as well as `proof`. */
  covers(range: BlockRange, filter: LogFilter, proof: VerifyMode): boolean {
    return this.reach(range, filter, proof) === range.to;
  }

  /**
   * The last block of a range up to which that is true; the block before the range if it is not true for the first
   * one.
   */
  reach({ from, to }: BlockRange, filter: LogFilter, proof: VerifyMode): number {
    const least = proofs.indexOf(proof);
    let reached = to;
    for (const { addresses, topics } of filter)
      for (const address of addresses.length === 0 ? [undefined] : addresses)
        for (const topic of topics ?? [undefined])
          reached = Math.min(reached, this.#reachOfOne(from, reached, address, topic, least));
    return reached;
  }

  /** Where claims begin, in order. */
  get starts(): readonly number[] {
    const starts = [...this.#byAddress.values()].flatMap((list) => list.map(({ claim }) => claim.from));
    return [...new Set(starts)].sort((one, other) => one - other);
  }

  /** An undefined address or topic means any; only a claim for any covers it. */
  #reachOfOne(
    from: number,
    to: number,
    address: string | undefined,
    topic: string | undefined,
    least: number,
  ): number {
    const any = this.#byAddress.get(undefined) ?? [];
    const own = address === undefined ? [] : (this.#byAddress.get(address) ?? []);
    let next = from;
    while (next <= to) {
      let reached = next;
      for (const list of [own, any]) {
        for (const { topics, claim } of list) {
          if (claim.from > next || claim.to < next) continue;
          if (topics && (topic === undefined || !topics.has(topic))) continue;
          if (proofs.indexOf(claim.proof) >= least) reached = Math.max(reached, claim.to + 1);
        }
      }
      if (reached === next) return next - 1;
      next = reached;
    }
    return to;
  }
}

function compare(one: string | undefined, other: string | undefined): number {
  const [a, b] = [one ?? "", other ?? ""];
  return a < b ? -1 : a > b ? 1 : 0;
}
