-- What is known of tokens, prices and addresses, by the chain's prefix of datasets. Addresses are in lower case; the zero
-- address is the native coin.

-- What the contracts of tokens say of themselves; null where they do not.
create table graphloom.data_tokens (
  chain text not null,
  token text not null,
  symbol text,
  name text,
  decimals integer,
  primary key (chain, token)
);

-- What people say of tokens. Those with a canonical id share prices; those that are stable are at par.
create table graphloom.data_registry (
  chain text not null,
  token text not null,
  symbol text,
  name text,
  decimals integer,
  logo_url text,
  canonical_id text,
  is_stable boolean not null default false,
  primary key (chain, token)
);
create index data_registry_canonical on graphloom.data_registry (canonical_id);

-- Prices by the start of a minute, in seconds since 1970.
create table graphloom.data_prices (
  chain text not null,
  token text not null,
  bucket bigint not null,
  usd numeric not null check (usd >= 0),
  source text not null,
  primary key (chain, token, bucket)
);

-- Names of addresses, on one chain or, with an empty chain, on all.
create table graphloom.data_labels (
  chain text not null default '',
  address text not null,
  label text not null,
  primary key (chain, address)
);

-- How far the tokens of transfers have been looked up.
alter table graphloom.data_chains add column tokens_to bigint not null default -1;
