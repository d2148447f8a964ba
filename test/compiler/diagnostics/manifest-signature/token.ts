import { Transfer } from "./generated/Token/Token";
import { Account } from "./generated/schema";

export function handleTransfer(event: Transfer): void {
  const account = new Account(event.params.to);
  account.balance = event.params.value;
  account.save();
}
