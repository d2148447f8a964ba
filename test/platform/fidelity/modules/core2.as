import { ethereum, BigInt, BigDecimal, Bytes, Address, Value, store, log, Entity, json, dataSource, DataSourceContext, DataSourceTemplate } from "@graphprotocol/graph-ts";
import { n, save, step } from "./base";
function S(s: string): Value { return Value.fromString(s); }
function put(type: string, id: string, v: i32): Entity { let p = new Entity(); p.set("id", S(id)); p.set("n", Value.fromBigInt(BigInt.fromI32(v))); p.set("note", S("x")); return p; }
export function ok(e: ethereum.Event): void { save(n(e).toString(), n(e), "ok"); }
function receipt(what: string, e: ethereum.Event): void { let r = e.receipt; if (r === null) { step(what + " no receipt"); return; } let q = r as ethereum.TransactionReceipt; let l = q.logs[0]; step(what + " status " + q.status.toString() + " logs " + q.logs.length.toString() + " gas " + q.gasUsed.toString() + " cumulative " + q.cumulativeGasUsed.toString() + " tx " + q.transactionIndex.toString() + " contract " + (changetype<usize>(q.contractAddress) == 0 ? "null" : q.contractAddress.toHexString()) + " root " + (changetype<usize>(q.root) == 0 ? "null" : q.root.toHexString()) + " bloom " + q.logsBloom.toHexString().length.toString() + " first " + l.logIndex.toString() + "/" + l.transactionLogIndex.toString() + "/" + l.logType + "/" + l.topics.length.toString() + "/" + (l.removed === null ? "null" : l.removed!.inner.toString()) + " event " + e.logIndex.toString() + "/" + e.transactionLogIndex.toString() + "/" + (e.logType === null ? "null" : e.logType as string)); }
export function rA(e: ethereum.Event): void { receipt("A" + n(e).toString(), e); }
export function rB(e: ethereum.Event): void { receipt("B", e); }
function ts(v: i64): void { let p = put("V", "v", 1); p.set("ts", Value.fromTimestamp(v)); store.set("V", "v", p); let q = store.get("V", "v") as Entity; save("read", 1, (q.get("ts") as Value).toTimestamp().toString()); }
export function ts0(e: ethereum.Event): void { ts(0); }
export function tsNeg(e: ethereum.Event): void { ts(-1); }
export function tsOdd(e: ethereum.Event): void { ts(1700000000123456); }
export function ts53(e: ethereum.Event): void { ts(9007199254740993); }
export function tsFar(e: ethereum.Event): void { ts(253402300799000000); }
export function tsFar2(e: ethereum.Event): void { ts(253402300800000000); }
export function tsFar3(e: ethereum.Event): void { ts(8210266876799999999); }
export function tNoTemplate(e: ethereum.Event): void { ok(e); DataSourceTemplate.create("Nope", ["0x00000000000000000000000000000000000000aa"]); save("after", 1, ""); }
export function tBadAddress(e: ethereum.Event): void { ok(e); DataSourceTemplate.create("Child", ["nope"]); save("after", 1, ""); }
export function tShortAddress(e: ethereum.Event): void { ok(e); DataSourceTemplate.create("Child", ["0x1234"]); save("after", 1, ""); }
export function tNoPrefix(e: ethereum.Event): void { ok(e); DataSourceTemplate.create("Child", ["00000000000000000000000000000000000000aa"]); save("after", 1, ""); }
export function tNoParams(e: ethereum.Event): void { ok(e); DataSourceTemplate.create("Child", []); save("after", 1, ""); }
export function tTwoParams(e: ethereum.Event): void { ok(e); DataSourceTemplate.create("Child", ["0x00000000000000000000000000000000000000aa", "x"]); save("after", 1, ""); }
export function tMade(e: ethereum.Event): void { step("made " + n(e).toString()); }
export function nf2(e: ethereum.Event): void { let k = n(e); if (k == 24 || k == 240) { save("half" + k.toString(), k, "half"); save("20", 99, "changed"); assert(false, "nf" + k.toString()); } ok(e); }
export function nfSpawn(e: ethereum.Event): void { let k = n(e); ok(e); if (k == 24) { DataSourceTemplate.create("Child", ["0xa16e02e87b7454126e5e10d957a927a7f5b5d2be"]); assert(false, "spawned and failed"); } }
export function okSpawn(e: ethereum.Event): void { let k = n(e); ok(e); if (k == 24) DataSourceTemplate.create("Child", ["0xa16e02e87b7454126e5e10d957a927a7f5b5d2be"]); }
export function nfMade(e: ethereum.Event): void { step("made " + n(e).toString()); assert(false, "made"); }
export function nfSave(e: ethereum.Event): void { ok(e); if (n(e) == 24) { let p = put("P", "num", 1); p.set("note", Value.fromI32(5)); store.set("P", "num", p); } }
export function nfMissing(e: ethereum.Event): void { ok(e); if (n(e) == 24) { let p = new Entity(); p.set("id", S("miss")); p.set("note", S("x")); store.set("P", "miss", p); } }
export function okB(e: ethereum.Event): void { let v = e.parameters[1].value.toBigInt().toI32(); let q = store.get("P", "20"); save("B" + v.toString(), v, q === null ? "null" : ((q as Entity).get("note") as Value).toString()); }
export function fSpawnCtx(e: ethereum.Event): void { ok(e); if (n(e) == 2 || n(e) == 3) { let c = new DataSourceContext(); c.setString("s", n(e).toString()); DataSourceTemplate.createWithContext("Doc", [dataSource.context().getString("cid")], c); } }
export function docCtx(b: Bytes): void { let id = "doc" + dataSource.context().getString("s"); let p = put("F", id, b.length); p.set("note", S(dataSource.stringParam() + " " + dataSource.network() + " " + dataSource.address().toHexString())); store.set("F", id, p); }
export function docNoCtx(b: Bytes): void { let p = put("F", "doc", dataSource.context().entries.length); store.set("F", "doc", p); }
export function fSpawnTwice(e: ethereum.Event): void { ok(e); if (n(e) == 2 || n(e) == 3) { DataSourceTemplate.create("Doc", [dataSource.context().getString("cid")]); } }
export function fSpawnSame(e: ethereum.Event): void { ok(e); if (n(e) == 2) { DataSourceTemplate.create("Doc", [dataSource.context().getString("cid")]); DataSourceTemplate.create("Doc", [dataSource.context().getString("cid")]); } }
export function mRead(e: ethereum.Event): void { ok(e); let q = store.get("F", "doc"); save("read" + n(e).toString(), 1, q === null ? "null" : "there"); if (n(e) == 2) DataSourceTemplate.create("Doc", [dataSource.context().getString("cid")]); }
export function mWrite(e: ethereum.Event): void { ok(e); let p = put("F", "doc", n(e)); store.set("F", "doc", p); if (n(e) == 2) DataSourceTemplate.create("Doc", [dataSource.context().getString("cid")]); }
export function xImmRemoveAdd(e: ethereum.Event): void { ok(e); if (n(e) == 2) { let p = put("M", "m", 1); store.set("M", "m", p); } if (n(e) == 3) { store.remove("M", "m"); let p = put("M", "m", 3); store.set("M", "m", p); } save("after", n(e), ""); }
export function xImmGet(e: ethereum.Event): void { ok(e); if (n(e) == 2) { let p = put("M", "m", 1); store.set("M", "m", p); } if (n(e) == 3) { store.remove("M", "m"); let q = store.get("M", "m"); save("read", 1, q === null ? "null" : "there"); } if (n(e) == 4) { let q = store.get("M", "m"); save("read4", 1, q === null ? "null" : "there"); } }
