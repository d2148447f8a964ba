import { ethereum, BigInt, BigDecimal, Bytes, ByteArray, Address, Value, store, log, Entity, ens, ipfs, json, dataSource, DataSourceContext, JSONValue } from "@graphprotocol/graph-ts";
export function n(e: ethereum.Event): i32 { return e.parameters[0].value.toBigInt().toI32(); }
export function save(id: string, v: i32, note: string): void { let p = new Entity(); p.set("id", Value.fromString(id)); p.set("n", Value.fromBigInt(BigInt.fromI32(v))); p.set("note", Value.fromString(note)); store.set("P", id, p); }
export function step(what: string): void { let c = store.get("P", "count"); let k = 1; if (c !== null) { let q = c as Entity; k = (q.get("n") as Value).toBigInt().toI32() + 1; } save("count", k, ""); save("s" + (100 + k).toString(), k, what); }
