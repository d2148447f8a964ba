import { ethereum, BigInt, Bytes, Value, store, Entity, log } from "@graphprotocol/graph-ts";
import { n, save, step } from "./base";
export function ok(e: ethereum.Event): void { save(n(e).toString(), n(e), "ok"); }
function B(v: BigInt): string { return changetype<usize>(v) == 0 ? "null" : v.toString(); }
function X(v: Bytes): string { return changetype<usize>(v) == 0 ? "null" : v.length > 40 ? "len" + v.length.toString() : v.toHexString(); }
function T(v: string): string { return changetype<usize>(v) == 0 ? "null" : v; }
function receipt(what: string, e: ethereum.Event): void { let r = e.receipt; if (r === null) { step(what + " no receipt"); return; } let q = r as ethereum.TransactionReceipt; let s = ""; for (let i = 0; i < q.logs.length; i++) { let l = q.logs[i]; s += " [" + X(l.address).slice(0, 6) + " " + l.topics.length.toString() + " data " + l.data.length.toString() + " block " + X(l.blockHash).slice(0, 6) + " " + (changetype<usize>(l.blockNumber) == 0 ? "null" : l.blockNumber.toHexString()) + " tx " + X(l.transactionHash).slice(0, 6) + " " + B(l.transactionIndex) + " log " + B(l.logIndex) + "/" + B(l.transactionLogIndex) + " type " + T(l.logType) + " removed " + (l.removed === null ? "null" : l.removed!.inner.toString()) + "]"; }
  step(what + " status " + B(q.status) + " gas " + B(q.gasUsed) + " cumulative " + B(q.cumulativeGasUsed) + " tx " + B(q.transactionIndex) + " " + X(q.transactionHash).slice(0, 6) + " block " + B(q.blockNumber) + " contract " + X(q.contractAddress) + " root " + X(q.root) + " bloom " + X(q.logsBloom) + " logs " + q.logs.length.toString() + s + " event " + B(e.logIndex) + "/" + B(e.transactionLogIndex) + "/" + (e.logType === null ? "null" : e.logType as string)); }
export function rA(e: ethereum.Event): void { receipt("A" + n(e).toString(), e); }
export function rB(e: ethereum.Event): void { receipt("B", e); }
