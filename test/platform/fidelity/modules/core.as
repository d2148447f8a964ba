import { ethereum, BigInt, BigDecimal, Bytes, ByteArray, Address, Value, store, log, Entity, json, dataSource, DataSourceContext, DataSourceTemplate, JSONValue } from "@graphprotocol/graph-ts";
import { n, save, step } from "./base";
function S(s: string): Value { return Value.fromString(s); }
function put(type: string, id: string, v: i32): Entity { let p = new Entity(); p.set("id", S(id)); p.set("n", Value.fromBigInt(BigInt.fromI32(v))); p.set("note", S("x")); return p; }
export function ok(e: ethereum.Event): void { save(n(e).toString(), n(e), "ok"); }
export function okB(e: ethereum.Event): void { let v = e.parameters[1].value.toBigInt().toI32(); save("B" + v.toString(), v, e.parameters[0].value.toAddress().toHexString()); }
export function fail70(e: ethereum.Event): void { if (n(e) == 70) { save("half70", 1, "half"); assert(false, "seventy"); } ok(e); }
export function fail2(e: ethereum.Event): void { save("half2", 1, "half"); assert(false, "two"); }
export function nf(e: ethereum.Event): void { let k = n(e); if (k == 16 || k == 18) { save("half" + k.toString(), k, "half"); save("14", 99, "changed by the failing handler"); assert(false, "nf" + k.toString()); } ok(e); }
export function nf4(e: ethereum.Event): void { let k = n(e); if (k == 4 || k == 7) { save("half" + k.toString(), k, "half"); assert(false, "nf" + k.toString()); } ok(e); }
// order
export function h1(e: ethereum.Event): void { step("h1 " + n(e).toString()); }
export function h2(e: ethereum.Event): void { step("h2 " + n(e).toString()); }
export function hB(e: ethereum.Event): void { step("hB " + e.parameters.length.toString() + " " + e.parameters[0].name + "=" + e.parameters[0].value.kind.toString()); }
export function hTopic(e: ethereum.Event): void { let t = ""; for (let i = 0; i < e.parameters.length; i++) t += " " + e.parameters[i].name + ":" + e.parameters[i].value.kind.toString(); step("hTopic" + t); }
export function any(e: ethereum.Event): void { step("any"); }
export function hCall(c: ethereum.Call): void { step("call " + c.inputValues[0].value.toBigInt().toString() + " from " + c.from.toHexString().slice(0, 6) + " to " + c.to.toHexString().slice(0, 6) + " outs " + c.outputValues.length.toString() + " tx " + c.transaction.index.toString()); }
export function hCallB(c: ethereum.Call): void { step("callB " + c.inputValues[0].value.toBigInt().toString()); }
export function hBlock(b: ethereum.Block): void { step("block " + b.number.toString()); }
export function hBlock2(b: ethereum.Block): void { step("block2 " + b.number.toString()); }
export function hReceipt(e: ethereum.Event): void { let r = e.receipt; if (r === null) { step("no receipt " + n(e).toString()); return; } let q = r as ethereum.TransactionReceipt; step("receipt " + n(e).toString() + " status " + q.status.toString() + " logs " + q.logs.length.toString() + " gas " + q.gasUsed.toString() + " cumulative " + q.cumulativeGasUsed.toString() + " contract " + q.contractAddress.toHexString() + " root " + q.root.toHexString() + " bloom " + q.logsBloom.toHexString().length.toString() + " first log " + q.logs[0].logIndex.toString() + "/" + q.logs[0].transactionLogIndex.toString() + "/" + q.logs[0].logType.toString() + "/" + e.logIndex.toString() + "/" + e.transactionLogIndex.toString()); }
// host functions
export function hJsonBad(e: ethereum.Event): void { ok(e); json.fromBytes(Bytes.fromUTF8("{nope")); save("after", 1, ""); }
export function hJsonTry(e: ethereum.Event): void { let r = json.try_fromBytes(Bytes.fromUTF8("{nope")); save("after", 1, r.isError ? "error" : "ok"); }
export function hJsonUtf8(e: ethereum.Event): void { let b = new Bytes(2); b[0] = 0xff; b[1] = 0xfe; let r = json.try_fromBytes(b); save("after", 1, r.isError ? "error" : "ok"); }
export function hJsonNum(e: ethereum.Event): void { let r = json.fromString('{"a":12345678901234567890123, "b":1.5e3, "c":null, "d":"x"}'); let o = r.toObject(); save("a", 1, (o.get("a") as JSONValue).data.toString() + " " + (o.get("a") as JSONValue).toBigInt().toString() + " " + (o.get("c") as JSONValue).kind.toString()); save("b", 1, (o.get("b") as JSONValue).toF64().toString()); }
export function hJsonToI64(e: ethereum.Event): void { json.toI64("nope"); save("after", 1, ""); }
function callAt(a: Address, name: string, sig: string): string { let c = new ethereum.SmartContractCall("Lab", a, name, sig, []); let r = ethereum.call(c); if (r === null) return "null"; let q = r as Array<ethereum.Value>; return q.length.toString() + ":" + q[0].toBigInt().toString(); }
export function hCallEOA(e: ethereum.Event): void { save("a", 1, callAt(Address.fromString("0x00000000000000000000000000000000000000aa"), "total", "total():(uint256)")); }
export function hCallGood(e: ethereum.Event): void { save("a", 1, callAt(e.address, "total", "total():(uint256)")); }
export function hCallRevert(e: ethereum.Event): void { save("a", 1, callAt(e.address, "bad", "bad():(uint256)")); }
export function hCallNoFn(e: ethereum.Event): void { save("a", 1, callAt(e.address, "nope", "nope():(uint256)")); }
export function hCallNoAbi(e: ethereum.Event): void { let r = ethereum.call(new ethereum.SmartContractCall("Nope", e.address, "total", "total():(uint256)", [])); save("a", 1, r === null ? "null" : "x"); }
export function hCallArgs(e: ethereum.Event): void { let r = ethereum.call(new ethereum.SmartContractCall("Lab", e.address, "total", "total():(uint256)", [ethereum.Value.fromI32(1)])); save("a", 1, r === null ? "null" : "x"); }
export function hBalance(e: ethereum.Event): void { save("lab", 1, ethereum.getBalance(e.address).toString()); save("aa", 1, ethereum.getBalance(Address.fromString("0x00000000000000000000000000000000000000aa")).toString()); }
export function hCode(e: ethereum.Event): void { save("lab", 1, ethereum.hasCode(e.address).inner.toString()); save("aa", 1, ethereum.hasCode(Address.fromString("0x00000000000000000000000000000000000000aa")).inner.toString()); }
export function hContext(e: ethereum.Event): void { let c = dataSource.context(); let k = c.entries.length; save("ctx", k, k > 0 ? c.entries[0].key : ""); save("net", 1, dataSource.network() + " " + dataSource.address().toHexString()); }
export function hContextGet(e: ethereum.Event): void { let c = dataSource.context(); ok(e); save("ctx", 1, c.getString("nope")); }
export function hContextAll(e: ethereum.Event): void { let c = dataSource.context(); save("ctx", c.entries.length, c.getString("s") + " " + c.getBigInt("b").toString() + " " + c.getBoolean("t").toString() + " " + c.getBytes("y").toHexString() + " " + c.getI32("i").toString() + " " + c.getBigDecimal("d").toString()); }
export function hCritical(e: ethereum.Event): void { ok(e); log.critical("the end {}", ["x"]); save("after", 1, ""); }
// templates
function child(): Address { let c = store.get("P", "child"); return Address.fromString(((c as Entity).get("note") as Value).toString()); }
export function tSpawn(e: ethereum.Event): void { if (e.parameters[1].value.toBigInt().toI32() != 1) return; let c = new DataSourceContext(); c.setString("s", "hello"); DataSourceTemplate.createWithContext("Child", [e.parameters[0].value.toAddress().toHexString()], c); step("spawned"); }
export function tSpawn2(e: ethereum.Event): void { if (e.parameters[1].value.toBigInt().toI32() != 1) return; let a = e.parameters[0].value.toAddress().toHexString(); DataSourceTemplate.create("Child", [a]); DataSourceTemplate.create("Child", [a]); let c = new DataSourceContext(); c.setString("s", "hello"); DataSourceTemplate.createWithContext("Child", [a], c); step("spawned"); }
export function tNoTemplate(e: ethereum.Event): void { ok(e); DataSourceTemplate.create("Nope", ["0x00000000000000000000000000000000000000aa"]); save("after", 1, ""); }
export function tBadAddress(e: ethereum.Event): void { ok(e); DataSourceTemplate.create("Child", ["nope"]); save("after", 1, ""); }
export function tNoParams(e: ethereum.Event): void { ok(e); DataSourceTemplate.create("Child", []); save("after", 1, ""); }
export function tMade(e: ethereum.Event): void { step("made " + n(e).toString() + " entries " + dataSource.context().entries.length.toString() + " " + dataSource.address().toHexString().slice(0, 6)); }
export function fSpawn(e: ethereum.Event): void { ok(e); if (n(e) == 2) DataSourceTemplate.create("Doc", ["QmTudJSaoKxtbEnTddJ9vh8hbN84ZLVvD5pNpUaSbxwGoa"]); }
export function fSpawnBad(e: ethereum.Event): void { ok(e); if (n(e) == 2) DataSourceTemplate.create("Doc", ["notacid"]); save("after", 1, ""); }
export function fSpawnGood(e: ethereum.Event): void { ok(e); if (n(e) == 2 || n(e) == 3) { let c = new DataSourceContext(); c.setString("s", n(e).toString()); DataSourceTemplate.createWithContext("Doc", [dataSource.context().getString("cid")], c); } }
export function fSpawnTwice(e: ethereum.Event): void { ok(e); if (n(e) == 2 || n(e) == 3) { DataSourceTemplate.create("Doc", [dataSource.context().getString("cid")]); } }
export function doc(b: Bytes): void { let p = put("F", "doc", b.length); p.set("note", S(dataSource.stringParam())); store.set("F", "doc", p); }
export function docMain(b: Bytes): void { save("fromfile", b.length, "x"); }
export function docRead(b: Bytes): void { let q = store.get("P", "2"); let p = put("F", "doc", b.length); p.set("note", S(q === null ? "null" : "there")); store.set("F", "doc", p); }
export function docFail(b: Bytes): void { assert(false, "doc"); }
export function docCall(b: Bytes): void { ethereum.getBalance(Address.zero()); let p = put("F", "doc", b.length); store.set("F", "doc", p); }
export function docCreate(b: Bytes): void { DataSourceTemplate.create("Child", ["0x00000000000000000000000000000000000000aa"]); let p = put("F", "doc", b.length); store.set("F", "doc", p); }
// entities
export function xEmptyId(e: ethereum.Event): void { ok(e); save("", 1, "empty"); save("after", 1, ""); }
export function xNul(e: ethereum.Event): void { ok(e); save("a\u0000b", 1, "c\u0000d"); save("after", 1, ""); }
export function xNulRead(e: ethereum.Event): void { save("a\u0000b", 1, "c\u0000d"); let q = store.get("P", "a\u0000b"); save("read", 1, q === null ? "null" : ((q as Entity).get("note") as Value).toString().length.toString()); }
export function xIdDiffers(e: ethereum.Event): void { let p = put("P", "one", 1); store.set("P", "two", p); let q = store.get("P", "two"); save("read", 1, q === null ? "null" : ((q as Entity).get("id") as Value).toString()); }
export function xNoId(e: ethereum.Event): void { let p = new Entity(); p.set("n", Value.fromBigInt(BigInt.fromI32(1))); p.set("note", S("x")); store.set("P", "noid", p); save("after", 1, ""); }
export function xOddId(e: ethereum.Event): void { let p = put("Y", "0xabc", 1); store.set("Y", "0xabc", p); save("after", 1, ""); }
export function xBytesId(e: ethereum.Event): void { let p = put("Y", "0xabcd", 1); p.set("id", Value.fromBytes(Bytes.fromHexString("0xabcd"))); store.set("Y", "0xabcd", p); let q = store.get("Y", "0xABCD"); let r = store.get("Y", "abcd"); save("read", 1, (q === null ? "null" : "there") + " " + (r === null ? "null" : "there")); }
export function xNotHexId(e: ethereum.Event): void { let q = store.get("Y", "zz"); save("read", 1, q === null ? "null" : "there"); }
export function xEmptyBytesId(e: ethereum.Event): void { let p = put("Y", "0x", 1); p.set("id", Value.fromBytes(Bytes.fromHexString("0x"))); store.set("Y", "0x", p); save("after", 1, ""); }
export function xInt8(e: ethereum.Event): void { let p = put("K", "-5", 1); p.set("id", Value.fromI64(-5)); store.set("K", "-5", p); let q = store.get("K", "-5"); save("read", 1, q === null ? "null" : "there"); }
export function xInt8Bad(e: ethereum.Event): void { let q = store.get("K", "abc"); save("read", 1, q === null ? "null" : "there"); }
export function xNegInt8(e: ethereum.Event): void { let p = put("V", "v", 1); p.set("i8", Value.fromI64(-9223372036854775808)); p.set("i", Value.fromI32(-2147483648)); p.set("d", Value.fromBigDecimal(BigDecimal.fromString("1234567890123456789012345678901234567890"))); p.set("ts", Value.fromTimestamp(1700000000123456)); p.set("by", Value.fromBytes(Bytes.fromHexString("0x"))); store.set("V", "v", p); let q = store.get("V", "v") as Entity; save("read", 1, (q.get("d") as Value).toBigDecimal().toString() + " " + (q.get("ts") as Value).toTimestamp().toString() + " " + (q.get("i8") as Value).toI64().toString()); }
export function xDecimals(e: ethereum.Event): void { for (let i = 0; i < 6; i++) { let p = put("V", i.toString(), i); let t = ["1.2345678901234567890123456789012345678905", "0.00000000000000000000000000000000000000000001234", "-99999999999999999999999999999999999.5", "1e40", "100.00", "-0.0"]; p.set("d", Value.fromBigDecimal(BigDecimal.fromString(t[i]))); store.set("V", i.toString(), p); let q = store.get("V", i.toString()) as Entity; save("d" + i.toString(), 1, (q.get("d") as Value).toBigDecimal().toString()); } }
export function xDecimalHuge(e: ethereum.Event): void { let p = put("V", "h", 1); p.set("d", Value.fromBigDecimal(BigDecimal.fromString("1e7000"))); store.set("V", "h", p); save("after", 1, ""); }
export function xTimestamps(e: ethereum.Event): void { let t: i64[] = [0, -1, 1700000000123456, 253402300800000000]; for (let i = 0; i < 4; i++) { let p = put("V", i.toString(), i); p.set("ts", Value.fromTimestamp(t[i])); store.set("V", i.toString(), p); } }
export function xTsMax(e: ethereum.Event): void { let p = put("V", "m", 1); p.set("ts", Value.fromTimestamp(9223372036854775807)); store.set("V", "m", p); save("after", 1, ""); }
export function xNumInString(e: ethereum.Event): void { ok(e); let p = put("P", "num", 1); p.set("note", Value.fromI32(5)); store.set("P", "num", p); save("after", 1, ""); }
export function xBigInString(e: ethereum.Event): void { ok(e); let p = put("P", "num", 1); p.set("note", Value.fromBigInt(BigInt.fromI32(5))); store.set("P", "num", p); save("after", 1, ""); }
export function xIntInBig(e: ethereum.Event): void { ok(e); let p = put("P", "num", 1); p.set("n", Value.fromI32(5)); store.set("P", "num", p); save("after", 1, ""); }
export function xStringInBig(e: ethereum.Event): void { ok(e); let p = put("P", "num", 1); p.set("n", Value.fromString("5")); store.set("P", "num", p); save("after", 1, ""); }
export function xStringInBytes(e: ethereum.Event): void { ok(e); let p = put("V", "a", 1); p.set("by", Value.fromString("0x1234")); store.set("V", "a", p); save("after", 1, ""); }
export function xBytesInString(e: ethereum.Event): void { ok(e); let p = put("P", "num", 1); p.set("note", Value.fromBytes(Bytes.fromHexString("0x1234"))); store.set("P", "num", p); save("after", 1, ""); }
export function xI32InI8(e: ethereum.Event): void { ok(e); let p = put("V", "a", 1); p.set("i8", Value.fromI32(5)); store.set("V", "a", p); save("after", 1, ""); }
export function xI8InI32(e: ethereum.Event): void { ok(e); let p = put("V", "a", 1); p.set("i", Value.fromI64(5)); store.set("V", "a", p); save("after", 1, ""); }
export function xIntInDecimal(e: ethereum.Event): void { ok(e); let p = put("V", "a", 1); p.set("d", Value.fromBigInt(BigInt.fromI32(5))); store.set("V", "a", p); save("after", 1, ""); }
export function xI64InTs(e: ethereum.Event): void { ok(e); let p = put("V", "a", 1); p.set("ts", Value.fromI64(5)); store.set("V", "a", p); save("after", 1, ""); }
export function xArrayNull(e: ethereum.Event): void { ok(e); let p = put("V", "a", 1); p.set("l", Value.fromArray([Value.fromString("x"), Value.fromNull()])); store.set("V", "a", p); save("after", 1, ""); }
export function xArrayMixed(e: ethereum.Event): void { ok(e); let p = put("V", "a", 1); p.set("l", Value.fromArray([Value.fromString("x"), Value.fromI32(1)])); store.set("V", "a", p); save("after", 1, ""); }
export function xArrayEmpty(e: ethereum.Event): void { ok(e); let p = put("V", "a", 1); p.set("l", Value.fromArray([])); store.set("V", "a", p); save("after", 1, ""); }
export function xArrayInScalar(e: ethereum.Event): void { ok(e); let p = put("P", "num", 1); p.set("note", Value.fromArray([Value.fromString("x")])); store.set("P", "num", p); save("after", 1, ""); }
export function xScalarInArray(e: ethereum.Event): void { ok(e); let p = put("V", "a", 1); p.set("l", Value.fromString("x")); store.set("V", "a", p); save("after", 1, ""); }
export function xMissing(e: ethereum.Event): void { ok(e); let p = new Entity(); p.set("id", S("miss")); p.set("note", S("x")); store.set("P", "miss", p); save("after", 1, ""); }
export function xMissingThen(e: ethereum.Event): void { ok(e); let p = new Entity(); p.set("id", S("miss")); p.set("note", S("x")); store.set("P", "miss", p); save("miss", 5, "whole"); }
export function xMissingRemoved(e: ethereum.Event): void { ok(e); let p = new Entity(); p.set("id", S("miss")); p.set("note", S("x")); store.set("P", "miss", p); store.remove("P", "miss"); save("after", 1, ""); }
export function xNullRequired(e: ethereum.Event): void { ok(e); save("miss", 1, "x"); let p = put("P", "miss", 1); p.set("n", Value.fromNull()); store.set("P", "miss", p); save("after", 1, ""); }
export function xPartial(e: ethereum.Event): void { if (n(e) == 2) { save("p", 1, "first"); } else if (n(e) == 3) { let p = new Entity(); p.set("id", S("p")); p.set("n", Value.fromBigInt(BigInt.fromI32(3))); store.set("P", "p", p); } else { let q = store.get("P", "p") as Entity; save("read" + n(e).toString(), 1, (q.get("note") as Value).kind.toString()); } }
export function xRecreate(e: ethereum.Event): void { if (n(e) == 2) { save("r", 1, "first"); save("q", 1, "first"); } else if (n(e) == 3) { store.remove("P", "r"); let q = store.get("P", "r"); let p = new Entity(); p.set("id", S("r")); p.set("n", Value.fromBigInt(BigInt.fromI32(3))); store.set("P", "r", p); save("seen", 1, q === null ? "null" : "there"); let r = store.get("P", "r") as Entity; save("seen2", 1, r.get("note") === null ? "no note" : "note " + (r.get("note") as Value).kind.toString()); store.remove("P", "q"); } else if (n(e) == 4) { save("q", 4, "again"); save("tmp", 4, "x"); store.remove("P", "tmp"); } }
export function xImmTwice(e: ethereum.Event): void { ok(e); let p = put("M", "m", 1); store.set("M", "m", p); let q = put("M", "m", 2); store.set("M", "m", q); save("after", 1, ""); }
export function xImmLater(e: ethereum.Event): void { ok(e); let p = put("M", "m", n(e)); store.set("M", "m", p); save("after", 1, ""); }
export function xImmSame(e: ethereum.Event): void { ok(e); let p = put("M", "m", 1); store.set("M", "m", p); save("after", 1, ""); }
export function xImmRemove(e: ethereum.Event): void { ok(e); let p = put("M", "m", 1); store.set("M", "m", p); store.remove("M", "m"); save("after", 1, ""); }
export function xImmRemoveOld(e: ethereum.Event): void { ok(e); if (n(e) == 2) { let p = put("M", "m", 1); store.set("M", "m", p); } if (n(e) == 3) store.remove("M", "m"); save("after", n(e), ""); }
export function xRemoveAbsent(e: ethereum.Event): void { ok(e); store.remove("P", "nothing"); save("after", 1, ""); }
export function xNoType(e: ethereum.Event): void { ok(e); let p = put("Nope", "m", 1); store.set("Nope", "m", p); save("after", 1, ""); }
export function xGetNoType(e: ethereum.Event): void { ok(e); store.get("Nope", "m"); save("after", 1, ""); }
export function xInterface(e: ethereum.Event): void { ok(e); store.get("N", "2"); save("after", 1, ""); }
export function xDerived(e: ethereum.Event): void { ok(e); let p = put("W", "w", 1); p.set("kids", Value.fromStringArray(["a"])); store.set("W", "w", p); save("after", 1, ""); }
export function xUndefField(e: ethereum.Event): void { ok(e); let p = put("P", "u", 1); p.set("nope", S("x")); store.set("P", "u", p); save("after", 1, ""); }
export function xEnumBad(e: ethereum.Event): void { ok(e); let p = put("E", "u", 1); p.set("c", S("PURPLE")); store.set("E", "u", p); save("after", 1, ""); }
export function xRefMissing(e: ethereum.Event): void { ok(e); let p = put("R", "r", 1); p.set("ref", S("nowhere")); store.set("R", "r", p); let q = put("R", "r2", 1); q.set("ref", S("2")); store.set("R", "r2", q); }
export function xAutoId(e: ethereum.Event): void { ok(e); let p = put("K", "auto", n(e)); p.set("id", Value.fromI64(i64.MIN_VALUE)); store.set("K", "auto", p); let q = store.get("K", "auto"); save("read", 1, q === null ? "null" : "there"); }
// schema
export function qData(e: ethereum.Event): void { let k = n(e); let p = put("Q", k.toString(), k % 2); p.set("tag", S(k % 3 == 0 ? "red fox" : "blue cat")); p.set("text", S("number " + k.toString() + " brown dog")); p.set("w", S("w" + (k % 2).toString())); store.set("Q", k.toString(), p); let w = put("W", "w" + (k % 2).toString(), k % 2); store.set("W", "w" + (k % 2).toString(), w); let r = put("R", "r" + k.toString(), 7); r.set("w", S("w" + (k % 2).toString())); store.set("R", "r" + k.toString(), r); }
export function qAgg(e: ethereum.Event): void { let p = new Entity(); p.set("id", Value.fromI64(i64.MIN_VALUE)); p.set("timestamp", Value.fromTimestamp(0)); p.set("v", Value.fromBigInt(BigInt.fromI32(n(e)))); store.set("D", "auto", p); save("ts", e.block.timestamp.toI32(), ""); }
