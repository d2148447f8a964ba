-- What a token's contract says holds from a block on; what it said first holds from the beginning. `asked_block` and
-- `asked_at`, in seconds since 1970, are when it was last found to say so.
alter table graphloom.data_tokens
  add column from_block bigint not null default 0,
  add column asked_block bigint not null default 0,
  add column asked_at bigint not null default 0,
  drop constraint data_tokens_pkey,
  add primary key (chain, token, from_block);
create index data_tokens_asked on graphloom.data_tokens (chain, asked_at);

-- `wraps_native` is null where nobody has said. What people say comes before what the contract says if it `overrides` that.
alter table graphloom.data_registry
  add column wraps_native boolean,
  add column overrides boolean not null default false;

-- Whether tokens wrap native coins, as found out; whether their deposits and withdrawals are read, and have been from the
-- first block of the tables on.
create table graphloom.data_wrapped (
  chain text not null,
  token text not null,
  wraps boolean not null,
  is_read boolean not null default false,
  is_whole boolean not null default false,
  primary key (chain, token)
);

-- How far events were read of contracts that were upgraded.
create table graphloom.data_upgrades (
  chain text primary key,
  read_to bigint not null
);
