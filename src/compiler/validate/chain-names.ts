/**
 * The EVM networks of the public networks registry (the list graph-cli ships), with the names graph-node and hosted
 * services used before it. Gnosis Chain goes by its older name: that is the one deployments have.
 */
export const chainNames: ReadonlySet<string> = new Set(
  `
  abstract abstract-testnet apechain apechain-curtis arbitrum-goerli arbitrum-nova arbitrum-one
  arbitrum-rinkeby arbitrum-sepolia aurora aurora-testnet autonomys autonomys-chronos avalanche base
  base-goerli base-sepolia berachain berachain-bepolia blast-mainnet blast-testnet bnb-op boba boba-bnb
  boba-testnet botanix botanix-testnet bsc celo celo-alfajores celo-sepolia chapel chiliz chiliz-testnet
  clover corn corn-testnet cronos etherlink-mainnet etherlink-testnet expchain-testnet fantom
  fantom-testnet fraxtal fuji fuse fuse-testnet gnosis-chiado goerli gravity-mainnet gravity-testnet
  harmony hashkeychain hashkeychain-sepolia hemi hemi-sepolia holesky hoodi injective-evm-testnet ink
  ink-sepolia iotex iotex-testnet joc joc-testnet kaia kaia-testnet katana katana-tatara kava kovan lens
  lens-testnet linea linea-goerli linea-sepolia lumia mainnet manta matic mbase megaeth-testnet metis mint
  mint-sepolia mode-mainnet mode-sepolia monad monad-testnet moonbeam moonriver mumbai neox neox-testnet
  optimism optimism-goerli optimism-kovan optimism-sepolia peaq poa-core poa-sokol polygon-amoy
  polygon-zkevm polygon-zkevm-cardona rinkeby ronin rootstock rootstock-testnet ropsten scroll
  scroll-goerli scroll-sepolia sei-atlantic sei-mainnet sepolia soneium soneium-testnet sonic
  sonic-testnet status-sepolia swellchain swellchain-sepolia tron-evm unichain unichain-testnet vana
  vana-moksha viction xai xdai xlayer-mainnet xlayer-sepolia zetachain zilliqa zilliqa-testnet zksync-era
  zksync-era-sepolia zksync-era-testnet zksync-os-devnet zora
`
    .trim()
    .split(/\s+/),
);

/** What networks are called elsewhere, and what they are called here. */
export const chainAliases: ReadonlyMap<string, string> = new Map(
  `
  abstract-mainnet=abstract abstract-sepolia=abstract-testnet amoy=polygon-amoy amoy-testnet=polygon-amoy
  apechain-mainnet=apechain apechain-testnet=apechain-curtis arb-nova=arbitrum-nova
  arb-sepolia=arbitrum-sepolia arbitrum=arbitrum-one arbitrum-nova-mainnet=arbitrum-nova
  arbitrum-one-mainnet=arbitrum-one arbnova=arbitrum-nova arbone=arbitrum-one aurora-mainnet=aurora
  autonomys-mainnet=autonomys avalanche-fuji=fuji avalanche-mainnet=avalanche avax=avalanche
  base-chain=base base-mainnet=base base-testnet=base-sepolia berachain-mainnet=berachain binance=bsc
  binance-smart-chain=bsc blast=blast-mainnet blast-sepolia=blast-testnet bnb=bsc bnb-chapel=chapel
  bnb-mainnet=bsc bnb-op-mainnet=bnb-op bnb-testnet=chapel boba-bnb-mainnet=boba-bnb boba-bsc=boba-bnb
  boba-mainnet=boba boba-sepolia=boba-testnet botanix-mainnet=botanix bsc-mainnet=bsc bsc-op=bnb-op
  bsc-testnet=chapel celo-mainnet=celo celo-testnet=celo-alfajores chiado=gnosis-chiado
  chiliz-mainnet=chiliz chiliz-spicy-testnet=chiliz-testnet corn-mainnet=corn corn-maizenet=corn
  corn-sepolia=corn-testnet cronos-mainnet=cronos eth=mainnet eth-mainnet=mainnet ethereum=mainnet
  etherlink=etherlink-mainnet fantom-mainnet=fantom fantom-opera=fantom fraxtal-mainnet=fraxtal ftm=fantom
  fuse-mainnet=fuse gnosis=xdai gnosis-mainnet=xdai gravity=gravity-mainnet
  gravity-sepolia=gravity-testnet harmony-mainnet=harmony hashkeychain-mainnet=hashkeychain
  hashkeychain-testnet=hashkeychain-sepolia hemi-mainnet=hemi hemi-testnet=hemi-sepolia homestead=mainnet
  ink-mainnet=ink ink-testnet=ink-sepolia iotex-mainnet=iotex joc-mainnet=joc kaia-mainnet=kaia
  katana-mainnet=katana kava-mainnet=kava lens-mainnet=lens lens-sepolia=lens-testnet linea-mainnet=linea
  linea-testnet=linea-sepolia lumia-mainnet=lumia manta-mainnet=manta matic-mainnet=matic mbeam=moonbeam
  metis-andromeda=metis metis-andromeda-mainnet=metis metis-mainnet=metis minato=soneium-testnet
  mint-mainnet=mint mint-testnet=mint-sepolia mode=mode-mainnet mode-testnet=mode-sepolia
  monad-mainnet=monad moonbase=mbase moonbeam-mainnet=moonbeam moonriver-mainnet=moonriver
  mriver=moonriver neox-mainnet=neox op-mainnet=optimism op-sepolia=optimism-sepolia opbnb=bnb-op
  opsepolia=optimism-sepolia optimism-mainnet=optimism peaq-mainnet=peaq polygon=matic
  polygon-cardona=polygon-zkevm-cardona polygon-zkevm-mainnet=polygon-zkevm ronin-mainnet=ronin
  rootstock-mainnet=rootstock scroll-mainnet=scroll scroll-testnet=scroll-sepolia sei=sei-mainnet
  sei-atlantic2=sei-atlantic sei-evm-mainnet=sei-mainnet sei-testnet=sei-atlantic soneium-mainnet=soneium
  soneium-minato=soneium-testnet soneium-minato-testnet=soneium-testnet sonic-mainnet=sonic
  spiderchain-testnet=botanix-testnet spiderchain-testnet-v1=botanix-testnet status-testnet=status-sepolia
  swellchain-bepolia=swellchain-sepolia swellchain-mainnet=swellchain
  swellchain-testnet=swellchain-sepolia tron-evm-mainnet=tron-evm tronevm=tron-evm
  unichain-mainnet=unichain unichain-sepolia=unichain-testnet vana-mainnet=vana vana-testnet=vana-moksha
  viction-mainnet=viction xai-mainnet=xai xlayer=xlayer-mainnet zetachain-mainnet=zetachain
  zilliqa-mainnet=zilliqa zksync=zksync-era zksync-era-mainnet=zksync-era
  zksync-sepolia=zksync-era-sepolia zksync-testnet=zksync-era-sepolia zora-mainnet=zora
`
    .trim()
    .split(/\s+/)
    .map((pair) => pair.split("=") as [string, string]),
);
