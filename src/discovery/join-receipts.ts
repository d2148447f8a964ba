import { groupBy } from "../base/group-by.js";
import { blockOf, isAddress, recordsOf } from "./record-values.js";

/** What the receipts of a Foundry run say about one of its transactions. */
export type Mined =
  /** It was mined in this block. */
  | { readonly kind: "mined"; readonly block: number }
  /** The receipts do not settle its block, but it was not mined before this one. */
  | { readonly kind: "not-before"; readonly block: number }
  | { readonly kind: "unknown" }
  /** It was never sent, or it failed. */
  | { readonly kind: "none" };

type Fields = Readonly<Record<string, unknown>>;

/** A transaction, and what identifies it on the chain. */
interface Sent {
  readonly record: Fields;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly nonce: number | undefined;
  /** The address of the contract that it creates itself. */
  readonly creates: string | undefined;
}

interface Receipt {
  readonly record: Fields;
  readonly block: number;
  readonly index: number;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly creates: string | undefined;
  readonly isFailure: boolean;
}

/**
 * Finds the receipts of a run's transactions. Forge sends transactions in parallel unless told otherwise, and then
 * writes hashes that belong to other transactions of the run. So a creation is found by the address that it created,
 * and any other transaction by its order: a chain mines the transactions of an account in the order of their nonces.
 * The hash only counts where the record contains nothing else.
 * @param run the content of a run file
 * @returns one result for each of the run's transactions
 */
export function joinReceipts(run: Fields): readonly Mined[] {
  const sent = recordsOf(run.transactions).map(readTransaction);
  const receipts = readReceipts(run);
  const byHash = new Map(receipts.map((one) => [one.record.transactionHash, one]));
  const byCreation = new Map(receipts.map((one) => [one.creates, one]));
  const byOrder = new Map(joinByOrder(sent, receipts));
  // Records that were shortened by hand may lack what else identifies a transaction.
  const isVague = receipts.some(
    ({ record }) => record.from === undefined || record.contractAddress === undefined,
  );
  const isTelling = sent.every((one) => {
    const told = byHash.get(one.record.hash);
    return told === undefined || couldBe(one, told);
  });
  const ownOf = (one: Sent): Receipt | undefined =>
    (one.creates === undefined ? byOrder.get(one) : byCreation.get(one.creates)) ??
    (isVague && isTelling ? byHash.get(one.record.hash) : undefined);
  const joined = sent.map((one) => [one, ownOf(one)] as const);
  const before = blocksBefore(joined);
  return joined.map(([one, own]) => {
    if (own) return own.isFailure ? { kind: "none" } : { kind: "mined", block: own.block };
    if ((!isSent(one) && Array.isArray(run.pending)) || isFailed(one, receipts, run)) return { kind: "none" };
    if (isVague) return earliest(one, sent, receipts);
    const block = before.get(one);
    return block === undefined ? { kind: "unknown" } : { kind: "not-before", block };
  });
}

function readTransaction(record: Fields): Sent {
  const [inner = {}] = recordsOf([record.transaction ?? record.tx]);
  const isCreation = record.transactionType === "CREATE";
  return {
    record,
    from: lower(inner.from),
    to: lower(inner.to),
    nonce: blockOf(inner.nonce),
    creates: isCreation ? lower(record.contractAddress) : undefined,
  };
}

function readReceipts(run: Fields): readonly Receipt[] {
  const byHash = new Map(recordsOf(run.receipts).map((one) => [one.transactionHash ?? one, one]));
  return [...byHash.values()].flatMap((record) => {
    const block = blockOf(record.blockNumber);
    const { from, to, contractAddress, status } = record;
    if (block === undefined) return [];
    return {
      record,
      block,
      index: blockOf(record.transactionIndex) ?? 0,
      from: lower(from),
      to: lower(to),
      creates: lower(contractAddress),
      isFailure: blockOf(status) === 0,
    };
  });
}

/**
 * Pairs calls and receipts by order, if there is one receipt for each call from the same sender to the same contract.
 */
function joinByOrder(
  sent: readonly Sent[],
  receipts: readonly Receipt[],
): readonly (readonly [Sent, Receipt])[] {
  const mined = groupBy(receipts, pairOf);
  return [...groupBy(sent.filter(isSent), pairOf)].flatMap(([pair, calls]) => {
    const own = mined.get(pair) ?? [];
    const nonces = new Set(calls.map(({ nonce }) => nonce));
    const isOrdered = calls.length === 1 || (nonces.size === calls.length && !nonces.has(undefined));
    if (pair === "" || own.length !== calls.length || !isOrdered) return [];
    const inOrder = calls.toSorted((a, b) => (a.nonce ?? 0) - (b.nonce ?? 0));
    const asMined = own.toSorted((a, b) => a.block - b.block || a.index - b.index);
    return inOrder.flatMap((call, index) => {
      const receipt = asMined[index];
      return receipt ? [[call, receipt] as const] : [];
    });
  });
}

/** The sender and the called contract; empty if either is missing. */
function pairOf({ from, to }: Sent | Receipt): string {
  return from === undefined || to === undefined ? "" : `${from} ${to}`;
}

function isSent({ record }: Sent): boolean {
  return typeof record.hash === "string";
}

/** Whether a finished run has no receipt that could be the transaction's. Forge does not keep those of failures. */
function isFailed(one: Sent, receipts: readonly Receipt[], { pending }: Fields): boolean {
  const isFinished = Array.isArray(pending) && pending.length === 0 && receipts.length > 0;
  return isFinished && !receipts.some((receipt) => couldBe(one, receipt));
}

/** Whether the receipt does not contradict that it belongs to the transaction. */
function couldBe({ creates, from, to }: Sent, receipt: Receipt): boolean {
  const { contractAddress } = receipt.record;
  if (creates === undefined ? receipt.creates !== undefined : contractAddress === null) return false;
  return agree(creates, receipt.creates) && agree(from, receipt.from) && agree(to, receipt.to);
}

function agree(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}

/** The first block of the receipts that could be the transaction's, if the run has all receipts. */
function earliest(one: Sent, sent: readonly Sent[], receipts: readonly Receipt[]): Mined {
  const blocks = receipts.filter((receipt) => couldBe(one, receipt)).map(({ block }) => block);
  return receipts.length < sent.filter(isSent).length || blocks.length === 0
    ? { kind: "unknown" }
    : { kind: "not-before", block: Math.min(...blocks) };
}

/** For each transaction, the block of the last one before it that the same account sent, if any is known. */
function blocksBefore(
  joined: readonly (readonly [Sent, Receipt | undefined])[],
): ReadonlyMap<Sent, number | undefined> {
  const before = new Map<Sent, number | undefined>();
  for (const own of groupBy(joined, ([{ from }]) => from).values()) {
    let last: number | undefined;
    for (const [one, receipt] of own.toSorted(([a], [b]) => (a.nonce ?? 0) - (b.nonce ?? 0))) {
      before.set(one, one.from === undefined ? undefined : last);
      last = receipt?.block ?? last;
    }
  }
  return before;
}

function lower(value: unknown): string | undefined {
  return isAddress(value) ? value.toLowerCase() : undefined;
}
