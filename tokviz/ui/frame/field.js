// A field for text: data = {key, label, value, heard, lines, placeholder, limit, step, labelled}; see kit/field.js. What is
// typed is kept as `draft` = {id, text, entered}.

import { field } from "../kit/field.js";
import { component } from "../kit/kit.js";

export default component("typed", (data, { root, keep }) =>
  field({ ...data, send: (draft) => keep("draft", draft), at: root }),
);
