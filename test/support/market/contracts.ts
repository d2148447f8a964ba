/** The contracts of the market, lower case. The test puts a contract that emits any log at each of these addresses. */
export const market = {
  conditionalTokens: "0x4d97dcd97ec945f40cf65f87097ace5ea0476045",
  exchange1: "0x4bfb41d5b3570defd03c39a9a4d8de6bd8b8982e",
  negRiskExchange1: "0xc5d563a36ae78145c45a50134d48a1215220f80a",
  exchange2: "0xe111180000d2663c0091e4f400237545b87b996b",
  negRiskExchange2: "0xe2222d279d744050d28e00520010520000310f59",
  thirdExchange2: "0xe2222d002000ba0053cef3375333610f64600036",
  negRiskAdapter: "0xd91e80cf2e7be2e162c6513ced06f1dd0da35296",
  feeModule: "0xe3f18acc55091e2c48d883fc8c8413319d4ab7b0",
  negRiskFeeModule: "0xb768891e3130f6df18214ac804d4db76c2c37730",
  ctfAdapter: "0xada100874d00e3331d00f2007a9c336a65009718",
  negRiskCtfAdapter: "0xada200001000ef00d07553cee7006808f895c6f1",
  usdc: "0x2791bca1f2de4661ed88a30c99a7a9449aa84174",
  wrappedCollateral: "0x3a3bd7bb9528e159577f7c2e685cc81a765002e2",
  usd2: "0xc011a7e12a19f7b1f670d46f03b03f3342e82dfb",
} as const;

/** The exchanges. */
export const exchanges: ReadonlySet<string> = new Set([
  market.exchange1,
  market.negRiskExchange1,
  market.exchange2,
  market.negRiskExchange2,
  market.thirdExchange2,
]);

/** The adapters of the second version, which wrap collateral. They act for the wallet next to them. */
export const ctfAdapters: ReadonlySet<string> = new Set([market.ctfAdapter, market.negRiskCtfAdapter]);

/** What is lent by a wallet to a contract is not the contract's own. */
export const venues: ReadonlySet<string> = new Set([...exchanges, ...ctfAdapters, market.negRiskAdapter]);

/** The collateral of the market's outcome tokens. */
export const collaterals: ReadonlySet<string> = new Set([market.usdc, market.wrappedCollateral, market.usd2]);

export const zeroAddress = `0x${"0".repeat(40)}`;
export const zeroHash = `0x${"0".repeat(64)}`;

