// Why an input was not accepted, beside the field that was changed last. The field keeps what was typed.

import { make, setAttributes } from "../kit/elements.js";

let faults = 0;

const FIELDS = "input, textarea, select";

// box: a view's or a task's.
export function drawFault(box, words) {
  const active = box.getRootNode().activeElement;
  const field = active?.matches(FIELDS) && box.contains(active) ? active : box.querySelector(FIELDS);
  const shown = box.querySelector(".fault");
  if (shown?.textContent === words) return; // spoken once
  clearFault(box);
  const fault = make("p", "note warn fault", words);
  fault.id = `fault${++faults}`; // a view and a task can have one each
  fault.setAttribute("role", "alert");
  if (field) {
    setAttributes(field, { "aria-invalid": "true", "aria-describedby": fault.id });
    field.after(fault);
  } else {
    box.append(fault);
  }
}

export function clearFault(box) {
  box.querySelector(".fault")?.remove();
  const field = box.querySelector("[aria-invalid]");
  field?.removeAttribute("aria-invalid");
  field?.removeAttribute("aria-describedby");
}
