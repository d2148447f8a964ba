-- What a deployment was grafted onto, and the last block it took over.
alter table graphloom.deployments add graft_base text;
alter table graphloom.deployments add graft_block integer;
alter table graphloom.deployments add check ((graft_base is null) = (graft_block is null));

-- Names of data sources and then of templates, as created data sources are numbered by; nothing where it was not told.
alter table graphloom.deployments add source_names text[];
