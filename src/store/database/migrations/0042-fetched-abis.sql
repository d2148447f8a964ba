-- The ABIs that the queries of a version name by their addresses, as they were when it was applied.
alter table graphloom.pipeline_versions add column abis jsonb not null default '[]';
