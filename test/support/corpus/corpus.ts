import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { AbiEntry, Feature } from "./features.js";

/** A contract whose ABI the tests run through the whole pipeline. */
export interface CorpusEntry {
  readonly id: string;
  /** The npm package the ABI was published in; `made` for the few written by hand in `made/`. */
  readonly package: string;
  /** Absolute path of the artifact or ABI file. */
  readonly file: string;
  /** The features that this ABI shows. The test computes the same list from the ABI. */
  readonly features: readonly Feature[];
}

type Row = readonly [id: string, path: string, features: readonly Feature[]];

function from(source: string, rows: readonly Row[]): CorpusEntry[] {
  const root = source === "made" ? "./made" : `../../../node_modules/${source}`;
  return rows.map(([id, path, features]) => ({
    id,
    package: source,
    file: fileURLToPath(new URL(`${root}/${path}`, import.meta.url)),
    features,
  }));
}

/** Reads the ABI out of a bare array, a `{ "abi": … }` artifact or a 0x artifact. */
export function loadAbi(entry: CorpusEntry): readonly AbiEntry[] {
  const artifact: unknown = JSON.parse(readFileSync(entry.file, "utf8"));
  const abi = abiOf(artifact);
  if (abi === undefined) throw new Error(`${entry.file} holds no ABI`);
  return abi;
}

function abiOf(artifact: unknown): readonly AbiEntry[] | undefined {
  if (Array.isArray(artifact)) return artifact as AbiEntry[];
  if (typeof artifact !== "object" || artifact === null) return undefined;
  if ("abi" in artifact) return abiOf(artifact.abi);
  if ("compilerOutput" in artifact) return abiOf(artifact.compilerOutput);
  return undefined;
}

