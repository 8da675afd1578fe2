// What a template refuses, because somebody's text could do harm by it. A fault of the author is an error: an element that
// loads or runs something, a value for a name that makes markup or code of it. A value that would do harm is left out.

const NO_ELEMENTS = "script, iframe, object, embed, base, link, meta, animate, set";
const NO_NAMES = /^(?:[.?]?on|[.?]?srcdoc$|\.(?:inner|outer)HTML$|\.(?:href|src|action|formAction|style)$)/i;
const ADDRESSES = ["href", "xlink:href", "src", "action", "formaction"];
const SAFE = ["http:", "https:", "mailto:", "blob:"];
const IN_STYLE = /^[\w\s.,#%()+*-]*$/; // a word, a number with its unit, a function of these

// A strict policy of the page refuses a style as an attribute: one with a value has another name until it is set.
export const STYLE = "data-style";
const STYLED = (mark) => new RegExp(` style=(?="[^"]*${mark}|'[^']*${mark}|${mark})`, "g");
export const withoutStyle = (text, mark) => text.replace(STYLED(mark), ` ${STYLE}=`);

export function refuseTemplate(strings, content) {
  if (!strings.raw) throw new TypeError("html and svg go before a template of the author's: html`…`.");
  const found = content.querySelector(NO_ELEMENTS);
  if (found) throw new Error(`A template may not have <${found.localName}>.`);
}

export function refuseName(name) {
  if (NO_NAMES.test(name)) throw new Error(`No value may become ${name}.`);
}

export const isSafe = (name, value) => !ADDRESSES.includes(name) || leadsNowhereBad(value);

export const isSafeInStyle = (value) => IN_STYLE.test(value);

// An address like this page's, of the network, or of a file that a script made; none that runs code.
function leadsNowhereBad(address) {
  try {
    const { protocol } = new URL(address, document.baseURI);
    return protocol === location.protocol || SAFE.includes(protocol);
  } catch {
    return false; // it is no address
  }
}
