-- The files of builds by their IPFS hashes, listed when a file is first asked for.
create table graphloom.build_files (
  deployment text not null references graphloom.builds on delete cascade,
  cid text not null,
  -- Its path in the bundle; empty for the manifest with hashes in place of paths, whose hash is the deployment id.
  path text not null,
  primary key (deployment, cid)
);
create index on graphloom.build_files (cid);
