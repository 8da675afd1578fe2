// Above the rows: the search and how it is read, the filters, what is listed in a sentence, and the order.

import { asStatus, asTyped, make, makeButton, setAttributes } from "../../kit/elements.js";
import { fromHex } from "../encoding.js";
import { home } from "../hues.js";
import { chip } from "../token_view/marks.js";

const BYS = { text: "Text", bytes: "Bytes", id: "Id", pattern: "Pattern" };
const EXAMPLES = { text: "every", bytes: "20 65 76", id: "1753, 2000-2100", pattern: "^ [A-Z]\\w+$" };
const SEARCH_LIMIT = 500; // characters, as in vocabulary/listing.py
const SORTS = [
  ["id", "Lowest id first"],
  ["id down", "Highest id first"],
  ["use down", "Most used first"],
  ["use", "Least used first"],
  ["length", "Shortest first"],
  ["length down", "Longest first"],
  ["text", "By text, A to Z"],
  ["text down", "By text, Z to A"],
];
const USES = { any: "any", used: "used", unused: "not used" };

function makeOption(value, label) {
  const option = make("option", "", label);
  option.value = value;
  return option;
}

export class Tools {
  // change(fields): the choice changes. down(): the arrow down in the search. csv(), copyLink(): their buttons.
  constructor({ change, down, csv, copyLink }) {
    this.change = change;
    this.root = make("div", "tools");
    const search = this.root.appendChild(make("div", "search"));
    this.field = search.appendChild(asTyped(make("input")));
    this.field.type = "search";
    this.field.maxLength = SEARCH_LIMIT;
    setAttributes(this.field, { role: "searchbox", "aria-label": "Search the tokens", "aria-describedby": "fault" });
    this.field.addEventListener("input", () => change({ search: this.field.value }));
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.field.value) this.clear();
      else if (event.key === "ArrowDown" || event.key === "Enter") down(event.key === "Enter");
      else return;
      event.preventDefault();
    });
    const by = search.appendChild(make("div", "by"));
    setAttributes(by, { role: "group", "aria-label": "Search by" });
    this.bys = Object.entries(BYS).map(([value, label]) => {
      const button = makeButton("", label, () => {
        change({ by: value });
        this.field.focus();
      });
      button.value = value;
      return button;
    });
    by.append(...this.bys);
    this.fault = this.root.appendChild(make("p", "fault"));
    this.fault.id = "fault";
    this.fault.setAttribute("role", "alert");
    const filters = this.root.appendChild(make("div", "filters"));
    this.kind = this.select(filters, "Kind", "kind");
    this.length = this.select(filters, "Length", "length", Number);
    this.script = this.select(filters, "Script", "script");
    this.use = this.select(filters, "Use", "use");
    this.odd = filters.appendChild(
      makeButton("set", "", () => {
        change({ odd: "" });
        this.use.select.focus(); // the button goes
      }),
    );
    const line = this.root.appendChild(make("div", "summary"));
    this.said = line.appendChild(asStatus(make("p", "said")));
    const order = line.appendChild(make("div", "order"));
    this.sort = order.appendChild(make("select"));
    this.sort.setAttribute("aria-label", "Sort by");
    this.sort.append(...SORTS.map(([value, label]) => makeOption(value, label)));
    this.sort.addEventListener("change", () => {
      const [sort, down] = this.sort.value.split(" ");
      change({ sort, down: Boolean(down) });
    });
    order.append(
      makeButton("", "CSV", csv, "CSV of all that is listed"),
      makeButton("", "Copy link", copyLink, "Copy link to this list"),
    );
    this.none = this.root.appendChild(make("div", "none"));
  }

  clear() {
    this.change({ search: "" });
    this.field.value = "";
    this.field.focus();
  }

  select(parent, title, name, read = String) {
    const select = parent.appendChild(make("select"));
    select.setAttribute("aria-label", title);
    select.addEventListener("change", () => this.change({ [name]: read(select.value) }));
    return { select, title, name };
  }

  // The options of a select, as [value, label].
  offer({ select, title, name }, options, choice) {
    const value = String(choice[name]);
    const key = JSON.stringify(options);
    if (select.key !== key) {
      select.key = key;
      select.replaceChildren(...options.map(([value, label]) => makeOption(value, `${title}: ${label}`)));
    }
    select.value = value;
    select.classList.toggle("set", value !== String(options[0][0]));
  }

  // The choice, as soon as it is made.
  show(choice) {
    if (this.field.value !== choice.search) this.field.value = choice.search;
    this.field.placeholder = `For example ${EXAMPLES[choice.by]}`;
    this.sort.value = choice.down ? `${choice.sort} down` : choice.sort;
    for (const button of this.bys) button.setAttribute("aria-pressed", String(button.value === choice.by));
  }

  // What Python answered: all that does not change with the search, and what is listed.
  draw(all, told, choice) {
    const lengths = all.lengths.flatMap((n, i) => {
      const last = i + 1 === all.lengths.length;
      return n ? [[i + 1, `${i + 1}${last ? " bytes or more" : i ? " bytes" : " byte"}`]] : [];
    });
    const scripts = [...new Set([...all.scripts.map(({ name }) => name), ...all.all_scripts])];
    this.offer(this.kind, [["", "any"], ...all.kinds.map((kind) => [kind, kind])], choice);
    this.offer(this.length, [[0, "any"], ...lengths], choice);
    this.offer(this.script, [["", "any"], ...scripts.map((name) => [name, name])], choice);
    this.offer(this.use, Object.entries(USES), choice);
    this.odd.hidden = !told.odd;
    this.odd.textContent = `Only: ${told.odd} ×`;
    this.odd.setAttribute("aria-label", `Only tokens that are ${told.odd}. Press to list all tokens.`);
    const said = told.over ? told.said : `${told.said}; the search goes on`;
    const [number, ...rest] = said.split(" ");
    this.said.replaceChildren(make("b", "", number), ` ${rest.join(" ")}`);
    this.none.hidden = !told.none;
    this.none.replaceChildren();
    if (told.none) {
      const tokens = told.none.tokens.map(fromHex);
      this.none.append(make("p", "", told.none.said), ...tokens.map((token) => chip(token, home(token))));
    }
  }

  showFault(fault) {
    this.fault.textContent = fault;
    this.fault.hidden = !fault;
    this.field.setAttribute("aria-invalid", String(Boolean(fault)));
  }
}
