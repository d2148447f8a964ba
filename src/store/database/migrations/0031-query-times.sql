-- How long queries took, in milliseconds: half of them, and 95 of 100, in the slowest of the minutes of a row. And queries
-- that the engine failed to answer.
alter table graphloom.figures
  add column failed bigint not null default 0,
  add column p50 integer,
  add column p95 integer;
