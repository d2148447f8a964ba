import { Address, BigInt, Bytes, crypto, ethereum, log } from "@graphprotocol/graph-ts";
import {
  ConditionPreparation,
  ConditionResolution,
  PayoutRedemption,
  PositionSplit,
  PositionsMerge,
  TransferBatch,
  TransferSingle,
} from "../generated/ConditionalTokens/ConditionalTokens";
import { OrderFilled as OrderFilledV1, OrdersMatched } from "../generated/ExchangeV1/ExchangeV1";
import { OrderFilled as OrderFilledV2 } from "../generated/ExchangeV2/ExchangeV2";
import { FeeRefunded } from "../generated/FeeModule/FeeModule";
import {
  PayoutRedemption as AdapterRedemption,
  PositionSplit as AdapterSplit,
  PositionsConverted,
  PositionsMerge as AdapterMerge,
  QuestionPrepared,
} from "../generated/NegRiskAdapter/NegRiskAdapter";
import {
  Activity,
  AdapterCollateral,
  Balance,
  Condition,
  CurrentTransaction,
  NegRiskMarket,
  OutcomeTokens,
  Position,
} from "../generated/schema";
import { isInstance } from "./instances";

const ZERO = BigInt.zero();
const ONE = BigInt.fromI32(1_000_000);
/** What both tokens of a split or a merge are said to cost: together they are worth one dollar. */
const HALF = BigInt.fromI32(500_000);
const NO_HASH = Bytes.fromHexString("0x0000000000000000000000000000000000000000000000000000000000000000");
const TWO_OUTCOMES = Bytes.fromHexString("0x0000000000000000000000000000000000000000000000000000000000000002");

// Who acts: a wallet, or a contract on behalf of one

function isExchange(address: Address): bool {
  return isInstance("ExchangeV1", address) || isInstance("ExchangeV2", address);
}

/** Contracts that hold tokens only until the end of a transaction. What they do is no activity of theirs. */
function isVenue(address: Address): bool {
  return isExchange(address) || isInstance("NegRiskAdapter", address) || isInstance("CtfAdapter", address);
}

/** The wallet behind an address: an adapter that wraps collateral acts for the sender of its tokens. */
function walletBehind(address: Address, event: ethereum.Event): Address {
  if (!isInstance("CtfAdapter", address)) return address;
  let current = currentTransaction(event);
  return current.receiver == address ? Address.fromBytes(current.sender) : address;
}

// Trades

/** An order that was filled, whatever the version of the exchange. */
class Fill {
  usdc: BigInt;
  shares: BigInt;
  /** What the fee is taken of. */
  feeAsset: string = "collateral";
  builder: string | null = null;

  constructor(
    public event: ethereum.Event,
    public order: Bytes,
    public maker: Address,
    public taker: Address,
    public isBuy: bool,
    public token: BigInt,
    made: BigInt,
    taken: BigInt,
    public fee: BigInt,
  ) {
    this.usdc = isBuy ? made : taken;
    this.shares = isBuy ? taken : made;
  }
}

export function handleOrderFilledV1(event: OrderFilledV1): void {
  let params = event.params;
  let isBuy = params.makerAssetId.isZero();
  let token = isBuy ? params.takerAssetId : params.makerAssetId;
  let fill = new Fill(
    event,
    params.orderHash,
    params.maker,
    params.taker,
    isBuy,
    token,
    params.makerAmountFilled,
    params.takerAmountFilled,
    params.fee,
  );
  // The first version takes the fee of what the order brings.
  if (isBuy) fill.feeAsset = "token";
  expectRefund(event, params.orderHash, storeFill(fill));
}

export function handleOrderFilledV2(event: OrderFilledV2): void {
  let params = event.params;
  let fill = new Fill(
    event,
    params.orderHash,
    params.maker,
    params.taker,
    params.side == 0,
    params.tokenId,
    params.makerAmountFilled,
    params.takerAmountFilled,
    params.fee,
  );
  if (params.builder != NO_HASH) fill.builder = params.builder.toHexString();
  storeFill(fill);
}

