-- How many blocks before the head entities can be asked for; nothing where all are kept.
alter table graphloom.deployments add history_blocks integer check (history_blocks > 0);
