import { Token, Transfer } from "../generated/Token/Token";
import { Holder } from "../generated/schema";

export function handleTransfer(event: Transfer): void {
  let id = event.params.to.toHexString();
  let holder = Holder.load(id);
  if (holder === null) holder = new Holder(id);
  let token = Token.bind(event.address);
  holder.balance = token.balanceOf(event.params.to);
  holder.save();
}