/**
 * Stores the fill of an order. The maker of the event owns the order, on both sides of a match: the taker's own order
 * names the exchange as its taker. So each side is counted once.
 */
function storeFill(fill: Fill): string {
  let isTaker = isExchange(fill.taker);
  let row = newActivity(fill.event, fill.event.logIndex.toI32(), 0, "TRADE", fill.isBuy, fill.maker);
  row.orderType = isTaker ? "taker" : "maker";
  row.counterparty = isTaker ? null : fill.taker.toHexString();
  row.tokenId = fill.token;
  row.amountUsdc = fill.usdc;
  row.amountShares = fill.shares;
  row.fee = fill.fee;
  row.feeAsset = fill.fee.isZero() ? null : fill.feeAsset;
  row.orderId = fill.order.toHexString();
  row.builder = fill.builder;
  row.save();
  if (!fill.shares.isZero()) {
    let price = fill.usdc.times(ONE).div(fill.shares);
    if (fill.isBuy) buy(fill.event, fill.maker, fill.token, price, fill.shares);
    else sell(fill.event, fill.maker, fill.token, price, fill.shares);
  }
  return row.id;
}

/** A match is complete: the refunds of its fees may follow, then the next match. */
export function handleOrdersMatched(event: OrdersMatched): void {
  let current = currentTransaction(event);
  current.matches += 1;
  current.save();
}

/** Remembers a fill until the end of the transaction. Refunds are of the last match in which the order is filled. */
function expectRefund(event: ethereum.Event, order: Bytes, row: string): void {
  let current = currentTransaction(event);
  let orders = current.fillOrders;
  let matches = current.fillMatches;
  let rows = current.fillRows;
  for (let i = orders.length - 1; i >= 0; i--) {
    if (orders[i] != order || matches[i] == current.matches) continue;
    orders.splice(i, 1);
    matches.splice(i, 1);
    rows.splice(i, 1);
  }
  orders.push(order);
  matches.push(current.matches);
  rows.push(row);
  storeFills(current, orders, matches, rows);
}

/** Takes a refund off the fee of the order's first fill that has none yet, and whose fee is large enough. */
export function handleFeeRefunded(event: FeeRefunded): void {
  let current = currentTransaction(event);
  let orders = current.fillOrders;
  let matches = current.fillMatches;
  let rows = current.fillRows;
  for (let i = 0; i < orders.length; i++) {
    if (orders[i] != event.params.orderHash) continue;
    let row = Activity.load(rows[i])!;
    let fee = row.fee!.minus(event.params.refund);
    if (fee < ZERO) continue;
    row.fee = fee;
    if (fee.isZero()) row.feeAsset = null;
    row.save();
    orders.splice(i, 1);
    matches.splice(i, 1);
    rows.splice(i, 1);
    storeFills(current, orders, matches, rows);
    return;
  }
}

function storeFills(current: CurrentTransaction, orders: Bytes[], matches: i32[], rows: string[]): void {
  current.fillOrders = orders;
  current.fillMatches = matches;
  current.fillRows = rows;
  current.save();
}

// Splits and merges

export function handlePositionSplit(event: PositionSplit): void {
  let params = event.params;
  // A split into collections within others burns what it splits, which is no redemption.
  forgetBurns(currentTransaction(event));
  if (!isOfMarket(params.parentCollectionId, params.collateralToken, params.conditionId)) return;
  let tokens = currentTransaction(event).minted;
  if (params.partition[0] != BigInt.fromI32(1)) tokens.reverse();
  learnTokens(params.conditionId, params.collateralToken, tokens);
  if (isInstance("NegRiskAdapter", params.stakeholder)) {
    learnCollateral(params.stakeholder, params.collateralToken);
  }
  storeSplit(event, params.stakeholder, tokens, params.amount);
}

export function handleAdapterSplit(event: AdapterSplit): void {
  let tokens = tokensOfAdapter(event.params.conditionId, event.address)!;
  storeSplit(event, event.params.stakeholder, tokens, event.params.amount);
}

