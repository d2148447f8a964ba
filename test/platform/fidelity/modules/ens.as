import { ethereum, ens } from "@graphprotocol/graph-ts"; import { n, save } from "./base";
export function hEns(e: ethereum.Event): void { save("before", 1, ""); let r = ens.nameByHash("0x4f5b812789fc606be1b3b16908db13fc7a9adf7ca72641f84d75b47069d3d7f0"); save("after", 1, r === null ? "null" : r as string); }
export function ok(e: ethereum.Event): void { save(n(e).toString(), n(e), "ok"); }
