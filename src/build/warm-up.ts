/**
 * A small program that uses what every mapping uses. The compiler is a large script that runs slowly the first time:
 * checking this one while nothing else is to be done makes the real one twice as fast.
 */
export const warmUpProgram = `import { BigInt, Entity, Value, ValueKind, ethereum, store } from "@graphprotocol/graph-ts";

export class Warm extends Entity {
  constructor(id: string) {
    super();
    this.set("id", Value.fromString(id));
  }

  get amount(): BigInt {
    const value = this.get("amount");
    if (!value || value.kind == ValueKind.NULL) throw new Error("null");
    return value.toBigInt();
  }

  set amount(value: BigInt) {
    this.set("amount", Value.fromBigInt(value));
  }

  save(): void {
    store.set("Warm", this.get("id")!.toString(), this);
  }
}

export function handleWarm(event: ethereum.Event): void {
  const entity = new Warm(event.transaction.hash.toHexString() + "-" + event.logIndex.toString());
  entity.amount = event.block.number.plus(BigInt.fromI32(1));
  entity.set("contract", Value.fromString(event.address.toHexString()));
  entity.save();
}
`;