/** Stores a split, unless it is part of a match. If an adapter splits, its next transfer tells for whom. */
function storeSplit(event: ethereum.Event, stakeholder: Address, tokens: BigInt[], amount: BigInt): void {
  if (!isInstance("CtfAdapter", stakeholder)) {
    storePair(event, event.logIndex.toI32(), "SPLIT", stakeholder, tokens, amount);
    return;
  }
  let current = currentTransaction(event);
  current.splitBy = stakeholder;
  current.splitLog = event.logIndex.toI32();
  current.splitTokens = tokens;
  current.splitAmount = amount;
  current.save();
}

export function handlePositionsMerge(event: PositionsMerge): void {
  let params = event.params;
  if (!isOfMarket(params.parentCollectionId, params.collateralToken, params.conditionId)) return;
  let tokens = tokensOf(params.conditionId, params.collateralToken)!;
  let wallet = walletBehind(params.stakeholder, event);
  storePair(event, event.logIndex.toI32(), "MERGE", wallet, tokens, params.amount);
}

export function handleAdapterMerge(event: AdapterMerge): void {
  let tokens = tokensOfAdapter(event.params.conditionId, event.address)!;
  let wallet = walletBehind(event.params.stakeholder, event);
  storePair(event, event.logIndex.toI32(), "MERGE", wallet, tokens, event.params.amount);
}

/** A split buys both tokens at one half each, and a merge sells them. */
function storePair(
  event: ethereum.Event,
  logIndex: i32,
  eventType: string,
  wallet: Address,
  tokens: BigInt[],
  amount: BigInt,
): void {
  if (isVenue(wallet)) return;
  let isSplit = eventType == "SPLIT";
  let row = newActivity(event, logIndex, 0, eventType, isSplit, wallet);
  row.amountUsdc = amount;
  row.amountShares = amount;
  row.save();
  for (let i = 0; i < tokens.length; i++) {
    if (isSplit) buy(event, wallet, tokens[i], HALF, amount);
    else sell(event, wallet, tokens[i], HALF, amount);
  }
}

// Redemptions

/**
 * The token contract burns the whole balance of each index set at once. So an index set that is given again burns nothing,
 * and the burn of a token is the last one before the event.
 */
export function handlePayoutRedemption(event: PayoutRedemption): void {
  let params = event.params;
  let current = currentTransaction(event);
  let burners = current.burners;
  let burned = current.burned;
  let amounts = current.burnedAmounts;
  forgetBurns(current);
  if (!isOfMarket(params.parentCollectionId, params.collateralToken, params.conditionId)) return;
  let tokens = tokensOf(params.conditionId, params.collateralToken);
  // Anyone may redeem nothing of a condition that was never split.
  if (tokens === null) return;
  let places: i32[] = [];
  let redeemed: BigInt[] = [];
  for (let i = 0; i < params.indexSets.length; i++) {
    let place = params.indexSets[i].toI32() - 1;
    if (places.includes(place)) continue;
    let amount = ZERO;
    for (let j = 0; j < burned.length; j++) {
      if (burners[j] == params.redeemer && burned[j] == tokens[place]) amount = amounts[j];
    }
    places.push(place);
    redeemed.push(amount);
  }
  storeRedemption(event, params.redeemer, params.conditionId, tokens, places, redeemed);
}

export function handleAdapterRedemption(event: AdapterRedemption): void {
  let params = event.params;
  let tokens = tokensOfAdapter(params.conditionId, event.address);
  if (tokens === null) return;
  storeRedemption(event, params.redeemer, params.conditionId, tokens, [0, 1], params.amounts);
}

