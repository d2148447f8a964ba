import { compileContract } from "../../support/chain/solidity.js";

/** A clock that tells what it does by events, calls without any, and children that it makes. */
const SOURCE = `
  struct Inner { address token; uint8 kind; }
  struct Order { address maker; uint256 amount; Inner inner; }
  contract Child {
    event Pinged(uint256 number);
    constructor() { emit Pinged(0); }
    function ping(uint256 number) external { emit Pinged(number); }
  }
  contract Clock {
    event Ticked(address indexed who, uint256 number);
    event Ordered(Order order);
    event Born(address child);
    event Failing(uint256 number);
    event Told(string path, bool isLines);
    mapping(address => uint256) public seen;
    function tick(uint256 number) external { seen[msg.sender] += 1; emit Ticked(msg.sender, number); }
    function quiet(uint256 number) external returns (uint256) { return seen[msg.sender] += number; }
    function order(address maker, address token) external { emit Ordered(Order(maker, 7, Inner(token, 3))); }
    function born() external { emit Born(address(new Child())); }
    function tell(string calldata path, bool isLines) external { emit Told(path, isLines); }
    function fail(uint256 number) external { emit Failing(number); }
    function twice(Clock other, uint256 number) external {
      this.quiet(number);
      other.quiet(number);
      this.quiet(number);
    }
    function quietly(Clock other) external { other.quiet(1); revert("no"); }
    receive() external payable {}
  }
`;

export const clockContract = compileContract(SOURCE, "Clock");
export const childContract = compileContract(SOURCE, "Child");
