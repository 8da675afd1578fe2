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
const packedText = async (bytes) => `packed=${lettersOf(await zlib(bytes))}`;

// Is the text short enough to be part of the link?
export const goesAlong = ({ sample, limit }, bytes) => Boolean(sample) || bytes.length <= limit;

// The query of a link. bytes: the text, in UTF-8. fields: parameters by name, null to leave one out.
export async function queryOf(link, bytes, fields) {
  const said = [link.query];
  for (const [name, value] of Object.entries(fields)) if (value !== null) said.push(`${name}=${value}`);
  if (link.sample) said.push(`sample=${link.sample}`);
  else if (goesAlong(link, bytes)) said.push(await packedText(bytes));
  return said.join("&");
}
