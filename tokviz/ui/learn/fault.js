// Why an input was not accepted, beside the field that was changed last; "" if it was. The field keeps what was typed.

import { make, setAttributes } from "../kit/elements.js";

const FIELDS = "input, textarea, select";

let faults = 0;

// box: a view's or a task's.
export function drawFault(box, words) {
  const shown = box.querySelector(".fault");
  if ((shown?.textContent ?? "") === words) return; // spoken once
  shown?.remove();
  const marked = box.querySelector("[aria-invalid]");
  for (const name of ["aria-invalid", "aria-describedby"]) marked?.removeAttribute(name);
  if (!words) return;
  const active = box.getRootNode().activeElement;
  const field = active?.matches(FIELDS) && box.contains(active) ? active : box.querySelector(FIELDS);
  const fault = make("p", "note warn fault", words);
  setAttributes(fault, { id: `fault${++faults}`, role: "alert" }); // a view and a task can have one each
  if (field) setAttributes(field, { "aria-invalid": "true", "aria-describedby": fault.id });
  if (field) field.after(fault);
  else box.append(fault);
}
