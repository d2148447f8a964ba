import { BigInt, DataSourceContext, DataSourceTemplate, Entity, Value, ethereum, log, store } from "@graphprotocol/graph-ts";

/** What is left alive, so that no loop is optimised away. */
export let kept: i32 = 0;

export function turns(event: ethereum.Event): void {
  const times = event.parameters[0].value.toBigInt().toI64();
  for (let i: i64 = 0; i < times; i++) kept += 1;
}

export function endless(event: ethereum.Event): void {
  while (true) kept += 1;
}

function even(n: i32): bool {
  return n == 0 ? true : odd(n - 1);
}

function odd(n: i32): bool {
  return n == 0 ? false : even(n - 1);
}

export function endlessCalls(event: ethereum.Event): void {
  while (even(1000)) kept += 1;
}

function deeper(n: i32): i32 {
  return n < 0 ? 0 : deeper(n + 1) + n;
}

export function recursion(event: ethereum.Event): void {
  kept = deeper(1);
}

export function hoard(event: ethereum.Event): void {
  while (true) kept += new Uint8Array(1 << 20).length;
}

export function oneLarge(event: ethereum.Event): void {
  kept = new Uint8Array(event.parameters[0].value.toI32()).length;
}

export function powers(event: ethereum.Event): void {
  const base = BigInt.fromI32(3).pow(255).pow(4);
  while (true) kept += base.pow(100).length;
}

export function rewrite(event: ethereum.Event): void {
  const entity = new Entity();
  entity.set("text", Value.fromString("x".repeat(100_000)));
  while (true) store.set("Thing", "1", entity);
}

export function chatter(event: ethereum.Event): void {
  const times = event.parameters[0].value.toI32();
  for (let i = 0; i < times; i++) log.info("x", []);
}

export function gossip(event: ethereum.Event): void {
  const long = "x".repeat(1_000_000);
  while (true) log.log(log.Level.INFO, long);
}

export function writes(event: ethereum.Event): void {
  const times = event.parameters[0].value.toI32();
  for (let i = 0; i < times; i++) store.set("Thing", "1", new Entity());
}

export function removals(event: ethereum.Event): void {
  const times = event.parameters[0].value.toI32();
  for (let i = 0; i < times; i++) store.remove("Thing", "1");
}

export function calls(event: ethereum.Event): void {
  const contract = new ethereum.SmartContract("C", event.address);
  const times = event.parameters[0].value.toI32();
  for (let i = 0; i < times; i++) contract.tryCall("f", "f():()", []);
}

export function balances(event: ethereum.Event): void {
  const times = event.parameters[0].value.toI32();
  for (let i = 0; i < times; i++) ethereum.getBalance(event.address);
}

export function codes(event: ethereum.Event): void {
  const times = event.parameters[0].value.toI32();
  for (let i = 0; i < times; i++) ethereum.hasCode(event.address);
}

export function creations(event: ethereum.Event): void {
  const times = event.parameters[0].value.toI32();
  for (let i = 0; i < times; i++) DataSourceTemplate.create("Pool", [event.address.toHexString()]);
}

export function creationsWithContext(event: ethereum.Event): void {
  const times = event.parameters[0].value.toI32();
  for (let i = 0; i < times; i++)
    DataSourceTemplate.createWithContext("Pool", [event.address.toHexString()], new DataSourceContext());
}
