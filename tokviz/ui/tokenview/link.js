// The address that opens a view again. tokviz/ui/frame/address.py reads it and explains each parameter; it also makes the
// part that does not depend on the text: { query, sample, limit }.

async function zlib(bytes) {
  const packed = new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate")));
  return new Uint8Array(await packed.arrayBuffer());
}

function lettersOf(bytes) {
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// The parameter with a text. bytes: the text, in UTF-8.
export const packedText = async (bytes) => `packed=${lettersOf(await zlib(bytes))}`;

// Is the text short enough to be part of the link?
export const goesAlong = ({ sample, limit }, bytes) => Boolean(sample) || bytes.length <= limit;

// The query of a link. bytes: the text, in UTF-8. specials: how special tokens are read. side: which of the tokenizers.
// view, size, pinned: how its tokens are shown, null to leave it out.
export async function queryOf(link, bytes, { specials, side, view, size, pinned }) {
  const said = [link.query, `specials=${specials}`];
  if (view) said.push(`view=${view}`);
  if (size !== null) said.push(`size=${size}`);
  if (pinned !== null) said.push(`pin=${side}.${pinned}`);
  if (link.sample) said.push(`sample=${link.sample}`);
  else if (goesAlong(link, bytes)) said.push(await packedText(bytes));
  return said.join("&");
}
