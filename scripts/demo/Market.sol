// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// A token with a fixed supply.
contract Token {
    string public name;
    string public symbol;
    uint8 public immutable decimals;
    uint256 public immutable totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) private allowed;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(string memory name_, string memory symbol_, uint8 decimals_, uint256 supply) {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
        totalSupply = supply;
        balanceOf[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowed[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 left = allowed[from][msg.sender];
        require(left >= value, "not allowed");
        if (left != type(uint256).max) allowed[from][msg.sender] = left - value;
        move(from, to, value);
        return true;
    }

    function move(address from, address to, uint256 value) private {
        require(balanceOf[from] >= value, "not enough");
        unchecked {
            balanceOf[from] -= value;
            balanceOf[to] += value;
        }
        emit Transfer(from, to, value);
    }
}

/// Two tokens that are traded for each other: the product of what it holds of them stays the same, but for the fee.
contract Market {
    Token public immutable base;
    Token public immutable quote;
    /// In hundredths of a percent.
    uint256 public constant fee = 30;
    uint256 public baseReserve;
    uint256 public quoteReserve;
    uint256 public totalShares;
    mapping(address => uint256) public sharesOf;

    event Deposit(address indexed provider, uint256 baseAmount, uint256 quoteAmount, uint256 shares);
    event Withdrawal(address indexed provider, uint256 baseAmount, uint256 quoteAmount, uint256 shares);
    event Trade(address indexed trader, bool isBuy, uint256 baseAmount, uint256 quoteAmount);

    uint256 private immutable baseUnit;
    uint256 private immutable quoteUnit;

    constructor(Token base_, Token quote_) {
        base = base_;
        quote = quote_;
        baseUnit = 10 ** base_.decimals();
        quoteUnit = 10 ** quote_.decimals();
    }

    /// `WETH/HUSD`
    function pair() external view returns (string memory) {
        return string.concat(base.symbol(), "/", quote.symbol());
    }

    /// What one base token is worth in quote tokens, with 18 decimals.
    function price() external view returns (uint256) {
        return baseReserve == 0 ? 0 : (quoteReserve * baseUnit * 1e18) / (baseReserve * quoteUnit);
    }

    /// Adds of both tokens in the proportion that it holds them.
    function deposit(uint256 baseAmount, uint256 mostQuote) external {
        uint256 quoteAmount = baseReserve == 0 ? mostQuote : (baseAmount * quoteReserve) / baseReserve;
        require(quoteAmount <= mostQuote, "too much");
        uint256 shares = totalShares == 0 ? baseAmount : (baseAmount * totalShares) / baseReserve;
        totalShares += shares;
        sharesOf[msg.sender] += shares;
        baseReserve += baseAmount;
        quoteReserve += quoteAmount;
        base.transferFrom(msg.sender, address(this), baseAmount);
        quote.transferFrom(msg.sender, address(this), quoteAmount);
        emit Deposit(msg.sender, baseAmount, quoteAmount, shares);
    }

    function withdraw(uint256 shares) external {
        uint256 baseAmount = (shares * baseReserve) / totalShares;
        uint256 quoteAmount = (shares * quoteReserve) / totalShares;
        sharesOf[msg.sender] -= shares;
        totalShares -= shares;
        baseReserve -= baseAmount;
        quoteReserve -= quoteAmount;
        base.transfer(msg.sender, baseAmount);
        quote.transfer(msg.sender, quoteAmount);
        emit Withdrawal(msg.sender, baseAmount, quoteAmount, shares);
    }

    /// Pays with the quote token.
    function buy(uint256 quoteAmount, uint256 leastBase) external {
        uint256 baseAmount = output(quoteAmount, quoteReserve, baseReserve);
        require(baseAmount >= leastBase, "price moved");
        quoteReserve += quoteAmount;
        baseReserve -= baseAmount;
        quote.transferFrom(msg.sender, address(this), quoteAmount);
        base.transfer(msg.sender, baseAmount);
        emit Trade(msg.sender, true, baseAmount, quoteAmount);
    }

    /// Pays with the base token.
    function sell(uint256 baseAmount, uint256 leastQuote) external {
        uint256 quoteAmount = output(baseAmount, baseReserve, quoteReserve);
        require(quoteAmount >= leastQuote, "price moved");
        baseReserve += baseAmount;
        quoteReserve -= quoteAmount;
        base.transferFrom(msg.sender, address(this), baseAmount);
        quote.transfer(msg.sender, quoteAmount);
        emit Trade(msg.sender, false, baseAmount, quoteAmount);
    }

    function output(uint256 paid, uint256 reserveIn, uint256 reserveOut) private pure returns (uint256) {
        uint256 counted = paid * (10_000 - fee);
        return (counted * reserveOut) / (reserveIn * 10_000 + counted);
    }
}

/// Opens markets.
contract Exchange {
    Market[] private markets;

    event MarketOpened(address indexed base, address indexed quote, address market, uint256 number);

    function open(Token base, Token quote) external returns (Market market) {
        market = new Market(base, quote);
        markets.push(market);
        emit MarketOpened(address(base), address(quote), address(market), markets.length);
    }

    function marketCount() external view returns (uint256) {
        return markets.length;
    }
}
