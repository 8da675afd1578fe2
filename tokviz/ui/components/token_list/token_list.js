// The list of the tokens of a tokenizer. data = {of, token}: the key of the tokenizer, and the id of the pinned token.

import { drawBiography } from "../biography/biography.js";
import { make, themeOf } from "../elements.js";
import { Line } from "../line.js";

export default function ({ data, parentElement }) {
  const root = make("div", "tokviz vocabulary");
  const status = root.appendChild(make("p", "quiet"));
  const aside = root.appendChild(make("aside"));
  parentElement.replaceChildren(root);
  root.dataset.theme = themeOf(root);
  const line = new Line("vocabulary", status, "", () => {});
  const ask = (question) =>
    new Promise((answer, fail) =>
      line.ask(Object.keys(question)[0], { of: data.of, ...question }, (said, error) =>
        said ? answer(said) : fail(new Error(error)),
      ),
    );
  const pin = (id) => ask({ token: id }).then((said) => drawBiography(aside, said, { pin, ask }));
  pin(data.token);
  return () => line.close();
}
