-- Which chain a deployment was indexed from: its id, and the number and the hash of the first block that its node has.
-- Nothing for what was indexed before this was remembered, until a node has its last block.
alter table graphloom.deployments
  add column chain_id text,
  add column first_block_number integer,
  add column first_block_hash text;
