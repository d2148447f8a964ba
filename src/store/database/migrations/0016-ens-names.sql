-- Names of ENS by their hashes, for mappings that look them up: what an operator has imported.
create table graphloom.ens_names (
  hash bytea primary key check (length(hash) = 32),
  name text not null
);