/** Stores a row for each token that was redeemed, of losers too. A token that was not redeemed stays open. */
function storeRedemption(
  event: ethereum.Event,
  redeemer: Address,
  conditionId: Bytes,
  tokens: BigInt[],
  places: i32[],
  amounts: BigInt[],
): void {
  let wallet = walletBehind(redeemer, event);
  if (isVenue(wallet)) return;
  let numerators = Condition.load(conditionId.toHexString())!.numerators;
  let denominator = numerators[0].plus(numerators[1]);
  let isWhole = !isThroughAdapter(event, redeemer);
  let part = 0;
  for (let i = 0; i < places.length; i++) {
    let token = tokens[places[i]];
    let numerator = numerators[places[i]];
    if (!amounts[i].isZero()) {
      let row = newActivity(event, event.logIndex.toI32(), part, "REDEEM", false, wallet);
      row.tokenId = token;
      row.amountUsdc = amounts[i].times(numerator).div(denominator);
      row.amountShares = amounts[i];
      row.save();
      part++;
    }
    let price = numerator.times(ONE).div(denominator);
    let quantity = isWhole ? positionOf(wallet, token).amount : amounts[i];
    sell(event, wallet, token, price, quantity);
  }
}

/** Adapters redeem what they are given; the token contract takes everything. */
function isThroughAdapter(event: ethereum.Event, redeemer: Address): bool {
  return isInstance("NegRiskAdapter", event.address) || isInstance("CtfAdapter", redeemer);
}

// Neg-risk markets

export function handleQuestionPrepared(event: QuestionPrepared): void {
  let id = event.params.marketId.toHexString();
  let market = NegRiskMarket.load(id);
  if (market === null) {
    market = new NegRiskMarket(id);
    market.conditions = [];
  }
  let question = event.address.concat(event.params.questionId).concat(TWO_OUTCOMES);
  let conditions = market.conditions;
  conditions.push(Bytes.fromByteArray(crypto.keccak256(question)));
  market.conditions = conditions;
  market.save();
}

/**
 * A conversion gives NOs of some questions for collateral and the YESs of all other questions. The NOs leave at their
 * own cost; the YESs cost what is left of it.
 */
export function handlePositionsConverted(event: PositionsConverted): void {
  let params = event.params;
  let wallet = walletBehind(params.stakeholder, event);
  if (isVenue(wallet)) return;
  let conditions = NegRiskMarket.load(params.marketId.toHexString())!.conditions;
  let count = 0;
  let cost = ZERO;
  for (let i = 0; i < conditions.length; i++) {
    if (!isInSet(params.indexSet, i)) continue;
    let no = tokensOfAdapter(conditions[i], event.address)![1];
    let price = positionOf(wallet, no).avgPrice;
    count++;
    cost = cost.plus(price);
    sell(event, wallet, no, price, params.amount);
  }
  let back = BigInt.fromI32(count - 1);
  let row = newActivity(event, event.logIndex.toI32(), 0, "CONVERT", false, wallet);
  row.amountUsdc = params.amount.times(back);
  row.amountShares = params.amount;
  row.save();
  if (count == conditions.length) return;
  let mean = divideDown(cost, BigInt.fromI32(count));
  let left = mean.times(BigInt.fromI32(count)).minus(ONE.times(back));
  let price = divideDown(left, BigInt.fromI32(conditions.length - count));
  for (let i = 0; i < conditions.length; i++) {
    if (isInSet(params.indexSet, i)) continue;
    let yes = tokensOfAdapter(conditions[i], event.address)![0];
    buy(event, wallet, yes, price, params.amount);
  }
}

function isInSet(indexSet: BigInt, place: i32): bool {
  return !indexSet.rightShift(u8(place)).bitAnd(BigInt.fromI32(1)).isZero();
}

// Conditions and their tokens

export function handleConditionPreparation(event: ConditionPreparation): void {
  let condition = new Condition(event.params.conditionId.toHexString());
  condition.outcomes = event.params.outcomeSlotCount;
  condition.numerators = [];
  condition.save();
}

export function handleConditionResolution(event: ConditionResolution): void {
  let condition = Condition.load(event.params.conditionId.toHexString())!;
  condition.numerators = event.params.payoutNumerators;
  condition.save();
}

