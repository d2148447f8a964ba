// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "../src/Contracts.sol";

interface Vm {
  function startBroadcast() external;
  function stopBroadcast() external;
  function createSelectFork(string calldata url) external returns (uint256);
  function envAddress(string calldata name) external returns (address);
  function envString(string calldata name) external returns (string memory);
}

contract Script {
  bool public constant IS_SCRIPT = true;
  Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

  modifier broadcast() {
    vm.startBroadcast();
    _;
    vm.stopBroadcast();
  }
}

contract Deploy is Script {
  function run() external broadcast {
    Treasury code = new Treasury();
    Treasury treasury = Treasury(
      address(new ERC1967Proxy(address(code), abi.encodeCall(Treasury.open, (msg.sender))))
    );
    Token token = new Token();
    treasury.setLimit(5);
    Factory factory = new Factory();
    factory.make();
    Pool pool = new Pool{salt: keccak256(abi.encode(address(factory)))}();
    factory.makeAt("1");
    token.mint();
    pool.swap(3);
    factory.make();
  }
}

contract Upgrade is Script {
  function run() external broadcast {
    upgrade();
  }

  function again() external broadcast {
    upgrade();
  }

  function upgrade() private {
    UUPSUpgradeable proxy = UUPSUpgradeable(vm.envAddress("PROXY"));
    new Token();
    TreasuryV2 code = new TreasuryV2();
    proxy.upgradeTo(address(code));
    TreasuryV2(address(proxy)).pause();
  }
}

contract Plain is Script {
  function run() external broadcast {
    new Token();
    Factory factory = new Factory();
    factory.make();
    new Pool();
  }
}

contract Failing is Script {
  function run() external broadcast {
    Factory factory = new Factory();
    new Fleeting(block.number);
    factory.make();
    new Pool();
  }
}

contract Several is Script {
  function run() external {
    vm.createSelectFork(vm.envString("FIRST"));
    vm.startBroadcast();
    new Pool();
    new Token();
    vm.stopBroadcast();
    vm.createSelectFork(vm.envString("SECOND"));
    vm.startBroadcast();
    new Token();
    new Factory().make();
    vm.stopBroadcast();
  }
}
