// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";

contract Treasury is UUPSUpgradeable {
  event Opened(address owner);
  event LimitChanged(uint256 limit);

  address public owner;

  function open(address to) external {
    owner = to;
    emit Opened(to);
  }

  function setLimit(uint256 limit) external {
    emit LimitChanged(limit);
  }

  function _authorizeUpgrade(address) internal view override {
    require(msg.sender == owner);
  }
}

contract TreasuryV2 is UUPSUpgradeable {
  event LimitChanged(uint256 limit);
  event Paused(bool paused);

  address public owner;

  function pause() external {
    emit Paused(true);
  }

  function _authorizeUpgrade(address) internal view override {
    require(msg.sender == owner);
  }
}

contract Token {
  event Transfer(address indexed from, address indexed to, uint256 value);

  constructor() {
    mint();
  }

  function mint() public {
    emit Transfer(address(0), msg.sender, 1);
  }
}

contract Pool {
  event Swapped(uint256 amount);

  function swap(uint256 amount) external {
    emit Swapped(amount);
  }
}

contract Factory {
  event Made(address pool);

  function make() external {
    emit Made(address(new Pool()));
  }

  function makeAt(bytes32 salt) external {
    emit Made(address(new Pool{salt: salt}()));
  }
}

/** Its creation fails when it is mined too late, which no simulation shows. */
contract Fleeting {
  event Seen(uint256 block);

  constructor(uint256 last) {
    require(block.number <= last);
  }
}
