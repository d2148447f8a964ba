import { BigInt, Entity, Value, ethereum, store } from "@graphprotocol/graph-ts";

/** Stores every move, and accounts while they have a balance. */
export function handleMoved(event: ethereum.Event): void {
  const account = event.parameters[0].value.toAddress().toHexString();
  const balance = event.parameters[1].value.toBigInt();
  const number = event.parameters[2].value.toBigInt().toString();

  const move = new Entity();
  move.set("id", Value.fromString(number));
  move.set("account", Value.fromString(account));
  move.set("balance", Value.fromBigInt(balance));
  store.set("Move", number, move);

  if (balance.isZero()) {
    store.remove("Account", account);
    return;
  }
  const before = store.get("Account", account);
  const moves = before === null ? 0 : before.get("moves")!.toI32();
  const entity = new Entity();
  entity.set("id", Value.fromString(account));
  entity.set("balance", Value.fromBigInt(balance));
  entity.set("moves", Value.fromI32(moves + 1));
  store.set("Account", account, entity);
}
