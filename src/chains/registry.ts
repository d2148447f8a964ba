// Made by scripts/make-chain-registry.mjs of The Graph's networks registry 0.7.37: change nothing by hand.

/**
 * A network a line: id, CAIP-2 id, "main" or "test", short name, full name, the name of a test network among its kind,
 * other ids, parted by spaces, and the address of its explorer.
 */
export const registry = `
abstract-testnet|eip155:11124|test|Abstract|Abstract Testnet||abstract-sepolia|https://explorer.testnet.abs.xyz
abstract|eip155:2741|main|Abstract|Abstract Mainnet||abstract-mainnet|https://abscan.org
apechain-curtis|eip155:33111|test|ApeChain|ApeChain Curtis Testnet|Curtis|apechain-testnet|https://curtis.apescan.io
apechain|eip155:33139|main|ApeChain|ApeChain Mainnet||apechain-mainnet|https://apescan.io
arbitrum-nova|eip155:42170|main|Arbitrum Nova|Arbitrum Nova Mainnet||arb-nova arbitrum-nova-mainnet arbnova|https://nova.arbiscan.io
arbitrum-one|eip155:42161|main|Arbitrum One|Arbitrum One Mainnet||arbitrum arbitrum-one-mainnet arbone|https://arbiscan.io
arbitrum-sepolia|eip155:421614|test|Arbitrum|Arbitrum Sepolia Testnet|Sepolia|arb-sepolia|https://sepolia.arbiscan.io
arweave-mainnet|arweave:7wIU|main|Arweave|Arweave||arweave|https://arscan.io
aurora-testnet|eip155:1313161555|test|Aurora|Aurora Testnet|||https://explorer.testnet.aurora.dev
aurora|eip155:1313161554|main|Aurora|Aurora Mainnet||aurora-mainnet|https://explorer.aurora.dev
autonomys-chronos|eip155:8700|test|Autonomys|Autonomys Chronos Testnet|||https://explorer.auto-evm.chronos.autonomys.xyz
autonomys|eip155:870|main|Autonomys|Autonomys Mainnet||autonomys-mainnet|https://explorer.auto-evm.mainnet.autonomys.xyz
avalanche|eip155:43114|main|Avalanche|Avalanche C-Chain|C-Chain|avalanche-mainnet|https://snowtrace.io
base-sepolia|eip155:84532|test|Base|Base Sepolia Testnet|Sepolia|base-testnet|https://sepolia.basescan.org
base|eip155:8453|main|Base|Base Chain||base-chain base-mainnet|https://base.blockscout.com
berachain-bepolia|eip155:80069|test|Berachain|Berachain bepolia Testnet|bepolia||https://bepolia.beratrail.io
berachain|eip155:80094|main|Berachain|Berachain Mainnet||berachain-mainnet|https://berascan.com
blast-mainnet|eip155:81457|main|Blast|Blast Mainnet||blast|https://blastscan.io
blast-testnet|eip155:168587773|test|Blast|Blast Sepolia Testnet|Sepolia|blast-sepolia|https://sepolia.blastscan.io
bnb-op|eip155:204|main|opBNB|opBNB Mainnet||bnb-op-mainnet bsc-op opbnb|https://opbnbscan.com
bnb-svm|solana:FRXwreefVunjoWykEhH42cxRMdyP2FuZ|main|svmBNB|svmBNB Mainnet||bnb-svm-mainnet|https://explorer.svmbnbmainnet.soo.network
boba-bnb|eip155:56288|main|Boba BNB|Boba BNB Mainnet||boba-bnb-mainnet boba-bsc|https://bnb.bobascan.com
boba-testnet|eip155:28882|test|Boba|Boba Sepolia Testnet|Sepolia|boba-sepolia|https://testnet.bobascan.com
boba|eip155:288|main|Boba|Boba Network||boba-mainnet|https://bobascan.com
botanix-testnet|eip155:3636|test|Botanix|Botanix Testnet||spiderchain-testnet spiderchain-testnet-v1|https://testnet.botanixscan.io
botanix|eip155:3637|main|Botanix|Botanix Mainnet||botanix-mainnet|
bsc|eip155:56|main|BNB|BNB Smart Chain Mainnet||bnb bnb-mainnet bsc-mainnet|https://bscscan.com
btc|bip122:000000000019d6689c085ae165831e93|main|Bitcoin|Bitcoin Mainnet||bitcoin btc-mainnet|https://btcscan.org
celo-alfajores|eip155:44787|test|Celo|Celo Alfajores Testnet|Alfajores|celo-testnet|https://alfajores.celoscan.io
celo-sepolia|eip155:11142220|test|Celo|Celo Sepolia Testnet|Sepolia||https://celo-sepolia.blockscout.com
celo|eip155:42220|main|Celo|Celo Mainnet||celo-mainnet|https://celoscan.io
chapel|eip155:97|test|BNB|BNB Smart Chain Chapel Testnet|Chapel|bnb-chapel bnb-testnet bsc-testnet|https://testnet.bscscan.com
chiliz-testnet|eip155:88882|test|Chiliz|Chiliz Spicy Testnet|Spicy|chiliz-spicy-testnet|https://testnet.chiliscan.com
chiliz|eip155:88888|main|Chiliz|Chiliz Mainnet||chiliz-mainnet|https://chiliscan.com
corn-testnet|eip155:21000001|test|Corn|Corn Testnet||corn-sepolia|https://testnet-explorer.usecorn.com
corn|eip155:21000000|main|Corn|Corn Maizenet||corn-mainnet corn-maizenet|https://maizenet-explorer.usecorn.com
cronos|eip155:25|main|Cronos|Cronos EVM Chain Mainnet||cronos-mainnet|https://explorer.cronos.org
eos|antelope:aca376f206b8fc25a6ed44dbdc66547c|main|Vaulta|Vaulta Mainnet||eos-mainnet vaulta|
etherlink-mainnet|eip155:42793|main|Etherlink|Etherlink Mainnet||etherlink|https://explorer.etherlink.com
etherlink-testnet|eip155:128123|test|Etherlink|Etherlink Testnet|||https://testnet.explorer.etherlink.com
expchain-testnet|eip155:18880|test|EXPchain|EXPchain Testnet|||https://blockscout-testnet.expchain.ai
fantom-testnet|eip155:4002|test|Fantom|Fantom Testnet|||https://explorer.testnet.fantom.network
fantom|eip155:250|main|Fantom|Fantom Opera Mainnet|Opera|fantom-mainnet fantom-opera|https://explorer.fantom.network
fraxtal|eip155:252|main|Fraxtal|Fraxtal Mainnet||fraxtal-mainnet|https://fraxscan.com
fuji|eip155:43113|test|Avalanche|Avalanche Fuji Testnet|Fuji|avalanche-fuji|https://testnet.snowscan.xyz
fuse-testnet|eip155:12001|test|Fuse|Fuse Testnet|||https://explorer.fusespark.io
fuse|eip155:122|main|Fuse|Fuse Mainnet||fuse-mainnet|https://explorer.fuse.io
gnosis-chiado-cl|beacon:10200|test|Chiado Beacon|Gnosis Chiado Consensus Layer||gnosis-chiado-beacon|
gnosis-chiado|eip155:10200|test|Gnosis|Gnosis Chiado Testnet|Chiado|chiado|https://gnosis-chiado.blockscout.com
gnosis-cl|beacon:100|test|Gnosis Beacon|Gnosis Consensus Layer||gnosis-beacon|
gnosis|eip155:100|main|Gnosis|Gnosis Mainnet||gnosis-mainnet xdai|https://gnosisscan.io
gravity-mainnet|eip155:1625|main|Gravity|Gravity Alpha Mainnet|Alpha|gravity|https://explorer.gravity.xyz
gravity-testnet|eip155:13505|test|Gravity|Gravity Sepolia Testnet|Sepolia|gravity-sepolia|https://explorer-sepolia.gravity.xyz
harmony|eip155:1666600000|main|Harmony|Harmony Mainnet Shard 0||harmony-mainnet|
hashkeychain-sepolia|eip155:133|test|Hashkey Chain|Hashkey Chain Sepolia Testnet|Sepolia|hashkeychain-testnet|https://testnet-explorer.hsk.xyz
hashkeychain|eip155:177|main|Hashkey Chain|Hashkey Chain Mainnet||hashkeychain-mainnet|https://hashkey.blockscout.com
hemi-sepolia|eip155:743111|test|Hemi|Hemi Sepolia|Sepolia|hemi-testnet|https://testnet.explorer.hemi.xyz
hemi|eip155:43111|main|Hemi|Hemi Mainnet||hemi-mainnet|https://explorer.hemi.xyz
holesky-cl|beacon:17000|test|Holesky Beacon|Ethereum Holesky Consensus Layer||holesky-beacon|
holesky|eip155:17000|test|Ethereum|Ethereum Holesky Testnet|Holesky||https://holesky.etherscan.io
hoodi-cl|beacon:560048|test|Hoodi Beacon|Ethereum Hoodi Consensus Layer||hoodi-beacon|
hoodi|eip155:560048|test|Ethereum|Ethereum Hoodi Testnet|Hoodi||https://hoodi.etherscan.io
injective-evm-testnet|eip155:1439|test|Injective EVM|Injective EVM Testnet|||https://testnet.blockscout.injective.network
injective-mainnet|cosmos:injective-1|main|Injective|Injective Mainnet||injective injective-1|https://explorer.injective.network
injective-testnet|cosmos:injective-2|test|Injective|Injective Testnet||injective-2|https://testnet.explorer.injective.network
ink-sepolia|eip155:763373|test|Ink|Ink Sepolia|Sepolia|ink-testnet|https://explorer-sepolia.inkonchain.com
ink|eip155:57073|main|Ink|Ink Mainnet||ink-mainnet|https://explorer.inkonchain.com
iotex-testnet|eip155:4690|test|Iotex|Iotex Testnet|Testnet||https://testnet.iotexscan.io
iotex|eip155:4689|main|IoTeX|IoTeX Mainnet||iotex-mainnet|https://iotexscan.io
joc-testnet|eip155:10081|test|JOC|Japan Open Chain Testnet|||https://explorer.testnet.japanopenchain.org
joc|eip155:81|main|JOC|Japan Open Chain Mainnet||joc-mainnet|https://explorer.japanopenchain.org
jungle4|antelope:73e4385a2708e6d7048834fbc1079f2f|test|Vaulta|Vaulta Jungle4 Testnet|Jungle4|jungle|
kaia-testnet|eip155:1001|test|Kaia|Kaia Kairos Testnet|Kairos||https://kairos.kaiascan.io
kaia|eip155:8217|main|Kaia|Kaia Mainnet||kaia-mainnet|https://kaiascan.io
katana-tatara|eip155:129399|test|Katana|Katana Tatara Testnet|||https://explorer.tatara.katana.network
katana|eip155:747474|main|Katana|Katana Mainnet||katana-mainnet|https://katanascan.com
kava|eip155:2222|main|Kava|Kava Mainnet||kava-mainnet|https://kavascan.io
kylin|antelope:5fff1dae8dc8e2fc4d5b23b2c7665c97|test|Vaulta|Vaulta Kylin Testnet|Kylin|eos-kylin vaulta-kylin|
lens-testnet|eip155:37111|test|Lens|Lens Testnet||lens-sepolia|https://block-explorer.testnet.lens.dev
lens|eip155:232|main|Lens|Lens Mainnet||lens-mainnet|https://explorer.lens.xyz
linea-sepolia|eip155:59141|test|Linea|Linea Sepolia Testnet|Sepolia|linea-testnet|https://sepolia.lineascan.build
linea|eip155:59144|main|Linea|Linea Mainnet||linea-mainnet|https://lineascan.build
litecoin|bip122:12a765e31ffd4059bada1e25190f6e98|main|Litecoin|Litecoin Mainnet||litecoin-mainnet ltc|https://blockexplorer.one/litecoin/mainnet
lumia|eip155:994873017|main|Lumia|Lumia Mainnet||lumia-mainnet|https://lens.lumia.org
mainnet-cl|beacon:1|test|Ethereum Beacon|Ethereum Consensus Layer||eth-beacon eth-cl mainnet-beacon|
mainnet|eip155:1|main|Ethereum|Ethereum Mainnet||eth eth-mainnet ethereum|https://etherscan.io
manta|eip155:169|main|Manta|Manta Pacific Mainnet||manta-mainnet|https://pacific-explorer.manta.network
mantra-mainnet|cosmos:mantra-1|main|Mantra|Mantra Mainnet||mantra mantra-1|https://explorer.mantrachain.io/MANTRA-1
mantra-testnet|cosmos:mantra-dukong|test|Mantra|Mantra Dukong Testnet|Dukong|mantra-dukong|https://explorer.mantrachain.io/MANTRA-Dukong
matic|eip155:137|main|Polygon|Polygon Mainnet||matic-mainnet polygon|https://polygonscan.com
mbase|eip155:1287|test|Moonbase|Moonbase Alpha Testnet|Alpha|moonbase|https://moonbase.moonscan.io
megaeth-testnet|eip155:6342|test|MegaETH|MegaETH Testnet|Testnet||https://www.megaexplorer.xyz
metis|eip155:1088|main|Metis|Metis Andromeda Mainnet|Andromeda|metis-andromeda metis-andromeda-mainnet metis-mainnet|https://explorer.metis.io
mint-sepolia|eip155:1687|test|Mint|Mint Sepolia Testnet|Sepolia|mint-testnet|https://sepolia-testnet-explorer.mintchain.io
mint|eip155:185|main|Mint|Mint Mainnet||mint-mainnet|https://explorer.mintchain.io
mode-mainnet|eip155:34443|main|Mode|Mode Mainnet||mode|https://explorer.mode.network
mode-sepolia|eip155:919|test|Mode|Mode Sepolia Testnet|Sepolia|mode-testnet|https://sepolia.explorer.mode.network
monad-testnet|eip155:10143|test|Monad|Monad Testnet|||https://testnet.monadexplorer.com
monad|eip155:143|main|Monad|Monad Mainnet||monad-mainnet|
moonbeam|eip155:1284|main|Moonbeam|Moonbeam Mainnet||mbeam moonbeam-mainnet|https://moonbeam.moonscan.io
moonriver|eip155:1285|main|Moonriver|Moonriver Mainnet||moonriver-mainnet mriver|https://moonriver.moonscan.io
near-mainnet|near:mainnet|main|Near|Near Mainnet||near|https://nearblocks.io
near-testnet|near:testnet|test|Near|Near Testnet|||https://testnet.nearblocks.io
neox-testnet|eip155:12227332|test|Neo X|Neo X Testnet|||https://xt4scan.ngd.network
neox|eip155:47763|main|Neo X|Neo X Mainnet||neox-mainnet|https://xexplorer.neo.org
optimism-sepolia|eip155:11155420|test|Optimism|OP Sepolia Testnet|Sepolia|op-sepolia opsepolia|https://optimism-sepolia.blockscout.com
optimism|eip155:10|main|Optimism|OP Mainnet||op-mainnet optimism-mainnet|https://optimistic.etherscan.io
peaq|eip155:3338|main|peaq|Peaq Network||peaq-mainnet|https://peaq.subscan.io
polygon-amoy|eip155:80002|test|Polygon|Polygon Amoy Testnet|Amoy|amoy amoy-testnet|https://www.oklink.com/amoy
polygon-zkevm-cardona|eip155:2442|test|Polygon zkEVM|Polygon zkEVM Cardona Testnet|Cardona|polygon-cardona|https://cardona-zkevm.polygonscan.com
polygon-zkevm|eip155:1101|main|Polygon zkEVM|Polygon zkEVM Mainnet||polygon-zkevm-mainnet|https://zkevm.polygonscan.com
ronin|eip155:2020|main|Ronin|Ronin Mainnet||ronin-mainnet|https://app.roninchain.com
rootstock-testnet|eip155:31|test|Rootstock|Rootstock Testnet|||https://rootstock-testnet.blockscout.com
rootstock|eip155:30|main|Rootstock|Rootstock Mainnet||rootstock-mainnet|https://rootstock.blockscout.com
scroll-sepolia|eip155:534351|test|Scroll|Scroll Sepolia Testnet|Sepolia|scroll-testnet|https://sepolia.scrollscan.com
scroll|eip155:534352|main|Scroll|Scroll Mainnet||scroll-mainnet|https://scrollscan.com
sei-atlantic|eip155:1328|test|Sei|Sei Atlantic Testnet|Atlantic|sei-atlantic2 sei-testnet|
sei-mainnet|eip155:1329|main|Sei|Sei Network||sei sei-evm-mainnet|https://seitrace.com
sepolia-cl|beacon:11155111|test|Sepolia Beacon|Ethereum Sepolia Consensus Layer||sepolia-beacon|
sepolia|eip155:11155111|test|Ethereum|Ethereum Sepolia Testnet|Sepolia||https://sepolia.etherscan.io
solana-accounts|solana:Accounts|main|Solana Accounts|Solana Accounts||solana-accounts-mainnet|
solana-devnet|solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1|test|Solana|Solana Devnet|||
solana-mainnet-beta|solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp|main|Solana|Solana Mainnet||sol-mainnet solana solana-beta solana-mainnet|
soneium-testnet|eip155:1946|test|Soneium|Soneium Minato Testnet|Minato|minato soneium-minato soneium-minato-testnet|https://soneium-minato.blockscout.com
soneium|eip155:1868|main|Soneium|Soneium Mainnet||soneium-mainnet|https://soneium.blockscout.com
sonic-testnet|eip155:14601|test|Sonic|Sonic Testnet|||https://testnet.sonicscan.org
sonic|eip155:146|main|Sonic|Sonic Mainnet||sonic-mainnet|https://sonicscan.org
starknet-mainnet|starknet:SN_MAIN|main|Starknet|Starknet Mainnet||starknet|https://starkscan.co
starknet-testnet|starknet:SN_SEPOLIA|test|Starknet|Starknet Sepolia Testnet|Sepolia|starknet-sepolia|https://sepolia.starkscan.co
status-sepolia|eip155:1660990954|test|Status|Status Network Sepolia|Sepolia|status-testnet|https://sepoliascan.status.network
stellar-testnet|stellar:testnet|test|Stellar|Stellar Testnet||stellar-soroban|https://testnet.stellarchain.io
stellar|stellar:pubnet|main|Stellar|Stellar Mainnet||stellar-mainnet|https://stellarchain.io
swellchain-sepolia|eip155:1924|test|Swellchain|Swellchain Sepolia Testnet|Sepolia|swellchain-bepolia swellchain-testnet|https://swell-testnet-explorer.alt.technology
swellchain|eip155:1923|main|Swellchain|Swellchain Mainnet||swellchain-mainnet|https://explorer.swellnetwork.io
telos-testnet|antelope:1eaa0824707c8c16bd25145493bf062a|test|Telos|Telos Testnet|||
telos|antelope:4667b205c6838ef70ff7988f6e8257e8|main|Telos|Telos Mainnet||telos-mainnet|
tron-evm|eip155:728126428|main|TRON EVM|TRON EVM Mainnet||tron-evm-mainnet tronevm|https://tronscan.org
tron|tron:mainnet|main|TRON|TRON Mainnet||tron-mainnet|https://tronscan.org
ultra|antelope:a9c481dfbc7d9506dc7e87e9a137c931|main|Ultra|Ultra Mainnet||ultra-mainnet|https://explorer.mainnet.ultra.io
unichain-testnet|eip155:1301|test|Unichain|Unichain Sepolia Testnet|Sepolia|unichain-sepolia|https://unichain-sepolia.blockscout.com
unichain|eip155:130|main|Unichain|Unichain Mainnet||unichain-mainnet|https://unichain.blockscout.com
vana-moksha|eip155:14800|test|Vana|Vana Moksha Testnet||vana-testnet|https://moksha.vanascan.io
vana|eip155:1480|main|Vana|Vana Mainnet||vana-mainnet|https://vanascan.io
viction|eip155:88|main|Viction|Viction Mainnet||viction-mainnet|https://www.vicscan.xyz
wax-testnet|antelope:f16b1833c747c43682f4386fca9cbb32|test|WAX|WAX Testnet||waxtest|
wax|antelope:1064487b3cd1a897ce03ae5b6a865651|main|WAX|WAX Mainnet||wax-mainnet|
xai|eip155:660279|main|Xai|Xai Mainnet||xai-mainnet|https://explorer.xai-chain.net
xlayer-mainnet|eip155:196|main|X Layer|X Layer Mainnet||xlayer|https://www.oklink.com/xlayer
xlayer-sepolia|eip155:195|test|X Layer|X Layer Sepolia Testnet|Sepolia||https://www.oklink.com/xlayer-test
zetachain|eip155:7000|main|ZetaChain|ZetaChain Mainnet||zetachain-mainnet|https://zetachain.blockscout.com
zilliqa-testnet|eip155:33101|test|Zilliqa|Zilliqa 2.0 Testnet|||https://testnet.zilliqa.blockscout.com
zilliqa|eip155:32769|main|Zilliqa|Zilliqa 2.0 Mainnet||zilliqa-mainnet|https://zilliqa.blockscout.com
zksync-era-sepolia|eip155:300|test|zkSync|zkSync Sepolia Testnet|Sepolia|zksync-sepolia zksync-testnet|https://sepolia.explorer.zksync.io
zksync-era|eip155:324|main|zkSync|zkSync Mainnet|Era|zksync zksync-era-mainnet|https://explorer.zksync.io
zksync-os-devnet|eip155:8022833|test|zksync OS|ZKsync OS Developer Preview|||https://zksync-os-testnet-alpha.staging-scan-v2.zksync.dev
zora|eip155:7777777|main|Zora|Zora Network||zora-mainnet|https://explorer.zora.energy
`;
