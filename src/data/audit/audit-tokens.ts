import { groupBy } from "../../base/group-by.js";
import type { Database } from "../../store/database/database.js";
import { type MarkKind, markKinds, removeMarks, type TokenMark, writeMarks } from "../catalog/token-marks.js";
import type { KnownBlock } from "../chains/known-block.js";
import { balanceOf, totalSupply, wordIn } from "../nodes/balance-of.js";
import { type DataNode, UnknownStateError } from "../nodes/data-node.js";
import type { AuditRows } from "./audit-rows.js";
import { type Draw, type DrawnHolding, mostMoves } from "./drawn-holdings.js";
import { type Cause, findCause } from "./find-cause.js";

/** The findings about a token. */
export interface AuditedToken {
  readonly token: string;
  readonly symbol: string | null;
  readonly kind: MarkKind | "agrees";
  readonly wallets: number;
  /** Wallets whose balance differs from the sum of their transfers. */
  readonly differing: number;
  /** A sentence; null if all agree. */
  readonly evidence: string | null;
}

/** The outcome of an audit. */
export interface Audit {
  readonly chain: string;
  /** The block at which balances were compared. */
  readonly block: KnownBlock;
  readonly wallets: number;
  /** Sorted by address. */
  readonly tokens: readonly AuditedToken[];
  /** Tokens whose mark was removed because they agree now. */
  readonly unmarked: readonly string[];
}

/** An audit that cannot run. The message is a sentence that says what to do. */
export class AuditError extends Error {
  override readonly name = "AuditError";
}

/** The dependencies of an audit. */
export interface AuditPlaces {
  /** Holds the marks. */
  readonly database: Database;
  readonly rows: AuditRows;
  readonly node: DataNode;
}

/** The most wallets of a token whose difference is investigated. */
const mostCauses = 3;
/** The most questions to the node at a time. */
const together = 200;

/**
 * Compares the sums of transfers of drawn wallets with the tokens' contracts at one block, investigates the
 * differences, and marks the tokens.
 * @param unmark whether tokens that agree lose the mark of an earlier audit
 * @throws AuditError if the chain has no data, or if its blocks were replaced meanwhile; nothing is written then
 * @throws ChainError if the node does not answer; DatabaseError; errors of reading rows
 */
export async function auditTokens(
  { database, rows, node }: AuditPlaces,
  draw: Draw,
  unmark: boolean,
): Promise<Audit> {
  const { chain } = draw;
  const drawn = await rows.draw(draw);
  if (!drawn)
    throw new AuditError(`There is no data of ${chain} yet. Run graphloom data sync --chains ${chain}.`);
  const { block, holdings, start } = drawn;

  const findings = await askAll(node, block, holdings);
  const tokens: AuditedToken[] = [];
  for (const [token, own] of groupBy(findings, ({ holding }) => holding.token)) {
    const differing = own.filter(
      ({ fault, holding, balance }) => fault !== undefined || balance !== holding.sum,
    );
    const causes: (Cause | Fault)[] = [];
    for (const finding of differing.slice(0, mostCauses)) {
      const { holding, balance } = finding;
      const fault = finding.fault ?? (await faultOfSupply(node, block, finding));
      if (fault) causes.push(fault);
      if (fault || balance === undefined) continue;
      const moves = await rows.moves(chain, holding, block.number);
      const difference = { ...holding, balance, block, moves, isWhole: moves.length < mostMoves, start };
      causes.push(await findCause(difference, (hash) => balanceAt(node, holding, hash)));
    }
    const gravest = causes.reduce<Cause | Fault | undefined>(
      (worst, cause) => (worst && gravity(worst) <= gravity(cause) ? worst : cause),
      undefined,
    );
    tokens.push({
      token,
      symbol: own[0]?.holding.symbol ?? null,
      kind: gravest?.kind ?? "agrees",
      wallets: own.length,
      differing: differing.length,
      evidence: gravest?.evidence ?? null,
    });
  }

  // Data that a reorganisation has replaced meanwhile proves nothing about tokens.
  if ((await rows.hashOf(chain, block.number)) !== block.hash)
    throw new AuditError(
      `Block ${block.number} was replaced by a reorganisation meanwhile. Run the audit again.`,
    );
  const unmarked = await database.transaction(async (sql) => {
    await writeMarks(
      sql,
      tokens.flatMap((token) => markOf(chain, block, token) ?? []),
    );
    const agreeing = tokens.filter(({ kind }) => kind === "agrees").map(({ token }) => token);
    return unmark ? removeMarks(sql, chain, agreeing) : [];
  });
  const wallets = new Set(holdings.map(({ wallet }) => wallet)).size;
  return { chain, block, wallets, tokens, unmarked };
}

interface Fault {
  readonly kind: "unreliable";
  readonly evidence: string;
}

/** A contract's answer about a holding. */
interface Finding {
  readonly holding: DrawnHolding;
  readonly balance: bigint | undefined;
  readonly fault: Fault | undefined;
}

function gravity({ kind }: Cause | Fault): number {
  return markKinds.indexOf(kind);
}

function markOf(
  chain: string,
  block: KnownBlock,
  { token, kind, evidence }: AuditedToken,
): TokenMark | undefined {
  if (kind === "agrees") return undefined;
  return { chain, token, kind, blockNumber: block.number, blockHash: block.hash, evidence: evidence ?? "" };
}

async function askAll(
  node: DataNode,
  block: KnownBlock,
  holdings: readonly DrawnHolding[],
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (let index = 0; index < holdings.length; index += together) {
    const some = holdings.slice(index, index + together);
    findings.push(...(await Promise.all(some.map((holding) => askOne(node, block, holding)))));
  }
  return findings;
}

/** Characters of a number in hex. */
const wordLength = 66;

/** Asks twice, as callers with different addresses. */
async function askOne(node: DataNode, { hash }: KnownBlock, holding: DrawnHolding): Promise<Finding> {
  const { wallet, token } = holding;
  const [answer, own] = await Promise.all([
    node.call(token, balanceOf(wallet), hash),
    node.call(token, balanceOf(wallet), hash, wallet),
  ]);
  const [balance, other] = [wordIn(answer), wordIn(own)];
  const fault = (what: string): Finding => ({
    holding,
    balance,
    fault: { kind: "unreliable", evidence: `For ${wallet}, balanceOf ${what}.` },
  });
  if (answer === undefined) return fault("fails");
  if (balance === undefined) return fault("does not give a number");
  if (answer.length > wordLength) return fault("gives more than a number");
  if (other !== balance)
    return fault(
      `gives ${balance} to one caller and ${other === undefined ? "no number" : other} to another`,
    );
  return { holding, balance, fault: undefined };
}

/** The fault of a balance above the total supply. */
async function faultOfSupply(
  node: DataNode,
  { hash }: KnownBlock,
  { holding: { token, wallet }, balance }: Finding,
): Promise<Fault | undefined> {
  const supply = wordIn(await node.call(token, totalSupply, hash));
  if (balance === undefined || supply === undefined || balance <= supply) return undefined;
  return {
    kind: "unreliable",
    evidence: `For ${wallet}, balanceOf gives ${balance}, which is more than the totalSupply of ${supply}.`,
  };
}

/** The balance at an earlier block: zero before the contract exists. */
async function balanceAt(
  node: DataNode,
  { token, wallet }: DrawnHolding,
  hash: string,
): Promise<bigint | undefined> {
  try {
    const answer = await node.call(token, balanceOf(wallet), hash);
    return answer === "0x" ? 0n : wordIn(answer);
  } catch (error) {
    if (error instanceof UnknownStateError) return undefined;
    throw error;
  }
}
