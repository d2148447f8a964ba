import { Deposit } from "../generated/Vault/Vault";
import { Position } from "../generated/schema";

export function handleDeposit(event: Deposit): void {
  let id = event.params.owner.toHexString();
  let position = Position.load(id);
  if (position === null) {
    position = new Position(id);
    position.shares = event.params.amount;
  } else {
    position.shares = position.shares.plus(event.params.amount);
  }
  position.save();
}
