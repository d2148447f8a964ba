-- What audits have found about tokens: why sums of transfers, or what the contract says, are not to be trusted.
create table graphloom.data_marks (
  chain text not null,
  token text not null,
  kind text not null,
  -- The block at which the two were compared.
  block_number bigint not null,
  block_hash text not null,
  -- What was seen, as a sentence.
  evidence text not null,
  marked_at timestamptz not null default now(),
  primary key (chain, token)
);