/** Whether it is a condition with two outcomes, directly on collateral of the market. Anyone may use others. */
function isOfMarket(parentCollectionId: Bytes, collateral: Address, conditionId: Bytes): bool {
  if (parentCollectionId != NO_HASH) return false;
  if (!isInstance("Collateral", collateral)) return false;
  return Condition.load(conditionId.toHexString())!.outcomes == BigInt.fromI32(2);
}

function learnTokens(conditionId: Bytes, collateral: Address, tokens: BigInt[]): void {
  let id = `${conditionId.toHexString()}-${collateral.toHexString()}`;
  if (OutcomeTokens.load(id) !== null) return;
  let outcome = new OutcomeTokens(id);
  outcome.tokens = tokens;
  outcome.save();
}

function learnCollateral(adapter: Address, collateral: Address): void {
  if (AdapterCollateral.load(adapter.toHexString()) !== null) return;
  let known = new AdapterCollateral(adapter.toHexString());
  known.collateral = collateral;
  known.save();
}

/** The tokens of index sets 1 and 2, or null before the first split. */
function tokensOf(conditionId: Bytes, collateral: Bytes): BigInt[] | null {
  let outcome = OutcomeTokens.load(`${conditionId.toHexString()}-${collateral.toHexString()}`);
  return outcome === null ? null : outcome.tokens;
}

function tokensOfAdapter(conditionId: Bytes, adapter: Address): BigInt[] | null {
  let known = AdapterCollateral.load(adapter.toHexString());
  return known === null ? null : tokensOf(conditionId, known.collateral);
}

// Transfers and balances

export function handleTransferSingle(event: TransferSingle): void {
  let params = event.params;
  move(event, params.from, params.to, params.id, params.value);
  if (params.to == Address.zero()) rememberBurn(event, params.from, params.id, params.value);
}

export function handleTransferBatch(event: TransferBatch): void {
  let params = event.params;
  for (let i = 0; i < params.ids.length; i++) {
    move(event, params.from, params.to, params.ids[i], params.values[i]);
  }
  if (params.from == Address.zero()) rememberMint(event, params.ids);
  if (isInstance("CtfAdapter", params.to)) rememberSender(event, params.from, params.to);
  if (isInstance("CtfAdapter", params.from)) finishSplit(event, params.from, params.to);
}

function move(event: ethereum.Event, from: Address, to: Address, token: BigInt, value: BigInt): void {
  if (value.isZero() || from == to) return;
  changeBalance(event, from, token, value.neg());
  changeBalance(event, to, token, value);
}

function changeBalance(event: ethereum.Event, owner: Address, token: BigInt, change: BigInt): void {
  if (owner == Address.zero()) return;
  let contract = event.address.toHexString();
  let id = `${owner.toHexString()}-${contract}-${token.toString()}`;
  let balance = Balance.load(id);
  if (balance === null) {
    balance = new Balance(id);
    balance.address = owner.toHexString();
    balance.contractAddress = contract;
    balance.tokenId = token;
    balance.balance = ZERO;
  }
  balance.balance = balance.balance.plus(change);
  if (balance.balance < ZERO) log.critical("balance {} is negative: a transfer is missing", [id]);
  balance.block = event.block.number;
  balance.timestamp = event.block.timestamp;
  balance.save();
}

function rememberMint(event: ethereum.Event, tokens: BigInt[]): void {
  let current = currentTransaction(event);
  current.minted = tokens;
  current.save();
}

function rememberBurn(event: ethereum.Event, owner: Address, token: BigInt, amount: BigInt): void {
  let current = currentTransaction(event);
  current.burners = current.burners.concat([owner]);
  current.burned = current.burned.concat([token]);
  current.burnedAmounts = current.burnedAmounts.concat([amount]);
  current.save();
}

function forgetBurns(current: CurrentTransaction): void {
  current.burners = [];
  current.burned = [];
  current.burnedAmounts = [];
  current.save();
}

/** Remembers for whom an adapter that wraps collateral acts. What it mints or converts on the way is not meant. */
function rememberSender(event: ethereum.Event, sender: Address, adapter: Address): void {
  if (sender == Address.zero() || isInstance("NegRiskAdapter", sender)) return;
  let current = currentTransaction(event);
  current.sender = sender;
  current.receiver = adapter;
  current.save();
}

