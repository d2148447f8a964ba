-- The first block with a handler that failed, of a build that goes on then.
alter table graphloom.deployments add first_error_block integer;

-- What ended the indexing stands in fatal_error, until a block is written after all:
-- {"message", "block": {"number", "hash"}, "handler", "source", "transactionHash", "logIndex", "deterministic"}
alter table graphloom.deployments drop health;
alter table graphloom.deployments add health text not null generated always as (
  case when fatal_error is not null then 'failed' when first_error_block is not null then 'unhealthy' else 'healthy' end
) stored;

-- The first handlers that failed without ending the indexing, in their order.
create table graphloom.handler_errors (
  deployment integer not null references graphloom.deployments on delete cascade,
  number bigint generated always as identity,
  block integer not null,
  block_hash text not null,
  message text not null,
  handler text not null,
  source text not null,
  -- Nothing where a block, a call or a file was handled.
  transaction_hash text,
  log_index integer,
  primary key (deployment, number)
);
