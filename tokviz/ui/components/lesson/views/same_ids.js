// The ids that two programs give for the same text, and whether they are the same.

import { make } from "../../../kit/elements.js";
import { quantity } from "../../../kit/words.js";
import { FieldAndRows } from "./rows.js";

export class SameIdsView extends FieldAndRows {
  constructor(box, change) {
    super(box, change, 1);
    this.rows.root.classList.add("beside");
    this.verdict = box.appendChild(make("p", "verdict"));
  }

  show(data) {
    this.field.show(data);
    this.rows.show(
      data.rows,
      (row) => [make("b", "", row.name), make("span", "quiet", quantity(row.ids.length, "token"))],
      (row) => `Ids of ${row.name}`,
      true,
    );
    this.verdict.className = `verdict ${data.same ? "same" : "differs"}`;
    this.verdict.textContent = data.same ? "✓ the same ids" : "× other ids";
  }
}
