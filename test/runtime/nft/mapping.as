import {
  Address,
  Bytes,
  DataSourceContext,
  JSONValueKind,
  dataSource,
  ethereum,
  json,
} from "@graphprotocol/graph-ts";
import { Claimed, Minted } from "../generated/Nft/Nft";
import { Other, TokenMetadata as TokenMetadataTemplate } from "../generated/templates";
import { Holder, Token, TokenMetadata } from "../generated/schema";

export function handleMinted(event: Minted): void {
  const id = event.params.id.toString();
  const uri = event.params.uri;
  let token = new Token(id);
  token.uri = uri;
  token.metadata = uri;
  token.isKnown = TokenMetadata.load(uri) != null;
  token.save();
  let holder = Holder.load("first");
  if (holder == null) {
    holder = new Holder("first");
    holder.tokens = 0;
  }
  holder.tokens += 1;
  holder.save();
  const context = new DataSourceContext();
  context.setString("token", id);
  TokenMetadataTemplate.createWithContext(uri, context);
}

export function handleClaimed(event: Claimed): void {
  let metadata = TokenMetadata.load(event.params.id);
  if (metadata == null) metadata = new TokenMetadata(event.params.id);
  metadata.holder = "the chain";
  metadata.save();
}

export function handleMetadata(content: Bytes): void {
  let metadata = new TokenMetadata(dataSource.stringParam());
  metadata.holder = Holder.load("first") == null ? "nobody" : "somebody";
  metadata.token = dataSource.context().getString("token");
  const parsed = json.try_fromBytes(content);
  if (parsed.isError || parsed.value.kind != JSONValueKind.OBJECT) {
    metadata.save();
    return;
  }
  const object = parsed.value.toObject();
  const name = object.get("name");
  if (name) metadata.name = name.toString();
  const id = object.get("id");
  if (id) metadata.id = id.toString();
  metadata.save();

  const more = object.get("more");
  if (more) TokenMetadataTemplate.createWithContext(more.toString(), dataSource.context());
  if (object.isSet("reads a token")) Token.load("1");
  if (object.isSet("calls")) ethereum.getBalance(Address.zero());
  if (object.isSet("creates")) Other.create(Address.zero());
}
