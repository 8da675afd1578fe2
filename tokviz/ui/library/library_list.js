// data = {groups: [{title, word, empty, rows}]}. A row has what `ListedTokenizer` in library_list.py has, and the glyph of
// its series. Its origin or kind is shown below the name on a phone. A press sends the trigger `asked` = {what, key}.

import { copyText } from "../kit/copy_and_save.js";
import { html, keyed } from "../kit/html.js";
import { isPlain, walk } from "../kit/keys.js";
import { component, keepFocus } from "../kit/kit.js";

const NONE = "–"; // in place of a fact that is not known
const LABELS = { open: "Open", save: "Save", delete: "Delete" };
const HEADS = ["Name", "Kind", "Size", "Pattern", "Origin"];

export default component("library", ({ groups }, on) => {
  keepFocus(on.root, "a, button");
  return html`<table aria-label="Tokenizers" @keydown=${walk("a.called", ".action button")}>
    <thead><tr>
      ${HEADS.map((title) => html`<th class=${title.toLowerCase()} scope="col">${title}</th>`)}
      <th class="action" scope="col"><span class="unseen">Action</span></th>
    </tr></thead>
    ${groups.map((group) => groupOf(group, on))}
  </table>`;
});

const groupOf = ({ title, word, empty, rows }, on) => html`<tbody>
  <tr class="group"><th colspan="6" scope="rowgroup">${title}${word && html`<span class="quiet">${word}</span>`}</th></tr>
  ${rows.map((row) => keyed(row.key, rowOf(row, on)))}
  ${!rows.length && html`<tr class="none quiet"><td colspan="6">${empty}</td></tr>`}
</tbody>`;

// A name can be in any script, so its direction is its own.
const rowOf = (row, on) => html`<tr class=${row.fault ? "damaged" : ""}>
    <th class="name" scope="row">${markOf(row)}${nameOf(row, on)}<span
      class=${row.fault ? "under fault" : "under"} dir="auto">${row.fault || row.origin || row.kind}</span></th>
    ${["kind", "size", "pattern"].map((part) => html`<td class=${part} dir="ltr">${row[part] || NONE}</td>`)}
    <td class="origin" dir="auto">${row.fault || row.origin || NONE}</td>
    <td class="action">${actionOf(row, on)}</td>
  </tr>
  ${row.command && on.state.how === row.key && commandOf(row)}`;

const markOf = ({ glyph, series }) => html`<span class="mark" aria-hidden="true"
  style="color:${series && `var(--k-${series})`}">${glyph}</span>`;

const nameOf = (row, on) => {
  if (row.command || row.fault) return html`<span class="called" dir="auto" title=${row.name}>${row.name}</span>`;
  const open = (event) => {
    if (!isPlain(event)) return;
    event.preventDefault();
    ask("open", row, on);
  };
  const address = `?open=${encodeURIComponent(row.address)}`;
  return html`<a class="called" dir="auto" title=${row.name} href=${address} @click=${open}>${row.name}</a>`;
};

function ask(what, { key }, on) {
  if (what === "open") document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
  on.tell("asked", { what, key });
}

const actionOf = (row, on) => {
  const isShown = on.state.how === row.key;
  if (row.command) {
    return html`<button type="button" aria-label="How to install ${row.name}" aria-expanded=${isShown}
      @click=${() => on.redraw({ how: isShown ? null : row.key })}>How to</button>`;
  }
  const label = LABELS[row.press];
  return (
    label &&
    html`<button type="button" aria-label="${label} ${row.name}" @click=${() => ask(row.press, row, on)}>${label}</button>`
  );
};

// The command that installs a package, in a row of its own below.
const commandOf = ({ name, command, remarks }) => html`<tr class="how"><td colspan="6"><code>${command}</code>
  <button type="button" aria-label="Copy the command for ${name}"
    @click=${({ target }) => copyText(command, target.nextElementSibling)}>Copy</button>
  <span class="quiet" role="status"></span>${remarks.map((remark) => html`<p class="quiet">${remark}</p>`)}</td></tr>`;