/** The events by a short name, with the hash that the contracts' logs have. */
export const events = {
  fill1: [
    "event OrderFilled(bytes32 indexed orderHash, address indexed maker, address indexed taker, uint256 makerAssetId, uint256 takerAssetId, uint256 makerAmountFilled, uint256 takerAmountFilled, uint256 fee)",
    "0xd0a08e8c493f9c94f29311604c9de1b4e8c8d4c06bd0c789af57f2d65bfec0f6",
  ],
  matched1: [
    "event OrdersMatched(bytes32 indexed takerOrderHash, address indexed takerOrderMaker, uint256 makerAssetId, uint256 takerAssetId, uint256 makerAmountFilled, uint256 takerAmountFilled)",
    "0x63bf4d16b7fa898ef4c4b2b6d90fd201e9c56313b65638af6088d149d2ce956c",
  ],
  fill2: [
    "event OrderFilled(bytes32 indexed orderHash, address indexed maker, address indexed taker, uint8 side, uint256 tokenId, uint256 makerAmountFilled, uint256 takerAmountFilled, uint256 fee, bytes32 builder, bytes32 metadata)",
    "0xd543adfd945773f1a62f74f0ee55a5e3b9b1a28262980ba90b1a89f2ea84d8ee",
  ],
  matched2: [
    "event OrdersMatched(bytes32 indexed takerOrderHash, address indexed takerOrderMaker, uint8 side, uint256 tokenId, uint256 makerAmountFilled, uint256 takerAmountFilled)",
    "0x174b3811690657c217184f89418266767c87e4805d09680c39fc9c031c0cab7c",
  ],
  registered: [
    "event TokenRegistered(uint256 indexed token0, uint256 indexed token1, bytes32 indexed conditionId)",
    "0xbc9a2432e8aeb48327246cddd6e872ef452812b4243c04e6bfb786a2cd8faf0d",
  ],
  prepared: [
    "event ConditionPreparation(bytes32 indexed conditionId, address indexed oracle, bytes32 indexed questionId, uint256 outcomeSlotCount)",
    "0xab3760c3bd2bb38b5bcf54dc79802ed67338b4cf29f3054ded67ed24661e4177",
  ],
  resolved: [
    "event ConditionResolution(bytes32 indexed conditionId, address indexed oracle, bytes32 indexed questionId, uint256 outcomeSlotCount, uint256[] payoutNumerators)",
    "0xb44d84d3289691f71497564b85d4233648d9dbae8cbdbb4329f301c3a0185894",
  ],
  split: [
    "event PositionSplit(address indexed stakeholder, address collateralToken, bytes32 indexed parentCollectionId, bytes32 indexed conditionId, uint256[] partition, uint256 amount)",
    "0x2e6bb91f8cbcda0c93623c54d0403a43514fabc40084ec96b6d5379a74786298",
  ],
  merge: [
    "event PositionsMerge(address indexed stakeholder, address collateralToken, bytes32 indexed parentCollectionId, bytes32 indexed conditionId, uint256[] partition, uint256 amount)",
    "0x6f13ca62553fcc2bcd2372180a43949c1e4cebba603901ede2f4e14f36b282ca",
  ],
  redemption: [
    "event PayoutRedemption(address indexed redeemer, address indexed collateralToken, bytes32 indexed parentCollectionId, bytes32 conditionId, uint256[] indexSets, uint256 payout)",
    "0x2682012a4a4f1973119f1c9b90745d1bd91fa2bab387344f044cb3586864d18d",
  ],
  single: [
    "event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
    "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62",
  ],
  batch: [
    "event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
    "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb",
  ],
  adapterSplit: [
    "event PositionSplit(address indexed stakeholder, bytes32 indexed conditionId, uint256 amount)",
    "0xbbed930dbfb7907ae2d60ddf78345610214f26419a0128df39b6cc3d9e5df9b0",
  ],
  adapterMerge: [
    "event PositionsMerge(address indexed stakeholder, bytes32 indexed conditionId, uint256 amount)",
    "0xba33ac50d8894676597e6e35dc09cff59854708b642cd069d21eb9c7ca072a04",
  ],
  adapterRedemption: [
    "event PayoutRedemption(address indexed redeemer, bytes32 indexed conditionId, uint256[] amounts, uint256 payout)",
    "0x9140a6a270ef945260c03894b3c6b3b2695e9d5101feef0ff24fec960cfd3224",
  ],
  converted: [
    "event PositionsConverted(address indexed stakeholder, bytes32 indexed marketId, uint256 indexed indexSet, uint256 amount)",
    "0xb03d19dddbc72a87e735ff0ea3b57bef133ebe44e1894284916a84044deb367e",
  ],
  marketPrepared: [
    "event MarketPrepared(bytes32 indexed marketId, address indexed oracle, uint256 feeBips, bytes data)",
    "0xf059ab16d1ca60e123eab60e3c02b68faf060347c701a5d14885a8e1def7b3a8",
  ],
  questionPrepared: [
    "event QuestionPrepared(bytes32 indexed marketId, bytes32 indexed questionId, uint256 index, bytes data)",
    "0xaac410f87d423a922a7b226ac68f0c2eaf5bf6d15e644ac0758c7f96e2c253f7",
  ],
  outcomeReported: [
    "event OutcomeReported(bytes32 indexed marketId, bytes32 indexed questionId, bool outcome)",
    "0x9e9fa7fd355160bd4cd3f22d4333519354beff1f5689bde87f2c5e63d8d484b2",
  ],
  ownershipTransferred: [
    "event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)",
    "0x8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e0",
  ],
  refund: [
    "event FeeRefunded(bytes32 indexed orderHash, address indexed to, uint256 id, uint256 refund, uint256 indexed feeCharged)",
    "0xb608d2bf25d8b4b744ba23ce2ea9802ea955e216c064a62f42152fbf98958d24",
  ],
} as const;

/** Short name of an event. */
export type EventName = keyof typeof events;
