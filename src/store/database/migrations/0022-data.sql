-- The chains that the data service has tables of, by the prefix of their datasets. Rows are in a schema for each chain.
create table graphloom.data_chains (
  chain text primary key,
  -- The first block that its tables hold.
  first_block bigint not null,
  -- Whether native transfers are read, which takes the receipts of every block.
  natives boolean not null,
  created_at timestamptz not null default now()
);