function finishSplit(event: ethereum.Event, adapter: Address, wallet: Address): void {
  let current = currentTransaction(event);
  if (current.splitBy != adapter) return;
  storePair(event, current.splitLog, "SPLIT", wallet, current.splitTokens, current.splitAmount);
  current.splitBy = Address.zero();
  current.save();
}

/** What this transaction has emitted so far. */
function currentTransaction(event: ethereum.Event): CurrentTransaction {
  let current = CurrentTransaction.load("current");
  if (current !== null && current.hash == event.transaction.hash) return current;
  current = new CurrentTransaction("current");
  current.hash = event.transaction.hash;
  current.matches = 0;
  current.fillOrders = [];
  current.fillMatches = [];
  current.fillRows = [];
  current.minted = [];
  current.burners = [];
  current.burned = [];
  current.burnedAmounts = [];
  current.sender = Address.zero();
  current.receiver = Address.zero();
  current.splitBy = Address.zero();
  current.splitLog = 0;
  current.splitTokens = [];
  current.splitAmount = ZERO;
  return current;
}

// Activity and positions

function newActivity(
  event: ethereum.Event,
  logIndex: i32,
  part: i32,
  eventType: string,
  isBuy: bool,
  wallet: Address,
): Activity {
  let transaction = event.transaction.hash.toHexString();
  let suffix = part == 0 ? "" : `_${part}`;
  let row = new Activity(`${transaction}_${logIndex}${suffix}`);
  row.block = event.block.number;
  row.timestamp = event.block.timestamp;
  row.transactionHash = transaction;
  row.logIndex = logIndex;
  row.part = part;
  row.eventType = eventType;
  row.side = isBuy ? "BUY" : "SELL";
  row.orderType = "taker";
  row.address = wallet.toHexString();
  return row;
}

/** A position; not yet stored if the wallet never had the token. */
function positionOf(wallet: Address, token: BigInt): Position {
  let id = `${wallet.toHexString()}-${token.toString()}`;
  let position = Position.load(id);
  if (position !== null) return position;
  position = new Position(id);
  position.address = wallet.toHexString();
  position.tokenId = token;
  position.amount = ZERO;
  position.avgPrice = ZERO;
  position.realizedPnl = ZERO;
  position.totalBought = ZERO;
  return position;
}

/** Adds to a position. The average price is that of everything in it. */
function buy(event: ethereum.Event, wallet: Address, token: BigInt, price: BigInt, quantity: BigInt): void {
  if (quantity.isZero()) return;
  let position = positionOf(wallet, token);
  let cost = position.avgPrice.times(position.amount).plus(price.times(quantity));
  position.amount = position.amount.plus(quantity);
  position.avgPrice = divideDown(cost, position.amount);
  position.totalBought = position.totalBought.plus(quantity);
  storePosition(event, position);
}

/** Sells of a position, at most what is in it: tokens that came by a transfer bring no profit. */
function sell(event: ethereum.Event, wallet: Address, token: BigInt, price: BigInt, quantity: BigInt): void {
  let position = positionOf(wallet, token);
  if (quantity > position.amount) quantity = position.amount;
  if (quantity.isZero()) return;
  let gain = divideDown(quantity.times(price.minus(position.avgPrice)), ONE);
  position.realizedPnl = position.realizedPnl.plus(gain);
  position.amount = position.amount.minus(quantity);
  storePosition(event, position);
}

function storePosition(event: ethereum.Event, position: Position): void {
  position.block = event.block.number;
  position.timestamp = event.block.timestamp;
  position.save();
}

/** Divides, and rounds down for negative numbers too. */
function divideDown(dividend: BigInt, divisor: BigInt): BigInt {
  let quotient = dividend.div(divisor);
  let isInexact = quotient.times(divisor) != dividend;
  return isInexact && dividend < ZERO ? quotient.minus(BigInt.fromI32(1)) : quotient;
}
