-- Who writes the state of a sink, so that a server that has lost it can name the process: JSON with `pid`, `host` and
-- `namespace`. None for what an earlier version has opened.
alter table graphloom.pipeline_states
  add column process text,
  add column since timestamptz;
