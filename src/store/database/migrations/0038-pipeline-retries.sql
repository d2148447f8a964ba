-- A pipeline whose process has died is started again after a pause. What is kept here counts for one generation: a change by
-- a user begins without failures.
alter table graphloom.pipelines
  add column deaths integer not null default 0,
  add column died_generation bigint,
  add column retry_at timestamptz;
