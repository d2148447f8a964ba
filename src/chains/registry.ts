// Made by scripts/make-chain-registry.mjs of The Graph's networks registry 0.7.37: change nothing by hand.

/**
 * A network a line: id, CAIP-2 id, "main" or "test", short name, full name, the name of a test network among its kind,
 * and other ids, parted by spaces.
 */
export const registry = `
abstract-testnet|eip155:11124|test|Abstract|Abstract Testnet||abstract-sepolia
abstract|eip155:2741|main|Abstract|Abstract Mainnet||abstract-mainnet
apechain-curtis|eip155:33111|test|ApeChain|ApeChain Curtis Testnet|Curtis|apechain-testnet
apechain|eip155:33139|main|ApeChain|ApeChain Mainnet||apechain-mainnet
arbitrum-nova|eip155:42170|main|Arbitrum Nova|Arbitrum Nova Mainnet||arb-nova arbitrum-nova-mainnet arbnova
arbitrum-one|eip155:42161|main|Arbitrum One|Arbitrum One Mainnet||arbitrum arbitrum-one-mainnet arbone
arbitrum-sepolia|eip155:421614|test|Arbitrum|Arbitrum Sepolia Testnet|Sepolia|arb-sepolia
arweave-mainnet|arweave:7wIU|main|Arweave|Arweave||arweave
aurora-testnet|eip155:1313161555|test|Aurora|Aurora Testnet||
aurora|eip155:1313161554|main|Aurora|Aurora Mainnet||aurora-mainnet
autonomys-chronos|eip155:8700|test|Autonomys|Autonomys Chronos Testnet||
autonomys|eip155:870|main|Autonomys|Autonomys Mainnet||autonomys-mainnet
avalanche|eip155:43114|main|Avalanche|Avalanche C-Chain|C-Chain|avalanche-mainnet
base-sepolia|eip155:84532|test|Base|Base Sepolia Testnet|Sepolia|base-testnet
base|eip155:8453|main|Base|Base Chain||base-chain base-mainnet
berachain-bepolia|eip155:80069|test|Berachain|Berachain bepolia Testnet|bepolia|
berachain|eip155:80094|main|Berachain|Berachain Mainnet||berachain-mainnet
blast-mainnet|eip155:81457|main|Blast|Blast Mainnet||blast
blast-testnet|eip155:168587773|test|Blast|Blast Sepolia Testnet|Sepolia|blast-sepolia
bnb-op|eip155:204|main|opBNB|opBNB Mainnet||bnb-op-mainnet bsc-op opbnb
bnb-svm|solana:FRXwreefVunjoWykEhH42cxRMdyP2FuZ|main|svmBNB|svmBNB Mainnet||bnb-svm-mainnet
boba-bnb|eip155:56288|main|Boba BNB|Boba BNB Mainnet||boba-bnb-mainnet boba-bsc
boba-testnet|eip155:28882|test|Boba|Boba Sepolia Testnet|Sepolia|boba-sepolia
boba|eip155:288|main|Boba|Boba Network||boba-mainnet
botanix-testnet|eip155:3636|test|Botanix|Botanix Testnet||spiderchain-testnet spiderchain-testnet-v1
botanix|eip155:3637|main|Botanix|Botanix Mainnet||botanix-mainnet
bsc|eip155:56|main|BNB|BNB Smart Chain Mainnet||bnb bnb-mainnet bsc-mainnet
btc|bip122:000000000019d6689c085ae165831e93|main|Bitcoin|Bitcoin Mainnet||bitcoin btc-mainnet
celo-alfajores|eip155:44787|test|Celo|Celo Alfajores Testnet|Alfajores|celo-testnet
celo-sepolia|eip155:11142220|test|Celo|Celo Sepolia Testnet|Sepolia|
celo|eip155:42220|main|Celo|Celo Mainnet||celo-mainnet
chapel|eip155:97|test|BNB|BNB Smart Chain Chapel Testnet|Chapel|bnb-chapel bnb-testnet bsc-testnet
chiliz-testnet|eip155:88882|test|Chiliz|Chiliz Spicy Testnet|Spicy|chiliz-spicy-testnet
chiliz|eip155:88888|main|Chiliz|Chiliz Mainnet||chiliz-mainnet
corn-testnet|eip155:21000001|test|Corn|Corn Testnet||corn-sepolia
corn|eip155:21000000|main|Corn|Corn Maizenet||corn-mainnet corn-maizenet
cronos|eip155:25|main|Cronos|Cronos EVM Chain Mainnet||cronos-mainnet
eos|antelope:aca376f206b8fc25a6ed44dbdc66547c|main|Vaulta|Vaulta Mainnet||eos-mainnet vaulta
etherlink-mainnet|eip155:42793|main|Etherlink|Etherlink Mainnet||etherlink
etherlink-testnet|eip155:128123|test|Etherlink|Etherlink Testnet||
expchain-testnet|eip155:18880|test|EXPchain|EXPchain Testnet||
fantom-testnet|eip155:4002|test|Fantom|Fantom Testnet||
fantom|eip155:250|main|Fantom|Fantom Opera Mainnet|Opera|fantom-mainnet fantom-opera
fraxtal|eip155:252|main|Fraxtal|Fraxtal Mainnet||fraxtal-mainnet
fuji|eip155:43113|test|Avalanche|Avalanche Fuji Testnet|Fuji|avalanche-fuji
fuse-testnet|eip155:12001|test|Fuse|Fuse Testnet||
fuse|eip155:122|main|Fuse|Fuse Mainnet||fuse-mainnet
gnosis-chiado-cl|beacon:10200|test|Chiado Beacon|Gnosis Chiado Consensus Layer||gnosis-chiado-beacon
gnosis-chiado|eip155:10200|test|Gnosis|Gnosis Chiado Testnet|Chiado|chiado
gnosis-cl|beacon:100|test|Gnosis Beacon|Gnosis Consensus Layer||gnosis-beacon
gnosis|eip155:100|main|Gnosis|Gnosis Mainnet||gnosis-mainnet xdai
gravity-mainnet|eip155:1625|main|Gravity|Gravity Alpha Mainnet|Alpha|gravity
gravity-testnet|eip155:13505|test|Gravity|Gravity Sepolia Testnet|Sepolia|gravity-sepolia
harmony|eip155:1666600000|main|Harmony|Harmony Mainnet Shard 0||harmony-mainnet
hashkeychain-sepolia|eip155:133|test|Hashkey Chain|Hashkey Chain Sepolia Testnet|Sepolia|hashkeychain-testnet
hashkeychain|eip155:177|main|Hashkey Chain|Hashkey Chain Mainnet||hashkeychain-mainnet
hemi-sepolia|eip155:743111|test|Hemi|Hemi Sepolia|Sepolia|hemi-testnet
hemi|eip155:43111|main|Hemi|Hemi Mainnet||hemi-mainnet
holesky-cl|beacon:17000|test|Holesky Beacon|Ethereum Holesky Consensus Layer||holesky-beacon
holesky|eip155:17000|test|Ethereum|Ethereum Holesky Testnet|Holesky|
hoodi-cl|beacon:560048|test|Hoodi Beacon|Ethereum Hoodi Consensus Layer||hoodi-beacon
hoodi|eip155:560048|test|Ethereum|Ethereum Hoodi Testnet|Hoodi|
injective-evm-testnet|eip155:1439|test|Injective EVM|Injective EVM Testnet||
injective-mainnet|cosmos:injective-1|main|Injective|Injective Mainnet||injective injective-1
injective-testnet|cosmos:injective-2|test|Injective|Injective Testnet||injective-2
ink-sepolia|eip155:763373|test|Ink|Ink Sepolia|Sepolia|ink-testnet
ink|eip155:57073|main|Ink|Ink Mainnet||ink-mainnet
iotex-testnet|eip155:4690|test|Iotex|Iotex Testnet|Testnet|
iotex|eip155:4689|main|IoTeX|IoTeX Mainnet||iotex-mainnet
joc-testnet|eip155:10081|test|JOC|Japan Open Chain Testnet||
joc|eip155:81|main|JOC|Japan Open Chain Mainnet||joc-mainnet
jungle4|antelope:73e4385a2708e6d7048834fbc1079f2f|test|Vaulta|Vaulta Jungle4 Testnet|Jungle4|jungle
kaia-testnet|eip155:1001|test|Kaia|Kaia Kairos Testnet|Kairos|
kaia|eip155:8217|main|Kaia|Kaia Mainnet||kaia-mainnet
katana-tatara|eip155:129399|test|Katana|Katana Tatara Testnet||
katana|eip155:747474|main|Katana|Katana Mainnet||katana-mainnet
kava|eip155:2222|main|Kava|Kava Mainnet||kava-mainnet
kylin|antelope:5fff1dae8dc8e2fc4d5b23b2c7665c97|test|Vaulta|Vaulta Kylin Testnet|Kylin|eos-kylin vaulta-kylin
lens-testnet|eip155:37111|test|Lens|Lens Testnet||lens-sepolia
lens|eip155:232|main|Lens|Lens Mainnet||lens-mainnet
linea-sepolia|eip155:59141|test|Linea|Linea Sepolia Testnet|Sepolia|linea-testnet
linea|eip155:59144|main|Linea|Linea Mainnet||linea-mainnet
litecoin|bip122:12a765e31ffd4059bada1e25190f6e98|main|Litecoin|Litecoin Mainnet||litecoin-mainnet ltc
lumia|eip155:994873017|main|Lumia|Lumia Mainnet||lumia-mainnet
mainnet-cl|beacon:1|test|Ethereum Beacon|Ethereum Consensus Layer||eth-beacon eth-cl mainnet-beacon
mainnet|eip155:1|main|Ethereum|Ethereum Mainnet||eth eth-mainnet ethereum
manta|eip155:169|main|Manta|Manta Pacific Mainnet||manta-mainnet
mantra-mainnet|cosmos:mantra-1|main|Mantra|Mantra Mainnet||mantra mantra-1
mantra-testnet|cosmos:mantra-dukong|test|Mantra|Mantra Dukong Testnet|Dukong|mantra-dukong
matic|eip155:137|main|Polygon|Polygon Mainnet||matic-mainnet polygon
mbase|eip155:1287|test|Moonbase|Moonbase Alpha Testnet|Alpha|moonbase
megaeth-testnet|eip155:6342|test|MegaETH|MegaETH Testnet|Testnet|
metis|eip155:1088|main|Metis|Metis Andromeda Mainnet|Andromeda|metis-andromeda metis-andromeda-mainnet metis-mainnet
mint-sepolia|eip155:1687|test|Mint|Mint Sepolia Testnet|Sepolia|mint-testnet
mint|eip155:185|main|Mint|Mint Mainnet||mint-mainnet
mode-mainnet|eip155:34443|main|Mode|Mode Mainnet||mode
mode-sepolia|eip155:919|test|Mode|Mode Sepolia Testnet|Sepolia|mode-testnet
monad-testnet|eip155:10143|test|Monad|Monad Testnet||
monad|eip155:143|main|Monad|Monad Mainnet||monad-mainnet
moonbeam|eip155:1284|main|Moonbeam|Moonbeam Mainnet||mbeam moonbeam-mainnet
moonriver|eip155:1285|main|Moonriver|Moonriver Mainnet||moonriver-mainnet mriver
near-mainnet|near:mainnet|main|Near|Near Mainnet||near
near-testnet|near:testnet|test|Near|Near Testnet||
neox-testnet|eip155:12227332|test|Neo X|Neo X Testnet||
neox|eip155:47763|main|Neo X|Neo X Mainnet||neox-mainnet
optimism-sepolia|eip155:11155420|test|Optimism|OP Sepolia Testnet|Sepolia|op-sepolia opsepolia
optimism|eip155:10|main|Optimism|OP Mainnet||op-mainnet optimism-mainnet
peaq|eip155:3338|main|peaq|Peaq Network||peaq-mainnet
polygon-amoy|eip155:80002|test|Polygon|Polygon Amoy Testnet|Amoy|amoy amoy-testnet
polygon-zkevm-cardona|eip155:2442|test|Polygon zkEVM|Polygon zkEVM Cardona Testnet|Cardona|polygon-cardona
polygon-zkevm|eip155:1101|main|Polygon zkEVM|Polygon zkEVM Mainnet||polygon-zkevm-mainnet
ronin|eip155:2020|main|Ronin|Ronin Mainnet||ronin-mainnet
rootstock-testnet|eip155:31|test|Rootstock|Rootstock Testnet||
rootstock|eip155:30|main|Rootstock|Rootstock Mainnet||rootstock-mainnet
scroll-sepolia|eip155:534351|test|Scroll|Scroll Sepolia Testnet|Sepolia|scroll-testnet
scroll|eip155:534352|main|Scroll|Scroll Mainnet||scroll-mainnet
sei-atlantic|eip155:1328|test|Sei|Sei Atlantic Testnet|Atlantic|sei-atlantic2 sei-testnet
sei-mainnet|eip155:1329|main|Sei|Sei Network||sei sei-evm-mainnet
sepolia-cl|beacon:11155111|test|Sepolia Beacon|Ethereum Sepolia Consensus Layer||sepolia-beacon
sepolia|eip155:11155111|test|Ethereum|Ethereum Sepolia Testnet|Sepolia|
solana-accounts|solana:Accounts|main|Solana Accounts|Solana Accounts||solana-accounts-mainnet
solana-devnet|solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1|test|Solana|Solana Devnet||
solana-mainnet-beta|solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp|main|Solana|Solana Mainnet||sol-mainnet solana solana-beta solana-mainnet
soneium-testnet|eip155:1946|test|Soneium|Soneium Minato Testnet|Minato|minato soneium-minato soneium-minato-testnet
soneium|eip155:1868|main|Soneium|Soneium Mainnet||soneium-mainnet
sonic-testnet|eip155:14601|test|Sonic|Sonic Testnet||
sonic|eip155:146|main|Sonic|Sonic Mainnet||sonic-mainnet
starknet-mainnet|starknet:SN_MAIN|main|Starknet|Starknet Mainnet||starknet
starknet-testnet|starknet:SN_SEPOLIA|test|Starknet|Starknet Sepolia Testnet|Sepolia|starknet-sepolia
status-sepolia|eip155:1660990954|test|Status|Status Network Sepolia|Sepolia|status-testnet
stellar-testnet|stellar:testnet|test|Stellar|Stellar Testnet||stellar-soroban
stellar|stellar:pubnet|main|Stellar|Stellar Mainnet||stellar-mainnet
swellchain-sepolia|eip155:1924|test|Swellchain|Swellchain Sepolia Testnet|Sepolia|swellchain-bepolia swellchain-testnet
swellchain|eip155:1923|main|Swellchain|Swellchain Mainnet||swellchain-mainnet
telos-testnet|antelope:1eaa0824707c8c16bd25145493bf062a|test|Telos|Telos Testnet||
telos|antelope:4667b205c6838ef70ff7988f6e8257e8|main|Telos|Telos Mainnet||telos-mainnet
tron-evm|eip155:728126428|main|TRON EVM|TRON EVM Mainnet||tron-evm-mainnet tronevm
tron|tron:mainnet|main|TRON|TRON Mainnet||tron-mainnet
ultra|antelope:a9c481dfbc7d9506dc7e87e9a137c931|main|Ultra|Ultra Mainnet||ultra-mainnet
unichain-testnet|eip155:1301|test|Unichain|Unichain Sepolia Testnet|Sepolia|unichain-sepolia
unichain|eip155:130|main|Unichain|Unichain Mainnet||unichain-mainnet
vana-moksha|eip155:14800|test|Vana|Vana Moksha Testnet||vana-testnet
vana|eip155:1480|main|Vana|Vana Mainnet||vana-mainnet
viction|eip155:88|main|Viction|Viction Mainnet||viction-mainnet
wax-testnet|antelope:f16b1833c747c43682f4386fca9cbb32|test|WAX|WAX Testnet||waxtest
wax|antelope:1064487b3cd1a897ce03ae5b6a865651|main|WAX|WAX Mainnet||wax-mainnet
xai|eip155:660279|main|Xai|Xai Mainnet||xai-mainnet
xlayer-mainnet|eip155:196|main|X Layer|X Layer Mainnet||xlayer
xlayer-sepolia|eip155:195|test|X Layer|X Layer Sepolia Testnet|Sepolia|
zetachain|eip155:7000|main|ZetaChain|ZetaChain Mainnet||zetachain-mainnet
zilliqa-testnet|eip155:33101|test|Zilliqa|Zilliqa 2.0 Testnet||
zilliqa|eip155:32769|main|Zilliqa|Zilliqa 2.0 Mainnet||zilliqa-mainnet
zksync-era-sepolia|eip155:300|test|zkSync|zkSync Sepolia Testnet|Sepolia|zksync-sepolia zksync-testnet
zksync-era|eip155:324|main|zkSync|zkSync Mainnet|Era|zksync zksync-era-mainnet
zksync-os-devnet|eip155:8022833|test|zksync OS|ZKsync OS Developer Preview||
zora|eip155:7777777|main|Zora|Zora Network||zora-mainnet
`;
