import { ethereum, ipfs, Value, JSONValue, dataSource, Bytes } from "@graphprotocol/graph-ts"; import { n, save } from "./base";
export function hCatAbsent(e: ethereum.Event): void { save("before", 1, ""); let r = ipfs.cat("QmTudJSaoKxtbEnTddJ9vh8hbN84ZLVvD5pNpUaSbxwGoa"); save("after", 1, r === null ? "null" : "there"); }
export function hCatBad(e: ethereum.Event): void { save("before", 1, ""); let r = ipfs.cat("notacid"); save("after", 1, r === null ? "null" : "there"); }
export function hCat(e: ethereum.Event): void { let r = ipfs.cat(dataSource.context().getString("cid")); save("after", 1, r === null ? "null" : (r as Bytes).toString()); }
export function hMap(e: ethereum.Event): void { save("before", 1, ""); ipfs.mapJSON(dataSource.context().getString("cid"), "each", Value.fromString("u")); save("after", 1, ""); }
export function hMapAbsent(e: ethereum.Event): void { save("before", 1, ""); ipfs.mapJSON("QmTudJSaoKxtbEnTddJ9vh8hbN84ZLVvD5pNpUaSbxwGoa", "each", Value.fromString("u")); save("after", 1, ""); }
export function hMapNoCb(e: ethereum.Event): void { save("before", 1, ""); ipfs.mapJSON(dataSource.context().getString("cid"), "nobody", Value.fromString("u")); save("after", 1, ""); }
export function each(v: JSONValue, u: Value): void { save("j" + v.toBigInt().toString(), v.toBigInt().toI32(), u.toString()); }
