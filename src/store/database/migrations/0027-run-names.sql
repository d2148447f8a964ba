-- The names of builds that `graphloom run` has indexed, as their configurations had them then. A name is that of the build
-- that was run last.
create table graphloom.run_names (
  name text not null,
  -- Empty if the configuration had none.
  version text not null,
  network text not null,
  -- The IPFS hash of the manifest.
  deployment text not null,
  primary key (name, version, network)
);
