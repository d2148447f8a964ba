import { BigInt } from "@graphprotocol/graph-ts";
import { Counted, Sold } from "../generated/Shop/Shop";
import { Item, Sale } from "../generated/schema";

function add(name: string, amount: BigInt): void {
  let item = Item.load(name);
  if (item == null) {
    item = new Item(name);
    item.times = 0;
    item.sold = BigInt.zero();
  }
  item.times += 1;
  item.sold = item.sold.plus(amount);
  item.save();
}

export function handleSold(event: Sold): void {
  const name = event.params.item;
  const amount = event.params.amount;
  const sale = new Sale(0);
  sale.timestamp = event.block.timestamp.toI64();
  sale.amount = amount;
  if (name.length > 0) {
    add(name, amount);
    sale.item = name;
  }
  sale.save();
  assert(!amount.equals(BigInt.fromI32(13)), "nobody buys 13 of " + name);
}

/** What is sold is counted again, without a point in time. */
export function handleCounted(event: Counted): void {
  add(event.params.item, event.params.amount);
}