/** Contracts that are, or were, on a chain, then a few handwritten ones for the remaining features. */
export const corpus: readonly CorpusEntry[] = [
  ...from("@openzeppelin/contracts", [
    ["oz4-AccessControlDefaultAdminRules", "build/contracts/AccessControlDefaultAdminRules.json", []],
    [
      "oz4-ERC1155Supply",
      "build/contracts/ERC1155Supply.json",
      ["reserved-event-parameter", "unnamed-function-parameter", "reserved-function-parameter"],
    ],
    ["oz4-ERC20Votes", "build/contracts/ERC20Votes.json", ["struct-output"]],
    ["oz4-ERC4626", "build/contracts/ERC4626.json", ["unnamed-function-parameter"]],
    ["oz4-ERC721Consecutive", "build/contracts/ERC721Consecutive.json", ["function-overload"]],
    ["oz4-ERC721Votes", "build/contracts/ERC721Votes.json", ["function-overload"]],
    ["oz4-ERC777", "build/contracts/ERC777.json", []],
    [
      "oz4-GovernorCompatibilityBravo",
      "build/contracts/GovernorCompatibilityBravo.json",
      ["function-overload", "struct-output", "unnamed-function-parameter", "reserved-function-parameter"],
    ],
    [
      "oz4-GovernorTimelockControl",
      "build/contracts/GovernorTimelockControl.json",
      ["unnamed-function-parameter"],
    ],
    ["oz4-IERC1363", "build/contracts/IERC1363.json", ["function-overload"]],
    ["oz4-IERC4906", "build/contracts/IERC4906.json", ["function-overload"]],
    ["oz4-IERC5267", "build/contracts/IERC5267.json", []],
    ["oz4-IInbox", "build/contracts/IInbox.json", []],
    ["oz4-MinimalForwarder", "build/contracts/MinimalForwarder.json", ["struct-input"]],
    ["oz4-PaymentSplitter", "build/contracts/PaymentSplitter.json", ["function-overload"]],
    [
      "oz4-TimelockController",
      "build/contracts/TimelockController.json",
      ["reserved-event-parameter", "unnamed-function-parameter", "reserved-function-parameter"],
    ],
    [
      "oz4-VestingWallet",
      "build/contracts/VestingWallet.json",
      ["function-overload", "reserved-function-parameter"],
    ],
    ["oz4-IArbSys", "build/contracts/IArbSys.json", ["reserved-event-parameter"]],
  ]),
  ...from("openzeppelin-contracts-3", [
    [
      "oz3-ERC1155PresetMinterPauser",
      "build/contracts/ERC1155PresetMinterPauser.json",
      ["reserved-event-parameter", "unnamed-function-parameter", "reserved-function-parameter"],
    ],
    ["oz3-ERC20Snapshot", "build/contracts/ERC20Snapshot.json", ["reserved-event-parameter"]],
    [
      "oz3-ERC721PresetMinterPauserAutoId",
      "build/contracts/ERC721PresetMinterPauserAutoId.json",
      ["function-overload"],
    ],
    ["oz3-IRelayHub", "build/contracts/IRelayHub.json", []],
    ["oz3-unstableERC20Owned", "build/contracts/__unstable__ERC20Owned.json", []],
  ]),
  ...from("@0x/contract-artifacts", [
    ["zrx-AssetProxyOwner", "lib/artifacts/AssetProxyOwner.json", ["unnamed-function-parameter"]],
    [
      "zrx-ERC1155Mintable",
      "lib/artifacts/ERC1155Mintable.json",
      ["reserved-event-parameter", "unnamed-function-parameter", "reserved-function-parameter"],
    ],
    [
      "zrx-Exchange",
      "lib/artifacts/Exchange.json",
      ["reserved-event-parameter", "wide", "struct-input", "struct-output", "unnamed-function-parameter"],
    ],
    ["zrx-Forwarder", "lib/artifacts/Forwarder.json", ["struct-input", "reserved-function-parameter"]],
    [
      "zrx-IZeroEx",
      "lib/artifacts/IZeroEx.json",
      [
        "tuple-in-event",
        "tuple-array-in-event",
        "struct-input",
        "struct-output",
        "reserved-function-parameter",
      ],
    ],
    [
      "zrx-MultiAssetProxy",
      "lib/artifacts/MultiAssetProxy.json",
      ["reserved-event-parameter", "unnamed-function-parameter"],
    ],
    [
      "zrx-Staking",
      "lib/artifacts/Staking.json",
      ["struct-input", "struct-output", "unnamed-function-parameter"],
    ],
    ["zrx-StakingProxy", "lib/artifacts/StakingProxy.json", ["unnamed-function-parameter"]],
    ["zrx-ZrxVault", "lib/artifacts/ZrxVault.json", ["unnamed-function-parameter"]],
    ["zrx-WETH9", "lib/artifacts/WETH9.json", ["unnamed-function-parameter"]],
  ]),
  ...from("@uniswap/v2-core", [
    [
      "uni2-UniswapV2Factory",
      "build/UniswapV2Factory.json",
      ["unnamed-event-parameter", "unnamed-function-parameter"],
    ],
    ["uni2-UniswapV2Pair", "build/UniswapV2Pair.json", ["unnamed-function-parameter"]],
  ]),
  ...from("@uniswap/v2-periphery", [
    ["uni1-UniswapV1Exchange", "build/UniswapV1Exchange.json", []],
    ["uni1-UniswapV1Factory", "build/UniswapV1Factory.json", []],
    ["uni1-RouterEventEmitter", "build/RouterEventEmitter.json", []],
  ]),
  ...from("@uniswap/v3-core", [
    [
      "uni3-UniswapV3Factory",
      "artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json",
      ["unnamed-function-parameter"],
    ],
    [
      "uni3-UniswapV3Pool",
      "artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json",
      ["unnamed-function-parameter"],
    ],
  ]),
  ...from("@uniswap/v3-periphery", [
    [
      "uni3-NonfungiblePositionManager",
      "artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json",
      ["function-overload", "struct-input"],
    ],
  ]),
  ...from("@pancakeswap/v3-core", [
    [
      "cake3-PancakeV3Factory",
      "artifacts/contracts/PancakeV3Factory.sol/PancakeV3Factory.json",
      ["unnamed-function-parameter"],
    ],
    [
      "cake3-PancakeV3Pool",
      "artifacts/contracts/PancakeV3Pool.sol/PancakeV3Pool.json",
      ["unnamed-function-parameter"],
    ],
  ]),
  ...from("@sushiswap/core", [
    ["sushi-MasterChef", "build/abi/MasterChef.json", ["unnamed-function-parameter"]],
    ["sushi-SushiMaker", "build/abi/SushiMaker.json", []],
    [
      "sushi-SushiToken",
      "build/abi/SushiToken.json",
      ["unnamed-function-parameter", "reserved-function-parameter"],
    ],
    ["sushi-Timelock", "build/abi/Timelock.json", ["unnamed-function-parameter"]],
  ]),
  ...from("@nouns/contracts", [
    [
      "nouns-NounsToken",
      "dist/abi/contracts/NounsToken.sol/NounsToken.json",
      ["tuple-in-event", "function-overload", "unnamed-function-parameter", "reserved-function-parameter"],
    ],
    ["nouns-NounsAuctionHouse", "dist/abi/contracts/NounsAuctionHouse.sol/NounsAuctionHouse.json", []],
    [
      "nouns-NounsDescriptor",
      "dist/abi/contracts/NounsDescriptor.sol/NounsDescriptor.json",
      ["struct-input", "unnamed-function-parameter"],
    ],
    [
      "nouns-NounsDAOExecutor",
      "dist/abi/contracts/governance/NounsDAOExecutor.sol/NounsDAOExecutor.json",
      ["unnamed-function-parameter"],
    ],
    [
      "nouns-NounsDAOLogicV2",
      "dist/abi/contracts/governance/NounsDAOLogicV2.sol/NounsDAOLogicV2.json",
      [
        "reserved-event-parameter",
        "struct-input",
        "struct-output",
        "unnamed-function-parameter",
        "reserved-function-parameter",
      ],
    ],
    [
      "nouns-NounsDAOProxy",
      "dist/abi/contracts/governance/NounsDAOProxy.sol/NounsDAOProxy.json",
      ["reserved-event-parameter"],
    ],
  ]),
  ...from("@safe-global/safe-deployments", [
    ["safe-GnosisSafe100", "dist/assets/v1.0.0/gnosis_safe.json", ["unnamed-function-parameter"]],
    ["safe-GnosisSafe111", "dist/assets/v1.1.1/gnosis_safe.json", ["unnamed-function-parameter"]],
    ["safe-SafeL2130", "dist/assets/v1.3.0/gnosis_safe_l2.json", ["unnamed-function-parameter"]],
    ["safe-ProxyFactory130", "dist/assets/v1.3.0/proxy_factory.json", []],
    ["safe-Safe141", "dist/assets/v1.4.1/safe.json", ["unnamed-function-parameter"]],
    [
      "safe-SafeL2150",
      "dist/assets/v1.5.0/safe_l2.json",
      ["function-overload", "unnamed-function-parameter"],
    ],
    ["safe-ProxyFactory150", "dist/assets/v1.5.0/safe_proxy_factory.json", []],
    [
      "safe-ExtensibleFallbackHandler",
      "dist/assets/v1.5.0/extensible_fallback_handler.json",
      ["unnamed-function-parameter"],
    ],
  ]),
  ...from("@aave/protocol-v2", [
    [
      "aave2-ATokensAndRatesHelper",
      "artifacts/contracts/deployments/ATokensAndRatesHelper.sol/ATokensAndRatesHelper.json",
      ["matrix-in-function", "fixed-array-in-function"],
    ],
    [
      "aave2-UniswapLiquiditySwapAdapter",
      "artifacts/contracts/adapters/UniswapLiquiditySwapAdapter.sol/UniswapLiquiditySwapAdapter.json",
      ["struct-input"],
    ],
    [
      "aave2-LendingPoolAddressesProvider",
      "artifacts/contracts/protocol/configuration/LendingPoolAddressesProvider.sol/LendingPoolAddressesProvider.json",
      ["reserved-event-parameter", "reserved-function-parameter"],
    ],
    [
      "aave2-LendingPoolAddressesProviderRegistry",
      "artifacts/contracts/protocol/configuration/LendingPoolAddressesProviderRegistry.sol/LendingPoolAddressesProviderRegistry.json",
      ["reserved-function-parameter"],
    ],
    [
      "aave2-LendingPool",
      "artifacts/contracts/protocol/lendingpool/LendingPool.sol/LendingPool.json",
      ["struct-output", "reserved-function-parameter"],
    ],
    [
      "aave2-LendingPoolConfigurator",
      "artifacts/contracts/protocol/lendingpool/LendingPoolConfigurator.sol/LendingPoolConfigurator.json",
      [],
    ],
    [
      "aave2-LendingPoolCollateralManager",
      "artifacts/contracts/protocol/lendingpool/LendingPoolCollateralManager.sol/LendingPoolCollateralManager.json",
      [],
    ],
    [
      "aave2-AToken",
      "artifacts/contracts/protocol/tokenization/AToken.sol/AToken.json",
      ["unnamed-function-parameter"],
    ],
    [
      "aave2-StableDebtToken",
      "artifacts/contracts/protocol/tokenization/StableDebtToken.sol/StableDebtToken.json",
      [],
    ],
    ["aave2-AaveOracle", "artifacts/contracts/misc/AaveOracle.sol/AaveOracle.json", []],
    [
      "aave2-IUniswapExchange",
      "artifacts/contracts/interfaces/IUniswapExchange.sol/IUniswapExchange.json",
      [],
    ],
  ]),
  ...from("@sablier/v2-core", [
    [
      "sablier-SablierV2LockupDynamic",
      "artifacts/SablierV2LockupDynamic.json",
      [
        "tuple-in-event",
        "tuple-array-in-event",
        "reserved-event-parameter",
        "function-overload",
        "struct-input",
        "struct-output",
        "reserved-function-parameter",
      ],
    ],
    [
      "sablier-SablierV2LockupLinear",
      "artifacts/SablierV2LockupLinear.json",
      ["tuple-in-event", "function-overload", "struct-input", "struct-output"],
    ],
    [
      "sablier-SablierV2LockupTranched",
      "artifacts/SablierV2LockupTranched.json",
      [
        "tuple-in-event",
        "tuple-array-in-event",
        "reserved-event-parameter",
        "function-overload",
        "struct-input",
        "struct-output",
        "reserved-function-parameter",
      ],
    ],
  ]),
  ...from("@curvefi/api", [
    [
      "curve-Router",
      "lib/constants/abis/router.json",
      [
        "matrix-in-event",
        "fixed-array-in-event",
        "function-overload",
        "matrix-in-function",
        "fixed-array-in-function",
      ],
    ],
    [
      "curve-RouterNgPoolsOnly",
      "lib/constants/abis/router-ng-pools-only.json",
      ["matrix-in-event", "fixed-array-in-event", "matrix-in-function", "fixed-array-in-function"],
    ],
    [
      "curve-Pool3",
      "lib/constants/abis/3pool/swap.json",
      ["fixed-array-in-event", "fixed-array-in-function"],
    ],
    [
      "curve-Tricrypto2",
      "lib/constants/abis/tricrypto2/swap.json",
      ["fixed-array-in-event", "fixed-array-in-function"],
    ],
    [
      "curve-FactoryTricrypto",
      "lib/constants/abis/factory-tricrypto-mainnet.json",
      ["fixed-array-in-event", "wide", "function-overload", "fixed-array-in-function"],
    ],
    [
      "curve-TricryptoPool",
      "lib/constants/abis/factory-tricrypto/factory-tricrypto-pool.json",
      ["fixed-array-in-event", "fixed-array-in-function"],
    ],
    [
      "curve-FactoryCrypto",
      "lib/constants/abis/factory-crypto.json",
      ["fixed-array-in-event", "function-overload", "fixed-array-in-function"],
    ],
    [
      "curve-FactoryStableNg",
      "lib/constants/abis/factory-stable-ng.json",
      ["function-overload", "struct-output"],
    ],
    [
      "curve-MetaStableswapNg",
      "lib/constants/abis/factory-stable-ng/meta-stableswap-ng.json",
      ["fixed-array-in-function"],
    ],
    [
      "curve-Factory",
      "lib/constants/abis/factory.json",
      ["fixed-array-in-event", "function-overload", "fixed-array-in-function"],
    ],
    [
      "curve-Plain2Basic",
      "lib/constants/abis/factory-v2/Plain2Basic.json",
      ["fixed-array-in-event", "fixed-array-in-function"],
    ],
    ["curve-GaugeV5", "lib/constants/abis/gauge_v5.json", ["struct-output"]],
    ["curve-GaugeController", "lib/constants/abis/gaugecontroller.json", ["function-overload"]],
    [
      "curve-RootGaugeFactory",
      "lib/constants/abis/gauge_factory/root_gauge_factory.json",
      ["function-overload"],
    ],
    [
      "curve-Llamma",
      "lib/constants/abis/llamma.json",
      ["function-overload", "matrix-in-function", "fixed-array-in-function"],
    ],
    [
      "curve-VotingProposal",
      "lib/constants/abis/voting_proposal.json",
      ["function-overload", "unnamed-function-parameter"],
    ],
    ["curve-VotingEscrow", "lib/constants/abis/votingescrow.json", ["function-overload"]],
    ["curve-FeeDistributor", "lib/constants/abis/fee_distributor.json", ["fixed-array-in-function"]],
    ["curve-CompoundToken", "lib/constants/abis/cERC20.json", []],
    ["curve-Anycall", "lib/constants/abis/anycall.json", ["unnamed-function-parameter"]],
    ["curve-AaveLending", "lib/constants/abis/yERC20.json", []],
  ]),
  ...from("@chainlink/contracts", [
    [
      "link4-Aggregator",
      "abi/v0.4/Aggregator.json",
      ["reserved-event-parameter", "unnamed-function-parameter"],
    ],
    ["link4-LinkToken", "abi/v0.4/LinkToken.json", ["event-overload"]],
    ["link4-PublicResolver", "abi/v0.4/PublicResolver.json", []],
    ["link5-Coordinator", "abi/v0.5/Coordinator.json", ["unnamed-function-parameter"]],
    ["link6-FluxAggregator", "abi/v0.6/FluxAggregator.json", ["unnamed-function-parameter"]],
    [
      "link6-MultiWordConsumer",
      "abi/v0.6/MultiWordConsumer.json",
      ["indexed-dynamic-value", "reserved-event-parameter"],
    ],
    [
      "link7-KeeperRegistry11",
      "abi/v0.7/KeeperRegistry1_1.json",
      ["reserved-event-parameter", "reserved-function-parameter"],
    ],
    [
      "link7-MultiWordConsumer",
      "abi/v0.7/MultiWordConsumer.json",
      ["indexed-dynamic-value", "reserved-event-parameter"],
    ],
    ["link7-Operator", "abi/v0.7/Operator.json", []],
    ["link7-OperatorFactory", "abi/v0.7/OperatorFactory.json", []],
    [
      "link8-ArbitrumValidator",
      "abi/v0.8/ArbitrumValidator.json",
      [
        "reserved-event-parameter",
        "struct-output",
        "unnamed-function-parameter",
        "reserved-function-parameter",
      ],
    ],
    [
      "link8-CronUpkeep",
      "abi/v0.8/CronUpkeep.json",
      ["reserved-event-parameter", "unnamed-function-parameter", "reserved-function-parameter"],
    ],
    [
      "link8-KeeperRegistry",
      "abi/v0.8/KeeperRegistry.json",
      [
        "tuple-in-event",
        "reserved-event-parameter",
        "struct-input",
        "struct-output",
        "reserved-function-parameter",
      ],
    ],
    ["link8-LogEmitter", "abi/v0.8/LogEmitter.json", ["unnamed-event-parameter"]],
    [
      "link8-VRFCoordinatorV2",
      "abi/v0.8/VRFCoordinatorV2.json",
      ["tuple-in-event", "struct-input", "fixed-array-in-function", "unnamed-function-parameter"],
    ],
    ["link8-ValidatorProxy", "abi/v0.8/ValidatorProxy.json", []],
  ]),
  ...from("@account-abstraction/contracts", [
    [
      "aa-EntryPoint",
      "artifacts/EntryPoint.json",
      ["struct-input", "struct-output", "unnamed-function-parameter"],
    ],
    ["aa-SimpleAccount", "artifacts/SimpleAccount.json", ["struct-input", "unnamed-function-parameter"]],
    ["aa-TokenPaymaster", "artifacts/TokenPaymaster.json", ["tuple-in-event", "struct-input"]],
    ["aa-LegacyTokenPaymaster", "artifacts/LegacyTokenPaymaster.json", ["struct-input"]],
  ]),
  ...from("@unlock-protocol/contracts", [
    [
      "unlock-PublicLockV15",
      "dist/abis/PublicLock/PublicLockV15.json",
      ["function-overload", "struct-input", "unnamed-function-parameter"],
    ],
    [
      "unlock-UnlockV14",
      "dist/abis/Unlock/UnlockV14.json",
      ["function-overload", "unnamed-function-parameter"],
    ],
    [
      "unlock-UPGovernor",
      "dist/abis/UP/UPGovernor.json",
      ["function-overload", "unnamed-function-parameter"],
    ],
    [
      "unlock-Airdrops",
      "dist/abis/UP/Airdrops.json",
      ["unnamed-function-parameter", "reserved-function-parameter"],
    ],
  ]),
  ...from("made", [
    ["made-note", "note.json", ["anonymous-event"]],
    ["made-wide", "wide.json", ["wide"]],
    [
      "made-keywords",
      "keywords.json",
      ["tuple-in-event", "reserved-event-parameter", "reserved-function-parameter"],
    ],
    [
      "made-nested",
      "nested.json",
      [
        "tuple-in-event",
        "tuple-array-in-event",
        "matrix-in-event",
        "fixed-array-in-event",
        "indexed-dynamic-value",
        "reserved-event-parameter",
        "struct-input",
        "struct-output",
        "matrix-in-function",
        "reserved-function-parameter",
      ],
    ],
  ]),
];
